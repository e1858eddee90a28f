/* clbench: named OpenCL workloads, timed alike on any platform; what the workload files share. */
#ifndef BENCH_CLBENCH_H
#define BENCH_CLBENCH_H

#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_BUFFERS_MAX = 5, BENCH_KERNELS_MAX = 3 };

/* one workload being run */
struct bench {
	/* supplied by the harness */
	cl_context context;
	cl_device_id device;
	cl_command_queue queue;
	cl_program program;
	int small;   /* the size for slow interpreters */
	/* the workload's own; the harness releases what is not NULL */
	cl_kernel kernel[BENCH_KERNELS_MAX];
	cl_mem buffer[BENCH_BUFFERS_MAX];
	void *input;   /* freed by the harness */
	size_t n;      /* size in the workload's own terms */
};

/* What the harness needs of a workload. `prepare` makes kernels and buffers and may write `size`, words
 * for the table; `reset` (may be NULL) puts the inputs back before a run and is not timed; `launch` enqueues the
 * timed commands; `verify` returns 0 when the outputs equal the host's, else it has said what differs. */
struct workload {
	const char *name, *file;
	void (*prepare)(struct bench *b, char *size, size_t size_bytes);
	void (*reset)(struct bench *b);
	void (*launch)(struct bench *b);
	int (*verify)(struct bench *b);
};

extern const struct workload workload_sgemm, workload_transpose, workload_nbody, workload_fft;
extern const struct workload workload_mandelbrot, workload_sobel, workload_histogram;
extern const struct workload workload_reduction, workload_sha256, workload_sort;
extern const struct workload workload_spmv, workload_collatz, workload_compact, workload_hash, workload_scan;
extern const struct workload workload_launches, workload_stencil, workload_horner, workload_triad;
extern const struct workload workload_options, workload_yuv, workload_blur;

/* Ends the program with one line on stderr when `error` is not CL_SUCCESS. */
void bench_check(cl_int error, const char *what);
/* Says what is wrong with a result; returns -1. */
int bench_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A zeroed host array; ends the program when there is no memory. */
void *bench_alloc(size_t bytes);
/* Kernel `index` of the workload's program. */
void bench_kernel(struct bench *b, int index, const char *name);
/* Buffer `index`, filled from `data` when it is not NULL. */
void bench_buffer(struct bench *b, int index, size_t bytes, const void *data);
/* Sets one argument; `value` NULL means local memory. */
void bench_arg(struct bench *b, int kernel, cl_uint index, size_t bytes, const void *value);
void bench_arg_buffer(struct bench *b, int kernel, cl_uint index, int buffer);
void bench_arg_int(struct bench *b, int kernel, cl_uint index, int32_t value);
void bench_arg_float(struct bench *b, int kernel, cl_uint index, float value);
/* Enqueues kernel `index`; `height` 0 means one dimension. */
void bench_launch(struct bench *b, int index, size_t width, size_t height, size_t local_width, size_t local_height);
/* Reads a whole buffer into a new host array that the caller frees. */
void *bench_read(struct bench *b, int index, size_t bytes);

/* Reproducible random numbers (xorshift64*), the same on every run. */
uint32_t bench_random(uint64_t *state);
/* uniform in [-1, 1) */
float bench_random_float(uint64_t *state);

#endif
