/* Starting programs, waiting for their end, and ending what they leave behind.
 *
 * Where nothing else is said, a function returns 0 or the system's error number. */
#ifndef LATTICE_PROCESS_H
#define LATTICE_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a process may use; 0: as much as before. */
struct lattice_limits {
    uint64_t open_files;
    uint64_t cpu_seconds;
};

/* Limits this process, and what it starts from now on, for good but for the last second of CPU time. Past its CPU time a
 * process gets SIGXCPU, and SIGKILL a second later.
 *
 * ENOTSUP where a program could not be limited before it runs. */
int lattice_limit(const struct lattice_limits *limits);

/* What a program is started with. */
struct lattice_program {
    const char *path;
    /* Both end with a null pointer. */
    char *const *arguments;
    char *const *environment;
    /* Become descriptors 0 to 2. */
    int input;
    int output;
    int error;
    /* Becomes descriptor 3; -1: there is none. */
    int record;
    /* Files cgroup.procs that are open for writing: the program is in their cgroups, and limited, before it runs. */
    const int *groups;
    int group_count;
    /* Whether it does not start if one of them does not take it. */
    int needs_groups;
    struct lattice_limits limits;
};

/* Of starting a program, what did not succeed. */
enum { LATTICE_START, LATTICE_JOIN, LATTICE_LIMIT };

/* How a program ended: a signal's number, or 0 and the exit code. */
struct lattice_end {
    int32_t signal;
    int32_t code;
    /* For how long it has computed itself, without what it has started; 0 where the system does not say. */
    int64_t cpu_nanoseconds;
};

/* Makes the system keep how the children of this process end, until somebody asks for it: it does not where SIGCHLD is
 * ignored, which a program inherits from whoever started it, or has the flag SA_NOCLDWAIT. A handler stays. */
int lattice_keep_statuses(void);

/* 1 if the system keeps them. */
int lattice_keeps_statuses(void);

/* Starts a program as the leader of a process group of its own, without a controlling terminal, with every signal as it is
 * by default, and with no descriptor open but standard input, output and error, and the record.
 *
 * The step is the one that did not succeed; without an error LATTICE_JOIN if one of the groups, none of which was needed,
 * did not take it. */
int lattice_spawn(const struct lattice_program *program, pid_t *process, int *step);

/* Blocks until the process has ended, and leaves it in the process table. ECHILD: it has ended, and nothing is left of it
 * that says how. */
int lattice_wait_end(pid_t process, struct lattice_end *end);

/* Opens a file so that a program can be started from it, and for nothing else; -1 where the system has no such thing. */
int lattice_hold_file(const char *path);

/* What the linker wrote into the running program to name this build of it: up to `size` bytes of that, and how many they
 * are; 0: nothing. */
size_t lattice_build(uint8_t *bytes, size_t size);

/* 1 if it names something that is open. */
int lattice_is_open(int descriptor);

/* A pipe whose ends no other program inherits; the reading end does not block. */
int lattice_pipe(int ends[2]);

/* The variables of this process, "NAME=value" each, a null pointer at the end. NULL: none. */
char **lattice_own_environment(void);

/* How what a program started is recognised. */
struct lattice_lineage {
    /* In the environment that it was started with: "NAME=value". NULL: none. */
    const char *variable;
    /* The program itself: what is in its process group, and what it started and has not outlived. 0: none. */
    pid_t leader;
    /* The pipes that it was given as its output and error, whose other ends nobody but the caller or `spared` has: the
     * numbers of their files. 0: none. */
    uint64_t pipes[2];
    /* Not killed. 0: none. */
    pid_t spared;
    /* The file cgroup.procs of the cgroup with all that the program started. NULL: none. Believed if the caller is in
     * it, and no cgroup is below it; then the whole table of processes is not looked through, which takes 50 times as
     * long. */
    const char *group;
};

/* The number of the pipe's file; 0 if it is something else. */
uint64_t lattice_pipe_of(int descriptor);

/* Kills every process that is recognised, or that one of these started, and that this user may kill; never the caller.
 * Repeated, for about a second at most, until no more are found. Call it before the leader is reaped.
 *
 * But for what is in the group it does nothing where lattice_knows_processes() says no. */
void lattice_end_lineage(const struct lattice_lineage *lineage);

/* The thread that calls this has no descriptors any more but the first three, and can open some where this process may not
 * have any more. What it opens the others do not see. Where that cannot be had, nothing happens. close_range(2). */
void lattice_leave_descriptors(void);

/* Whether it can be had. */
int lattice_can_leave_descriptors(void);

/* Runs the body on such a thread, for which the caller waits. */
void lattice_run_apart(void (*body)(void *), void *argument);

/* Makes this process end itself, and what it started, once the other end of the socket is closed, even if everything
 * else in it hangs. Nothing more is done when it was called before, which happens before main() in a program that has
 * LATTICE_WORKER in its environment and a stream socket as its standard input. */
int lattice_watch(int socket);

/* Raises the number of files that this process may have open to the one wanted, or to as many as it may ask for. How many
 * it may have from now on, at most 2^30; -1: the system does not say. */
int32_t lattice_raise_open_files(uint32_t wanted);

/* 1 if systemd has marked the folder of a cgroup as handed over, with all in it, to the program that runs there. */
int lattice_is_delegated(const char *path);

/* The number by which /proc knows this process; -1: there is no /proc. */
pid_t lattice_number_in_proc(void);

/* 1 if /proc names processes by the numbers that this process knows them by: not where it belongs to another namespace. */
int lattice_knows_processes(void);

/* In which namespace the numbers of processes are those that this process sees; 0: there is only one. */
uint64_t lattice_process_namespace(void);

/* Opens what Linux writes of a process, to read from the beginning as often as one likes; -1: it is gone, or there is no
 * such thing, or what is there is of other processes. */
int lattice_open_status(pid_t process);

/* The memory in bytes that a process has for itself, where the system tells it by a call; -1: it does not. */
int64_t lattice_footprint(pid_t process);

#endif
