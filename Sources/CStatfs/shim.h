#pragma once
// Which kind of filesystem it is: not in the Glibc module.
#include <sys/vfs.h>
