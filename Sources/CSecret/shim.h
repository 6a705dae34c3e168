#pragma once
// secret-paths.h, the calls by D-Bus path, is only there with this.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>
#include <signal.h>
#include <sys/prctl.h>

// prctl is variadic, which Swift cannot call. Nobody may read the memory of this process, and it dies with its parent,
// even in the middle of a call.
static inline int keyrack_harden_helper(void) {
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}
