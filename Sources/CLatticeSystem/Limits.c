#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#ifdef __APPLE__
#include <TargetConditionals.h>
#if TARGET_OS_OSX
#include <libproc.h>
#include <mach/mach_time.h>
#endif
#endif

#ifdef __linux__

/* Lowers the soft limit, which is enforced, and the hard limit, up to which the process may raise the soft limit.
 * Raising the hard limit needs privileges. The soft limit is lower than the hard limit by at least `difference`, if
 * there is room for it. */
static int limit_resource(int resource, uint64_t soft, uint64_t hard, uint64_t difference)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return errno;
    if (limit.rlim_max > hard) limit.rlim_max = hard;
    rlim_t maximum = limit.rlim_max > difference ? limit.rlim_max - difference : limit.rlim_max;
    limit.rlim_cur = maximum < soft ? maximum : soft;
    return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

int lattice_limit(const struct lattice_limits *limits)
{
    int error = 0;
    if (limits->open_files != 0) {
        error = limit_resource(RLIMIT_NOFILE, limits->open_files, limits->open_files, 0);
    }
    /* The limits must differ, because otherwise SIGXCPU would not be sent. */
    if (error == 0 && limits->cpu_seconds != 0) {
        error = limit_resource(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1, 1);
    }
    return error;
}

#else

int lattice_limit(const struct lattice_limits *limits)
{
    return limits->open_files == 0 && limits->cpu_seconds == 0 ? 0 : ENOTSUP;
}

#endif

int lattice_open_status(pid_t process)
{
#ifdef __linux__
    char path[32];
    if (!lattice_knows_processes()) return -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    return open(path, O_RDONLY | O_CLOEXEC);
#else
    (void)process;
    return -1;
#endif
}

int64_t lattice_footprint(pid_t process)
{
#if defined(__APPLE__) && TARGET_OS_OSX
    struct rusage_info_v4 usage;
    return proc_pid_rusage(process, RUSAGE_INFO_V4, (rusage_info_t *)&usage) == 0 ? (int64_t)usage.ri_phys_footprint : -1;
#else
    (void)process;
    return -1;
#endif
}

int64_t lattice_cpu_nanoseconds(pid_t process)
{
#if defined(__linux__)
    clockid_t clock;
    struct timespec time;
    /* Other numbers name the caller. */
    if (process <= 0) return -1;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
#elif defined(__APPLE__) && TARGET_OS_OSX
    struct rusage_info_v4 usage;
    mach_timebase_info_data_t base;
    if (proc_pid_rusage(process, RUSAGE_INFO_V4, (rusage_info_t *)&usage) != 0) return -1;
    if (mach_timebase_info(&base) != KERN_SUCCESS) return -1;
    return (int64_t)((usage.ri_user_time + usage.ri_system_time) * base.numer / base.denom);
#else
    (void)process;
    return -1;
#endif
}
