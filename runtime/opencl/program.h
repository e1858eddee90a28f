/* Programs, and the code that builds make of them. */
#ifndef GALENA_RUNTIME_OPENCL_PROGRAM_H
#define GALENA_RUNTIME_OPENCL_PROGRAM_H
#include "runtime/compiler/compiler.h"
#include "runtime/opencl/objects.h"

/* What one build made: a kernel object, shared by the devices that it was built for and by the
 * kernels made from it. It never changes. Holders keep the host's side of it alive; owners
 * (programs and kernels that the application still has) keep it in device memory, so that device
 * memory is given back in the order of API calls. */
struct program_code {
	atomic_uint holders, owners;
	struct kernel_object *object;
	void *binary;             /* CL_PROGRAM_BINARIES */
	size_t binary_size;
	pthread_mutex_t lock;     /* loading */
	struct umd_bo *loaded[DEVICES_MAX];   /* by index of the device on the platform */
	_Atomic uint64_t base[DEVICES_MAX];   /* device address of image address 0; 0: not loaded */
};

/* Takes over binary (malloc'ed) in every case. NULL with *error set when it is not one of ours. One holder
 * and one owner: the caller. */
struct program_code *program_code_create(void *binary, size_t size, const char **error);
void program_code_hold(struct program_code *);
void program_code_unhold(struct program_code *);
void program_code_own(struct program_code *);   /* a hold as well */
void program_code_disown(struct program_code *);/* keeps the hold */
/* Sees to it that the code lies in memory of the device (program-scope variables are one copy a
 * device, OpenCL C 6.7.1). *base is the device address of image address 0. 0 or a CL code. */
cl_int program_code_load(struct program_code *, struct _cl_context *, const struct _cl_device_id *, uint64_t *base);

/* A program on one device of its context. */
struct program_device {
	bool inherited;            /* built because the device that it is a part of was named */
	struct program_code *code; /* owned; NULL when there is none */
	cl_build_status status;
	char *options;             /* of the last build, compile or link; NULL: none */
	char *log;                 /* the same */
};

enum program_origin { PROGRAM_SOURCE, PROGRAM_BINARY, PROGRAM_LINKED };

struct _cl_program {
	struct object object;
	struct _cl_context *context;   /* in use */
	enum program_origin origin;
	char *source;                  /* PROGRAM_SOURCE */
	size_t source_size;            /* without the NUL */
	unsigned number;               /* PROGRAM_SOURCE: of the process's, counted from 1 */
	unsigned num_devices;
	cl_device_id devices[CONTEXT_DEVICES_MAX];
	pthread_mutex_t lock;          /* what follows */
	struct program_device device[CONTEXT_DEVICES_MAX]; /* in the order of devices */
	unsigned kernels;              /* kernel objects attached */
	bool building;
};

/* A program without code. num_devices 0: those of the context. NULL: out of memory. */
struct _cl_program *program_create(struct _cl_context *, enum program_origin, unsigned num_devices,
				   const cl_device_id *devices);
/* What messages call the source of the program of a number: "program.cl", of the process's second "program2.cl", ... Returns buffer. */
char *program_number_name(unsigned number, char *buffer, size_t size);
/* "program.cl:3" of the instruction at an image address of the program's code; false: not known. (program_lines.c) */
bool program_place(const struct _cl_program *, const struct program_code *, uint64_t address, char *text, size_t size);
/* The program's source is compiled, to be linked into others: remembers its name. */
void program_lines_note(const struct _cl_program *);
/* Number of the device in the program, or -1. */
int program_device_index(const struct _cl_program *, const struct _cl_device_id *);
/* CL_PROGRAM_BINARY_TYPE_... of one device. */
cl_program_binary_type program_binary_type(const struct program_device *);
/* The executable of some device (the first that has one), held for the caller; NULL: there is none. */
struct program_code *program_executable(struct _cl_program *);

#endif
