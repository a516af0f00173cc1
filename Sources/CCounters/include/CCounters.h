/* Counts what a program allocates and receives. It stands between the program that it is linked into and the C library,
 * so only a program that measures has it. */
#ifndef LATTICE_COUNTERS_H
#define LATTICE_COUNTERS_H

#include <stdint.h>

/* Allocations of the calling thread since it began, a growing or moving one counted again; -1 where nobody counts. */
int64_t lattice_allocations_of_this_thread(void);

/* Bytes that the whole program has and has not given back; -1 where the C library does not say. */
int64_t lattice_bytes_in_use(void);

/* Bytes that recv() has given the whole program since it began; -1 where nobody counts. */
int64_t lattice_bytes_received(void);

#endif
