/* Counters of the memory that a program allocates, of its system calls, and of the bytes that it receives. They replace
 * functions of the C library in the program that they are linked into, so only programs that measure contain them. */
#ifndef LATTICE_COUNTERS_H
#define LATTICE_COUNTERS_H

#include <stdint.h>

/* Returns the number of allocations of the calling thread since it began. A reallocation counts again. Returns -1 if
 * allocations are not counted. */
int64_t lattice_allocations_of_this_thread(void);

/* Returns the number of allocations of all threads of the program since it began, also of those that have ended, or -1
 * if allocations are not counted. After 4,095 threads a few may be missed. */
int64_t lattice_allocations_of_all_threads(void);

/* Returns the number of bytes that the whole program has allocated and not freed, or -1 if the C library does not
 * provide it. */
int64_t lattice_bytes_in_use(void);

/* Returns the number of the system calls of all threads of the program since it began, or -1 if they are not counted.
 * Counted are send(), sendmsg(), recv(), read(), write(), epoll_wait(), sched_yield() and syscall(), which waits for
 * locks and wakes threads. What the C library does on its own is not counted. After 4,095 threads a few may be
 * missed. */
int64_t lattice_system_calls_of_all_threads(void);

/* Returns the number of bytes that recv() has returned to the whole program since it began, or -1 if they are not
 * counted. */
int64_t lattice_bytes_received(void);

#endif
