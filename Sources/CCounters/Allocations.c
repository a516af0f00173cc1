#include "CCounters.h"

#include <stdlib.h>

/* The sanitizers replace the same functions. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LATTICE_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(LATTICE_SANITIZED)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

/* The implementations of the C library, under the names that it provides for programs that replace the public
 * functions. The library's own free() frees their results. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* The counter of a thread, on a cache line of its own, so that threads do not wait for each other. */
struct lattice_counter {
    _Alignas(64) _Atomic int64_t allocations;
};

/* The counters of all threads, and of those that have ended. */
static struct lattice_counter lattice_counters[4096];
static _Atomic size_t lattice_taken;
static _Thread_local struct lattice_counter *lattice_own;

/* Returns the counter of the calling thread. The threads after the first 4,095 share the last one. */
static struct lattice_counter *lattice_counter_of_this_thread(void)
{
    if (!lattice_own) {
        size_t last = sizeof lattice_counters / sizeof lattice_counters[0] - 1;
        size_t index = atomic_fetch_add_explicit(&lattice_taken, 1, memory_order_relaxed);
        lattice_own = &lattice_counters[index < last ? index : last];
    }
    return lattice_own;
}

static void lattice_count(void)
{
    _Atomic int64_t *count = &lattice_counter_of_this_thread()->allocations;
    /* Only this thread writes, so an addition that the processor locks is not needed. */
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

void *malloc(size_t size)
{
    lattice_count();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    lattice_count();
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    lattice_count();
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    lattice_count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    lattice_count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    lattice_count();
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *result = made;
    return 0;
}

int64_t lattice_allocations_of_this_thread(void)
{
    return atomic_load_explicit(&lattice_counter_of_this_thread()->allocations, memory_order_relaxed);
}

int64_t lattice_allocations_of_all_threads(void)
{
    int64_t sum = 0;
    for (size_t index = 0; index < sizeof lattice_counters / sizeof lattice_counters[0]; index++)
        sum += atomic_load_explicit(&lattice_counters[index].allocations, memory_order_relaxed);
    return sum;
}

int64_t lattice_bytes_in_use(void)
{
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 all = mallinfo2();
    return (int64_t)(all.uordblks + all.hblkhd);
#else
    return -1;
#endif
}

#else

int64_t lattice_allocations_of_this_thread(void) { return -1; }

int64_t lattice_allocations_of_all_threads(void) { return -1; }

int64_t lattice_bytes_in_use(void) { return -1; }

#endif
