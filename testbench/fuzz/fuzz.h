/* What a fuzz target is: one function, called by libFuzzer (make fuzz) or by replay.c (make check). */
#ifndef GALENA_TESTBENCH_FUZZ_FUZZ_H
#define GALENA_TESTBENCH_FUZZ_FUZZ_H
#include <stddef.h>
#include <stdint.h>

/* Runs one input; aborts where a property does not hold. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
