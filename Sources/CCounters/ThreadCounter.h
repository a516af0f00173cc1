/* The counters of a thread. */
#ifndef LATTICE_THREAD_COUNTER_H
#define LATTICE_THREAD_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

/* The sanitizers replace the same functions. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LATTICE_SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(LATTICE_SANITIZED)
#define LATTICE_COUNTS 1

enum lattice_counted { LATTICE_ALLOCATIONS, LATTICE_SYSTEM_CALLS, LATTICE_KINDS };

/* Adds 1 to a counter of the calling thread. */
void lattice_count(enum lattice_counted kind);

#endif
#endif
