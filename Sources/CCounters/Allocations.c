#include <stdlib.h>

#include "CCounters.h"
#include "ThreadCounter.h"

#ifdef LATTICE_COUNTS

#include <errno.h>
#include <malloc.h>

/* The implementations of the C library, under the names that it provides for programs that replace the public
 * functions. The library's own free() frees their results. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    lattice_count(LATTICE_ALLOCATIONS);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    lattice_count(LATTICE_ALLOCATIONS);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    lattice_count(LATTICE_ALLOCATIONS);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    lattice_count(LATTICE_ALLOCATIONS);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    lattice_count(LATTICE_ALLOCATIONS);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    lattice_count(LATTICE_ALLOCATIONS);
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *result = made;
    return 0;
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

int64_t lattice_bytes_in_use(void) { return -1; }

#endif
