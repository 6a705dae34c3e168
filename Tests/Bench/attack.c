// A client as no daemon wishes for, until it is killed. See "under attack" in run.sh.
//
//   attack slowloris SOCKET COUNT         COUNT connections, each with a line that grows by a byte every 10 ms
//   attack endless SOCKET                 a line without an end; when the daemon closes, the next one
//   attack mute SOCKET LINE               asks without end and never reads; when the daemon closes, again
//   attack pipeline SOCKET COUNT LINE     COUNT requests at once, then all of the replies, again and again
#include <fcntl.h>
#include <poll.h>

#include "bench.h"

static int reconnect(int old, const char *path) {
    if (old >= 0) close(old);
    int fd = connect_to(path);
    if (fd < 0) fail(path);
    return fd;
}

// False where the daemon has closed.
static int push(int fd, const char *bytes, size_t count) {
    return send(fd, bytes, count, MSG_NOSIGNAL) >= 0 || errno == EINTR;
}

static void slowloris(const char *path, size_t count) {
    int *clients = calloc(count, sizeof *clients);
    for (size_t i = 0; i < count; i++) clients[i] = reconnect(-1, path);
    struct timespec pause = {.tv_nsec = 10000000 / (long)count};
    for (size_t i = 0;; i = (i + 1) % count) {
        if (!push(clients[i], "x", 1)) clients[i] = reconnect(clients[i], path);
        nanosleep(&pause, NULL);
    }
}

static void endless(const char *path) {
    static char piece[1 << 16];
    memset(piece, 'x', sizeof piece);
    for (int fd = reconnect(-1, path);;)
        if (!push(fd, piece, sizeof piece)) fd = reconnect(fd, path);
}

static void mute(const char *path, const char *line) {
    for (int fd = reconnect(-1, path);;)
        if (!push(fd, line, strlen(line))) fd = reconnect(fd, path);
}

static void pipeline(const char *path, size_t count, const char *line) {
    static char replies[1 << 16];
    size_t size = strlen(line), total = size * count;
    char *requests = malloc(total);
    for (size_t i = 0; i < count; i++) memcpy(requests + i * size, line, size);
    int fd = reconnect(-1, path);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    for (;;) {
        size_t sent = 0, received = 0;
        while (received < count) {
            struct pollfd events = {.fd = fd, .events = POLLIN | (sent < total ? POLLOUT : 0)};
            if (poll(&events, 1, -1) < 0) continue;
            ssize_t moved = send(fd, requests + sent, total - sent, MSG_NOSIGNAL);
            if (moved > 0) sent += (size_t)moved;
            moved = recv(fd, replies, sizeof replies, 0);
            if (moved == 0) errno = ECONNRESET, fail("reply");
            for (ssize_t i = 0; i < moved; i++) received += replies[i] == '\n';
        }
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 2 ? argv[1] : "";
    char line[65536];
    snprintf(line, sizeof line, "%s\n", argc > 3 ? argv[argc - 1] : "");
    if (strcmp(mode, "slowloris") == 0 && argc == 4) slowloris(argv[2], strtoul(argv[3], NULL, 10));
    else if (strcmp(mode, "endless") == 0) endless(argv[2]);
    else if (strcmp(mode, "mute") == 0 && argc == 4) mute(argv[2], line);
    else if (strcmp(mode, "pipeline") == 0 && argc == 5) pipeline(argv[2], strtoul(argv[3], NULL, 10), line);
    return fprintf(stderr, "usage: see attack.c\n"), 2;
}
