#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__

#include <sys/mman.h>
#include <sys/stat.h>

#include "Numbers.h"

/* This code uses no heap memory. It also runs in a process that hangs, possibly while it holds the lock of the heap. */

/* The maximum number of processes that are examined in one round. */
enum { maximum_processes = 1 << 16 };

enum { rounds = 100, pause_milliseconds = 10 };

struct process {
    pid_t id;
    pid_t parent;
    pid_t group;
    /* The start time in ticks since the system was booted. */
    unsigned long long start;
    int is_found;
};

static int open_at(pid_t process, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads the status of a process. Returns 1 if the process is alive, and 0 if it has ended, even if it was not
 * reaped. */
static int read_status(struct process *process)
{
    char text[512];
    int file = open_at(process->id, "stat");
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 0;
    text[count] = 0;
    /* The name before the parenthesis may contain any characters. */
    const char *rest = strrchr(text, ')');
    char state;
    int parent, group;
    unsigned long long start;
    static const char format[] = " %c %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu";
    if (!rest || sscanf(rest + 1, format, &state, &parent, &group, &start) != 4) return 0;
    process->parent = parent;
    process->group = group;
    process->start = start;
    return state != 'Z' && state != 'X';
}

/* Returns 1 if the environment that the process was started with contains the variable. */
static int carries(pid_t process, const char *variable)
{
    enum { size = 16384 };
    char text[size];
    if (!variable) return 0;
    size_t length = strlen(variable) + 1, kept = 0;
    int file = open_at(process, "environ"), found = 0;
    if (file < 0) return 0;
    /* A zero byte is put first, so that every variable has one on both sides. */
    text[kept++] = 0;
    while (!found) {
        ssize_t count = read(file, text + kept, size - kept);
        if (count <= 0) break;
        size_t end = kept + (size_t)count;
        const char *from = text;
        while (!found && (from = memmem(from, end - (size_t)(from - text), variable, length))) {
            found = from > text && from[-1] == 0;
            from++;
        }
        kept = end < length ? end : length;
        memmove(text, text + end - kept, kept);
    }
    close(file);
    return found;
}

/* Reads the living processes from the process table, without the caller. Processes of other users are included, because
 * some of them may be killed. Root may kill all, and other users may kill the programs that run as another user because
 * of the set-user-ID bit. */
static size_t read_processes(struct process *table)
{
    struct lattice_numbers numbers;
    size_t count = 0;
    if (!lattice_open_numbers(&numbers, "/proc")) return 0;
    for (int id; count < maximum_processes && (id = lattice_next_number(&numbers)) >= 0;) {
        struct process process = {.id = id};
        if (id != getpid() && read_status(&process)) table[count++] = process;
    }
    lattice_close_numbers(&numbers);
    return count;
}

/* Marks the descendants of the processes that are already found. */
static void add_descendants(struct process *table, size_t count)
{
    for (int has_grown = 1; has_grown;) {
        has_grown = 0;
        for (size_t i = 0; i < count; i++) {
            if (table[i].is_found) continue;
            for (size_t j = 0; j < count && !table[i].is_found; j++) {
                table[i].is_found = table[j].is_found && table[j].id == table[i].parent;
            }
            has_grown |= table[i].is_found;
        }
    }
}

/* Returns 1 if the output or error of the process is one of the leader's pipes. The link is read, because asking for
 * the file behind it might block on a file system that does not respond. */
static int has_pipe(pid_t process, const uint64_t pipes[2])
{
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        char path[64], name[64];
        unsigned long long pipe;
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, descriptor);
        ssize_t length = readlink(path, name, sizeof name - 1);
        if (length <= 0) continue;
        name[length] = 0;
        if (sscanf(name, "pipe:[%llu]", &pipe) == 1 && pipe != 0 && (pipe == pipes[0] || pipe == pipes[1])) return 1;
    }
    return 0;
}

