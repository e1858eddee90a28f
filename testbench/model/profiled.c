/* Linked with a test of the compute units, it has all of that run while it is profiled: the same results, and
 * every instruction and cycle charged to one instruction. */
#include "testbench/model/rig.h"

__attribute__((constructor)) static void profiled(void) { rig_profiled = true; }
