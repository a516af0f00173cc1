/* Functions that start programs, wait for their end, and end the processes that they leave behind. Unless a comment
 * says otherwise, a function returns 0 or the error number of the system. */
#ifndef LATTICE_PROCESS_H
#define LATTICE_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The limits of a process. 0 leaves a limit unchanged. */
struct lattice_limits {
    uint64_t open_files;
    uint64_t cpu_seconds;
};

/* Limits this process and the programs that it starts from now on. The limits cannot be raised again, except by the
 * last second of CPU time. When a process has used up its CPU time, it gets SIGXCPU, and SIGKILL one second later.
 * Returns ENOTSUP where a program cannot be limited before it runs. */
int lattice_limit(const struct lattice_limits *limits);

/* The parameters of starting a program. */
struct lattice_program {
    const char *path;
    /* Two lists that end with a null pointer. */
    char *const *arguments;
    char *const *environment;
    /* The directory in which the program starts, or NULL for that of this process. */
    const char *directory;
    /* The descriptors that become 0 to 2 in the program. */
    int input;
    int output;
    int error;
    /* The descriptor that becomes 3 in the program, or -1 for none. */
    int record;
    /* Files cgroup.procs that are open for writing. The program joins their cgroups, and is limited, before it runs. */
    const int *groups;
    int group_count;
    /* 1 if the program must not start when it cannot join one of the cgroups. */
    int needs_groups;
    struct lattice_limits limits;
};

/* The steps of starting a program, to say which one failed. */
enum { LATTICE_START, LATTICE_JOIN, LATTICE_LIMIT, LATTICE_DIRECTORY };

/* The end of a program: the number of a signal, or 0 and the exit code. */
struct lattice_end {
    int32_t signal;
    int32_t code;
    /* The CPU time of the program without the processes that it started, or 0 if the system does not provide it. */
    int64_t cpu_nanoseconds;
};

/* Makes the system keep the exit statuses of this process's children until they are read. The system does not keep them
 * if SIGCHLD is ignored, which a program inherits from its parent, or has the flag SA_NOCLDWAIT. A handler of SIGCHLD
 * is kept. */
int lattice_keep_statuses(void);

/* Returns 1 if the system keeps the exit statuses. */
int lattice_keeps_statuses(void);

/* Starts a program as the leader of its own process group, without a controlling terminal, with the default handling of
 * all signals, and with no open descriptors except standard input, output and error, and the record. In case of an
 * error, `step` is the step that failed. Without an error it is LATTICE_JOIN if the program could not join one of the
 * cgroups and did not need it. */
int lattice_spawn(const struct lattice_program *program, pid_t *process, int *step);

/* Blocks until the process has ended, and leaves it in the process table. Returns ECHILD if the process has ended and
 * its exit status is lost. */
int lattice_wait_end(pid_t process, struct lattice_end *end);

/* Opens a file for the sole purpose of starting programs from it. Returns -1 where the system does not support this. */
int lattice_hold_file(const char *path);

/* Copies the build ID that the linker wrote into the running program, up to `size` bytes, and returns the number of
 * bytes, or 0 if there is none. */
size_t lattice_build(uint8_t *bytes, size_t size);

/* Returns 1 if the descriptor is open. */
int lattice_is_open(int descriptor);

/* Creates a pipe that other programs do not inherit. Reading from it does not block. */
int lattice_pipe(int ends[2]);

/* Returns the environment of this process, "NAME=value" each, with a null pointer at the end, or NULL. */
char **lattice_own_environment(void);

/* The properties by which the processes that a program started are recognised. */
struct lattice_lineage {
    /* A variable in the environment that the program was started with: "NAME=value". NULL: none. */
    const char *variable;
    /* The program itself. Its process group and its living children are recognised. 0: none. */
    pid_t leader;
    /* The inode numbers of the pipes that are the program's output and error. Only the caller and `spared` have the
     * other ends. 0: none. */
    uint64_t pipes[2];
    /* A process that is not killed. 0: none. */
    pid_t spared;
    /* The file cgroup.procs of the cgroup that contains all processes that the program started. NULL: none. It is used
     * if the caller is in the cgroup and the cgroup has no children. In this case the process table is not searched,
     * which takes 50 times as long. */
    const char *group;
};

/* Returns the inode number of a pipe, or 0 if the descriptor is not a pipe. */
uint64_t lattice_pipe_of(int descriptor);

/* Kills every process that is recognised, and their descendants, as far as this user may kill them. Never kills the
 * caller. Repeats this for up to about one second until no more processes are found. Call it before the leader is
 * reaped. Where lattice_knows_processes() returns 0, only the processes of the cgroup are killed. */
void lattice_end_lineage(const struct lattice_lineage *lineage);

/* Gives the calling thread a table of descriptors of its own, with only the first three of them. The thread can then
 * open files even if this process has reached its limit, and other threads do not see them. Does nothing where the
 * system does not support this. See close_range(2). */
void lattice_leave_descriptors(void);

/* Returns 1 if the system supports this. */
int lattice_can_leave_descriptors(void);

/* Runs the body on such a thread and waits until it has ended. */
void lattice_run_apart(void (*body)(void *), void *argument);

/* Makes this process end itself and the processes that it started when the other end of the socket is closed, even if
 * everything else in the process hangs. Further calls do nothing. The function is called before main() in a program
 * that has LATTICE_WORKER in its environment and a stream socket as its standard input. */
int lattice_watch(int socket);

/* Raises the limit of open files to the wanted number, or to the maximum that this process may request. Returns the new
 * limit, at most 2^30, or -1 if the system does not provide it. */
int32_t lattice_raise_open_files(uint32_t wanted);

/* Returns 1 if systemd has delegated the cgroup's folder and everything in it to the program that runs there. */
int lattice_is_delegated(const char *path);

/* Returns the number of this process in /proc, or -1 if there is no /proc. */
pid_t lattice_number_in_proc(void);

/* Returns 1 if /proc uses the process numbers that this process sees. It does not if it belongs to another
 * namespace. */
int lattice_knows_processes(void);

/* Returns the namespace of the process numbers that this process sees, or 0 if there is only one. */
uint64_t lattice_process_namespace(void);

/* Opens the status file of a process, which can be read repeatedly from the beginning. Returns -1 if the process has
 * ended, or if the system has no such file or shows those of other processes. */
int lattice_open_status(pid_t process);

/* Returns the number of bytes of memory that a process has for itself, or -1 if the system has no call for it. */
int64_t lattice_footprint(pid_t process);

/* Returns the CPU time of a process in nanoseconds, without the processes that it started, or -1 if the process has
 * ended or the system does not tell. */
int64_t lattice_cpu_nanoseconds(pid_t process);

#endif
