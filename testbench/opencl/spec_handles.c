/* Rules on handles: every entry point, every parameter that is a handle, and what is not one: NULL, an
 * object that was released, one of another kind, one of another context, a copy of one, any number, an
 * address where nothing is mapped. Each gives the specification's error and none is read through. */
#include "testbench/opencl/spec_calls.h"
#include "testbench/skip.h"
#include <sys/mman.h>

enum { OBJECT_BYTES = 64 };

static struct args right;           /* every handle is right, all of one context */
static struct args elsewhere;       /* the same of another context */
static char memory[2][4096];
static const char *const source = "kernel void k(global int *p, local int *q, read_only image2d_t i, sampler_t s) { *p = 1; }";

static void make_args(struct args *a, cl_context context, char *host)
{
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
	cl_mem *m;
	*a = (struct args){.memory = host, .svm = host + 2048};
	a->h[H_PLATFORM] = cl.platform;
	a->h[H_DEVICE] = cl.device;
	a->h[H_CONTEXT] = context;
	MAKE(a->h[H_QUEUE], api->clCreateCommandQueue(context, cl.device, CL_QUEUE_PROFILING_ENABLE, &error));
	for (int i = 0; i < 2; i++) {
		m = (cl_mem *)&a->h[i ? H_BUFFER2 : H_BUFFER];
		MAKE(*m, api->clCreateBuffer(context, 0, 4096, NULL, &error));
		m = (cl_mem *)&a->h[i ? H_IMAGE2 : H_IMAGE];
		MAKE(*m, api->clCreateImage(context, 0, &format, &plane, NULL, &error));
	}
	MAKE(a->h[H_SAMPLER], api->clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
	a->h[H_PROGRAM] = spec_program(context, source);
	MAKE(a->h[H_PROGRAM2], api->clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&source, NULL, &error));
	CL_OK(api->clCompileProgram(a->h[H_PROGRAM2], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	cl_program p = spec_program(context, source);
	cl_kernel k = spec_kernel(p, "k");
	CL_OK(api->clReleaseProgram(p));
	a->h[H_KERNEL] = k;
	CL_OK(api->clSetKernelArg(k, 0, sizeof(cl_mem), &a->h[H_BUFFER]));
	CL_OK(api->clSetKernelArg(k, 1, 16, NULL));
	CL_OK(api->clSetKernelArg(k, 2, sizeof(cl_mem), &a->h[H_IMAGE]));
	CL_OK(api->clSetKernelArg(k, 3, sizeof(cl_sampler), &a->h[H_SAMPLER]));
	cl_event e;
	CL_OK(api->clEnqueueMarkerWithWaitList(a->h[H_QUEUE], 0, NULL, &e));
	CL_OK(api->clWaitForEvents(1, &e));
	a->h[H_EVENT] = e;
	MAKE(a->h[H_WAIT], api->clCreateUserEvent(context, &error));
	CL_OK(api->clSetUserEventStatus(a->h[H_WAIT], CL_COMPLETE));
}

static void release_args(struct args *a)
{
	CL_OK(api->clFinish(a->h[H_QUEUE]));
	CL_OK(api->clReleaseCommandQueue(a->h[H_QUEUE]));
	for (int h = H_BUFFER; h <= H_IMAGE2; h++)
		CL_OK(api->clReleaseMemObject(a->h[h]));
	CL_OK(api->clReleaseSampler(a->h[H_SAMPLER]));
	CL_OK(api->clReleaseKernel(a->h[H_KERNEL]));
	CL_OK(api->clReleaseProgram(a->h[H_PROGRAM]));
	CL_OK(api->clReleaseProgram(a->h[H_PROGRAM2]));
	CL_OK(api->clReleaseEvent(a->h[H_EVENT]));
	CL_OK(api->clReleaseEvent(a->h[H_WAIT]));
}

/* A handle that the application has just given back. NULL: there are none of the kind (platforms stay, and of devices all but
 * those that are part of one). */
static void *released(enum handle kind)
{
	struct args a;
	const cl_device_partition_property units[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_device_id part[64];
	cl_uint parts;
	void *handle;
	switch (kind) {
	case H_CONTEXT:
		MAKE(handle, api->clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error));
		CL_OK(api->clReleaseContext(handle));
		return handle;
	case H_DEVICE:
		CL_OK(api->clCreateSubDevices(cl.device, units, 64, part, &parts));
		for (cl_uint i = 0; i < parts; i++)
			CL_OK(api->clReleaseDevice(part[i]));
		return part[0];
	case H_PLATFORM: return NULL;
	default:
		make_args(&a, cl.context, memory[0]);
		release_args(&a);
		return a.h[kind];
	}
}

/* An object that is valid, but not of the kind. */
static void *another_kind(enum handle kind)
{
	switch (kind) {
	case H_CONTEXT: return right.h[H_QUEUE];
	case H_BUFFER:
	case H_IMAGE: return right.h[H_CONTEXT];
	case H_BUFFER2:
	case H_IMAGE2: return right.h[H_SAMPLER];
	default: return right.h[H_CONTEXT];
	}
}

static void *unmapped(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(munmap(page, 4096), 0);
	return (char *)page + 64;
}

/* The call with everything right but what `wrong` changes. */
static void check_wrong(const struct call *call, const struct parameter *p, void *wrong, const char *what)
{
	char id[128];
	struct args a = right;
	a.h[p->handle] = wrong;
	if (p->handle == H_WAIT) {
		a.num_events = 1;
		a.list = (const cl_event *)&a.h[H_WAIT];
	}
	snprintf(id, sizeof id, "%s_%s", call->entry, p->what);
	cl_int code = call->call(&a);
	if (code != p->code)
		print_error("%s: %s: ", id, what);
	assert_int_equal(code, p->code);
	rule_ran(id, code);
}

static bool have_svm(void)
{
	cl_device_svm_capabilities svm = 0;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
	return svm;
}

/* Does the call get as far as this parameter? */
static bool reached(const struct call *call, const struct parameter *p) { return call->need != N_SVM || p->handle == H_QUEUE || have_svm(); }

/* With all handles right, calls succeed, or (what the device lacks) fail for another reason. */
static void right_handles(void **state)
{
	(void)state;
	for (size_t i = 0; i < spec_num_calls; i++) {
		const struct call *call = &spec_calls[i];
		for (int waits = 0; waits < 2 && call->need != N_PIPE; waits++) {
			struct args a = right;
			a.control = true;
			a.num_events = (cl_uint)waits;
			a.list = waits ? (const cl_event *)&a.h[H_WAIT] : NULL;
			/* what a right call gives back is given for it first */
			if (!strncmp(call->entry, "CL_RELEASE", 10))
				for (size_t j = 0; j < spec_num_calls; j++)
					if (!strncmp(spec_calls[j].entry, "CL_RETAIN", 9) && !strcmp(spec_calls[j].entry + 9, call->entry + 10))
						CL_OK(spec_calls[j].call(&a));
			cl_int code = call->call(&a);
			if (code && call->need == N_NOTHING)
				print_error("%s: ", call->entry);
			if (call->need == N_NOTHING)
				assert_int_equal(code, CL_SUCCESS);
			for (const struct parameter *p = call->parameter; p->handle && call->need != N_SVM; p++)
				assert_int_not_equal(code, p->code);
			/* what retains leave behind */
			for (const struct parameter *p = call->parameter; p->handle && !strncmp(call->entry, "CL_RETAIN", 9); p++)
				for (size_t j = 0; j < spec_num_calls; j++)
					if (!strncmp(spec_calls[j].entry, "CL_RELEASE", 10) && !strcmp(spec_calls[j].entry + 10, call->entry + 9))
						CL_OK(spec_calls[j].call(&a));
		}
	}
	CL_OK(api->clFinish(right.h[H_QUEUE]));
}

static void wrong_handles(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	for (size_t i = 0; i < spec_num_calls; i++)
		for (const struct parameter *p = spec_calls[i].parameter; p->handle; p++) {
			const struct call *call = &spec_calls[i];
			_Alignas(16) char copy[OBJECT_BYTES];
			if (!reached(call, p))
				continue;
			if (!p->null_allowed)
				check_wrong(call, p, NULL, "NULL");
			check_wrong(call, p, another_kind(p->handle), "an object of another kind");
			memcpy(copy, right.h[p->handle], sizeof copy);
			check_wrong(call, p, copy, "a copy of an object");
			check_wrong(call, p, unmapped(), "an address that is not mapped");
			check_wrong(call, p, (char *)right.h[p->handle] + 8, "an address in an object");
			check_wrong(call, p, (void *)(uintptr_t)1, "1");
			for (int n = 0; n < 4; n++)
				check_wrong(call, p, (void *)(uintptr_t)(splitmix64(&seed) & ~(n ? 15ull : 0)), "any number");
		}
}

/* A released object is known as one while its memory is not another's. */
static void released_handles(void **state)
{
	(void)state;
	for (enum handle kind = H_NONE + 1; kind < H_COUNT; kind++)
		for (size_t i = 0; i < spec_num_calls; i++)
			for (const struct parameter *p = spec_calls[i].parameter; p->handle; p++) {
				void *handle = p->handle == kind && reached(&spec_calls[i], p) ? released(kind) : NULL;
				if (handle)
					check_wrong(&spec_calls[i], p, handle, "a released object");
			}
}

/* A buffer where an image has to be, and the other way round. */
static void other_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < spec_num_calls; i++)
		for (const struct parameter *p = spec_calls[i].parameter; p->handle; p++) {
			bool image = p->handle == H_IMAGE || p->handle == H_IMAGE2, buffer = p->handle == H_BUFFER || p->handle == H_BUFFER2;
			if (image)
				check_wrong(&spec_calls[i], p, right.h[H_BUFFER], "a buffer");
			if (buffer && strcmp(p->what, "MEM"))
				check_wrong(&spec_calls[i], p, right.h[H_IMAGE], "an image");
		}
}

