/* Kernel objects. */
#ifndef GALENA_RUNTIME_OPENCL_KERNEL_H
#define GALENA_RUNTIME_OPENCL_KERNEL_H
#include "runtime/opencl/program.h"

struct kernel_arg {
	bool set;
	struct _cl_mem *mem; /* buffers and images; may be NULL; not counted (OpenCL 3.0, 5.9.2) */
	uint64_t svm;        /* a pointer instead of a buffer; 0: none */
	size_t local;        /* bytes of local memory */
};

/* The kernel on one device. */
struct kernel_device {
	struct program_code *code;      /* owned; NULL: no executable for it */
	const struct note_kernel *note;
};

/* The work-group size that was last chosen for a launch without one. */
struct kernel_choice {
	const struct _cl_device_id *device;
	size_t global[3], local[3];
};

struct _cl_kernel {
	struct object object;
	struct _cl_context *context;
	struct _cl_program *program;  /* an API reference of the kernel's own */
	/* of the first device that has it; layout and arguments are the same on all */
	struct program_code *code;
	const struct note_kernel *note;
	const struct note_arg *args;
	const char *name;
	uint32_t label;               /* of its commands */
	struct kernel_device device[CONTEXT_DEVICES_MAX]; /* in the order of the program's devices */
	unsigned num_args, num_images;
	size_t kernarg_bytes;         /* header, arguments, image descriptions */
	uint32_t images_offset;       /* of the first image description */
	pthread_mutex_t lock;         /* what follows; taken before any other lock */
	struct kernel_arg *values;
	unsigned char *block;         /* the argument block as far as it is known when arguments are set */
	unsigned num_unset;
	struct kernel_choice choice;
};

/* The kernel on a device; NULL when there is no executable for it. */
const struct kernel_device *kernel_on(const struct _cl_kernel *, const struct _cl_device_id *);
/* Local memory of a work-group on a device: static, and the arguments set so far. kernel->lock. */
uint64_t kernel_local_bytes(const struct _cl_kernel *, const struct note_kernel *);
/* Offset of a local argument's memory when the ones before it take `used` bytes. */
static inline uint64_t kernel_local_place(const struct note_arg *arg, uint64_t used)
{
	const uint64_t align = arg->align ? arg->align : 1;
	return (used + align - 1) / align * align;
}

#endif
