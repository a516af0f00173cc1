/* Threads and the processor's caches, as far as Swift has no word for them. */
#ifndef LATTICE_THREADS_H
#define LATTICE_THREADS_H

#include <stddef.h>
#include <stdint.h>

/* Runs the body on a thread of its own, for which nobody waits. Size of its stack in bytes; 0: as the system likes it.
 * 0, or the number of the error. */
int lattice_start_thread(size_t stack, void *(*body)(void *), void *argument);

/* Whether so many more threads, 16 at most, can be there at the same time: 0, or the number of the error. They are tried
 * out, and have ended when this returns. */
int lattice_check_threads(int count);

void lattice_name_this_thread(const char *name);

/* What the system calls the thread that asks. */
int32_t lattice_thread_number(void);

/* How many threads had asked before the one that asks, when it asked first: those that are made one after the other
 * differ in it. */
uint32_t lattice_thread_ordinal(void);

/* Has a thread of this process take its share of the processors in pieces of the usual length, and a share that is the
 * smaller, the nicer it is (0 to 19, never less than before). Nothing happens where the system cannot tell threads
 * apart. */
void lattice_thread_computes(int32_t number, int nice);

/* The same in pieces as short as they may be: when the thread wakes it comes before those that compute. */
void lattice_thread_is_brief(int32_t number);

/* The same in long pieces and with a share that is the smaller, the nicer it is, for one of the few threads that do
 * nothing but compute: whatever else wakes comes before it. */
void lattice_thread_is_patient(int32_t number, int nice);

/* Whether the thread that asks has a smaller share than the first one of the process. A thread that it makes has that
 * too, and nobody can take it back. */
int lattice_this_thread_is_nicer(void);

/* A pointer of this thread's own: where what is being coded on it finds what it asks for. Returns the one before. */
const void *lattice_set_coding_source(const void *source);
const void *lattice_coding_source(void);

/* A word of this thread's own: whether the task that it is making begins, rather than goes on. */
void lattice_set_beginning(int is_beginning);
int lattice_is_beginning(void);

/* Where one thread waits until another calls it. */
struct lattice_parking;

/* NULL if there is no memory. */
struct lattice_parking *lattice_parking_make(void);
void lattice_parking_free(struct lattice_parking *parking);

/* Waits for a call, for so many nanoseconds at most; negative: for as long as it takes. A call that came before counts.
 * 1 if there was one. */
int lattice_park(struct lattice_parking *parking, int64_t nanoseconds);
void lattice_unpark(struct lattice_parking *parking);

#ifdef __linux__
/* Sleeps while the word is this, until a thread wakes it. It may return earlier, so the caller looks again. */
void lattice_wait_for_change(const void *word, uint32_t expected);
/* Wakes one thread that sleeps there. The word may be gone already. */
void lattice_wake_one(const void *word);
/* For a loop that looks until something changes. */
void lattice_pause(void);
/* Gives up the processor, or sleeps for up to 0.4 ms, in one of N calls on average, where the environment has
 * LATTICE_LOCK_DELAYS=N. Debug builds call it at locks, so that tests see orders that are rare. */
void lattice_delay_at_random(void);
#endif

/* Has the processor load what so many words refer to, all of it at a time, and does not wait for that. A word that is no
 * reference does nothing, whatever it is. */
void lattice_load_ahead(const void *words, size_t count);

/* The same for so many bytes themselves, at an address that must be one. */
void lattice_load_lines_ahead(const void *bytes, size_t count);

#endif
