/* Launches: how a built-in kernel enqueues what it computes.
 *
 *   static vx_status run(struct launch *l, const vx_reference *p)
 *   {
 *           launch_kernel(l, "pixelwise", "", "absdiff_u8", PLANE((vx_image)p[0], 0), PLANE((vx_image)p[1], 0), PLANE((vx_image)p[2], 0));
 *           return launch_2d(l, width, height);
 *   }
 *
 * Launches of one node run in the order in which they are enqueued, each after the one before it has ended. An error on the way is
 * kept, what follows it does nothing, and launch_1d() or launch_2d() returns it. The kernels are in kernels/NAME.cl, which
 * are built behind common.cl; nothing in them is computed by the host. */
#ifndef GALENA_RUNTIME_OPENVX_LAUNCH_H
#define GALENA_RUNTIME_OPENVX_LAUNCH_H
#include "runtime/openvx/data.h"
#include "runtime/openvx/image.h"

struct launch {
	struct _vx_context *context;
	cl_command_queue queue;
	vx_border_t border; /* of the node */
	struct _vx_node *node;
	cl_kernel kernel;
	cl_uint next_arg;
	bool dry; /* asks for kernels, so that their programs are there, and enqueues nothing */
	vx_status status;
};

/* The struct of a plane as kernels get it, after its buffer: twin of plane_t in kernels/common.cl. */
struct plane_arg {
	cl_uint offset;        /* bytes */
	cl_uint offset_bits;   /* and bits, of a part of a plane of U1 */
	cl_int width, height;  /* pixels of the plane */
	cl_int stride_x, stride_y; /* bytes */
};

/* An argument of a kernel, or two; written by one of the macros. */
struct arg {
	enum { ARG_BYTES, ARG_INT, ARG_FLOAT, ARG_MEM, ARG_STORE, ARG_WRITTEN, ARG_TENSOR, ARG_PLANE, ARG_BORDER } kind;
	union {
		const void *bytes;
		cl_int integer;
		cl_float real;
		cl_mem mem;
		struct store *store;
		vx_tensor tensor;
		vx_image image;
		vx_df_image format;
	};
	size_t size; /* of the bytes; the number of the plane */
};
#define INT(value) {ARG_INT, .integer = (cl_int)(value)}
#define FLOAT(value) {ARG_FLOAT, .real = (value)}
#define STRUCT(value) {ARG_BYTES, .bytes = &(value), .size = sizeof(value)}
#define MEM(buffer) {ARG_MEM, .mem = (buffer)} /* NULL: a null pointer */
/* The buffer of a scalar, an array, a LUT ..., which the kernel reads, or writes; NULL: a null pointer. */
#define READ(of) {ARG_STORE, .store = (of)}
#define WRITTEN(of) {ARG_WRITTEN, .store = (of)}
/* The same of a scalar; NULL: one that is left out. */
static inline struct store *scalar_store(vx_reference scalar) { return scalar ? &((vx_scalar)scalar)->store : NULL; }
#define READ_SCALAR(scalar) READ(scalar_store(scalar))
#define WRITTEN_SCALAR(scalar) WRITTEN(scalar_store(scalar))
#define TENSOR(of) {ARG_TENSOR, .tensor = (of)} /* its buffer; NULL: a null pointer */
#define PLANE(of, number) {ARG_PLANE, .image = (of), .size = (number)} /* two arguments: global uchar *, plane_t */
/* The mode and the constant of the node's border: two arguments, int and uint (the value of a pixel of the format). */
#define BORDER(of) {ARG_BORDER, .format = (of)}

/* Chooses a kernel, and sets its first arguments. options: of the build, as -DNAME=VALUE; text: of the caller's, which may use what the source
 * has; may be "". A source is built once with each of both. */
#define launch_kernel(l, source, options, kernel, ...) (choose_kernel(l, source, options, "", kernel), args(l, __VA_ARGS__))
void choose_kernel(struct launch *, const char *source, const char *options, const char *text, const char *kernel);
/* Further arguments, in order. */
#define args(l, ...) set_args(l, (const struct arg[]){__VA_ARGS__}, sizeof((const struct arg[]){__VA_ARGS__}) / sizeof(struct arg))
void set_args(struct launch *, const struct arg *, size_t count);
/* A buffer of the node's own, number so and so, of so many bytes: contents are what the last launch left there. NULL: no memory. */
cl_mem launch_scratch(struct launch *, unsigned number, size_t bytes);
void launch_fill(struct launch *, cl_mem, size_t bytes, cl_uint pattern); /* words */
/* Warps are full when the sizes of a launch can be divided so; kernels leave out what is too much. */
enum { WARP = 32 };
static inline size_t whole_warps(size_t items) { return (items + WARP - 1) / WARP * WARP; }
vx_status launch_1d(struct launch *, size_t items);
vx_status launch_2d(struct launch *, size_t x, size_t y);
/* Work-items that a work-group can have: 16 to ITEMS_MAX, a power of two; in kernels ITEMS_MAX. */
unsigned items_max(const struct launch *);
vx_status launch_groups(struct launch *, unsigned dims, const size_t *global, const size_t *local);
vx_status launch_one_group(struct launch *); /* of as many work-items as there can be */
void list_places(struct launch *, cl_mem numbers, size_t count); /* vision_fast.c: numbers of corners of all segments become places */
#endif
