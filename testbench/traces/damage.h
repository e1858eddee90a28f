/* For tests of file formats that are streams (traces/stream.h): random numbers from a seed, and files that something happens to. */
#ifndef GALENA_TESTBENCH_TRACES_DAMAGE_H
#define GALENA_TESTBENCH_TRACES_DAMAGE_H
#include <stdbool.h>
#include <stdint.h>

/* Integers of every length. */
uint64_t random_number(uint64_t *s);

/* The file is whole; cut off anywhere, or with a bit changed that means something, it is not. damaged: path of a file
 * that this is tried with. */
void damage_check(const char *path, const char *damaged, uint64_t seed, bool (*whole)(const char *path));

#endif
