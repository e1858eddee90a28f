/* What the parts of the sweep of the math functions share: types, functions, calls, exact results. */
#ifndef GALENA_TESTBENCH_MATH_H
#define GALENA_TESTBENCH_MATH_H
#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A floating-point type of the device. Every value of each is a double here. */
struct math_type {
	const char *name;
	size_t size; /* bytes */
	int digits, emin, emax;
};
enum math_types { MATH_FLOAT, MATH_DOUBLE, MATH_HALF, MATH_TYPES };
extern const struct math_type math_types[MATH_TYPES];

/* A value of the type from its bits (the low ones), to its bits, and the nearest one of a double. */
double math_from_bits(const struct math_type *type, uint64_t bits);
uint64_t math_to_bits(const struct math_type *type, double value);
double math_round(const struct math_type *type, double value);

/* functions.def: how a function is called. */
enum math_kind { F1, F2, F3, FI, FP, FPI, FQ, FR, V1, V2, VV, VC };
struct math_function {
	const char *name;
	enum math_kind kind;
	double limits[MATH_TYPES]; /* ULP, or one of the following */
	double from, to; /* of geometric functions: ULP more for each element */
};
#define MATH_CR (-100.0)    /* correctly rounded */
#define MATH_NONE (-200.0) /* no such function */
#define MATH_LOOSE 0x1p20 /* no limit in the specification */
extern const struct math_function math_functions[];
extern const size_t math_num_functions;

/* The arguments of a call; which of them count depends on the kind. */
struct math_call { double a, b, c; int32_t n; };
/* What the device gave. */
struct math_answer { double r, r2; int32_t ri; };

/* samples.c: `count` calls of a function, special values first, then random ones from *seed, an eighth of them around
 * the worst so far, unless that is NULL. */
void math_samples(const struct math_type *type, const struct math_function *f, uint64_t *seed, const struct math_call *worst,
		  struct math_call *calls, size_t count);

/* reference.c: one function of one type, in high precision. */
struct math_reference;
struct math_reference *math_reference_open(const struct math_type *type, const struct math_function *f);
void math_reference_close(struct math_reference *reference);
/* The error of answer i of a batch of vectors of a width, in ULP: infinite where it is plainly wrong. `worst` is
 * the largest error so far: where the error is certainly below it and within the limit, an estimate comes back. */
double math_error(struct math_reference *reference, const struct math_call *calls, const struct math_answer *answers, size_t i,
		  unsigned width, double worst);
/* The exact result of call i as text, for people. */
void math_exact_text(struct math_reference *reference, const struct math_call *calls, size_t i, unsigned width, char *text, size_t size);
/* The limit as a number, for vectors of a width: half an ULP for what is correctly rounded. */
double math_limit(const struct math_reference *reference, unsigned width);

/* device.c: the device through OpenCL. All of these end the program with a message when a call fails. */
enum { MATH_BATCH = 1 << 18, MATH_WIDTHS = 6, MATH_GROUP = 8 };
extern const unsigned math_widths[MATH_WIDTHS]; /* 1 2 3 4 8 16 */
/* Whether functions are called in vectors of all widths; else in scalars, and in half of the others: which, differs from
 * function to function and from type to type. */
extern bool math_every_width;
/* Is the function called in vectors of math_widths[width]? */
bool math_has_width(const struct math_type *type, const struct math_function *f, size_t width);
void math_device_open(void);
bool math_device_has(const struct math_type *type);
void math_device_close(void);
/* Builds kernels of all widths that they have for up to MATH_GROUP functions of a type. */
struct math_program;
struct math_program *math_program_build(const struct math_type *type, const struct math_function *const *functions, size_t count);
void math_program_free(struct math_program *program);
/* Calls a function of the program (by its place there) on count <= MATH_BATCH arguments, in vectors of
 * math_widths[width]. */
void math_program_run(struct math_program *program, size_t function, size_t width, const struct math_call *calls,
		      struct math_answer *answers, size_t count);

/* Kernels NAME(global const void *in, global void *out) of a text. in_size, out_size: bytes, at most
 * MATH_BATCH * sizeof(double). */
struct math_kernels;
struct math_kernels *math_kernels_build(const char *text, const char *options);
void math_kernels_free(struct math_kernels *kernels);
void math_kernels_run(struct math_kernels *kernels, const char *name, size_t global, const void *in, size_t in_size, void *out,
		      size_t out_size);

#endif
