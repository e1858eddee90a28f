/* What goes between accuracy.c and calc.c. */
#ifndef GALENA_TESTBENCH_CALC_H
#define GALENA_TESTBENCH_CALC_H
#include <stddef.h>
#include <stdint.h>

enum { CALC_MAX = 65536 };
/* function: its place in functions.def, the float ones first; size: 4 or 8 bytes a number. Then
 * follow arrays a, b, c of count numbers, and count int32; back come two arrays of numbers and
 * one of int32. */
struct calc_request { uint32_t function, size, count, reserved; };

#endif
