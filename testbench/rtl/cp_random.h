/* Random programs for the command processor: instructions of all kinds, with registers that point to where something is, and a handler that goes
 * on behind what trapped. */
#ifndef GALENA_TESTBENCH_RTL_CP_RANDOM_H
#define GALENA_TESTBENCH_RTL_CP_RANDOM_H
#include <stdint.h>

enum { CP_RANDOM_BYTES = 0x10000, CP_RANDOM_ENTRY = 0x1000, CP_RANDOM_HANDLER = 0x4000 };
/* Where memory outside lies that a program accesses: places to which its registers point. */
enum { CP_RANDOM_PLACES = 20 };
extern const uint64_t cp_random_place[CP_RANDOM_PLACES];

/* Fills the first CP_RANDOM_BYTES of local memory and its last 64. The program begins at CP_RANDOM_ENTRY. */
void cp_random_program(uint64_t *random, uint8_t *tcm);

#endif
