#pragma once
// secret-paths.h, the calls by D-Bus path, is only there with this.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>
