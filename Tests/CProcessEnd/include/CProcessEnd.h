#ifndef C_PROCESS_END_H
#define C_PROCESS_END_H

/* Returns a descriptor that becomes readable when a process ends. The process may be any process, not only a child. Returns
 * -1 and sets errno if there is no such process, or if this system has no such descriptors. */
int test_watch_process(int process);

/* Forks this process and returns the process ID of the copy. The copy keeps all descriptors open until it is killed. */
int test_keep_copy(void);

/* Forks this process, waits until the copy has exited in order, and returns its status. Returns -1 if that fails. */
int test_end_copy(void);

/* Makes each later crash take this time. The crashing thread and all other threads wait, as they do while Swift's runtime
 * writes a crash report. Then the signal ends the process. Call it before other code handles these signals. */
void test_crash_slowly(int milliseconds);

#endif
