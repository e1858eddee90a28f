/* Immediate mode: one kernel at once, as a graph of one node. */
#ifndef GALENA_RUNTIME_VXU_IMMEDIATE_H
#define GALENA_RUNTIME_VXU_IMMEDIATE_H
#include <VX/vx.h>
vx_status immediate(vx_context, vx_enum kernel, const vx_reference *parameters, vx_uint32 count);
#endif
