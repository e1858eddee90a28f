/* Very many objects that come and go: those that live are known, whichever moves of the set of them have happened meanwhile,
 * and those that went are not. */
#include "testbench/opencl/cl_test.h"
#include <pthread.h>
#include <stdatomic.h>

enum { MOST = 12000, STEPS = 60000 };

static cl_sampler sampler_make(void)
{
	cl_int code;
	cl_sampler s = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
	CL_OK(code);
	return s;
}

static cl_int sampler_ask(cl_sampler s)
{
	cl_bool normalized;
	return clGetSamplerInfo(s, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL);
}

/* Asks for one object that lives all the time. */
static atomic_bool done;
static void *ask(void *arg)
{
	size_t wrong = 0;
	while (!atomic_load(&done))
		wrong += sampler_ask(arg) != CL_SUCCESS;
	return (void *)(uintptr_t)wrong;
}

static void come_and_go(void **state)
{
	(void)state;
	static cl_sampler live[MOST];
	unsigned count = 0;
	pthread_t asker;
	void *wrong;
#ifdef __SANITIZE_ADDRESS__
	puts("# skip: come_and_go, those that are gone: a sanitizer fills released memory, which the loader reads");
#endif
	cl_sampler kept = sampler_make();
	assert_int_equal(pthread_create(&asker, NULL, ask, kept), 0);
	for (unsigned step = 0; step < STEPS; step++) {
		/* more and more of them at first, fewer and fewer at last */
		const bool add = splitmix64(&cl.seed) % STEPS > step;
		if (add && count < MOST) {
			live[count++] = sampler_make();
			CL_OK(sampler_ask(live[count - 1]));
		} else if (count) {
			const unsigned i = splitmix64(&cl.seed) % count;
			cl_sampler gone = live[i];
			live[i] = live[--count];
			CL_OK(clReleaseSampler(gone));
#ifndef __SANITIZE_ADDRESS__
			assert_int_equal(sampler_ask(gone), CL_INVALID_SAMPLER);
#endif
		}
		if (count)
			CL_OK(sampler_ask(live[splitmix64(&cl.seed) % count]));
		if (step % 5000 == 0)
			for (unsigned i = 0; i < count; i++)
				CL_OK(sampler_ask(live[i]));
	}
	while (count)
		CL_OK(clReleaseSampler(live[--count]));
	atomic_store(&done, true);
	assert_int_equal(pthread_join(asker, &wrong), 0);
	assert_null(wrong);
	CL_OK(clReleaseSampler(kept));
}

int main(int argc, char **argv)
{
	cl_test_init(argc, argv);
	const struct CMUnitTest tests[] = { cmocka_unit_test(come_and_go) };
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
