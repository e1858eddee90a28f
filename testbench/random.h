/* Random numbers for tests: the same ones for the same seed, anywhere. */
#ifndef GALENA_TESTBENCH_RANDOM_H
#define GALENA_TESTBENCH_RANDOM_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The seed of a test: its first argument, GALENA_SEED, or 1; said, so that a run can be had again. */
static inline uint64_t seed_take(int argc, char **argv)
{
	const char *given = argc > 1 ? argv[1] : getenv("GALENA_SEED");
	uint64_t seed = given && *given ? strtoull(given, NULL, 0) : 1;
	printf("# seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	return seed;
}

/* Whether a test takes all the time that it wants, as in `make check-long`, or its share of a `make check` of some minutes. */
static inline bool check_long(void)
{
	const char *set = getenv("CHECK_LONG");
	return set && *set && *set != '0';
}

/* Of any state, 0 too. */
static inline uint64_t splitmix64(uint64_t *state)
{
	uint64_t v = *state += 0x9e3779b97f4a7c15ull;
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
	v = (v ^ v >> 27) * 0x94d049bb133111ebull;
	return v ^ v >> 31;
}

#endif
