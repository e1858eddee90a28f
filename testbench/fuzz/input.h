/* The input of a fuzzer of requests, read from its beginning; zeros behind its end. */
#ifndef GALENA_TESTBENCH_FUZZ_INPUT_H
#define GALENA_TESTBENCH_FUZZ_INPUT_H
#include <stdint.h>

static const uint8_t *at, *end;

static uint64_t take(unsigned bytes)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | (at < end ? *at++ : 0);
	return v;
}

#endif
