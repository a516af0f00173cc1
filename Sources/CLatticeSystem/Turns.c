#define _GNU_SOURCE 1

#include "CLatticeTurns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Returns the size of a page, which is the minimum that can be shared. */
static size_t record_size(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

uint64_t lattice_turn_clock(void)
{
#ifdef __APPLE__
    return clock_gettime_nsec_np(CLOCK_UPTIME_RAW_APPROX);
#else
    struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/* Creates memory without a name in the file system. */
static int make_memory(void)
{
#ifdef MFD_CLOEXEC
    return memfd_create("lattice-turns", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#else
    char name[32];
    snprintf(name, sizeof name, "/lattice-turns-%d", (int)getpid());
    int descriptor = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    if (descriptor < 0) return -1;
    shm_unlink(name);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

static int close_behind(int descriptor, int result)
{
    int error = errno;
    close(descriptor);
    errno = error;
    return result;
}

int lattice_make_turns(void)
{
    int memory = make_memory();
    if (memory < 0) return -1;
    if (ftruncate(memory, (off_t)record_size()) != 0) return close_behind(memory, -1);
#ifdef F_ADD_SEALS
    if (fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return close_behind(memory, -1);
#endif
    /* The descriptor is above those that a worker has when it starts. */
    return close_behind(memory, fcntl(memory, F_DUPFD_CLOEXEC, 4));
}

struct lattice_turns *lattice_map_turns(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || status.st_size < (off_t)record_size()) return NULL;
    void *memory = mmap(NULL, record_size(), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void lattice_unmap_turns(struct lattice_turns *turns) { munmap(turns, record_size()); }
