/* The heap of the variant `short_heap` of the OpenCL library, for the test that has loaded it. */
#ifndef GALENA_TESTBENCH_SHORT_HEAP_H
#define GALENA_TESTBENCH_SHORT_HEAP_H
#include "include/galena/api.h"

enum short_mode { SHORT_NEVER, SHORT_ONCE, SHORT_FROM };
/* The nth allocation or mapping, counted from 1, that this thread makes in the library from now on fails; with SHORT_FROM all that follow, too. */
GALENA_API void short_heap_fail(enum short_mode, unsigned nth);
/* How many have failed since. */
GALENA_API unsigned short_heap_failed(void);
/* Allocations of the library that live, of all threads. */
GALENA_API long short_heap_live(void);

#endif
