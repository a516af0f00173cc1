#include "CTestWidth.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Swift Testing begins all tests at once, two thousand of them: each then takes as long as all, and on a slow machine
 * more than its time limit. What it is asked for here it reads when it starts, in any program that is linked with this;
 * what is asked for by hand stays. */
static const char *const variable = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH";

/* Most tests wait for something, most of the time. */
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
