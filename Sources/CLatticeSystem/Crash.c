/* A note for the coordinator that this process is crashing. The handler of the signal may take seconds, because Swift's
 * runtime starts a program that writes a backtrace, and the kernel may write a core dump. During this time the process
 * does not respond, and without the note it would look like a hang. */
#define _GNU_SOURCE 1

#include "CLatticeTurns.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The signals of a crash. SIGQUIT is one only if it has a handler, see `lattice_note_crashes`. */
static const int crash_signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT};

enum { signal_count = sizeof crash_signals / sizeof crash_signals[0] };

static struct lattice_turns *record;

/* The process that the record belongs to. A copy of it (fork) shares the memory and must not write to it. */
static pid_t owner;

/* The handlers that were installed before. */
static struct sigaction previous[signal_count];

static struct sigaction *previous_of(int number)
{
    for (int i = 0; i < signal_count; i++) {
        if (crash_signals[i] == number) return &previous[i];
    }
    return NULL;
}

static void note(int number, siginfo_t *info, void *context);

static int is_default(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

/* Returns 1 if the signal is raised again when its handler returns, as for a faulting instruction. A trap is not raised
 * again, and the code after it runs. The same is true for signals that a process or a filter of system calls (seccomp)
 * sent, and for reports of broken memory that this thread has not touched. */
static int comes_again(int number, const siginfo_t *info)
{
#ifdef BUS_MCEERR_AO
    if (number == SIGBUS && info->si_code == BUS_MCEERR_AO) return 0;
#endif
    return info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE);
}

static void handle_by_default(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL);
}

/* The signal handler. It runs on the crashing thread and only calls functions that are safe there. */
static void note(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    int is_owner = getpid() == owner;
    if (is_owner) {
        __atomic_store_n(&record->crash_start, lattice_turn_clock(), __ATOMIC_RELAXED);
        __atomic_store_n(&record->crash, (uint64_t)number, __ATOMIC_RELEASE);
    }
    struct sigaction *next = previous_of(number);
    errno = saved;
    if (!next || is_default(next)) {
        handle_by_default(number);
    } else if (next->sa_flags & SA_SIGINFO) {
        next->sa_sigaction(number, info, context);
    } else if (next->sa_handler != SIG_IGN) {
        next->sa_handler(number);
    }
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || !is_default(&action)) {
        /* The signal was handled, for example by a runtime that uses it and may have installed its handler again. The
         * process continues. */
        if (is_owner) __atomic_store_n(&record->crash, 0, __ATOMIC_RELEASE);
    } else if (!comes_again(number, info)) {
        /* The report is written, and Swift's runtime has restored the default handling. Without this call the process
         * would continue although its crash was reported. */
        raise(number);
    }
    errno = saved;
}

void lattice_note_crashes(struct lattice_turns *turns)
{
    if (record) return;
    record = turns;
    owner = getpid();
    for (int i = 0; i < signal_count; i++) {
        int number = crash_signals[i];
        if (sigaction(number, NULL, &previous[i]) != 0) continue;
        int is_ignored = !(previous[i].sa_flags & SA_SIGINFO) && previous[i].sa_handler == SIG_IGN;
        if (is_ignored || (is_default(&previous[i]) && number == SIGQUIT)) continue;
        struct sigaction action = previous[i];
        action.sa_sigaction = note;
        action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
        sigaction(number, &action, NULL);
    }
}