/* Returns the start time of the leader, or 0 if it is unknown. */
static unsigned long long start_of(pid_t leader)
{
    struct process process = {.id = leader};
    if (leader != 0) read_status(&process);
    return process.start;
}

static int is_of(const struct process *process, const struct lattice_lineage *lineage)
{
    pid_t leader = lineage->leader;
    if (leader != 0 && (process->parent == leader || process->group == leader)) return 1;
    return carries(process->id, lineage->variable) || has_pipe(process->id, lineage->pipes);
}

/* Kills the recognised processes once. Returns 1 if a process was killed. Processes that are older than the leader are
 * not examined in detail, which takes most of the time. */
static int end_round(struct process *table, const struct lattice_lineage *lineage, unsigned long long start)
{
    size_t count = read_processes(table);
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        table[i].is_found = table[i].start >= start && table[i].id != lineage->spared && is_of(&table[i], lineage);
        found |= table[i].is_found;
    }
    if (!found) return 0;
    add_descendants(table, count);
    int is_killed = 0;
    for (size_t i = 0; i < count; i++) {
        if (table[i].is_found && kill(table[i].id, SIGKILL) == 0) is_killed = 1;
    }
    return is_killed;
}

/* Calls the body for each process that is listed in a file. Returns 1 if the file could be read. */
static int for_each_process(const char *path, int (*body)(pid_t, const struct lattice_lineage *),
                            const struct lattice_lineage *lineage, int *result)
{
    char text[4096];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    pid_t process = 0;
    ssize_t count;
    while ((count = read(file, text, sizeof text)) > 0) {
        for (ssize_t i = 0; i < count; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                process = process * 10 + (text[i] - '0');
            } else {
                if (process > 0) *result |= body(process, lineage);
                process = 0;
            }
        }
    }
    close(file);
    return count == 0;
}

static int is_caller(pid_t process, const struct lattice_lineage *lineage)
{
    (void)lineage;
    return process == getpid();
}

static int kill_other(pid_t process, const struct lattice_lineage *lineage)
{
    return process != getpid() && process != lineage->spared && kill(process, SIGKILL) == 0;
}

/* Returns 1 if the cgroup has no child cgroups, whose processes the file does not list. */
static int is_innermost(const char *group)
{
    char folder[4096];
    struct stat status;
    const char *end = strrchr(group, '/');
    if (!end || (size_t)(end - group) >= sizeof folder) return 0;
    memcpy(folder, group, (size_t)(end - group));
    folder[end - group] = 0;
    /* Each child folder adds one link. */
    return stat(folder, &status) == 0 && status.st_nlink <= 2;
}

/* Kills the processes of the cgroup until none is left. Returns 1 if no other processes have to be searched. */
static int end_group(const struct lattice_lineage *lineage)
{
    int is_in_it = 0;
    if (!for_each_process(lineage->group, is_caller, lineage, &is_in_it) || !is_in_it) return 0;
    for (int round = 0; round < rounds; round++) {
        int found = 0;
        if (!for_each_process(lineage->group, kill_other, lineage, &found)) return 0;
        if (!found) return is_innermost(lineage->group);
        poll(NULL, 0, pause_milliseconds);
    }
    return 1;
}

void lattice_end_lineage(const struct lattice_lineage *lineage)
{
    if (lineage->group && end_group(lineage)) return;
    /* With the process numbers of another namespace the wrong processes would be killed, or none, again and again. */
    if (!lattice_knows_processes()) return;
    size_t size = maximum_processes * sizeof(struct process);
    struct process *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) return;
    unsigned long long start = start_of(lineage->leader);
    for (int round = 0; round < rounds && end_round(table, lineage, start); round++) {
        poll(NULL, 0, pause_milliseconds);
    }
    munmap(table, size);
}

#else

void lattice_end_lineage(const struct lattice_lineage *lineage)
{
    (void)lineage;
}

#endif
