#define _GNU_SOURCE 1

#include "CLatticeProcess.h"
#include "CLatticeThreads.h"

#ifdef __linux__

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The thread sanitizer has one table of descriptors for all threads and would confuse descriptors of different
 * threads. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHARES_DESCRIPTORS 1
#endif
#endif

void lattice_leave_descriptors(void)
{
#if defined(SYS_close_range) && !defined(SHARES_DESCRIPTORS)
    /* Only the first three descriptors are copied. This thread keeps no file open, and closes none,
     * which might block on a file system that does not respond. Before Linux 5.9 the call does nothing. */
    enum { unshare_first = 1 << 1 };
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, unshare_first);
#endif
}

int lattice_can_leave_descriptors(void)
{
#if defined(SYS_close_range) && !defined(SHARES_DESCRIPTORS)
    return syscall(SYS_close_range, ~0U, ~0U, 0) == 0;
#else
    return 0;
#endif
}

struct apart {
    void (*body)(void *);
    void *argument;
};

static void *run(void *argument)
{
    const struct apart *apart = argument;
    lattice_name_this_thread("lattice-ending");
    lattice_thread_is_brief(lattice_thread_number());
    lattice_leave_descriptors();
    apart->body(apart->argument);
    return NULL;
}

void lattice_run_apart(void (*body)(void *), void *argument)
{
    struct apart apart = {body, argument};
    pthread_t thread;
    /* The thread blocks all signals, because their handlers may use descriptors. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, run, &apart);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        body(argument);
    } else {
        pthread_join(thread, NULL);
    }
}

#else

void lattice_leave_descriptors(void) {}

int lattice_can_leave_descriptors(void) { return 0; }

void lattice_run_apart(void (*body)(void *), void *argument) { body(argument); }

#endif
