/* Functions for threads and processor caches that Swift does not offer. */
#ifndef LATTICE_THREADS_H
#define LATTICE_THREADS_H

#include <stddef.h>
#include <stdint.h>

/* Starts a detached thread that runs the body. `stack` is the size of its stack in bytes, or 0 for the default of the
 * system. Returns 0, or the number of the error. */
int lattice_start_thread(size_t stack, void *(*body)(void *), void *argument);

/* Checks whether `count` more threads (at most 16) can exist at the same time. It starts them, and they have ended when
 * the function returns. Returns 0, or the number of the error. */
int lattice_check_threads(int count);

/* Names the calling thread. */
void lattice_name_this_thread(const char *name);

/* Returns the number that the system gives the calling thread. */
int32_t lattice_thread_number(void);

/* Returns the ordinal of the calling thread: the number of threads that had called this function before its first call.
 * Threads that start one after the other have different ordinals. */
uint32_t lattice_thread_ordinal(void);

/* Schedules a thread of this process with time slices of the default length. The nicer the thread is (0 to 19, never
 * less than before), the smaller is its share of the processors. Does nothing where the system cannot schedule threads
 * individually. */
void lattice_thread_computes(int32_t number, int nice);

/* Schedules a thread with time slices of the minimum length, so that it has priority over computing threads when it
 * wakes up. */
void lattice_thread_is_brief(int32_t number);

/* Schedules one of the few threads that only compute, with long time slices. Every other thread that wakes up has
 * priority over it. The nicer the thread is, the smaller is its share of the processors. */
void lattice_thread_is_patient(int32_t number, int nice);

/* Returns 1 if the calling thread has a smaller share of the processors than the first thread of the process, else 0. A
 * thread that it starts inherits the smaller share, which cannot be undone. */
int lattice_this_thread_is_nicer(void);

/* Returns a number that is unique among the living threads. It is never 0. */
uintptr_t lattice_this_thread(void);

/* Sets a pointer for the calling thread, through which values that are encoded or decoded on it find their coder.
 * Returns the pointer before. */
const void *lattice_set_coding_source(const void *source);
/* Returns the pointer of the calling thread. */
const void *lattice_coding_source(void);

/* A pointer of the calling thread, through which the code of an interactor finds the turn that runs it, or NULL. */
extern _Thread_local void *lattice_turn_of_thread;

/* Sets the pointer, and returns the one before. Inline, because every turn calls it twice. */
static inline void *lattice_set_current_turn(void *turn)
{
    void *outer = lattice_turn_of_thread;
    lattice_turn_of_thread = turn;
    return outer;
}

static inline void *lattice_current_turn(void) { return lattice_turn_of_thread; }

/* Sets a flag of the calling thread: 1 while it may not read worker-local values, else 0. Returns the flag before. */
int lattice_deny_worker_local(int is_denied);
/* Returns the flag of the calling thread. */
int lattice_is_worker_local_denied(void);

/* Sets a flag of the calling thread: 1 while it creates a task that begins, 0 for one that continues. */
void lattice_set_beginning(int is_beginning);
/* Returns the flag of the calling thread. */
int lattice_is_beginning(void);

/* A place where one thread waits until another thread wakes it. */
struct lattice_parking;

/* Creates a parking place. Returns NULL if there is no memory. */
struct lattice_parking *lattice_parking_make(void);
/* Frees a parking place. */
void lattice_parking_free(struct lattice_parking *parking);

/* Waits until the thread is woken, for at most `nanoseconds`, or without a limit if the number is negative. Returns at
 * once if lattice_unpark() was called before. Returns 1 if the thread was woken, or 0 if the time has passed. */
int lattice_park(struct lattice_parking *parking, int64_t nanoseconds);
/* Wakes the waiting thread, or the next one that waits. */
void lattice_unpark(struct lattice_parking *parking);

#ifdef __linux__
/* Sleeps while the word has the expected value, until a thread wakes the caller. It may return earlier, so the caller
 * must check the word again. */
void lattice_wait_for_change(const void *word, uint32_t expected);
/* Wakes one thread that sleeps on the word. The word may have been freed already. */
void lattice_wake_one(const void *word);
/* Tells the processor that the calling loop spins until a value changes. */
void lattice_pause(void);
/* Gives up the processor, or sleeps for up to 0.4 ms, in one of N calls on average, if the environment contains
 * LATTICE_LOCK_DELAYS=N. Debug builds call it at locks, so that tests exercise rare interleavings. */
void lattice_delay_at_random(void);
/* Counts a lock that a thread has taken. Debug builds call it. */
void lattice_count_lock(void);
/* Returns the number of locks that all threads have taken. */
int64_t lattice_locks_taken(void);
#endif

/* Lets the processor load the memory that `count` words refer to, all at the same time, without waiting for it. A word
 * that is not a reference is ignored. */
void lattice_load_ahead(const void *words, size_t count);

/* Lets the processor load `count` bytes at a valid address, without waiting for them. */
void lattice_load_lines_ahead(const void *bytes, size_t count);

#endif
