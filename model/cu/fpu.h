#ifndef GALENA_MODEL_FPU_H
#define GALENA_MODEL_FPU_H
#include "model/cu/register_file.h"

/* One lane of a floating-point instruction, in any rounding mode; operands and result as registers hold them. */
uint64_t fpu_execute(unsigned op, unsigned rm, uint64_t a, uint64_t b, uint64_t c);

#endif
