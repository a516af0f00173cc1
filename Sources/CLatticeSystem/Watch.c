/* The watch of a worker over its coordinator. It begins before main(), so that neither code that runs before the first
 * line of the program nor an endless loop keeps a worker alive after its coordinator has ended. */
#define _GNU_SOURCE 1

#include "CLatticeProcess.h"
#include "CLatticeSystem.h"
#include "CLatticeThreads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/prctl.h>
#endif

/* The time for an orderly end. The guarantee is that no process is left one second after the coordinator. */
enum { grace_milliseconds = 500 };

/* The interval at which the watch checks whether a coordinator that closed the socket is still alive. */
enum { check_milliseconds = 20 };

/* A descriptor of the watch, which is open as long as the process lives. Programs that this process starts do not
 * inherit it, because the coordinator would take it for a sign of life. -1: There is no watch. */
static int watched = -1;

/* The process that created the socket, and that is the parent of this process unless another one is in between. 0:
 * unknown. */
static pid_t coordinator;

/* The process that is watched, as opposed to a copy of it. */
static pid_t worker;

/* The properties that identify the processes that this one started. */
static char lineage[128];
static char group[4096];
static uint64_t pipes[2];

#ifdef __linux__
static const short hang_up = 0x2000; /* POLLRDHUP */
#else
static const short hang_up = 0; /* POLLHUP is always reported */
#endif

/* Returns 1 if the coordinator is the parent. A process whose parent dies gets another parent. */
static int has_coordinator(void) { return coordinator != 0 && getppid() == coordinator; }

/* 1 if the coordinator started this process directly. */
static int was_child;

/* A descriptor that becomes readable when the parent has died. -1: The system does not report it. */
static int orphaned = -1;

#ifdef __linux__

static void parent_died(int number)
{
    (void)number;
    int saved = errno;
    eventfd_write(orphaned, 1);
    errno = saved;
}

/* Requests a signal for the death of the parent, because a copy of the coordinator may still hold the socket open after
 * the coordinator has died. It runs on the watching thread, which never ends, because the setting belongs to the thread
 * and ends with it. */
static void watch_parent(void)
{
    const int number = SIGRTMAX - 1;
    struct sigaction action;
    was_child = has_coordinator();
    if (!was_child || sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_DFL) return;
    orphaned = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (orphaned < 0) return;
    memset(&action, 0, sizeof action);
    action.sa_handler = parent_died;
    action.sa_flags = SA_RESTART;
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    if (sigaction(number, &action, NULL) != 0 || prctl(PR_SET_PDEATHSIG, number) != 0) return;
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    /* A parent that died earlier causes no signal. The caller therefore compares the parents before it waits. */
}

#else

static void watch_parent(void) { was_child = has_coordinator(); }

#endif

/* Returns 1 if the coordinator has died, even if other processes still hold its end of the socket. */
static int is_orphan(void)
{
    if (coordinator == 0 || has_coordinator()) return 0;
    return was_child || (kill(coordinator, 0) != 0 && errno == ESRCH);
}

/* Waits until the other end of the socket is closed, or the coordinator has died. */
static void wait_for_the_end(void)
{
    while (!is_orphan()) {
        struct pollfd waiting[2] = {{.fd = watched, .events = hang_up}, {.fd = orphaned, .events = POLLIN}};
        int count = poll(waiting, 2, -1);
        if (count < 0 && errno != EINTR) return;
        if (count > 0 && (waiting[0].revents & (hang_up | POLLHUP | POLLERR | POLLNVAL)) != 0) return;
        uint64_t value;
        if (count > 0 && waiting[1].revents != 0 && read(orphaned, &value, sizeof value) < 0) orphaned = -1;
    }
}

static int leads_group(void) { return getpgrp() == getpid(); }

static void end_others(void)
{
    struct lattice_lineage own = {.variable = lineage[0] ? lineage : NULL, .leader = leads_group() ? getpid() : 0};
    memcpy(own.pipes, pipes, sizeof pipes);
    own.spared = coordinator;
    own.group = group[0] ? group : NULL;
    if (own.variable || own.leader) lattice_end_lineage(&own);
}

