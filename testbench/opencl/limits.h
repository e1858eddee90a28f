/* What testbench/opencl/limits.c and the program that it runs agree on. */
#ifndef GALENA_TESTBENCH_OPENCL_LIMITS_H
#define GALENA_TESTBENCH_OPENCL_LIMITS_H

enum { LIMITS_CLEAN = 10 };             /* exit status: a call failed with a code of OpenCL's */
#define LIMITS_RIGHT "client: right"    /* on standard output: all results are */

#endif
