/* Kernels, their parameters, and what the built-in ones are made of. */
#ifndef GALENA_RUNTIME_OPENVX_KERNEL_H
#define GALENA_RUNTIME_OPENVX_KERNEL_H
#include "runtime/openvx/context.h"

struct check;
struct launch;
struct pixel_operation;

enum { PARAMETERS_MAX = 64 }; /* of a kernel */
struct kernel_parameter {
	vx_enum direction; /* VX_INPUT or VX_OUTPUT */
	vx_enum type;      /* of the object; VX_TYPE_REFERENCE: any data object */
	vx_enum state;     /* VX_PARAMETER_STATE_REQUIRED or _OPTIONAL */
	bool given;        /* of a user kernel: vxAddParameterToKernel has been called */
	bool fixed;        /* the function that makes nodes takes a value for it, not an object: it stays */
};

/* What a built-in kernel does. Both functions get the parameters of a node in the order of the kernel; NULL is an optional one that
 * is left out. Direction, type and presence have been checked before. */
struct vision_kernel {
	/* Whether these parameters go together, and what the outputs are like (check.h). */
	vx_status (*check)(struct check *, const vx_reference *p);
	/* Enqueues what computes the outputs (launch.h). Nothing waits. */
	vx_status (*run)(struct launch *, const vx_reference *p);
	bool any_border;   /* vx_border_e: all modes, also where nothing beyond the images is read; else VX_BORDER_UNDEFINED alone */
	bool resets_valid; /* VX_NODE_VALID_RECT_RESET: outputs are valid as a whole, whatever of the inputs is */
	/* Of kernels whose output depends on what is in the same place of the inputs alone: what they compute (pixel.h), at the time of a
	 * launch. Leaves the operation as it is where these parameters are other objects than such images. NULL: other kernels. */
	void (*pixel)(const vx_reference *p, struct pixel_operation *);
};

struct _vx_kernel {
	struct _vx_reference reference;
	vx_char name[VX_MAX_KERNEL_NAME];
	vx_enum enumeration;
	vx_uint32 num_parameters;
	struct kernel_parameter *parameters;
	const struct vision_kernel *vision; /* of a built-in one; else NULL */
	bool finalized, removed, use_opencl;
	bool sealed; /* vxFinalizeKernel has been called: one without parameters can be used before */
	/* of a user kernel */
	vx_kernel_f run;
	vx_kernel_validate_f validate;
	vx_kernel_initialize_f initialize;
	vx_kernel_deinitialize_f deinitialize;
	vx_uint32 output_depth, input_depth; /* VX_KERNEL_PIPEUP_...: at least 1 */
	vx_size local_data_size;
	struct module *module;
	TAILQ_ENTRY(_vx_kernel) of_context;
};

/* A row of kernels.tsv. */
struct kernel_row {
	const char *name;
	vx_enum enumeration;
	const struct kernel_parameter *parameters;
	vx_uint32 num_parameters;
	const struct vision_kernel *vision;
};
extern const struct kernel_row kernel_rows[];
extern const unsigned kernel_row_count;

vx_kernel kernel_by_enum(struct _vx_context *, vx_enum); /* NULL: there is none. No reference is taken. */
vx_kernel kernel_by_name(struct _vx_context *, const vx_char *); /* the same */
#endif
