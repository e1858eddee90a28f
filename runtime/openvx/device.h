/* The OpenCL side of a context: its devices, the coordination queue, programs and buffers.
 *
 * The functions of OpenCL are asked of the library as an ICD loader asks for them. It is the library that the application's OpenCL
 * objects come from, loaded once, whichever loader the application uses. */
#ifndef GALENA_RUNTIME_OPENVX_DEVICE_H
#define GALENA_RUNTIME_OPENVX_DEVICE_H
#include <CL/cl.h>
#include <VX/vx.h>
#include <stdbool.h>

struct device_program; /* a source file with its options, built */
struct device_copy;    /* what a write reads */

/* The functions that are used. */
#define CL_FUNCTIONS(X) \
	X(clGetDeviceIDs) \
	X(clGetDeviceInfo) \
	X(clCreateContext) \
	X(clRetainContext) \
	X(clReleaseContext) \
	X(clGetContextInfo) \
	X(clCreateCommandQueueWithProperties) \
	X(clRetainCommandQueue) \
	X(clReleaseCommandQueue) \
	X(clGetCommandQueueInfo) \
	X(clFlush) \
	X(clFinish) \
	X(clCreateBuffer) \
	X(clRetainMemObject) \
	X(clReleaseMemObject) \
	X(clGetMemObjectInfo) \
	X(clEnqueueReadBuffer) \
	X(clEnqueueWriteBuffer) \
	X(clEnqueueReadBufferRect) \
	X(clEnqueueWriteBufferRect) \
	X(clEnqueueCopyBuffer) \
	X(clEnqueueCopyBufferRect) \
	X(clEnqueueFillBuffer) \
	X(clEnqueueMapBuffer) \
	X(clEnqueueUnmapMemObject) \
	X(clEnqueueMarkerWithWaitList) \
	X(clEnqueueBarrierWithWaitList) \
	X(clReleaseEvent) \
	X(clWaitForEvents) \
	X(clGetEventInfo) \
	X(clCreateProgramWithSource) \
	X(clCreateProgramWithBinary) \
	X(clBuildProgram) \
	X(clGetProgramInfo) \
	X(clGetProgramBuildInfo) \
	X(clReleaseProgram) \
	X(clCreateKernel) \
	X(clReleaseKernel) \
	X(clSetKernelArg) \
	X(clEnqueueNDRangeKernel)
#define CL_MEMBER(name) __typeof__(&name) name;
struct cl_functions {
	CL_FUNCTIONS(CL_MEMBER)
};

enum { QUEUES_MAX = 8, ITEMS_MAX = 256 /* twin of the one in kernels/common.cl */ };
struct device {
	struct cl_functions cl;
	cl_context context;
	cl_command_queue queue; /* that commands go into: the coordination queue, which is in order, but while a graph's step is in another */
	cl_command_queue queues[QUEUES_MAX]; /* that one, and more for branches of graphs, NULL until they are needed */
	cl_device_id id;        /* of the queue */
	unsigned items_max;     /* of a work-group: the device's limit, but a power of two, and no more than ITEMS_MAX */
	struct device_program *programs;
	size_t memory_left;     /* that buffers may have yet; SIZE_MAX: it is not counted */
	struct device_copy *copies; /* that are not freed, the last one first */
	vx_uint64 writes;       /* so far */
	size_t copied, copied_most; /* bytes of copies; when it is looked which have ended */
};

/* NULL for either: one of its own. VX_SUCCESS, or why not, with a sentence in *message. */
vx_status device_open(struct device *, cl_context, cl_command_queue, const char **message);
void device_close(struct device *);
cl_command_queue device_queue(struct device *, unsigned number); /* of queues; NULL: it cannot be had */
/* A step of a graph is in another queue than that one: until it is not, the lock of the context is not given up. */
static inline bool device_aside(const struct device *d) { return d->queue != d->queues[0]; }
void programs_close(struct device *); /* programs.c */

/* The kernel of a source file (its name without .cl) built with options (may be "") and with text behind it (may be ""); NULL: it
 * could not be built, and the log says why. Built once a context, and kept. */
cl_kernel device_kernel(struct _vx_context *, const char *source, const char *options, const char *text, const char *name);

/* Programs in exports. A program is known by its source file and its options; its hash is one of all of its text: a binary of
 * another hash is not of this library. */
void programs_watch(struct device *); /* forgets which programs have been asked for */
/* One by one those that device_kernel() has been asked for since; after NULL the first, NULL: no more. */
const struct device_program *program_asked(const struct device *, const struct device_program *after);
const char *program_source(const struct device_program *);
const char *program_options(const struct device_program *);
const char *program_text(const struct device_program *); /* behind that of the source; "": none */
vx_uint64 program_hash(const char *source); /* 0: there is no such source */
/* Binary for the device, of so many bytes, which are written if there is room for them; false: there is none. */
bool program_binary(const struct device *, const struct device_program *, void *to, size_t *bytes);
/* A program that is not built yet becomes this binary. VX_ERROR_NOT_COMPATIBLE: it does not fit the device, or is of another text;
 * the log says so, and the program will be built from its text. */
vx_status program_load(struct _vx_context *, const char *source, const char *options, const char *text, vx_uint64 hash, const void *binary, size_t bytes);
/* Those that are newer than one, and of which no kernel is used. */
void programs_forget(struct device *, const struct device_program *before);

/* How much memory the device says it has. */
size_t device_memory(const struct device *);
/* A buffer of so many bytes, zeroed, that the host can map; NULL: no memory. */
cl_mem device_buffer(struct device *, size_t bytes);
cl_mem device_buffer_of(struct device *, void *host, size_t bytes); /* of memory of the host's, not copied */
void device_release(struct device *, cl_mem);
void device_retain(struct device *, cl_mem);
bool device_owns(const struct device *, cl_mem, size_t at_least); /* a buffer of the context, of at least so many bytes */

/* Transfers between the host's memory and a buffer, in the coordination queue. Reading waits; writing takes a copy of what is
 * written and returns at once. */
vx_status device_read(struct device *, cl_mem, size_t offset, void *to, size_t bytes);
vx_status device_write(struct device *, cl_mem, size_t offset, const void *from, size_t bytes);
/* The commands of the first so many writes that went into a queue (NULL: any) have ended: their copies are freed. */
void device_writes_over(struct device *, cl_command_queue, vx_uint64 number);
vx_status device_fill(struct device *, cl_mem, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes);
/* Rows of row bytes, strides apart; offsets and strides in bytes. */
struct rows {
	size_t offset, stride;
};
vx_status device_read_rows(struct device *, cl_mem, struct rows at, void *to, size_t to_stride, size_t row, size_t count);
vx_status device_write_rows(struct device *, cl_mem, struct rows at, const void *from, size_t from_stride, size_t row, size_t count);
vx_status device_copy_rows(struct device *, cl_mem from, struct rows, cl_mem to, struct rows, size_t row, size_t count);
/* A whole buffer, mapped for the host; waits for the commands before it. NULL: an error. usage: enum vx_accessor_e. */
void *device_map(struct device *, cl_mem, size_t bytes, vx_enum usage);
vx_status device_unmap(struct device *, cl_mem, void *);
vx_status device_finish(struct device *);
/* Waiting without the lock of the context: a command in the coordination queue that ends when all before it there have (NULL: an error), and
 * its end, which releases it. VX_FAILURE: it has ended badly. */
cl_event device_mark(struct device *);
vx_status device_wait(struct device *, cl_event);
void device_flush(struct device *); /* what has been enqueued begins, even if no thread waits for it */
vx_status device_status(cl_int); /* what an OpenCL error is here */
#endif
