/* Rules on samplers. */
#include "testbench/opencl/spec.h"

#define PLAIN(coords, addressing, filter) api->clCreateSampler(cl.context, (coords), (addressing), (filter), &error)
#define WITH(...) api->clCreateSamplerWithProperties(cl.context, (const cl_sampler_properties[]){__VA_ARGS__, 0}, &error)

static void creation(void **state)
{
	(void)state;
	RULE_NULL("CL_CREATESAMPLER_ADDRESSING", CL_INVALID_VALUE, PLAIN(CL_FALSE, 0x7fff, CL_FILTER_NEAREST));
	RULE_NULL("CL_CREATESAMPLER_FILTER", CL_INVALID_VALUE, PLAIN(CL_FALSE, CL_ADDRESS_CLAMP, 0x7fff));
	RULE_NULL("CL_CREATESAMPLER_COORDS", CL_INVALID_VALUE, PLAIN(2, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST));
	RULE_NULL("CL_CREATESAMPLERWITHPROPERTIES_PROPERTY_NAME", CL_INVALID_VALUE, WITH(0x7fff, 1));
	RULE_NULL("CL_CREATESAMPLERWITHPROPERTIES_PROPERTY_VALUE", CL_INVALID_VALUE, WITH(CL_SAMPLER_FILTER_MODE, 7));
	RULE_NULL("CL_CREATESAMPLERWITHPROPERTIES_PROPERTY_VALUE", CL_INVALID_VALUE, WITH(CL_SAMPLER_ADDRESSING_MODE, 7));
	RULE_NULL("CL_CREATESAMPLERWITHPROPERTIES_PROPERTY_VALUE", CL_INVALID_VALUE, WITH(CL_SAMPLER_NORMALIZED_COORDS, 7));
	RULE_NULL("CL_CREATESAMPLERWITHPROPERTIES_PROPERTY_TWICE", CL_INVALID_VALUE,
		  WITH(CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR));
}

static void queries(void **state)
{
	(void)state;
	cl_sampler s;
	MAKE(s, PLAIN(CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST));
	RULE_INFO("CL_GETSAMPLERINFO", CL_SAMPLER_FILTER_MODE, api->clGetSamplerInfo(s, name, size, value, NULL));
	CL_OK(api->clReleaseSampler(s));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(creation), cmocka_unit_test(queries)};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, spec_setup, cl_test_teardown);
}
