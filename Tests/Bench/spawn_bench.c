// Measures whole processes.
//
//   spawn_bench run COUNT COMMAND...             runs it COUNT times, output thrown away: mean, microseconds
//   spawn_bench ready COUNT SOCKET COMMAND...    starts a daemon COUNT times: the median from the spawn to its first
//                                                answer to "version", microseconds
#include "bench.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static pid_t spawn(char **command) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    errno = posix_spawnp(&pid, command[0], &actions, NULL, command, environ);
    if (errno != 0) fail(command[0]);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void expect_success(pid_t pid, const char *name) {
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    fprintf(stderr, "%s failed: wait status %d\n", name, status);
    exit(1);
}

static void run(int count, char **command) {
    int64_t start = now_ns();
    for (int i = 0; i < count; i++) expect_success(spawn(command), command[0]);
    printf("%lld\n", (long long)((now_ns() - start) / count / 1000));
}

// Waits for an answer to "version", ten seconds at most.
static void await_answer(const char *path, pid_t pid) {
    static const char request[] = "{\"op\":\"version\"}\n";
    const struct timespec pause = {.tv_nsec = 100000};
    for (int i = 0; i < 100000; i++) {
        int fd = connect_to(path);
        if (fd < 0) {
            nanosleep(&pause, NULL);
            continue;
        }
        char answer[4096];
        send_all(fd, request, sizeof request - 1);
        ssize_t count = read(fd, answer, sizeof answer);
        close(fd);
        if (count > 0) return;
    }
    kill(pid, SIGKILL);
    errno = ETIMEDOUT;
    fail(path);
}

static void ready(int count, const char *path, char **command) {
    int64_t *times = calloc((size_t)count, sizeof *times);
    for (int i = 0; i < count; i++) {
        int64_t start = now_ns();
        pid_t pid = spawn(command);
        await_answer(path, pid);
        times[i] = now_ns() - start;
        kill(pid, SIGTERM);
        expect_success(pid, command[0]);
    }
    qsort(times, (size_t)count, sizeof *times, compare_ns);
    printf("%lld\n", (long long)(times[count / 2] / 1000));
    free(times);
}

int main(int argc, char **argv) {
    int count = argc > 3 ? atoi(argv[2]) : 0;
    if (count > 0 && strcmp(argv[1], "run") == 0) return run(count, argv + 3), 0;
    if (count > 0 && argc > 4 && strcmp(argv[1], "ready") == 0) return ready(count, argv[3], argv + 4), 0;
    return fprintf(stderr, "usage: see spawn_bench.c\n"), 2;
}
