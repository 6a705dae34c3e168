#pragma once
// Some of these headers are in no module of Swift's Glibc, and belong to whichever module the compiler has seen first:
// a file that uses sockets, signal sets or stat imports both this and Glibc.
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

// prctl is variadic, which Swift cannot call.
static inline int keyrack_set_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Linux 6.5; newer than the headers of Debian 12.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
