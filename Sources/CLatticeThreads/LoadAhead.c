#include "CLatticeThreads.h"

#include <stdint.h>

/* The range of addresses that the memory of a program can have. */
static const uint64_t lowest = 1 << 16, behind_highest = (uint64_t)1 << 47;
/* The bits of an address. Swift keeps flags in the other bits of references to strings. */
static const uint64_t address_bits = ((uint64_t)1 << 60) - 1;

void lattice_load_ahead(const void *words, size_t count) {
    const uintptr_t *word = words;
    for (size_t i = 0; i < count; i++) {
        uint64_t address = word[i] & address_bits;
        /* The memory is loaded for writing, because the reference count is changed when a reference is followed. */
        if (address >= lowest && address < behind_highest) __builtin_prefetch((const void *)(uintptr_t)address, 1);
    }
}

void lattice_load_lines_ahead(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 64) __builtin_prefetch((const char *)bytes + i, 0);
}
