#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

#ifdef __linux__

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

struct apart {
    void (*body)(void *);
    void *argument;
};

static void *run(void *argument)
{
    const struct apart *apart = argument;
    /* What the process opens meanwhile is not seen here, nor the reverse. Where that is forbidden nothing is closed. */
    if (unshare(CLONE_FILES) == 0) syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    apart->body(apart->argument);
    return NULL;
}

void lattice_run_apart(void (*body)(void *), void *argument)
{
    struct apart apart = {body, argument};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, &apart) != 0) {
        body(argument);
    } else {
        pthread_join(thread, NULL);
    }
}

#else

void lattice_run_apart(void (*body)(void *), void *argument) { body(argument); }

#endif
