/* Modules: libraries of kernels that the application loads or registers (OpenVX 1.3, 3.20). */
#ifndef GALENA_RUNTIME_OPENVX_MODULE_H
#define GALENA_RUNTIME_OPENVX_MODULE_H
#include "runtime/openvx/context.h"
/* The module whose kernels this thread is publishing, or NULL. */
struct module *module_of_caller(void);
void modules_close(struct _vx_context *);  /* at the end of the context: those that are loaded take back their kernels */
vx_status kernels_open(struct _vx_context *);
void kernels_close(struct _vx_context *);
/* Kernels that a module has published, and not taken back, are the application's no more. False: one of them is in a graph that has been
 * released, but goes on, and needs its functions. */
bool kernels_take_away(struct _vx_context *, const struct module *);
#endif
