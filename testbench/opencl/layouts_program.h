#ifndef GALENA_TESTBENCH_LAYOUTS_PROGRAM_H
#define GALENA_TESTBENCH_LAYOUTS_PROGRAM_H
#include <stdbool.h>
#include <stdint.h>

/* Runs the program of that seed, of so many steps, in the layout that is in use; with_large: transfers of 64 MiB first. Ends the process
 * with a message when something is not as it should be. */
int layouts_program(uint64_t seed, unsigned steps, bool with_large);

#endif
