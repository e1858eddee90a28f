/* The texts of kernels/. */
#include "runtime/openvx/sources.h"
#include "openvx_sources.inc"
