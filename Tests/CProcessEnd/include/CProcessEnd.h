#ifndef C_PROCESS_END_H
#define C_PROCESS_END_H

/* A descriptor that becomes readable when a process, which need be no child of this one, has ended; -1 with errno if there
 * is no such process, or no such descriptor on this system. */
int test_watch_process(int process);

/* Makes a copy of this process (fork), which holds open whatever this one has open, until somebody ends it. Its process
 * identifier. */
int test_keep_copy(void);

/* Makes a copy of this process (fork), which ends in order at once, and waits for that; -1 if it cannot. */
int test_end_copy(void);

/* From now on a crash takes so long: the thread that crashes and all others wait, as while Swift's runtime writes a report
 * of it. Then the process ends by the signal. Call it before anything else handles these signals. */
void test_crash_slowly(int milliseconds);

#endif