static void *watch(void *nothing)
{
    lattice_name_this_thread("lattice-watch");
    watch_parent();
    wait_for_the_end();
    /* A coordinator that is alive ends its worker itself, within the times of its configuration. */
    while (has_coordinator()) poll(NULL, 0, check_milliseconds);
    /* Finding the other processes opens files, and this process may have reached its limit of descriptors. */
    lattice_leave_descriptors();
    end_others();
    poll(NULL, 0, grace_milliseconds);
    end_others();
    /* The coordinator starts workers in a group of their own. In another group only this process may be ended. */
    if (leads_group()) kill(0, SIGKILL);
    _exit(1);
    return nothing;
}

/* An orderly exit also ends the other processes, because only this process knows that it started some of them. A copy
 * of this process (fork) that ends without running another program has inherited this function, but is not a worker. */
static void leave(void)
{
    if (getpid() == worker) end_others();
}

static void ignore_signal(int number) { (void)number; }

/* Ignores SIGPIPE. The coordinator reads the output of a worker. After its death the next line would end the worker
 * before it can exit in order. This is a function that does nothing, because programs that this process starts would
 * inherit SIG_IGN. */
static void outlive_readers(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) != 0 || action.sa_handler != SIG_DFL) return;
    memset(&action, 0, sizeof action);
    action.sa_handler = ignore_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPIPE, &action, NULL);
}

int lattice_watch(int socket)
{
    if (watched >= 0) return 0;
    int descriptor = fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (descriptor < 0) return errno;
    watched = descriptor;
    worker = getpid();
    struct lattice_credentials peer;
    if (lattice_peer_credentials(socket, &peer) == 0 && peer.pid > 0) coordinator = peer.pid;
    const char *mark = getenv("LATTICE_LINEAGE");
    if (mark) snprintf(lineage, sizeof lineage, "LATTICE_LINEAGE=%s", mark);
    /* The variable starts with the lineage. If it does not, it was inherited from the coordinator of another worker, in
     * which the coordinator of this one runs. */
    const char *file = getenv("LATTICE_CGROUP");
    size_t length = mark ? strlen(mark) : 0;
    if (file && length > 0 && strncmp(file, mark, length) == 0 && file[length] == ':') {
        snprintf(group, sizeof group, "%s", file + length + 1);
    }
    pipes[0] = lattice_pipe_of(STDOUT_FILENO);
    pipes[1] = lattice_pipe_of(STDERR_FILENO);
    outlive_readers();
    /* The thread blocks all signals, because the program may wait for them on other threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = lattice_start_thread(256 * 1024, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        close(descriptor);
        watched = -1;
        return error;
    }
    atexit(leave);
    return 0;
}

/* The number of threads that a worker needs to answer, in addition to its first one and the watch: those of its event
 * loop, its timers and its own tasks, two of Swift's, and libdispatch's. Swift waits forever for a thread that the
 * system refuses. */
enum { needed_threads = 6 };

/* Ends a worker that cannot start enough threads, and notes the error for the coordinator, so that it does not count as
 * a failure of the worker. */
static void end_without_threads(int error)
{
    const char *record = getenv("LATTICE_TURNS");
    struct lattice_turns *turns = record && strcmp(record, "3") == 0 ? lattice_map_turns(STDERR_FILENO + 1) : NULL;
    /* Without the record the coordinator would not learn the reason. */
    if (!turns) return;
    lattice_note_lack(turns, error);
    fprintf(stderr,
            "This process was started as a worker and cannot start enough threads: %s. Allow its user more tasks.\n",
            strerror(error));
    enum { system_error = 71 }; /* EX_OSERR */
    _exit(system_error);
}

__attribute__((constructor)) static void watch_from_the_start(void)
{
    if (!getenv("LATTICE_WORKER") || lattice_is_stream_socket(STDIN_FILENO) != 1) return;
    /* Standard output is a pipe, for which the C library would buffer kilobytes. The lines would arrive minutes later,
     * and never after a crash. This is set before main(), because it must precede all output. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* Other errors occur again, and are reported, when the worker runs. */
    int error = lattice_watch(STDIN_FILENO);
    if (error == 0) error = lattice_check_threads(needed_threads);
    if (error == EAGAIN || error == ENOMEM) end_without_threads(error);
}
