#ifndef C_TEST_WIDTH_H
#define C_TEST_WIDTH_H

/* How many tests run at once: the rest has not begun, and no time limit counts for it. */
int test_width(void);

#endif
