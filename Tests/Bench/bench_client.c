// Asks a daemon on a Unix socket, and measures.
//
//   bench_client roundtrip SOCKET COUNT LINE         one connection, one request at a time: p50 and p99, nanoseconds
//   bench_client connect SOCKET COUNT LINE           a connection for each request: p50 and p99, nanoseconds
//   bench_client pipeline SOCKET COUNT LINE DEPTH    one connection, DEPTH requests in flight: requests a second
//   bench_client feed SOCKET DEPTH                   sends the lines of standard input, DEPTH in flight; prints nothing
//
// A reply that is not "ok":true ends it with status 1 and that reply on standard error.
#include "bench.h"

struct Replies {
    int fd;
    size_t used, seen;
    char buffer[1 << 20];
};

// The next reply line, NUL-terminated, good until the next call.
static char *next_reply(struct Replies *replies) {
    for (;;) {
        char *start = replies->buffer + replies->seen;
        char *end = memchr(start, '\n', replies->used - replies->seen);
        if (end) {
            *end = 0;
            replies->seen = (size_t)(end + 1 - replies->buffer);
            return start;
        }
        memmove(replies->buffer, start, replies->used - replies->seen);
        replies->used -= replies->seen;
        replies->seen = 0;
        if (replies->used == sizeof replies->buffer) errno = EMSGSIZE, fail("reply");
        ssize_t count = read(replies->fd, replies->buffer + replies->used, sizeof replies->buffer - replies->used);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            if (count == 0) errno = ECONNRESET;
            fail("reply");
        }
        replies->used += (size_t)count;
    }
}

static void expect_ok(struct Replies *replies) {
    const char *reply = next_reply(replies);
    if (strstr(reply, "\"ok\":true")) return;
    fprintf(stderr, "%s\n", reply);
    exit(1);
}

static struct Replies *open_connection(const char *path) {
    static struct Replies replies;
    replies.fd = connect_to(path);
    if (replies.fd < 0) fail(path);
    replies.used = replies.seen = 0;
    return &replies;
}

static void measure(const char *path, size_t count, const char *line, int reconnects) {
    size_t warm_up = count / 10, size = strlen(line);
    int64_t *times = calloc(count, sizeof *times);
    struct Replies *replies = reconnects ? NULL : open_connection(path);
    for (size_t i = 0; i < warm_up + count; i++) {
        int64_t start = now_ns();
        if (reconnects) replies = open_connection(path);
        send_all(replies->fd, line, size);
        expect_ok(replies);
        if (reconnects) close(replies->fd);
        if (i >= warm_up) times[i - warm_up] = now_ns() - start;
    }
    print_percentiles(times, count);
    free(times);
}

static void pipeline(const char *path, size_t count, const char *line, size_t depth) {
    size_t size = strlen(line), sent = 0;
    struct Replies *replies = open_connection(path);
    int64_t start = now_ns();
    for (; sent < depth && sent < count; sent++) send_all(replies->fd, line, size);
    for (size_t received = 0; received < count; received++) {
        expect_ok(replies);
        if (sent < count) send_all(replies->fd, line, size), sent++;
    }
    printf("%lld\n", (long long)(count * 1000000000.0 / (double)(now_ns() - start)));
}

static void feed(const char *path, size_t depth) {
    struct Replies *replies = open_connection(path);
    char *line = NULL;
    size_t capacity = 0, in_flight = 0;
    ssize_t size;
    while ((size = getline(&line, &capacity, stdin)) > 0) {
        if (in_flight == depth) expect_ok(replies), in_flight--;
        send_all(replies->fd, line, (size_t)size);
        in_flight++;
    }
    while (in_flight-- > 0) expect_ok(replies);
    free(line);
}

int main(int argc, char **argv) {
    const char *mode = argc > 3 ? argv[1] : "";
    if (strcmp(mode, "feed") == 0) return feed(argv[2], strtoul(argv[3], NULL, 10)), 0;
    size_t count = argc > 4 ? strtoul(argv[3], NULL, 10) : 0;
    if (count == 0) return fprintf(stderr, "usage: see bench_client.c\n"), 2;
    char line[65536];
    if (snprintf(line, sizeof line, "%s\n", argv[4]) >= (int)sizeof line) return 2;
    if (strcmp(mode, "roundtrip") == 0) measure(argv[2], count, line, 0);
    else if (strcmp(mode, "connect") == 0) measure(argv[2], count, line, 1);
    else if (strcmp(mode, "pipeline") == 0 && argc > 5) pipeline(argv[2], count, line, strtoul(argv[5], NULL, 10));
    else return 2;
}
