#define _GNU_SOURCE 1

#include "CProcessEnd.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

int test_watch_process(int process)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, process, 0);
#else
    (void)process;
    errno = ENOSYS;
    return -1;
#endif
}

int test_keep_copy(void)
{
    pid_t copy = fork();
    while (copy == 0) pause();
    return copy;
}

int test_end_copy(void)
{
    pid_t copy = fork();
    if (copy == 0) exit(0);
    int status = -1;
    return copy > 0 && waitpid(copy, &status, 0) == copy ? status : -1;
}
