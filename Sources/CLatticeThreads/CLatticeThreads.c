#define _GNU_SOURCE 1

#include "CLatticeThreads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

int lattice_start_thread(size_t stack, void *(*body)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);
    if (error != 0) return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack != 0) pthread_attr_setstacksize(&attributes, stack);
    error = pthread_create(&thread, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    return error;
}

static void *wait_and_end(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int lattice_check_threads(int count)
{
    enum { maximum = 16 };
    pthread_t threads[maximum];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int error = 0, made = 0;
    pthread_mutex_lock(&gate);
    while (error == 0 && made < count && made < maximum) {
        error = pthread_create(&threads[made], NULL, wait_and_end, &gate);
        if (error == 0) made++;
    }
    pthread_mutex_unlock(&gate);
    while (made > 0) pthread_join(threads[--made], NULL);
    return error;
}

uint32_t lattice_thread_ordinal(void)
{
    static atomic_uint threads;
    static _Thread_local uint32_t ordinal; /* the ordinal plus 1, or 0 before it is known */
    if (ordinal == 0) ordinal = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
    return ordinal - 1;
}

void lattice_name_this_thread(const char *name)
{
#ifdef __linux__
    char short_name[16]; /* The kernel refuses longer names. */
    snprintf(short_name, sizeof short_name, "%s", name);
    pthread_setname_np(pthread_self(), short_name);
#else
    pthread_setname_np(name);
#endif
}

#ifdef __linux__

/* The kernel's struct sched_attr. The C library does not declare it before version 2.41. */
struct scheduling {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

/* The minimum time slice that the kernel accepts (from Linux 6.12 on), in nanoseconds. The default is some
 * milliseconds. Threads that compute keep the default: with longer slices, hundreds of threads would take seconds until
 * each has run once, and one of them may hold a lock. */
static const uint64_t short_slice = 100 * 1000;

/* The time slice of threads that only compute, in nanoseconds. A thread that wakes up with a shorter slice has
 * priority. With 8 ms instead of 20 ms the main actor still waited for a whole tick. Use it for a few threads of a
 * process only: a computing thread that does not wake up may have to wait for such a slice. */
static const uint64_t long_slice = 20 * 1000 * 1000;

/* The flag that gives child processes the default scheduling again. */
static const uint64_t reset_on_fork = 1;

int32_t lattice_thread_number(void) { return (int32_t)syscall(SYS_gettid); }

/* Sets the time slice of a thread in nanoseconds (0: the default of the kernel) and its niceness. */
static void set_schedule(int32_t number, uint64_t slice, int nice)
{
    struct scheduling scheduling = {.size = sizeof scheduling};
    if (syscall(SYS_sched_getattr, number, &scheduling, sizeof scheduling, 0) != 0) return;
    /* If another policy was chosen for this process, it is kept. */
    if (scheduling.policy != 0) return;
    scheduling.flags |= reset_on_fork;
    scheduling.runtime = slice;
    if (scheduling.nice < nice) scheduling.nice = nice;
    syscall(SYS_sched_setattr, number, &scheduling, 0);
}

void lattice_thread_computes(int32_t number, int nice) { set_schedule(number, 0, nice); }

void lattice_thread_is_patient(int32_t number, int nice) { set_schedule(number, long_slice, nice); }

void lattice_thread_is_brief(int32_t number) { set_schedule(number, short_slice, 0); }

int lattice_this_thread_is_nicer(void) { return getpriority(PRIO_PROCESS, 0) > getpriority(PRIO_PROCESS, getpid()); }

#else

/* On other systems the scheduler lowers the priority of computing threads by itself. */
int32_t lattice_thread_number(void) { return 0; }

void lattice_thread_computes(int32_t number, int nice)
{
    (void)number;
    (void)nice;
}

void lattice_thread_is_brief(int32_t number) { (void)number; }

void lattice_thread_is_patient(int32_t number, int nice)
{
    (void)number;
    (void)nice;
}

int lattice_this_thread_is_nicer(void) { return 0; }

#endif

uintptr_t lattice_this_thread(void) { return (uintptr_t)pthread_self(); }

static _Thread_local const void *coding_source;

const void *lattice_set_coding_source(const void *source)
{
    const void *outer = coding_source;
    coding_source = source;
    return outer;
}

const void *lattice_coding_source(void) { return coding_source; }

_Thread_local void *lattice_turn_of_thread;

static _Thread_local int worker_local_denied;

int lattice_deny_worker_local(int is_denied)
{
    int outer = worker_local_denied;
    worker_local_denied = is_denied;
    return outer;
}

int lattice_is_worker_local_denied(void) { return worker_local_denied; }

static _Thread_local int beginning;

void lattice_set_beginning(int is_beginning) { beginning = is_beginning; }

int lattice_is_beginning(void) { return beginning; }

static const int64_t second = 1000 * 1000 * 1000;

static struct timespec moment_in(int64_t nanoseconds)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    moment.tv_sec += nanoseconds / second;
    moment.tv_nsec += nanoseconds % second;
    if (moment.tv_nsec >= second) {
        moment.tv_sec += 1;
        moment.tv_nsec -= second;
    }
    return moment;
}

#ifdef __linux__

/* A parking place is one word. A mutex and a condition would wake the thread twice, the first time only to find that
 * the mutex is still taken. */
struct lattice_parking {
    _Atomic int32_t state;
};

enum { empty = 0, waiting = 1, called = 2 };

struct lattice_parking *lattice_parking_make(void) { return calloc(1, sizeof(struct lattice_parking)); }

void lattice_parking_free(struct lattice_parking *parking) { free(parking); }

int lattice_park(struct lattice_parking *parking, int64_t nanoseconds)
{
    struct timespec deadline = {0};
    if (nanoseconds >= 0) deadline = moment_in(nanoseconds);
    int32_t expected = empty;
    if (atomic_compare_exchange_strong(&parking->state, &expected, waiting)) {
        long result = 0;
        while (atomic_load(&parking->state) == waiting && !(result == -1 && errno == ETIMEDOUT))
            result = syscall(SYS_futex, &parking->state, FUTEX_WAIT_BITSET_PRIVATE, waiting,
                             nanoseconds < 0 ? NULL : &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
    }
    return atomic_exchange(&parking->state, empty) == called;
}

void lattice_unpark(struct lattice_parking *parking)
{
    if (atomic_exchange(&parking->state, called) == waiting)
        syscall(SYS_futex, &parking->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* These functions keep errno, because the caller of a lock may be about to read it. */
void lattice_wait_for_change(const void *word, uint32_t expected)
{
    int error = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
    errno = error;
}

void lattice_wake_one(const void *word)
{
    int error = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = error;
}

void lattice_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static _Atomic int64_t lattice_locks;

void lattice_count_lock(void) { atomic_fetch_add_explicit(&lattice_locks, 1, memory_order_relaxed); }

int64_t lattice_locks_taken(void) { return atomic_load_explicit(&lattice_locks, memory_order_relaxed); }

void lattice_delay_at_random(void)
{
    static _Atomic long every = -1; /* -1 before the environment was read */
    static _Thread_local uint64_t random;
    long average = atomic_load_explicit(&every, memory_order_relaxed);
    if (average < 0) {
        const char *text = getenv("LATTICE_LOCK_DELAYS");
        average = text ? labs(atol(text)) : 0;
        atomic_store_explicit(&every, average, memory_order_relaxed);
    }
    if (average == 0) return;
    if (random == 0) random = (lattice_thread_ordinal() + 1) * 0x9e3779b97f4a7c15 + (uint64_t)average;
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    if ((random >> 16) % (uint64_t)average != 0) return;
    int error = errno;
    if (random >> 62) sched_yield();
    else usleep((random >> 40) % 400);
    errno = error;
}

#else

struct lattice_parking {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int is_called;
};

struct lattice_parking *lattice_parking_make(void)
{
    struct lattice_parking *parking = calloc(1, sizeof *parking);
    if (!parking) return NULL;
    pthread_mutex_init(&parking->mutex, NULL);
    pthread_cond_init(&parking->changed, NULL);
    return parking;
}

void lattice_parking_free(struct lattice_parking *parking)
{
    pthread_cond_destroy(&parking->changed);
    pthread_mutex_destroy(&parking->mutex);
    free(parking);
}

/* Waits until the condition is signalled or the deadline has passed. Returns a value other than 0 after the
 * deadline. */
static int wait_until(struct lattice_parking *parking, const struct timespec *deadline)
{
    struct timespec left = moment_in(0);
    left.tv_sec = deadline->tv_sec - left.tv_sec;
    left.tv_nsec = deadline->tv_nsec - left.tv_nsec;
    if (left.tv_nsec < 0) {
        left.tv_sec -= 1;
        left.tv_nsec += second;
    }
    return left.tv_sec < 0 || pthread_cond_timedwait_relative_np(&parking->changed, &parking->mutex, &left) != 0;
}

int lattice_park(struct lattice_parking *parking, int64_t nanoseconds)
{
    struct timespec deadline = {0};
    if (nanoseconds >= 0) deadline = moment_in(nanoseconds);
    pthread_mutex_lock(&parking->mutex);
    while (!parking->is_called) {
        if (nanoseconds < 0) {
            pthread_cond_wait(&parking->changed, &parking->mutex);
        } else if (wait_until(parking, &deadline)) {
            break;
        }
    }
    int was_called = parking->is_called;
    parking->is_called = 0;
    pthread_mutex_unlock(&parking->mutex);
    return was_called;
}

void lattice_unpark(struct lattice_parking *parking)
{
    pthread_mutex_lock(&parking->mutex);
    parking->is_called = 1;
    pthread_mutex_unlock(&parking->mutex);
    pthread_cond_signal(&parking->changed);
}

#endif
