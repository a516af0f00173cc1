#include "CTestWidth.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Swift Testing starts all tests at once. With two thousand tests, each takes as long as all of them together, and exceeds
 * its time limit on a slow machine. Swift Testing reads this variable when it starts. The constructor below sets it in every
 * program that is linked with this file, unless it is set already. */
static const char *const variable = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH";

/* There are several tests for each core, because most tests wait most of the time. */
enum { PER_CORE = 8, FEWEST = 16 };

int test_width(void)
{
    const char *asked = getenv(variable);
    return asked ? atoi(asked) : 0;
}

__attribute__((constructor)) static void limit(void)
{
    char text[16];
    long width = sysconf(_SC_NPROCESSORS_ONLN) * PER_CORE;
    snprintf(text, sizeof text, "%ld", width > FEWEST ? width : FEWEST);
    setenv(variable, text, 0);
}
