/* Leaves out a cmocka test, saying why: testbench/run shows the line. */
#ifndef GALENA_TESTBENCH_SKIP_H
#define GALENA_TESTBENCH_SKIP_H
#include <stdio.h>

#define SKIP(reason)                                                                               \
	do {                                                                                       \
		printf("# skip: %s: %s\n", __func__, reason);                                      \
		fflush(stdout);                                                                    \
		skip();                                                                            \
	} while (0)

#endif
