/* Contexts: what all objects of an application share, and the OpenCL context that they live in. */
#ifndef GALENA_RUNTIME_OPENVX_CONTEXT_H
#define GALENA_RUNTIME_OPENVX_CONTEXT_H
#include "runtime/openvx/device.h"
#include "runtime/openvx/object.h"
#include <pthread.h>

struct user_struct {
	vx_enum type;
	vx_size size;
	vx_char name[VX_MAX_REFERENCE_NAME];
};

struct module;

struct _vx_context {
	struct _vx_reference reference;
	pthread_mutex_t lock;              /* recursive */
	struct device device;
	bool shared;                       /* made by vxCreateContextFromCL: nothing waits that need not */
	struct _vx_reference *first;       /* all objects, the context itself not among them */
	vx_uint32 num_references;          /* of the application */
	struct _vx_reference *errors[-VX_STATUS_MIN];
	vx_border_t border;                /* of immediate mode */
	vx_enum border_policy;
	vx_enum target;
	bool measures;                     /* VX_DIRECTIVE_ENABLE_PERFORMANCE */
	/* log */
	vx_log_callback_f log;
	bool log_reentrant, logging, in_log;
	/* user structs, kernels */
	struct user_struct *structs;
	vx_uint32 num_structs;
	struct _vx_kernel *kernels;        /* list by next_kernel, in order of registration */
	vx_uint32 num_kernels;             /* of different names */
	struct module *modules;
	vx_uint32 num_modules;
	vx_uint32 next_kernel_id, next_library_id;
};

bool context_is(vx_context);
bool border_known(vx_enum mode);
/* What the context says of its limits, beside TENSOR_DIMS_MAX. */
enum { CONVOLUTION_MAX = 15, OPTICAL_FLOW_MAX = 21, NONLINEAR_MAX = 9 };
#endif
