/* A reader of the numbers in a folder of /proc. It does not use the heap, so it can run in a process that hangs,
 * possibly while it holds the lock of the heap, and in a new process that still shares the memory of its parent. */
#ifndef LATTICE_NUMBERS_H
#define LATTICE_NUMBERS_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The part of an entry of getdents64 that is used here. */
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

/* Opens a folder. Returns 1 if it exists. In this case call lattice_close_numbers afterwards. */
static inline int lattice_open_numbers(struct lattice_numbers *numbers, const char *path)
{
    numbers->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    numbers->size = numbers->place = 0;
    return numbers->folder >= 0;
}

/* Returns the next number, or -1 if there are no more. */
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
