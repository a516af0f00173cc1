#include <stddef.h>
#include <stdint.h>
/* Defines __GLIBC__. */
#include <stdlib.h>

#include "CCounters.h"
#include "ThreadCounter.h"

#ifdef LATTICE_COUNTS

/* The counters of a thread, on cache lines of their own, so that threads do not wait for each other. */
struct lattice_counters {
    _Alignas(64) _Atomic int64_t counts[LATTICE_KINDS];
};

/* The counters of all threads, and of those that have ended. */
static struct lattice_counters lattice_counters[4096];
static _Atomic size_t lattice_taken;
static _Thread_local struct lattice_counters *lattice_own;

/* Returns the counters of the calling thread. The threads after the first 4,095 share the last ones. */
static struct lattice_counters *lattice_counters_of_this_thread(void)
{
    if (!lattice_own) {
        size_t last = sizeof lattice_counters / sizeof lattice_counters[0] - 1;
        size_t index = atomic_fetch_add_explicit(&lattice_taken, 1, memory_order_relaxed);
        lattice_own = &lattice_counters[index < last ? index : last];
    }
    return lattice_own;
}

void lattice_count(enum lattice_counted kind)
{
    _Atomic int64_t *count = &lattice_counters_of_this_thread()->counts[kind];
    /* Only this thread writes, so an addition that the processor locks is not needed. */
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

static int64_t lattice_sum(enum lattice_counted kind)
{
    int64_t sum = 0;
    for (size_t index = 0; index < sizeof lattice_counters / sizeof lattice_counters[0]; index++)
        sum += atomic_load_explicit(&lattice_counters[index].counts[kind], memory_order_relaxed);
    return sum;
}

int64_t lattice_allocations_of_this_thread(void)
{
    return atomic_load_explicit(&lattice_counters_of_this_thread()->counts[LATTICE_ALLOCATIONS], memory_order_relaxed);
}

int64_t lattice_allocations_of_all_threads(void) { return lattice_sum(LATTICE_ALLOCATIONS); }

int64_t lattice_system_calls_of_all_threads(void) { return lattice_sum(LATTICE_SYSTEM_CALLS); }

#else

int64_t lattice_allocations_of_this_thread(void) { return -1; }

int64_t lattice_allocations_of_all_threads(void) { return -1; }

int64_t lattice_system_calls_of_all_threads(void) { return -1; }

#endif
