#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__

#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

int lattice_is_delegated(const char *path)
{
    static const char *const names[] = {"user.delegate", "trusted.delegate"};
    for (int i = 0; i < 2; i++) {
        char value[2];
        if (getxattr(path, names[i], value, sizeof value) == 1 && value[0] == '1') return 1;
    }
    return 0;
}

pid_t lattice_number_in_proc(void)
{
    char name[16];
    ssize_t length = readlink("/proc/self", name, sizeof name - 1);
    if (length <= 0) return -1;
    name[length] = 0;
    return atoi(name);
}

uint64_t lattice_process_namespace(void)
{
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

#else

int lattice_is_delegated(const char *path)
{
    (void)path;
    return 0;
}

pid_t lattice_number_in_proc(void) { return -1; }

uint64_t lattice_process_namespace(void) { return 0; }

#endif

int lattice_knows_processes(void) { return lattice_number_in_proc() == getpid(); }
