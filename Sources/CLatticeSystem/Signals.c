/* Signals that would end the process are reported through a pipe. They have a handler instead of SIG_IGN, because
 * programs that this process starts would inherit SIG_IGN. */
#include "CLatticeProcess.h"
#include "CLatticeSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int line[2] = {-1, -1};

int lattice_signal_line(void)
{
    if (line[0] >= 0) return line[0];
    int ends[2];
    int error = lattice_pipe(ends);
    if (error != 0) {
        errno = error;
        return -1;
    }
    /* Writing does not block, because the handler must not wait. A signal that finds the pipe full is dropped, which does
     * not matter because others are pending. Reading blocks. */
    fcntl(ends[0], F_SETFL, 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    line[1] = ends[1];
    line[0] = ends[0];
    return line[0];
}

static void report(int number)
{
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t written = write(line[1], &byte, 1);
    (void)written;
    errno = saved;
}

int lattice_has_default(int number)
{
    struct sigaction present;
    if (sigaction(number, NULL, &present) != 0) return 0;
    return !(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_DFL;
}

int lattice_ignores(int number)
{
    struct sigaction present;
    if (sigaction(number, NULL, &present) != 0) return 0;
    return !(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_IGN;
}

int lattice_catch_signal(int number)
{
    if (!lattice_has_default(number)) return 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = report;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL) == 0;
}

void lattice_release_signal(int number)
{
    struct sigaction present;
    if (sigaction(number, NULL, &present) != 0) return;
    if ((present.sa_flags & SA_SIGINFO) || present.sa_handler != report) return;
    signal(number, SIG_DFL);
}
