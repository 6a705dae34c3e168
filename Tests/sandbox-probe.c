// Does what lines of keyrack.service forbid: sandbox-probe LINE... For service-sandbox.sh, which has it set-user-ID.
//
// Writes, for each thing that a line is about, "allowed", "refused" (by the error of the filter) or "killed". What a user may
// not do anyway is asked for in a way that the kernel refuses with another error, which the filter comes before.
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static uid_t started_as;

static int gain_privileges(void) {
  errno = EPERM;
  return started_as == getuid() ? -1 : 0;
}

static int make_namespace(void) { return unshare(CLONE_NEWUSER | 1); }
static int enter_namespace(void) { return setns(-1, CLONE_NEWNS); }
static int netlink_socket(void) { return socket(AF_NETLINK, SOCK_RAW, 0); }
static int packet_socket(void) { return socket(AF_PACKET, SOCK_RAW, 0); }

static int ask_for_realtime(void) {
  struct sched_param priority = {.sched_priority = 0};
  return sched_setscheduler(0, SCHED_FIFO, &priority);
}

static int make_set_user_id(void) {
  FILE *file = tmpfile();
  return file == NULL ? -1 : fchmod(fileno(file), S_ISUID | S_IRWXU);
}

static int change_personality(void) { return personality(ADDR_NO_RANDOMIZE); }

static int map_writable_code(void) {
  void *page = mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? -1 : 0;
}

static int turn_data_to_code(void) {
  void *page = mmap(NULL, 4096, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

// getpid() of another architecture.
static int call_as_other_machine(void) {
  long result = 20;
#ifdef __x86_64__
  __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
#endif
  return result > 0 ? 0 : -1;
}

static int be_traced(void) { return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL); }
static int change_root(void) { return chroot("/nowhere"); }
static int lower_priority(void) { return setpriority(PRIO_PROCESS, 0, 19); }

static const struct probe {
  // How the line begins.
  const char *line;
  int (*run)(void);
  int filter_error;
} probes[] = {
    {"NoNewPrivileges=", gain_privileges, EPERM},
    {"RestrictNamespaces=", make_namespace, EPERM},
    {"RestrictNamespaces=", enter_namespace, EPERM},
    {"RestrictAddressFamilies=", netlink_socket, EAFNOSUPPORT},
    {"RestrictAddressFamilies=", packet_socket, EAFNOSUPPORT},
    {"RestrictRealtime=", ask_for_realtime, EPERM},
    {"RestrictSUIDSGID=", make_set_user_id, EPERM},
    {"LockPersonality=", change_personality, EPERM},
    {"MemoryDenyWriteExecute=", map_writable_code, EPERM},
    {"MemoryDenyWriteExecute=", turn_data_to_code, EPERM},
    {"SystemCallArchitectures=", call_as_other_machine, EPERM},
    {"SystemCallFilter=@", be_traced, EPERM},
    {"SystemCallFilter=~", change_root, EPERM},
    {"SystemCallFilter=~", lower_priority, EPERM},
    {"SystemCallErrorNumber=", be_traced, EPERM},
};

static const char *outcome(const struct probe *probe) {
  pid_t child = fork();
  if (child == 0) {
    int result = probe->run();
    _exit(result < 0 && errno == probe->filter_error ? 1 : 0);
  }
  int status;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "killed";
  return WEXITSTATUS(status) == 0 ? "allowed" : "refused";
}

int main(int count, char **lines) {
  started_as = geteuid();
  // A filter may have something against the call.
  if (started_as != getuid() && setresuid(getuid(), getuid(), getuid()) != 0) return 1;
  for (int number = 1; number < count; number++) {
    for (size_t index = 0; index < sizeof probes / sizeof *probes; index++) {
      const struct probe *probe = &probes[index];
      if (strncmp(lines[number], probe->line, strlen(probe->line)) == 0) puts(outcome(probe));
    }
  }
  return 0;
}
