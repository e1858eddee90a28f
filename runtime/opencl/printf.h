/* What kernels print: from a buffer of records to text on the host. */
#ifndef GALENA_RUNTIME_OPENCL_PRINTF_H
#define GALENA_RUNTIME_OPENCL_PRINTF_H
#include "abi/records.h"
#include "runtime/compiler/compiler.h"
#include <stdio.h>

/* Capacity of a printf buffer, bytes, its head included (CL_DEVICE_PRINTF_BUFFER_SIZE). */
enum { PRINTF_BUFFER_BYTES = 1 << 20 };

/* Prints every record of a buffer in order. A call: the format with its arguments, one 8-byte slot a scalar or vector
 * element, as OpenCL C 6.15.14 says; slots that are missing print as 0. Stops at a record that
 * a faulting kernel began and did not finish. Returns the number of calls printed; *lost is the
 * number of bytes of records that did not fit. */
size_t printf_drain(FILE *out, const struct kernel_object *, const struct printf_buffer *, size_t *lost);
/* Makes zeroed memory of PRINTF_BUFFER_BYTES an empty buffer. */
void printf_buffer_init(void *memory);

#endif
