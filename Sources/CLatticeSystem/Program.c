#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
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

static int set_attributes(posix_spawnattr_t *attributes)
{
    /* Not a session of its own: Linux shares the processor out among sessions (autogroup), and in one of its own a worker
     * that yields for its coordinator, or the other way round, yields to nobody, which cost a quarter of the time. */
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    int error = posix_spawnattr_setflags(attributes, flags);
    if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
#define CAN_CLOSE_FROM 1
#endif
#endif

/* Whatever else this process has open, such as the pipes of others, the program must not keep open. */
static int close_others(posix_spawn_file_actions_t *actions, int first)
{
#if defined(POSIX_SPAWN_CLOEXEC_DEFAULT)
    (void)actions;
    (void)first;
    return 0;
#elif defined(CAN_CLOSE_FROM)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    /* What another thread opens at this moment is missed here, unless it says that it is closed on exec. */
    int error = 0;
    long limit = sysconf(_SC_OPEN_MAX);
    for (int i = first; i < limit && error == 0; i++) {
        int flags = fcntl(i, F_GETFD);
        if (flags != -1 && !(flags & FD_CLOEXEC)) error = posix_spawn_file_actions_addclose(actions, i);
    }
    return error;
#endif
}

static int set_descriptors(posix_spawn_file_actions_t *actions, const struct lattice_program *program)
{
    int error = posix_spawn_file_actions_adddup2(actions, program->input, STDIN_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, program->output, STDOUT_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, program->error, STDERR_FILENO);
    int next = STDERR_FILENO + 1;
    if (error == 0 && program->record >= 0) {
        error = posix_spawn_file_actions_adddup2(actions, program->record, next++);
    }
    return error == 0 ? close_others(actions, next) : error;
}

int lattice_spawn(const struct lattice_program *program, pid_t *process)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0) return error;
    error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = set_attributes(&attributes);
        if (error == 0) error = set_descriptors(&actions, program);
        if (error == 0) {
            error = posix_spawn(process, program->path, &actions, &attributes, program->arguments,
                                program->environment);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return error;
}

uint64_t lattice_pipe_of(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) ? status.st_ino : 0;
}

/* Of a process that has ended, too, until it is taken out of the process table. */
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

/* Not one of 0 to 2, which a program that is started gets others for. */
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
    const rlim_t most = 1 << 30;
    struct rlimit limit, raised;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    raised = limit;
    raised.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (raised.rlim_cur > limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    return (int32_t)(limit.rlim_cur < most ? limit.rlim_cur : most);
}
