#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__

#include "Numbers.h"

/* posix_spawn(3) is not used on Linux. It can neither move a program into its cgroups nor limit it before it runs, so
 * that processes that the program started before that would stay outside. */

/* The error of the new process, before it becomes the program. */
struct refusal {
    int step;
    int error;
};

static int report_refusal(int report, int step)
{
    struct refusal refusal = {.step = step, .error = errno};
    return write(report, &refusal, sizeof refusal) == sizeof refusal;
}

static _Noreturn void refuse(int report, int step) { _exit(report_refusal(report, step) ? 127 : 126); }

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static int close_from(unsigned int first)
{
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return 0;
    /* The system call is not available before Linux 5.9. */
    struct lattice_numbers numbers;
    if (!lattice_open_numbers(&numbers, "/proc/self/fd")) return -1;
    for (int number; (number = lattice_next_number(&numbers)) >= 0;) {
        if (number >= (int)first && number != numbers.folder) close(number);
    }
    lattice_close_numbers(&numbers);
    return 0;
}

static int place(int descriptor, int number)
{
    if (descriptor != number) return dup2(descriptor, number);
    return fcntl(number, F_SETFD, 0);
}

/* Sets up the descriptors of the program. After them only the report stays open until the program runs. Returns the new
 * descriptor of the report, or -1. */
static int set_descriptors(const struct lattice_program *program, int report)
{
    int next = STDERR_FILENO + 1;
    if (place(program->input, STDIN_FILENO) < 0 || place(program->output, STDOUT_FILENO) < 0 ||
        place(program->error, STDERR_FILENO) < 0) {
        return -1;
    }
    if (program->record >= 0 && place(program->record, next++) < 0) return -1;
    if (report != next && dup3(report, next, O_CLOEXEC) < 0) return -1;
    return close_from((unsigned int)next + 1) == 0 ? next : -1;
}

static void join(const struct lattice_program *program, int report)
{
    for (int i = 0; i < program->group_count; i++) {
        if (write(program->groups[i], "0", 1) == 1) continue;
        if (program->needs_groups) refuse(report, LATTICE_JOIN);
        report_refusal(report, LATTICE_JOIN);
    }
}

/* Makes this process the leader of a process group without a controlling terminal, also for the processes that it
 * starts. The system stops a process that accesses its terminal from the background, together with its process group.
 * Without this, a worker would stop because of a child that asks for a password.
 *
 * A new session is created only if the terminal cannot be given up otherwise. Linux divides the processor among
 * sessions (autogroup). A worker in its own session that yields for its coordinator, or the other way round, would
 * yield to no process, which cost a quarter of the time. */
static int lead_group(void)
{
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    int has_none = terminal < 0 ? errno == ENXIO : ioctl(terminal, TIOCNOTTY) == 0;
    if (terminal >= 0) close(terminal);
    return has_none ? setpgid(0, 0) : setsid();
}

/* Becomes the program. This code runs in the new process, which shares the memory of the old one and must not change
 * memory that the old one uses later. */
__attribute__((noinline)) static _Noreturn void become(const struct lattice_program *program, int report)
{
    /* The report gets a descriptor that the program does not use. */
    int out = fcntl(report, F_DUPFD_CLOEXEC, STDERR_FILENO + 2);
    if (out < 0) refuse(report, LATTICE_START);
    join(program, out);
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
    int last = set_descriptors(program, out);
    if (last < 0) refuse(out, LATTICE_START);
    out = last;
    /* This needs a descriptor, so it runs after the others were closed. */
    if (lead_group() < 0) refuse(out, LATTICE_START);
    int error = lattice_limit(&program->limits);
    errno = error;
    if (error != 0) refuse(out, LATTICE_LIMIT);
    if (program->directory && chdir(program->directory) != 0) refuse(out, LATTICE_DIRECTORY);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    execve(program->path, program->arguments, program->environment);
    refuse(out, LATTICE_START);
}

/* Reads the next report of the new process. Returns 0 if there are no more, because the program runs.
 *
 * Linux resumes the caller of vfork a moment before the new process has its own memory. Until then the system counts
 * the memory of this process as that of the new one, which may exceed its limit. The end of the report follows that
 * moment. It does not arrive while another process, which was created at the wrong moment, holds the report open. The
 * wait therefore has a limit. */
static int next_refusal(int report, struct refusal *refusal)
{
    enum { milliseconds = 1000 };
    struct pollfd waiting = {.fd = report, .events = POLLIN};
    int count;
    while ((count = poll(&waiting, 1, milliseconds)) < 0 && errno == EINTR) {}
    return count > 0 && read(report, refusal, sizeof *refusal) == sizeof *refusal;
}

int lattice_spawn(const struct lattice_program *program, pid_t *process, int *step)
{
    int report[2];
    *step = LATTICE_START;
    int kept = lattice_keep_statuses();
    if (kept != 0) return kept;
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    /* All signals are blocked so that no handler of this process runs in the new one. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* vfork copies no memory and waits until the program runs. Copying the page tables of a large coordinator would
     * take milliseconds. */
    pid_t child = vfork();
    if (child == 0) become(program, report[1]);
    int error = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(report[1]);
    struct refusal refusal;
    while (error == 0 && next_refusal(report[0], &refusal)) {
        *step = refusal.step;
        if (refusal.step != LATTICE_JOIN || program->needs_groups) error = refusal.error;
    }
    close(report[0]);
    if (error == 0) *process = child;
    while (error != 0 && child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return error;
}

#else

static int set_attributes(posix_spawnattr_t *attributes)
{
    /* A new session has no controlling terminal, and its leader is also the leader of a process group. */
    short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    int error = posix_spawnattr_setflags(attributes, flags);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

static int set_descriptors(posix_spawn_file_actions_t *actions, const struct lattice_program *program)
{
    int error = posix_spawn_file_actions_adddup2(actions, program->input, STDIN_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, program->output, STDOUT_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, program->error, STDERR_FILENO);
    if (error == 0 && program->directory) {
        error = posix_spawn_file_actions_addchdir_np(actions, program->directory);
    }
    if (error != 0 || program->record < 0) return error;
    return posix_spawn_file_actions_adddup2(actions, program->record, STDERR_FILENO + 1);
}

int lattice_spawn(const struct lattice_program *program, pid_t *process, int *step)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    *step = LATTICE_LIMIT;
    int error = lattice_limit(&program->limits);
    if (error == 0) error = lattice_keep_statuses();
    if (error != 0) return error;
    *step = LATTICE_START;
    error = posix_spawnattr_init(&attributes);
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

#endif
