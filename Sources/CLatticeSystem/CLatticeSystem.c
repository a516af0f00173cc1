/* The functions are implemented here and not in the header. Some need _GNU_SOURCE, and a header that defines it would
 * not match the C library module that Swift imports. */
#define _GNU_SOURCE 1

#include "CLatticeSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
#endif

#ifdef __GLIBC__
#include <malloc.h>
#endif

int lattice_errno(void) { return errno; }

int lattice_close_on_exec(int descriptor)
{
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

int lattice_nonblocking(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    if (flags == -1) return -1;
    return (flags & O_NONBLOCK) ? 0 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

/* Prevents SIGPIPE with an option of the socket, where a flag of send() cannot. */
int lattice_no_sigpipe(int descriptor)
{
#ifdef SO_NOSIGPIPE
    int on = 1;
    return setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#else
    (void)descriptor;
    return 0;
#endif
}

#ifdef MSG_NOSIGNAL
static const int send_flags = MSG_NOSIGNAL | MSG_DONTWAIT;
#else
static const int send_flags = MSG_DONTWAIT;
#endif

ssize_t lattice_send(int descriptor, const void *bytes, size_t count)
{
    return send(descriptor, bytes, count, send_flags);
}

ssize_t lattice_send_pieces(int descriptor, const struct iovec *pieces, int count)
{
    struct msghdr message = {0};
    /* The pieces are not written to. The type is also used for receiving, so it is not const. */
    message.msg_iov = (struct iovec *)pieces;
    message.msg_iovlen = count;
    return sendmsg(descriptor, &message, send_flags);
}

#ifndef __linux__
/* Sets the flags of a new descriptor, which system calls of Linux set when they create it. */
static int prepared(int made)
{
    if (made >= 0) {
        lattice_close_on_exec(made);
        lattice_nonblocking(made);
        lattice_no_sigpipe(made);
    }
    return made;
}
#endif

/* Creates a stream socket. Where the system has a call for it, a program that another thread starts at the same time
 * does not inherit the socket. */
int lattice_socket(void)
{
#ifdef __linux__
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    return prepared(socket(AF_UNIX, SOCK_STREAM, 0));
#endif
}

/* Creates a pair of blocking sockets. One end may be passed to a program that expects a blocking socket. */
int lattice_socket_pair(int ends[2])
{
#ifdef SOCK_CLOEXEC
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
#else
    int result = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    if (result == 0) {
        lattice_close_on_exec(ends[0]);
        lattice_close_on_exec(ends[1]);
    }
    return result;
#endif
}

int lattice_accept(int listener)
{
#ifdef __linux__
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
    return prepared(accept(listener, NULL, NULL));
#endif
}

int lattice_listen_loopback(uint16_t port, int backlog, uint16_t *bound)
{
#ifdef __linux__
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    int made = prepared(socket(AF_INET, SOCK_STREAM, 0));
#endif
    if (made < 0) return -1;
    /* A program that is started again gets its port, although connections of the earlier one are still closing. */
    int yes = 1;
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0
        && bind(made, (struct sockaddr *)&address, sizeof address) == 0 && listen(made, backlog) == 0
        && getsockname(made, (struct sockaddr *)&address, &size) == 0) {
        *bound = ntohs(address.sin_port);
        return made;
    }
    int error = errno;
    close(made);
    errno = error;
    return -1;
}

/* Opens an input that is at its end. */
static int open_nothing(void)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), ends[2];
    if (nothing >= 0) return nothing;
    /* Some environments have no /dev. No process writes to this pipe. */
    errno = lattice_pipe(ends);
    if (errno != 0) return -1;
    close(ends[1]);
    return ends[0];
}

int lattice_move_standard_input(void)
{
    int nothing = open_nothing();
    if (nothing < 0) return -1;
    int moved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved >= 0 && dup2(nothing, STDIN_FILENO) < 0) {
        int error = errno;
        close(moved);
        errno = error;
        moved = -1;
    }
    close(nothing);
    return moved;
}

int lattice_is_stream_socket(int descriptor)
{
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return -1;
    return type == SOCK_STREAM;
}

int lattice_peer_credentials(int descriptor, struct lattice_credentials *result)
{
#ifdef __linux__
    struct ucred found;
    socklen_t size = sizeof found;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &found, &size) != 0) return -1;
    result->pid = found.pid;
    result->uid = found.uid;
    result->gid = found.gid;
    return 0;
#else
    uid_t uid;
    gid_t gid;
    if (getpeereid(descriptor, &uid, &gid) != 0) return -1;
    result->pid = -1;
#ifdef LOCAL_PEERPID
    pid_t pid;
    socklen_t size = sizeof pid;
    if (getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &pid, &size) == 0) result->pid = pid;
#endif
    result->uid = uid;
    result->gid = gid;
    return 0;
#endif
}

/* Opens or creates a lock file that only this user can lock. */
int lattice_open_lock(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

int lattice_try_lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

/* Creates the two ends of a line that wakes up an event loop. Both are the same descriptor where one is sufficient. */
int lattice_wakeup(int ends[2])
{
#ifdef __linux__
    ends[0] = ends[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return ends[0] < 0 ? -1 : 0;
#else
    int error = lattice_pipe(ends);
    if (error == 0) {
        if (lattice_nonblocking(ends[1]) == 0) return 0;
        error = errno;
        close(ends[0]);
        close(ends[1]);
    }
    errno = error;
    return -1;
#endif
}

/* glibc keeps a large block that is freed, and from then on all blocks that are not larger. This call returns them. */
void lattice_return_freed_memory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void lattice_error_text(int error, char *text, size_t size)
{
#ifdef __GLIBC__
    snprintf(text, size, "%s", strerror_r(error, text, size));
#else
    if (strerror_r(error, text, size) != 0) snprintf(text, size, "error %d", error);
#endif
}
