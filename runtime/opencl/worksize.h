/* Work-group sizes: the choice that the runtime makes when the application makes none. */
#ifndef GALENA_RUNTIME_OPENCL_WORKSIZE_H
#define GALENA_RUNTIME_OPENCL_WORKSIZE_H
#include <stddef.h>

struct worksize_limits {
	unsigned lanes;     /* work-items of a warp */
	unsigned max_items; /* largest work-group of this kernel */
	unsigned num_cu;    /* compute units to keep busy */
};

/* Chooses a work-group size that divides the global size in every dimension (OpenCL 3.0, 5.8:
 * without non-uniform work-groups it must), has few idle lanes, rows of whole warps where it can
 * (neighbours in dimension 0 share cache lines), and leaves a few groups for every compute unit.
 * All three dimensions are given; those that are not used are 1. No dimension is 0. */
void worksize_choose(const struct worksize_limits *, const size_t global[3], size_t local[3]);

#endif
