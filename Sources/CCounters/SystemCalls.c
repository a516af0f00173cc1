#define _GNU_SOURCE

#include <stdlib.h>

#include "CCounters.h"
#include "ThreadCounter.h"

#ifdef LATTICE_COUNTS

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The function of the C library that is replaced below. It is looked up before main(), because a child that was started
 * by vfork() must not look up anything. */
static long (*lattice_syscall)(long number, ...);

__attribute__((constructor)) static void lattice_find_syscall(void)
{
    lattice_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

static long lattice_call(long number, long a, long b, long c, long d, long e, long f)
{
    /* Constructors of other libraries may run first. */
    if (!lattice_syscall) lattice_find_syscall();
    lattice_count(LATTICE_SYSTEM_CALLS);
    return lattice_syscall(number, a, b, c, d, e, f);
}

/* Waits and wake-ups of futexes come here, those of the C library itself excepted. */
long syscall(long number, ...)
{
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index++) arguments[index] = va_arg(list, long);
    va_end(list);
    return lattice_call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

ssize_t send(int descriptor, const void *bytes, size_t size, int flags)
{
    return lattice_call(SYS_sendto, descriptor, (long)bytes, (long)size, flags, 0, 0);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags)
{
    return lattice_call(SYS_sendmsg, descriptor, (long)message, flags, 0, 0, 0);
}

static _Atomic int64_t lattice_received;

ssize_t recv(int descriptor, void *buffer, size_t size, int flags)
{
    ssize_t count = lattice_call(SYS_recvfrom, descriptor, (long)buffer, (long)size, flags, 0, 0);
    if (count > 0) atomic_fetch_add_explicit(&lattice_received, count, memory_order_relaxed);
    return count;
}

ssize_t read(int descriptor, void *buffer, size_t size)
{
    return lattice_call(SYS_read, descriptor, (long)buffer, (long)size, 0, 0, 0);
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    return lattice_call(SYS_write, descriptor, (long)bytes, (long)size, 0, 0, 0);
}

int epoll_wait(int descriptor, struct epoll_event *events, int count, int milliseconds)
{
    /* The last two arguments are the signal mask and its size in the kernel. */
    return (int)lattice_call(SYS_epoll_pwait, descriptor, (long)events, count, milliseconds, 0, _NSIG / 8);
}

int sched_yield(void) { return (int)lattice_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0); }

int64_t lattice_bytes_received(void) { return atomic_load_explicit(&lattice_received, memory_order_relaxed); }

#else

int64_t lattice_bytes_received(void) { return -1; }

#endif