/* Objects of different contexts in one call. */
static void other_context(void **state)
{
	(void)state;
	for (size_t i = 0; i < spec_num_calls; i++) {
		const struct call *call = &spec_calls[i];
		bool in_context = call->parameter[0].handle == H_QUEUE || call->parameter[0].handle == H_KERNEL || !strcmp(call->entry, "CL_LINKPROGRAM") ||
				  !strcmp(call->entry, "CL_COMPILEPROGRAM");
		for (const struct parameter *p = call->parameter + 1; in_context && call->parameter[0].handle && p->handle; p++) {
			char what[64];
			struct parameter other = *p;
			if (p->handle == H_DEVICE || !reached(call, p))
				continue;
			snprintf(what, sizeof what, "%s_CONTEXT", p->handle == H_WAIT ? "EVENT" : p->what);
			other.what = what;
			other.code = CL_INVALID_CONTEXT;
			check_wrong(call, &other, elsewhere.h[p->handle], "an object of another context");
		}
	}
}

/* A list and its length that disagree. */
static void wait_lists(void **state)
{
	(void)state;
	for (size_t i = 0; i < spec_num_calls; i++)
		for (const struct parameter *p = spec_calls[i].parameter; p->handle; p++) {
			char id[128];
			struct args a = right;
			if (p->handle != H_WAIT || !reached(&spec_calls[i], p))
				continue;
			a.num_events = 1;
			snprintf(id, sizeof id, "%s_WAIT_LIST_NULL", spec_calls[i].entry);
			RULE(id, CL_INVALID_EVENT_WAIT_LIST, spec_calls[i].call(&a));
			a.num_events = 0;
			a.list = (const cl_event *)&right.h[H_WAIT];
			snprintf(id, sizeof id, "%s_WAIT_LIST_COUNT", spec_calls[i].entry);
			RULE(id, CL_INVALID_EVENT_WAIT_LIST, spec_calls[i].call(&a));
			/* a wrong event behind a right one is found, too */
			cl_event list[] = {right.h[H_WAIT], right.h[H_CONTEXT]};
			a.num_events = 2;
			a.list = list;
			snprintf(id, sizeof id, "%s_WAIT_LIST_EVENT", spec_calls[i].entry);
			RULE(id, CL_INVALID_EVENT_WAIT_LIST, spec_calls[i].call(&a));
		}
}

