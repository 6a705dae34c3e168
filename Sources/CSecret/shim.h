#pragma once
// secret-paths.h, the calls by D-Bus path, is only there with this.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

// A store that is under way may hold the only copy of a refresh token: it is not broken off because the daemon was killed.
// alarm(2) may be called in a signal handler, and its signal ends the process.
static inline void keyrack_finish_call(int number) {
    (void)number;
    alarm(10);
}

// prctl is variadic, which Swift cannot call. Nobody may read the memory of this process. Once its parent has died, or it
// was told to end, a call under way has ten seconds; the end of input ends it where there is none.
static inline int keyrack_harden_helper(void) {
    struct sigaction finish = {.sa_handler = keyrack_finish_call, .sa_flags = SA_RESTART};
    signal(SIGALRM, SIG_DFL);
    if (sigaction(SIGTERM, &finish, NULL) != 0) return -1;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
}
