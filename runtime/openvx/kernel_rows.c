/* The built-in kernels, as kernels.tsv lists them. */
#include "runtime/openvx/kernel.h"
#include "openvx_kernel_rows.inc"