/* A loader that is given a released handle comes as far as the check. */
static void through_the_loader(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	SKIP("a sanitizer fills released memory");
#else
	CL_FAILS(CL_INVALID_CONTEXT, clRetainContext(released(H_CONTEXT)));
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clFlush(released(H_QUEUE)));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clReleaseMemObject(released(H_BUFFER)));
	CL_FAILS(CL_INVALID_SAMPLER, clReleaseSampler(released(H_SAMPLER)));
	CL_FAILS(CL_INVALID_PROGRAM, clReleaseProgram(released(H_PROGRAM)));
	CL_FAILS(CL_INVALID_KERNEL, clReleaseKernel(released(H_KERNEL)));
	CL_FAILS(CL_INVALID_EVENT, clReleaseEvent(released(H_EVENT)));
#endif
}

/* What others of the application's keep is still there for who gets it from them. */
static void kept_by_others(void **state)
{
	(void)state;
	cl_context context, again;
	cl_command_queue queue;
	cl_mem whole, part, parent;
	const cl_buffer_region region = {0, 64};
	MAKE(context, api->clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error));
	MAKE(queue, api->clCreateCommandQueue(context, cl.device, 0, &error));
	CL_OK(api->clReleaseContext(context));
	CL_FAILS(CL_INVALID_CONTEXT, api->clReleaseContext(context)); /* nothing left to give back */
	CL_OK(api->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof again, &again, NULL));
	CL_OK(api->clRetainContext(again));
	MAKE(whole, api->clCreateBuffer(again, 0, 4096, NULL, &error));
	MAKE(part, api->clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
	CL_OK(api->clReleaseMemObject(whole));
	CL_FAILS(CL_INVALID_MEM_OBJECT, api->clReleaseMemObject(whole));
	CL_OK(api->clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
	CL_OK(api->clRetainMemObject(parent));
	CL_OK(api->clReleaseMemObject(part));
	CL_OK(api->clEnqueueWriteBuffer(queue, parent, CL_TRUE, 0, 4096, memory[0], 0, NULL, NULL));
	CL_OK(api->clReleaseMemObject(parent));
	CL_FAILS(CL_INVALID_MEM_OBJECT, api->clReleaseMemObject(parent));
	CL_OK(api->clReleaseContext(again));
	CL_OK(api->clReleaseCommandQueue(queue));
}

static cl_context other;

static int setup(void **state)
{
	if (spec_setup(state))
		return -1;
	spec_calls_init(api);
	other = api->clCreateContext(NULL, 1, &cl.device, NULL, NULL, NULL);
	if (!other)
		return -1;
	make_args(&right, cl.context, memory[0]);
	make_args(&elsewhere, other, memory[1]);
	if (have_svm()) {
		right.svm = api->clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 4096, 0);
		assert_non_null(right.svm);
	}
	return 0;
}

static int teardown(void **state)
{
	if (have_svm())
		api->clSVMFree(cl.context, right.svm);
	release_args(&right);
	release_args(&elsewhere);
	return api->clReleaseContext(other) || cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_handles),    cmocka_unit_test(wrong_handles),     cmocka_unit_test(released_handles),
		cmocka_unit_test(other_memory),     cmocka_unit_test(other_context),     cmocka_unit_test(wait_lists),
		cmocka_unit_test(through_the_loader), cmocka_unit_test(kept_by_others),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
