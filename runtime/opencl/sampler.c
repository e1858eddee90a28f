/* Samplers: three values, packed into the bits that kernels read. */
#include "runtime/opencl/sampler.h"
#include "abi/kernel_note.h"
#include <stdlib.h>
#include <string.h>

/* The addressing modes' low bits are the numbers that kernels use. */
_Static_assert((CL_ADDRESS_NONE & 7) == 0 && (CL_ADDRESS_CLAMP_TO_EDGE & 7) == 1 && (CL_ADDRESS_CLAMP & 7) == 2 &&
		       (CL_ADDRESS_REPEAT & 7) == 3 && (CL_ADDRESS_MIRRORED_REPEAT & 7) == 4,
	       "addressing modes");

static void sampler_destroy(void *object)
{
	struct _cl_sampler *s = object;
	object_unuse(&s->context->object);
	free(s);
}

static bool addressing_valid(cl_addressing_mode m) { return m >= CL_ADDRESS_NONE && m <= CL_ADDRESS_MIRRORED_REPEAT; }
static bool filter_valid(cl_filter_mode m) { return m == CL_FILTER_NEAREST || m == CL_FILTER_LINEAR; }

static cl_sampler sampler_create(cl_context context, const struct _cl_sampler *model, cl_int *errcode_ret)
{
	struct _cl_sampler *s = malloc(sizeof *s);
	FAIL_NULL_IF(!s, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for a sampler");
	*s = *model;
	object_init(&s->object, MAGIC_SAMPLER, NULL, sampler_destroy);
	s->context = context;
	object_use(&context->object);
	s->bits = (uint64_t)(s->addressing & 7) << NOTE_SAMPLER_ADDRESS_SHIFT | (s->normalized ? NOTE_SAMPLER_NORMALIZED : 0) |
		  (s->filter == CL_FILTER_LINEAR ? NOTE_SAMPLER_LINEAR : NOTE_SAMPLER_NEAREST);
	return api_result(errcode_ret, CL_SUCCESS, s);
}

CL_API_ENTRY cl_sampler CL_API_CALL galena_clCreateSampler(cl_context context, cl_bool normalized_coords,
							    cl_addressing_mode addressing_mode,
							    cl_filter_mode filter_mode, cl_int *errcode_ret)
{
	/* CL_CREATESAMPLER*_CONTEXT: OpenCL 3.0, 5.7.1: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "context %p is not valid", (void *)context);
	/* CL_CREATESAMPLER_ADDRESSING, CL_CREATESAMPLER_FILTER, CL_CREATESAMPLER_COORDS: 5.7.1: values that the table lists */
	FAIL_NULL_IF(!addressing_valid(addressing_mode), errcode_ret, CL_INVALID_VALUE, "addressing mode 0x%x is not known", addressing_mode);
	FAIL_NULL_IF(!filter_valid(filter_mode), errcode_ret, CL_INVALID_VALUE, "filter mode 0x%x is not known", filter_mode);
	FAIL_NULL_IF(normalized_coords > CL_TRUE, errcode_ret, CL_INVALID_VALUE, "normalized_coords is %u", normalized_coords);
	return sampler_create(context,
			      &(struct _cl_sampler){.normalized = normalized_coords,
						    .addressing = addressing_mode,
						    .filter = filter_mode},
			      errcode_ret);
}

CL_API_ENTRY cl_sampler CL_API_CALL galena_clCreateSamplerWithProperties(cl_context context,
									  const cl_sampler_properties *properties,
									  cl_int *errcode_ret)
{
	/* 5.7.1: the defaults of what the list leaves out */
	struct _cl_sampler s = {.normalized = CL_TRUE, .addressing = CL_ADDRESS_CLAMP, .filter = CL_FILTER_NEAREST};
	bool seen[3] = {false};
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "context %p is not valid", (void *)context);
	for (const cl_sampler_properties *p = properties; p && *p; p += 2) {
		unsigned which;
		bool valid;
		switch (p[0]) {
		case CL_SAMPLER_NORMALIZED_COORDS:
			which = 0;
			valid = p[1] <= CL_TRUE;
			s.normalized = (cl_bool)p[1];
			break;
		case CL_SAMPLER_ADDRESSING_MODE:
			which = 1;
			valid = p[1] <= UINT32_MAX && addressing_valid((cl_addressing_mode)p[1]);
			s.addressing = (cl_addressing_mode)p[1];
			break;
		case CL_SAMPLER_FILTER_MODE:
			which = 2;
			valid = p[1] <= UINT32_MAX && filter_valid((cl_filter_mode)p[1]);
			s.filter = (cl_filter_mode)p[1];
			break;
		default:
			/* CL_CREATESAMPLERWITHPROPERTIES_PROPERTY_NAME: 5.7.1: a property that is supported */
			return FAIL_NULL(errcode_ret, CL_INVALID_VALUE, "property 0x%llx is not known",
					 (unsigned long long)p[0]);
		}
		/* CL_CREATESAMPLERWITHPROPERTIES_PROPERTY_VALUE, CL_CREATESAMPLERWITHPROPERTIES_PROPERTY_TWICE: 5.7.1: a valid value, a name once */
		if (!valid || seen[which])
			return FAIL_NULL(errcode_ret, CL_INVALID_VALUE, "property 0x%llx is %s", (unsigned long long)p[0],
					 valid ? "given twice" : "not valid");
		seen[which] = true;
		s.num_list += 2;
	}
	if (properties) {
		s.num_list++;
		memcpy(s.list, properties, s.num_list * sizeof *s.list);
	}
	return sampler_create(context, &s, errcode_ret);
}

/* CL_RETAINSAMPLER_SAMPLER: 5.7.1: a sampler */
/* CL_RELEASESAMPLER_SAMPLER: one that the application has a reference to */
OBJECT_REFERENCES(galena_clRetainSampler, galena_clReleaseSampler, cl_sampler, MAGIC_SAMPLER, CL_INVALID_SAMPLER,
		  "sampler %p is not valid", (void *)object)

CL_API_ENTRY cl_int CL_API_CALL galena_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, INFO_PARAMETERS)
{
	/* CL_GETSAMPLERINFO_SAMPLER: a sampler */
	FAIL_IF(!SAMPLER_VALID(sampler), CL_INVALID_SAMPLER, "sampler %p is not valid", (void *)sampler);
	switch (param_name) {
	case CL_SAMPLER_REFERENCE_COUNT: return INFO(cl_uint, object_refs(&sampler->object));
	case CL_SAMPLER_CONTEXT: return INFO(cl_context, sampler->context);
	case CL_SAMPLER_NORMALIZED_COORDS: return INFO(cl_bool, sampler->normalized);
	case CL_SAMPLER_ADDRESSING_MODE: return INFO(cl_addressing_mode, sampler->addressing);
	case CL_SAMPLER_FILTER_MODE: return INFO(cl_filter_mode, sampler->filter);
	case CL_SAMPLER_PROPERTIES: return INFO_BYTES(sampler->list, sampler->num_list * sizeof *sampler->list);
	/* CL_GETSAMPLERINFO_PARAM_NAME: 5.7.1: a query that is supported */
	default: return FAIL(CL_INVALID_VALUE, "query 0x%x is not known", param_name);
	}
}
