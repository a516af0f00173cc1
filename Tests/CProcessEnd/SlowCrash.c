#define _GNU_SOURCE 1

#include "CProcessEnd.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

static int duration;

static void wait_here(int number)
{
    (void)number;
    poll(NULL, 0, duration);
}

static void crash(int number)
{
#ifdef __linux__
    DIR *threads = opendir("/proc/self/task");
    long own = syscall(SYS_gettid);
    for (struct dirent *entry; threads && (entry = readdir(threads)) != NULL;) {
        long thread = atol(entry->d_name);
        /* SIGPROF is the signal that Swift's runtime uses to stop threads. The threads of libdispatch block most others. */
        if (thread > 0 && thread != own) syscall(SYS_tgkill, getpid(), thread, SIGPROF);
    }
#endif
    poll(NULL, 0, duration);
    signal(number, SIG_DFL);
}

void test_crash_slowly(int milliseconds)
{
    duration = milliseconds;
    signal(SIGPROF, wait_here);
    signal(SIGABRT, crash);
    signal(SIGSEGV, crash);
}
