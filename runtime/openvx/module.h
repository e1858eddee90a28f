/* Modules: libraries of kernels that the application loads or registers (OpenVX 1.3, 3.20). */
#ifndef GALENA_RUNTIME_OPENVX_MODULE_H
#define GALENA_RUNTIME_OPENVX_MODULE_H
#include "runtime/openvx/context.h"
/* The module whose kernels this thread is publishing, or NULL. */
struct module *module_of_caller(const struct _vx_context *);
void modules_close(struct _vx_context *);  /* at the end of the context: without calls of the application's functions */
vx_status kernels_open(struct _vx_context *);
void kernels_close(struct _vx_context *);
#endif
