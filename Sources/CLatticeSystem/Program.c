#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <crt_externs.h>
#define environ (*_NSGetEnviron())
#else
extern char **environ;
#endif

uint64_t lattice_pipe_of(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) ? status.st_ino : 0;
}

/* Returns the CPU time of a process. A process that has ended has one until it is removed from the process table. */
static int64_t cpu_nanoseconds(pid_t process)
{
#ifdef __linux__
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &used) == 0) {
        return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
    }
#else
    (void)process;
#endif
    return 0;
}

static int drops_statuses(const struct sigaction *action)
{
    int is_ignored = !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
    return is_ignored || (action->sa_flags & SA_NOCLDWAIT) != 0;
}

int lattice_keeps_statuses(void)
{
    struct sigaction action;
    return sigaction(SIGCHLD, NULL, &action) == 0 && !drops_statuses(&action);
}

int lattice_keep_statuses(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) != 0) return errno;
    if (!drops_statuses(&action)) return 0;
    if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
    action.sa_flags &= ~SA_NOCLDWAIT;
    return sigaction(SIGCHLD, &action, NULL) == 0 ? 0 : errno;
}

int lattice_wait_end(pid_t process, struct lattice_end *end)
{
    siginfo_t info;
    do {
        memset(&info, 0, sizeof info);
        if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT) == 0) {
            int exited = info.si_code == CLD_EXITED;
            end->signal = exited ? 0 : info.si_status;
            end->code = exited ? info.si_status : 0;
            end->cpu_nanoseconds = cpu_nanoseconds(process);
            return 0;
        }
    } while (errno == EINTR);
    return errno;
}

/* Moves a descriptor above 2. A program that is started gets other files as descriptors 0 to 2. */
static int above_standard(int descriptor)
{
    if (descriptor > STDERR_FILENO) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(descriptor);
    errno = error;
    return moved;
}

int lattice_hold_file(const char *path)
{
#ifdef O_PATH
    int held = open(path, O_PATH | O_CLOEXEC);
    return held < 0 ? -1 : above_standard(held);
#else
    (void)path;
    return -1;
#endif
}

int lattice_is_open(int descriptor) { return fcntl(descriptor, F_GETFD) != -1; }

int lattice_pipe(int ends[2])
{
#ifdef __linux__
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
#else
    if (pipe(ends) != 0) return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
    for (int i = 0; i < 2; i++) {
        ends[i] = above_standard(ends[i]);
        if (ends[i] >= 0) continue;
        int error = errno;
        close(ends[1 - i]);
        return error;
    }
    fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK);
    return 0;
}

char **lattice_own_environment(void) { return environ; }

int32_t lattice_raise_open_files(uint32_t wanted)
{
    const rlim_t maximum = 1 << 30;
    struct rlimit limit, raised;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    raised = limit;
    raised.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (raised.rlim_cur > limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    return (int32_t)(limit.rlim_cur < maximum ? limit.rlim_cur : maximum);
}
