/* What Swift's C library modules leave out, or spell differently on each platform; and, with the headers below, what they
 * have: so that one import is enough, on each platform the same.
 *
 * Every function returns what the system call returns: -1 when it fails, and lattice_errno() says why. */
#ifndef LATTICE_SYSTEM_H
#define LATTICE_SYSTEM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/epoll.h>
#endif

#include "CLatticeProcess.h"
#include "CLatticeTurns.h"

/* Who is at the other end of a Unix socket; pid is -1 where the kernel does not say. */
struct lattice_credentials {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

int lattice_errno(void);

int lattice_close_on_exec(int descriptor);

int lattice_nonblocking(int descriptor);

/* Where a flag of send() does not keep SIGPIPE away, an option of the socket does. */
int lattice_no_sigpipe(int descriptor);

ssize_t lattice_send(int descriptor, const void *bytes, size_t count);

/* lattice_send() for several pieces in a row. */
ssize_t lattice_send_pieces(int descriptor, const struct iovec *pieces, int count);

/* A stream socket that a program started by another thread at this moment does not inherit,
 * where the system can say so in one call. */
int lattice_socket(void);

/* Both ends blocking: the one that is given away may belong to a program that expects so. */
int lattice_socket_pair(int ends[2]);

int lattice_accept(int listener);

/* Moves standard input to another descriptor (the result, close-on-exec) and puts nothing in its place. */
int lattice_move_standard_input(void);

int lattice_is_stream_socket(int descriptor);

int lattice_peer_credentials(int descriptor, struct lattice_credentials *result);

/* Opens or makes a file of which only this user can have a lock. */
int lattice_open_lock(const char *path);

int lattice_try_lock(int descriptor);

/* The two ends of a wake-up line; the same descriptor twice where one serves as both. */
int lattice_wakeup(int ends[2]);

/* Gives memory that was freed back to the system, as far as whole pages are free. Takes up to some milliseconds. */
void lattice_return_freed_memory(void);

/* A number that no other living thread has; never 0. */
uintptr_t lattice_this_thread(void);

void lattice_error_text(int error, char *text, size_t size);

#ifdef __linux__

/* Constants whose macros or enumerations do not come through as plain numbers. */
static const uint32_t lattice_epoll_in = EPOLLIN;
static const uint32_t lattice_epoll_out = EPOLLOUT;
static const uint32_t lattice_epoll_edge = (uint32_t)EPOLLET;
static const uint32_t lattice_epoll_end = EPOLLHUP | EPOLLERR;
static const int lattice_epoll_close_on_exec = EPOLL_CLOEXEC;

#endif

/* The reading end of the pipe through which caught signals come, a byte each: their numbers. Made once; -1 if it cannot
 * be. Not for two threads at once the first time. */
int lattice_signal_line(void);
/* Has a signal told through the line, if nothing but its default is to happen. 1 if so. */
int lattice_catch_signal(int number);
/* Gives a caught signal its default back, if nobody else has taken it since. */
void lattice_release_signal(int number);
/* 1 if a signal does what it does by default. */
int lattice_has_default(int number);

#endif
