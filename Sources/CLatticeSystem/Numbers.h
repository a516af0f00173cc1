/* The numbers in a folder of /proc, read without the heap: also for a process that hangs, perhaps with the lock of the heap
 * in its hands, and for one that has the memory of another one. */
#ifndef LATTICE_NUMBERS_H
#define LATTICE_NUMBERS_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Part of what getdents64 gives. */
struct lattice_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

struct lattice_numbers {
    int folder;
    long size;
    long place;
    _Alignas(8) char buffer[8192];
};

/* Whether there is such a folder. Then it is closed after use. */
static inline int lattice_open_numbers(struct lattice_numbers *numbers, const char *path)
{
    numbers->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    numbers->size = numbers->place = 0;
    return numbers->folder >= 0;
}

/* The next one; -1: there are no more. */
static inline int lattice_next_number(struct lattice_numbers *numbers)
{
    while (1) {
        if (numbers->place >= numbers->size) {
            numbers->size = syscall(SYS_getdents64, numbers->folder, numbers->buffer, sizeof numbers->buffer);
            numbers->place = 0;
            if (numbers->size <= 0) return -1;
        }
        const struct lattice_entry *entry = (const struct lattice_entry *)(numbers->buffer + numbers->place);
        numbers->place += entry->length;
        if (entry->name[0] >= '0' && entry->name[0] <= '9') return atoi(entry->name);
    }
}

static inline void lattice_close_numbers(struct lattice_numbers *numbers) { close(numbers->folder); }

#endif
