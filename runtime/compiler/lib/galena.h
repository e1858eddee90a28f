/* What the kernel library's files share: the device's CSRs and the argument block's head.
 *
 * Every .cl file here is compiled as OpenCL C 3.0 with the device's extensions and cl_khr_fp16, and
 * becomes part of the library; what libclc has too is replaced by what is here. Image arguments
 * arrive as the device address of a struct image_desc, samplers and events as 64-bit integers, and
 * all address spaces are one: `__asm("mangled name")` gives a function a builtin's name when its
 * types cannot be written here. Functions whose names begin with galena_invariant_ read memory that
 * does not change while a kernel runs: their loads can be moved and merged. Variables
 * whose names begin with galena_local_ are in local memory, though declared in global memory. Those that begin with
 * __galena_late_ are out of line in the library, and in line in a program that calls them once. */
#ifndef GALENA_LIB_H
#define GALENA_LIB_H

#define OVERLOAD __attribute__((overloadable))
#define INLINED __attribute__((always_inline))

#define CSR(name, number, per_lane, doc) CSR_##name = (number),
enum lane_csr {
#include "../../../abi/csr.def"
};
#undef CSR

/* Not volatile: reads of one CSR may be merged, none of them changes while a work-item runs. */
#define csr_read(csr) ({ ulong csr_value; __asm__("csrr %0, %1" : "=r"(csr_value) : "i"(csr)); csr_value; })

#endif
