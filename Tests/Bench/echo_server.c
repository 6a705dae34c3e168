// echo_server SOCKET LINE: answers each line with LINE, and does nothing else. What a daemon with an epoll loop costs at
// least, to compare Keyrack with.
#define _GNU_SOURCE
#include "bench.h"
#include <sys/epoll.h>

static char *answer;
static size_t answer_size;

static void accept_client(int epoll, int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) return;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
}

static void serve(int fd) {
    static char input[65536], output[262144];
    ssize_t count = read(fd, input, sizeof input);
    if (count <= 0) {
        close(fd);
        return;
    }
    size_t size = 0;
    for (ssize_t i = 0; i < count; i++) {
        if (input[i] != '\n') continue;
        if (size + answer_size > sizeof output) send_all(fd, output, size), size = 0;
        memcpy(output + size, answer, answer_size);
        size += answer_size;
    }
    send_all(fd, output, size);
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: echo_server SOCKET LINE\n"), 2;
    answer_size = (size_t)asprintf(&answer, "%s\n", argv[2]);
    struct sockaddr_un address = address_of(argv[1]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), epoll = epoll_create1(EPOLL_CLOEXEC);
    if (listener < 0 || epoll < 0) fail("socket");
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 128) < 0) fail(argv[1]);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0) fail("epoll_ctl");
    for (;;) {
        struct epoll_event events[64];
        int count = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == listener) accept_client(epoll, listener);
            else serve(events[i].data.fd);
        }
    }
}
