#ifndef C_TEST_WIDTH_H
#define C_TEST_WIDTH_H

/* Returns how many tests run at once. The time limit of a test begins when the test does. 0 means that there is no limit. */
int test_width(void);

#endif
