/* Contexts: what all objects of an application share, and the OpenCL context that they live in. */
#ifndef GALENA_RUNTIME_OPENVX_CONTEXT_H
#define GALENA_RUNTIME_OPENVX_CONTEXT_H
#include "base/hold.h"
#include "runtime/openvx/device.h"
#include "runtime/openvx/object.h"
#include "runtime/openvx/pipeline.h"
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
	unsigned lock_depth;               /* how often its holder has it */
	struct device device;
	bool shared;                       /* made by vxCreateContextFromCL: nothing waits that need not */
	LIST_HEAD(, _vx_reference) objects; /* all, the context itself not among them */
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
	TAILQ_HEAD(, _vx_kernel) kernels;  /* in order of registration */
	vx_uint32 num_kernels;             /* of different names */
	struct module *modules;
	vx_uint32 num_modules;
	vx_uint32 next_kernel_id, next_library_id;
	struct pipelines pipelines;
};

void user_structs_forget(struct _vx_context *, vx_uint32 left); /* all but the first so many, which no object has */

/* ---- waiting ----
 * A graph that runs waits for the device, and for functions of the application's, without the lock, unless one of those further up has
 * it. Copies and maps of the application's wait with it. */
/* Gives the lock up, if its holder has it once; else nothing, and false. */
bool context_leave(struct _vx_context *);
void context_return(struct _vx_context *, bool left);
bool context_try(struct _vx_context *); /* the lock, if no other thread has it */
vx_status context_drain(struct _vx_context *); /* waits until all that has been enqueued has ended. Lock held. */

/* Sets the border of a context or a node, whose attribute is name. */
vx_status border_set(const void *ref, vx_enum attribute, const char *name, vx_border_t *out, const void *ptr, vx_size size);
/* What the context says of its limits, beside TENSOR_DIMS_MAX. */
enum { CONVOLUTION_MAX = 15, OPTICAL_FLOW_MAX = 21, NONLINEAR_MAX = 9 };
#endif
