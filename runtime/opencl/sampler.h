/* Samplers. */
#ifndef GALENA_RUNTIME_OPENCL_SAMPLER_H
#define GALENA_RUNTIME_OPENCL_SAMPLER_H
#include "runtime/opencl/objects.h"

struct _cl_sampler {
	struct object object;
	struct _cl_context *context;   /* in use */
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
	cl_sampler_properties list[8]; /* as given, with the 0 */
	size_t num_list;               /* with the 0; 0 if none were given */
	uint64_t bits;                 /* what kernels get: enum note_sampler */
};

#endif
