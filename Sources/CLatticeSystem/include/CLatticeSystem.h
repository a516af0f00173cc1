/* Functions that Swift's C library modules leave out or name differently on each platform, together with the headers
 * below, so that one import is sufficient on all platforms.
 *
 * Every function returns the result of the system call. In case of an error it is -1, and lattice_errno() returns the
 * reason. */
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

/* The peer of a Unix socket. `pid` is -1 where the kernel does not provide it. */
struct lattice_credentials {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

/* Returns errno of the calling thread. */
int lattice_errno(void);

/* Closes the descriptor when the process starts another program. */
int lattice_close_on_exec(int descriptor);

/* Makes reading and writing return at once. */
int lattice_nonblocking(int descriptor);

/* Prevents SIGPIPE with an option of the socket, where a flag of send() cannot. */
int lattice_no_sigpipe(int descriptor);

/* Sends bytes without raising SIGPIPE. */
ssize_t lattice_send(int descriptor, const void *bytes, size_t count);

/* Sends several pieces in a row without raising SIGPIPE. */
ssize_t lattice_send_pieces(int descriptor, const struct iovec *pieces, int count);

/* Creates a stream socket. Where the system has a call for it, a program that another thread starts at the same time
 * does not inherit the socket. */
int lattice_socket(void);

/* Creates a non-blocking, close-on-exec socket that listens for TCP connections at a port of 127.0.0.1, which only
 * processes of this machine reach. Port 0 means any free port. `bound` receives the port. Returns -1 in case of an
 * error. */
int lattice_listen_loopback(uint16_t port, int backlog, uint16_t *bound);

/* Creates a pair of blocking sockets. One end may be passed to a program that expects a blocking socket. */
int lattice_socket_pair(int ends[2]);

/* Accepts a connection. */
int lattice_accept(int listener);

/* Moves standard input to another descriptor (the result, close-on-exec) and replaces it with an empty input. */
int lattice_move_standard_input(void);

/* Returns 1 if the descriptor is a stream socket. */
int lattice_is_stream_socket(int descriptor);

/* Reads the credentials of the process at the other end of a Unix socket. */
int lattice_peer_credentials(int descriptor, struct lattice_credentials *result);

/* Opens or creates a lock file that only this user can lock. */
int lattice_open_lock(const char *path);

/* Locks the file, or fails at once if another process has locked it. */
int lattice_try_lock(int descriptor);

/* Creates the two ends of a line that wakes up an event loop. Both are the same descriptor where one is sufficient. */
int lattice_wakeup(int ends[2]);

/* Returns freed memory to the system, as far as whole pages are free. This takes up to some milliseconds. */
void lattice_return_freed_memory(void);

/* Copies the description of an error number. */
void lattice_error_text(int error, char *text, size_t size);

#ifdef __linux__

/* Constants that Swift does not import as plain numbers. */
static const uint32_t lattice_epoll_in = EPOLLIN;
static const uint32_t lattice_epoll_out = EPOLLOUT;
static const uint32_t lattice_epoll_edge = (uint32_t)EPOLLET;
static const uint32_t lattice_epoll_end = EPOLLHUP | EPOLLERR;
static const int lattice_epoll_close_on_exec = EPOLL_CLOEXEC;

#endif

/* Returns the reading end of the pipe for caught signals, one byte for each, with its number. The pipe is created by
 * the first call, which must not run on two threads at the same time. Returns -1 if it cannot be created. */
int lattice_signal_line(void);
/* Reports a signal through the pipe if it has its default handling. Returns 1 if it does so. */
int lattice_catch_signal(int number);
/* Restores the default handling of a caught signal, unless another handler was installed in the meantime. */
void lattice_release_signal(int number);
/* Returns 1 if a signal is ignored. */
int lattice_ignores(int number);
/* Returns 1 if a signal has its default handling. */
int lattice_has_default(int number);

#endif
