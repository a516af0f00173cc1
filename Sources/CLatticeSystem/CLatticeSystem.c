/* The bodies stand here and not in the header: some need _GNU_SOURCE, and a header with it would not agree with the
 * C library module that Swift imports. */
#define _GNU_SOURCE 1

#include "CLatticeSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
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

/* In debug builds tests have some sends of one descriptor fail. */
#ifdef DEBUG
static atomic_int refused_descriptor = -1, refusal_error, refusals;

static int is_refused(int descriptor)
{
    if (atomic_load(&refused_descriptor) != descriptor) return 0;
    if (atomic_fetch_sub(&refusals, 1) <= 0) {
        atomic_store(&refused_descriptor, -1);
        return 0;
    }
    errno = atomic_load(&refusal_error);
    return 1;
}

void lattice_refuse_sends(int descriptor, int error, int count)
{
    atomic_store(&refusal_error, error);
    atomic_store(&refusals, count);
    atomic_store(&refused_descriptor, descriptor);
}
#else
static int is_refused(int descriptor) { (void)descriptor; return 0; }

void lattice_refuse_sends(int descriptor, int error, int count)
{
    (void)descriptor, (void)error, (void)count;
}
#endif

ssize_t lattice_send(int descriptor, const void *bytes, size_t count)
{
    if (is_refused(descriptor)) return -1;
    return send(descriptor, bytes, count, send_flags);
}

ssize_t lattice_send_pieces(int descriptor, const struct iovec *pieces, int count)
{
    if (is_refused(descriptor)) return -1;
    struct msghdr message = {0};
    /* Not written to: the type serves receiving too. */
    message.msg_iov = (struct iovec *)pieces;
    message.msg_iovlen = count;
    return sendmsg(descriptor, &message, send_flags);
}

ssize_t lattice_receive(int descriptor, void *bytes, size_t count)
{
    return recv(descriptor, bytes, count, MSG_DONTWAIT);
}

/* A stream socket that a program started by another thread at this moment does not inherit,
 * where the system can say so in one call. */
int lattice_socket(void)
{
#ifdef SOCK_CLOEXEC
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    int made = socket(AF_UNIX, SOCK_STREAM, 0);
    if (made >= 0) {
        lattice_close_on_exec(made);
        lattice_nonblocking(made);
        lattice_no_sigpipe(made);
    }
    return made;
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

int lattice_listen(int descriptor, int backlog) { return listen(descriptor, backlog); }

void lattice_close(int descriptor) { close(descriptor); }

void lattice_shutdown(int descriptor) { shutdown(descriptor, SHUT_RDWR); }

int lattice_accept(int listener)
{
#ifdef __linux__
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
    int made = accept(listener, NULL, NULL);
    if (made >= 0) {
        lattice_close_on_exec(made);
        lattice_nonblocking(made);
        lattice_no_sigpipe(made);
    }
    return made;
#endif
}

int lattice_move_standard_input(void)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
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

/* The longest path, without the zero byte that ends it. */
size_t lattice_longest_path(void)
{
    return sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
}

/* The caller has checked the length. */
static struct sockaddr_un lattice_address(const char *path)
{
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return address;
}

int lattice_bind(int descriptor, const char *path)
{
    struct sockaddr_un address = lattice_address(path);
    return bind(descriptor, (const struct sockaddr *)&address, sizeof address);
}

int lattice_connect(int descriptor, const char *path)
{
    struct sockaddr_un address = lattice_address(path);
    return connect(descriptor, (const struct sockaddr *)&address, sizeof address);
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
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        lattice_close_on_exec(ends[i]);
        lattice_nonblocking(ends[i]);
    }
    return 0;
#endif
}

void lattice_name_this_thread(const char *name)
{
#ifdef __linux__
    char short_name[16]; /* the kernel refuses longer ones */
    snprintf(short_name, sizeof short_name, "%s", name);
    pthread_setname_np(pthread_self(), short_name);
#else
    pthread_setname_np(name);
#endif
}

/* A number that no other living thread has; never 0. */
uintptr_t lattice_this_thread(void) { return (uintptr_t)pthread_self(); }

void lattice_error_text(int error, char *text, size_t size)
{
#ifdef __linux__
#ifdef __GLIBC__
    snprintf(text, size, "%s", strerror_r(error, text, size));
#else
    if (strerror_r(error, text, size) != 0) snprintf(text, size, "error %d", error);
#endif
#else
    if (strerror_r(error, text, size) != 0) snprintf(text, size, "error %d", error);
#endif
}

#ifdef __linux__

int lattice_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token)
{
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

#endif
