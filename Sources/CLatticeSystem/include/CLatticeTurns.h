/* The record of the turns in a worker, in memory that the worker shares with its coordinator. The coordinator can read
 * it when the worker hangs, and after it has ended.
 *
 * One thread writes. A reader validates what it reads with `number`, which is odd during a turn and changes at the
 * start and end of each turn. A worker that writes wrong values misleads its coordinator about itself only. */
#ifndef LATTICE_TURNS_H
#define LATTICE_TURNS_H

#include <stdint.h>

/* The record at the beginning of the memory. The rest is zero. If everything is zero, no turn has run. */
struct lattice_turns {
    /* Twice the number of turns that have ended, plus 1 during a turn. */
    uint64_t number;
    /* The start of the current turn, by `lattice_turn_clock`. */
    uint64_t start;
    /* The event of the turn: its number on its channel. Channel 0 stands for an action of an effect, or of the
     * feature. */
    uint64_t event;
    uint64_t channel;
    /* The number of the error with which the system refused a resource that a worker needs to start, or 0. */
    uint64_t lack;
    /* 1 if the worker ends itself because an effect has not ended after its timeout. */
    uint64_t overdue;
    /* The signal with which the worker crashes, while a handler writes a report, or 0 if the worker does not crash. */
    uint64_t crash;
    /* The time of that signal, by `lattice_turn_clock`. */
    uint64_t crash_start;
    /* 1 if the worker has seen the end of its session, after which it ends. */
    uint64_t session_end;
};

/* Returns the time in nanoseconds, which is the same in all processes and does not include the time for which the
 * machine slept. Its resolution is a few milliseconds, because reading it must take only a few nanoseconds. */
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
    /* This store comes before those of the next turn. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Returns the current contents. If a turn ends at the same time, only the number is valid. */
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

static inline void lattice_note_overdue(struct lattice_turns *turns)
{
    __atomic_store_n(&turns->overdue, 1, __ATOMIC_RELEASE);
}

static inline int lattice_is_overdue(const struct lattice_turns *turns)
{
    return __atomic_load_n(&turns->overdue, __ATOMIC_ACQUIRE) == 1;
}

static inline void lattice_note_session_end(struct lattice_turns *turns)
{
    __atomic_store_n(&turns->session_end, 1, __ATOMIC_RELEASE);
}

static inline int lattice_has_session_end(const struct lattice_turns *turns)
{
    return __atomic_load_n(&turns->session_end, __ATOMIC_ACQUIRE) == 1;
}

/* Makes this process note in the record when it crashes, before any other handler of the signal runs. Call it once,
 * after the handlers of the runtimes are installed. They are called as before. */
void lattice_note_crashes(struct lattice_turns *turns);

/* Returns the signal with which the worker crashes and the time of the signal, or 0 if it does not crash. */
static inline uint64_t lattice_read_crash(const struct lattice_turns *turns, uint64_t *start)
{
    uint64_t crash = __atomic_load_n(&turns->crash, __ATOMIC_ACQUIRE);
    *start = __atomic_load_n(&turns->crash_start, __ATOMIC_RELAXED);
    return crash;
}

/* Creates memory for one record that other programs do not inherit, as a descriptor above 3. Where the system supports
 * it, the memory cannot be made smaller, which would crash its readers. Returns -1 if there is no room or no support.
 * lattice_errno() returns which. */
int lattice_make_turns(void);

/* Maps the record behind a descriptor, which is not needed after that. Returns NULL if it is not such memory. */
struct lattice_turns *lattice_map_turns(int descriptor);

/* Unmaps a record. */
void lattice_unmap_turns(struct lattice_turns *turns);

#endif
