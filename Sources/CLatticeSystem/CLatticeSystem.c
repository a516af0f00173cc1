/* The bodies stand here and not in the header: some need _GNU_SOURCE, and a header with it would not agree with the
 * C library module that Swift imports. */
#define _GNU_SOURCE 1

#include "CLatticeSystem.h"

#include <errno.h>
#include <fcntl.h>
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

/* Where a flag of send() does not keep SIGPIPE away, an option of the socket does. */
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
    /* Not written to: the type serves receiving too. */
    message.msg_iov = (struct iovec *)pieces;
    message.msg_iovlen = count;
    return sendmsg(descriptor, &message, send_flags);
}

#ifndef __linux__
/* A socket just made, as the calls of Linux make it at once. */
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

/* A stream socket that a program started by another thread at this moment does not inherit,
 * where the system can say so in one call. */
int lattice_socket(void)
{
#ifdef __linux__
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    return prepared(socket(AF_UNIX, SOCK_STREAM, 0));
#endif
}

/* Both ends blocking: the one that is given away may belong to a program that expects so. */
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

/* Something to read from that is at its end. */
static int open_nothing(void)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), ends[2];
    if (nothing >= 0) return nothing;
    /* Not every place has devices. Nobody writes to this pipe. */
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

/* Opens or makes a file of which only this user can have a lock. */
int lattice_open_lock(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

int lattice_try_lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

/* The two ends of a wake-up line; the same descriptor twice where one serves as both. */
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

/* glibc keeps a large block that is freed, and all that are not larger from then on. */
void lattice_return_freed_memory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* A number that no other living thread has; never 0. */
uintptr_t lattice_this_thread(void) { return (uintptr_t)pthread_self(); }

void lattice_error_text(int error, char *text, size_t size)
{
#ifdef __GLIBC__
    snprintf(text, size, "%s", strerror_r(error, text, size));
#else
    if (strerror_r(error, text, size) != 0) snprintf(text, size, "error %d", error);
#endif
}
