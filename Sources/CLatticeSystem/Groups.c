#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

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

uint64_t lattice_process_namespace(void) { return 0; }

#endif
