/* A worker's watch over its coordinator: it begins before main(), so that neither what runs before the first line of the
 * program nor a loop without end keeps a worker alive whose coordinator is gone. */
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

/* How long the orderly end may take: the promise is that nothing is left one second after the coordinator. */
enum { grace_milliseconds = 500 };

/* How often is looked whether a coordinator that closed the socket still lives. */
enum { look_milliseconds = 20 };

/* A descriptor of the watch's own, open as long as the process lives; no program that this one starts inherits it: the
 * coordinator would take it for a sign of life. -1: there is no watch. */
static int watched = -1;

/* Who made the socket, and started this process unless somebody stands in between; 0: not known. */
static pid_t coordinator;

/* The process that is watched over, and not a copy of it. */
static pid_t worker;

/* What marks the processes that this one started. */
static char lineage[128];
static char group[4096];
static uint64_t pipes[2];

#ifdef __linux__
static const short hang_up = 0x2000; /* POLLRDHUP */
#else
static const short hang_up = 0; /* POLLHUP is always reported */
#endif

/* A process whose parent dies gets another one. */
static int has_coordinator(void) { return coordinator != 0 && getppid() == coordinator; }

/* Whether this process was started by its coordinator and by nobody in between. */
static int was_child;

/* Becomes readable when the parent has died; -1: nobody tells. */
static int orphaned = -1;

#ifdef __linux__

static void parent_died(int number)
{
    (void)number;
    int saved = errno;
    eventfd_write(orphaned, 1);
    errno = saved;
}

/* A copy of the coordinator may hold the socket open when that is gone, so its death is told by the kernel too. On the
 * thread that watches, which stays: the setting is the thread's, and ends with it. */
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
    /* One that died before has told nobody: whoever waits compares first. */
}

#else

static void watch_parent(void) { was_child = has_coordinator(); }

#endif

/* Whether the coordinator is gone, whoever may still hold its end of the socket. */
static int is_orphan(void)
{
    if (coordinator == 0 || has_coordinator()) return 0;
    return was_child || (kill(coordinator, 0) != 0 && errno == ESRCH);
}

/* Waits until the socket is closed at its other end, or the coordinator has died. */
static void wait_for_the_end(void)
{
    while (!is_orphan()) {
        struct pollfd waiting[2] = {{.fd = watched, .events = hang_up}, {.fd = orphaned, .events = POLLIN}};
        int count = poll(waiting, 2, -1);
        if (count < 0 && errno != EINTR) return;
        if (count > 0 && (waiting[0].revents & (hang_up | POLLHUP | POLLERR | POLLNVAL)) != 0) return;
        uint64_t told;
        if (count > 0 && waiting[1].revents != 0 && read(orphaned, &told, sizeof told) < 0) orphaned = -1;
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
    /* A coordinator that lives ends its worker itself, with the time that it gives for that. */
    while (has_coordinator()) poll(NULL, 0, look_milliseconds);
    /* To find the others files are opened, of which this process may have as many as it may have. */
    lattice_leave_descriptors();
    end_others();
    poll(NULL, 0, grace_milliseconds);
    end_others();
    /* A group of its own: the coordinator starts workers so. Else only this process is ours to end. */
    if (leads_group()) kill(0, SIGKILL);
    _exit(1);
    return nothing;
}

/* The orderly way out takes the others along as well: of some only this process knows that it started them. A copy of it
 * (fork) that ends without having become another program has inherited this function, and is no worker. */
static void leave(void)
{
    if (getpid() == worker) end_others();
}

static void nobody_reads(int number) { (void)number; }

/* The coordinator reads what a worker writes: with its death the next line would end the worker, and with it the orderly
 * way out. A function that does nothing, as a signal that is ignored stays so in what this process starts. */
static void outlive_readers(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) != 0 || action.sa_handler != SIG_DFL) return;
    memset(&action, 0, sizeof action);
    action.sa_handler = nobody_reads;
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
    /* Behind the mark: what comes from the coordinator of another worker, in which that of this one runs, is not meant. */
    const char *file = getenv("LATTICE_CGROUP");
    size_t length = mark ? strlen(mark) : 0;
    if (file && length > 0 && strncmp(file, mark, length) == 0 && file[length] == ':') {
        snprintf(group, sizeof group, "%s", file + length + 1);
    }
    pipes[0] = lattice_pipe_of(STDOUT_FILENO);
    pipes[1] = lattice_pipe_of(STDERR_FILENO);
    outlive_readers();
    /* No signal reaches it, since the program may wait for them elsewhere. */
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

/* Threads that a worker has at least when it answers, besides its first one and the watch: those of its event loop, its
 * timers and its own tasks, two of Swift's, and libdispatch's. Swift waits without end for one that it does not get. */
enum { needed_threads = 6 };

/* Ends a worker that would get too few threads, and tells its coordinator so: that is no fault of its own. */
static void end_without_threads(int error)
{
    const char *record = getenv("LATTICE_TURNS");
    struct lattice_turns *turns = record && strcmp(record, "3") == 0 ? lattice_map_turns(STDERR_FILENO + 1) : NULL;
    /* Nobody would hear of it. */
    if (!turns) return;
    lattice_note_lack(turns, error);
    fprintf(stderr, "this process was started as a worker and gets too few threads: %s. Allow its user more tasks.\n",
            strerror(error));
    enum { system_error = 71 }; /* EX_OSERR */
    _exit(system_error);
}

__attribute__((constructor)) static void watch_from_the_start(void)
{
    if (!getenv("LATTICE_WORKER") || lattice_is_stream_socket(STDIN_FILENO) != 1) return;
    /* Standard output is a pipe, for which the C library would collect kilobytes: they would come minutes later, and
     * after a crash never. Set before main(), since nothing may be written before. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* What else goes wrong here is tried again, and told, when the worker runs. */
    int error = lattice_watch(STDIN_FILENO);
    if (error == 0) error = lattice_check_threads(needed_threads);
    if (error == EAGAIN || error == ENOMEM) end_without_threads(error);
}
