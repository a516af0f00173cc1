/* Whose turn runs in a worker, in memory that it shares with its coordinator: it can still be read when the worker hangs,
 * and when it is gone.
 *
 * One thread writes. What a reader gets is checked by `number`, which is odd during a turn and changes at each of its
 * ends. A worker that writes nonsense misleads its coordinator about itself, and about nothing else. */
#ifndef LATTICE_TURNS_H
#define LATTICE_TURNS_H

#include <stdint.h>

/* The memory: at its beginning, the rest is zero. All zero: no turn has run. */
struct lattice_turns {
    /* Twice the number of turns that have ended, and one more during a turn. */
    uint64_t number;
    /* When the present one began, by `lattice_turn_clock`. */
    uint64_t start;
    /* Whose turn it is: an event's number on its channel; channel 0 for an action of an effect, or of the feature. */
    uint64_t event;
    uint64_t channel;
    /* The number of the error with which the system refused what a worker needs to begin; 0: it has refused nothing. */
    uint64_t lack;
    /* The signal by which the worker crashes, while what handles it writes a report; 0: it does not crash. */
    uint64_t crash;
    /* When it came, by `lattice_turn_clock`. */
    uint64_t crash_start;
};

/* Nanoseconds, the same in all processes, without the time for which the machine slept; a few milliseconds coarse, since
 * reading it has to cost a few nanoseconds. */
uint64_t lattice_turn_clock(void);

static inline void lattice_begin_turn(struct lattice_turns *turns, uint64_t channel, uint64_t event, uint64_t now)
{
    __atomic_store_n(&turns->start, now, __ATOMIC_RELAXED);
    __atomic_store_n(&turns->event, event, __ATOMIC_RELAXED);
    __atomic_store_n(&turns->channel, channel, __ATOMIC_RELAXED);
    __atomic_store_n(&turns->number, __atomic_load_n(&turns->number, __ATOMIC_RELAXED) | 1, __ATOMIC_RELEASE);
}

static inline void lattice_end_turn(struct lattice_turns *turns)
{
    uint64_t number = __atomic_load_n(&turns->number, __ATOMIC_RELAXED);
    __atomic_store_n(&turns->number, number + (number & 1), __ATOMIC_RELAXED);
    /* Before what the next turn writes. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* What stands there now; of a turn that ends meanwhile only the number is right. */
static inline struct lattice_turns lattice_read_turns(const struct lattice_turns *turns)
{
    struct lattice_turns read;
    read.lack = __atomic_load_n(&turns->lack, __ATOMIC_RELAXED);
    read.number = __atomic_load_n(&turns->number, __ATOMIC_ACQUIRE);
    read.start = __atomic_load_n(&turns->start, __ATOMIC_RELAXED);
    read.event = __atomic_load_n(&turns->event, __ATOMIC_RELAXED);
    read.channel = __atomic_load_n(&turns->channel, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    read.number = __atomic_load_n(&turns->number, __ATOMIC_RELAXED) == read.number ? read.number : read.number & ~1ull;
    return read;
}

static inline void lattice_note_lack(struct lattice_turns *turns, int error)
{
    __atomic_store_n(&turns->lack, (uint64_t)error, __ATOMIC_RELAXED);
}

/* Notes in the record from now on when this process crashes, before anything else handles the signal. Called once, after
 * the handlers of the runtimes are installed: they are called as before. */
void lattice_note_crashes(struct lattice_turns *turns);

/* The signal by which the worker crashes, and since when; 0: it does not. */
static inline uint64_t lattice_read_crash(const struct lattice_turns *turns, uint64_t *start)
{
    uint64_t crash = __atomic_load_n(&turns->crash, __ATOMIC_ACQUIRE);
    *start = __atomic_load_n(&turns->crash_start, __ATOMIC_RELAXED);
    return crash;
}

/* Memory for one record that no program inherits, as a descriptor above 3; where the system can, it cannot be made
 * smaller, which would end who reads it. -1: there is no room, or no such thing; lattice_errno() says which. */
int lattice_make_turns(void);

/* The record behind a descriptor, which is not needed any more after that. NULL: it is no such memory. */
struct lattice_turns *lattice_map_turns(int descriptor);

void lattice_unmap_turns(struct lattice_turns *turns);

#endif
