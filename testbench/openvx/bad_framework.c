/* Bad input: contexts, references, the log, types and kernels of the application's, modules, graphs, nodes, parameters, meta data. */
#include "testbench/openvx/bad.h"

static vx_uint64 out[64]; /* room for what is asked */

/* ---- references and contexts ---- */
static void undo_retain(const union arg *args, union arg result)
{
	(void)result;
	RAN(vxReleaseReference(&(vx_reference){args[0].ref}));
}

static void references(void **state)
{
	(void)state;
	static const char longest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	vx_reference image = one_of(VX_TYPE_IMAGE, false);
	const struct row rows[] = {
		{CALL(vxGetContext, R(image)), .borrowed = true},
		{CALL(vxQueryReference, R(image), N(VX_REFERENCE_TYPE), P(out), N(4)), WRONG(WRONG_ATTRIBUTE, WRONG_SIZE(4))},
		{CALL(vxQueryReference, R(image), N(VX_REFERENCE_NAME), P(out), N(sizeof(char *))), WRONG(WRONG_SIZE(sizeof(char *)))},
		{CALL(vxRetainReference, R(image)), .undo = undo_retain},
		{CALL(vxReleaseReference, R(image))},
		{CALL(vxSetReferenceName, R(image), P("name")), WRONG({1, P(NULL), BAD_PARAMETERS}, {1, P(longest), BAD_PARAMETERS})},
	};
	refuse_rows(rows, COUNT(rows));
}

/* vxGetStatus says of everything what it is. */
static void statuses(void **state)
{
	(void)state;
	static const vx_status expected[WAYS] = {
		VX_ERROR_NO_RESOURCES, BAD_REFERENCE, BAD_REFERENCE, BAD_REFERENCE, BAD_FORMAT, BAD_REFERENCE, VX_SUCCESS,
	};
	for (unsigned way = 0; way < WAYS; way++) {
		vx_reference ref = way == ERROR_OBJECT ? (vx_reference)vxCreateImage(context, 8, 8, VX_DF_IMAGE_VIRT) : none_of(VX_TYPE_IMAGE, way);
		if (vxGetStatus(ref) != expected[way])
			fail_msg("vxGetStatus of %s: gave %d, not %d", ways[way], vxGetStatus(ref), expected[way]);
	}
	now_refused("vxGetStatus");
}

static void contexts(void **state)
{
	(void)state;
	const vx_border_t border = {.mode = VX_BORDER_UNDEFINED}, bad_border = {.mode = VX_BORDER_POLICY_RETURN_ERROR};
	const vx_enum policy = VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED, bad_policy = VX_BORDER_UNDEFINED;
	vx_reference image = one_of(VX_TYPE_IMAGE, false);
	vx_uint32 count = 0;
	RAN(vxQueryContext(context, VX_CONTEXT_UNIQUE_KERNELS, &count, sizeof count));
	const vx_size table_bytes = count * sizeof(vx_kernel_info_t);
	vx_kernel_info_t *table = malloc(table_bytes);
	const struct row rows[] = {
		{CALL(vxCreateContext), .is_last = true}, /* there is nothing to be wrong */
		{CALL(vxReleaseContext, R(context))},
		{CALL(vxQueryContext, R(context), N(VX_CONTEXT_VENDOR_ID), P(out), N(2)), WRONG(WRONG_ATTRIBUTE, WRONG_SIZE(2))},
		{CALL(vxQueryContext, R(context), N(VX_CONTEXT_UNIQUE_KERNEL_TABLE), P(table), N(table_bytes)), WRONG(WRONG_SIZE(table_bytes))},
		{CALL(vxQueryContext, R(context), N(VX_CONTEXT_IMPLEMENTATION), P(out), N(VX_MAX_IMPLEMENTATION_NAME)),
		 WRONG({2, P(NULL), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(1), BAD_PARAMETERS})},
		{CALL(vxSetContextAttribute, R(context), N(VX_CONTEXT_IMMEDIATE_BORDER), P(&border), N(sizeof border)),
		 WRONG(WRONG_ATTRIBUTE, {1, N(VX_CONTEXT_REFERENCES), UNSUPPORTED}, {2, P(&bad_border), BAD_VALUE}, WRONG_SIZE(sizeof border))},
		{CALL(vxSetContextAttribute, R(context), N(VX_CONTEXT_IMMEDIATE_BORDER_POLICY), P(&policy), N(4)),
		 WRONG({2, P(&bad_policy), BAD_VALUE}, WRONG_SIZE(4))},
		{CALL(vxHint, R(context), N(VX_HINT_PERFORMANCE_DEFAULT), P(NULL), N(0)), WRONG({1, N(0), UNSUPPORTED}, {1, N(-1), UNSUPPORTED})},
		{CALL(vxDirective, R(context), N(VX_DIRECTIVE_ENABLE_LOGGING)), WRONG({1, N(0), UNSUPPORTED}, {1, N(-1), UNSUPPORTED})},
		{CALL(vxDirective, R(image), N(VX_DIRECTIVE_ENABLE_LOGGING)),
		 WRONG({1, N(VX_DIRECTIVE_ENABLE_PERFORMANCE), UNSUPPORTED}, {1, N(VX_DIRECTIVE_DISABLE_PERFORMANCE), UNSUPPORTED})},
		{CALL(vxSetImmediateModeTarget, R(context), N(VX_TARGET_ANY), P(NULL)),
		 WRONG({1, N(0), UNSUPPORTED}, {1, N(VX_TARGET_STRING), UNSUPPORTED}, {1, N(-1), UNSUPPORTED})},
		{CALL(vxSetImmediateModeTarget, R(context), N(VX_TARGET_STRING), P("any")), WRONG({2, P("nowhere"), UNSUPPORTED}, {2, P(""), UNSUPPORTED})},
	};
	refuse_rows(rows, COUNT(rows));
	free(table);
}

static void contexts_from_opencl(void **state)
{
	(void)state;
	static char bytes[256];
	cl_device_id devices[16] = {NULL};
	cl_int code = clGetContextInfo(cl, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL);
	assert_int_equal(code, CL_SUCCESS);
	cl_context elsewhere = clCreateContext(NULL, 1, devices, NULL, NULL, &code), released = clCreateContext(NULL, 1, devices, NULL, NULL, &code);
	cl_command_queue unordered = clCreateCommandQueueWithProperties(
		cl, devices[0], (cl_queue_properties[]){CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}, &code);
	assert_int_equal(code, CL_SUCCESS);
	clReleaseContext(released);
	const vx_status none = VX_ERROR_NO_RESOURCES; /* there is no object that could say more */
	const struct row rows[] = {
		{CALL(vxCreateContextFromCL, P(cl), P(queue)),
		 WRONG({0, P(queue), none}, {0, P(bytes), none}, {0, P(bytes + 1), none}, {0, N(0x1234), none}, {0, P(context), none}, {0, P(elsewhere), none},
		  {0, P(released), none}, {1, P(cl), none}, {1, P(bytes), none}, {1, P(bytes + 1), none}, {1, N(0x1234), none}, {1, P(context), none},
		  {1, P(unordered), none})},
	};
	refuse_rows(rows, COUNT(rows));
	clReleaseCommandQueue(unordered);
	clReleaseContext(elsewhere);
}

/* Attributes whose size is wrong, or that have no room. */
static void attributes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(attributes_of_others); i++) {
		const struct attribute *a = &attributes_of_others[i];
		vx_reference ref = one_of(a->type, false);
		now_testing("attribute 0x%x of type 0x%x", (unsigned)a->attribute, (unsigned)a->type);
		REFUSED(BAD_PARAMETERS, query(ref, a->type, a->attribute, NULL, a->size));
		for (vx_size size = 0; size <= a->size + 8; size++) {
			uint8_t room[128];
			memset(room, 0x5a, sizeof room);
			expect_status(size == a->size ? VX_SUCCESS : BAD_PARAMETERS, query(ref, a->type, a->attribute, room, size), "a query", __LINE__);
			for (size_t b = size == a->size ? size : 0; b < sizeof room; b++)
				assert_int_equal(room[b], 0x5a);
		}
	}
}

/* ---- the log ---- */
static void logs_nothing(void **state)
{
	(void)state;
	for (unsigned way = 0; way <= ERROR_OBJECT; way++) {
		vx_reference ref = none_of(VX_TYPE_REFERENCE, way);
		logged.calls = 0;
		vxAddLogEntry(ref, VX_FAILURE, "of %s", ways[way]);
		/* an error object is one of the context's */
		assert_int_equal(logged.calls, way == ERROR_OBJECT);
		vxRegisterLogCallback((vx_context)ref, NULL, vx_false_e);
	}
	vxRegisterLogCallback((vx_context)one_of(VX_TYPE_IMAGE, false), NULL, vx_false_e);
	vxRegisterLogCallback(gone, NULL, vx_false_e);
	logged.calls = 0;
	vxAddLogEntry((vx_reference)context, VX_SUCCESS, "no error");
	vxAddLogEntry((vx_reference)context, VX_FAILURE, NULL);
	vxAddLogEntry(ended_of(VX_TYPE_IMAGE), VX_FAILURE, "gone");
	assert_int_equal(logged.calls, 0);
	vxAddLogEntry((vx_reference)context, VX_FAILURE, "%0*d", 3 * VX_MAX_LOG_MESSAGE_LEN, 1);
	assert_int_equal(logged.calls, 1);
	assert_int_equal(strlen(logged.text), VX_MAX_LOG_MESSAGE_LEN - 1);
	now_refused("vxAddLogEntry");
	now_refused("vxRegisterLogCallback");
}

/* ---- types and numbers of the application's ---- */
static void structs(void **state)
{
	(void)state;
	static const char longest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	const vx_enum type = vxRegisterUserStructWithName(context, 12, "galena.bad.point"), unnamed = vxRegisterUserStruct(context, 8);
	assert_true(type != VX_TYPE_INVALID && unnamed != VX_TYPE_INVALID);
	const struct row rows[] = {
		{CALL(vxRegisterUserStruct, R(context), N(8)), WRONG({1, N(0), VX_FAILURE})},
		{CALL(vxRegisterUserStructWithName, R(context), N(8), P("galena.bad.line")),
		 WRONG({1, N(0), VX_FAILURE}, {2, P(NULL), VX_FAILURE}, {2, P(longest), VX_FAILURE}, {2, P("galena.bad.point"), VX_FAILURE})},
		/* the conformance suite asks for VX_FAILURE of types that are no structs, and for BAD_PARAMETERS without a context */
		{CALL(vxGetUserStructNameByEnum, R(context), N(type), P(out), N(sizeof out)), .first = BAD_PARAMETERS,
		 WRONG({1, N(VX_TYPE_INVALID), BAD_PARAMETERS}, {1, N(VX_TYPE_ERROR), VX_FAILURE}, {1, N(unnamed), VX_FAILURE},
			   {1, N(VX_TYPE_USER_STRUCT_END), VX_FAILURE}, {1, N(-1), VX_FAILURE}, {2, P(NULL), BAD_PARAMETERS},
			   {3, N(0), VX_ERROR_NO_MEMORY}, {3, N(16), VX_ERROR_NO_MEMORY})},
		{CALL(vxGetUserStructEnumByName, R(context), P("galena.bad.point"), P(out)), .first = BAD_PARAMETERS,
		 WRONG({1, P(NULL), VX_FAILURE}, {1, P("galena.bad.circle"), VX_FAILURE}, {1, P(""), VX_FAILURE}, {2, P(NULL), BAD_PARAMETERS})},
		{CALL(vxAllocateUserKernelId, R(context), P(out)), WRONG({1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxAllocateUserKernelLibraryId, R(context), P(out)), WRONG({1, P(NULL), BAD_PARAMETERS})},
	};
	refuse_rows(rows, COUNT(rows));
}

/* Numbers come to an end, and stay there. */
static void exhausted(void **state)
{
	(void)state;
	static const struct { vx_status (*take)(vx_context, vx_enum *); int most; } numbers[] = {
		{vxAllocateUserKernelId, 4096}, {vxAllocateUserKernelLibraryId, 255},
	};
	for (size_t i = 0; i < COUNT(numbers); i++) {
		vx_enum number = 0, last = 0;
		int taken = 0;
		vx_status status;
		while (!(status = numbers[i].take(other, &number))) {
			assert_true(!taken || number == last + 1);
			last = number;
			taken++;
		}
		assert_int_equal(taken, numbers[i].most);
		assert_int_equal(status, VX_ERROR_NO_RESOURCES);
		assert_int_equal(numbers[i].take(other, &number), VX_ERROR_NO_RESOURCES);
		assert_int_equal(number, last);
	}
	while (vxRegisterUserStruct(other, 4) != VX_TYPE_INVALID)
		;
	assert_int_equal(vxRegisterUserStructWithName(other, 4, "galena.bad.last"), VX_TYPE_INVALID);
}

/* ---- kernels ---- */
static void undo_add(const union arg *args, union arg result)
{
	(void)args;
	RAN(vxRemoveKernel((vx_kernel)result.ref));
}

static void kernels(void **state)
{
	(void)state;
	enum { RAW = VX_KERNEL_BASE(VX_ID_USER, 2) + 7, FRESH };
	char too_long[VX_MAX_KERNEL_NAME + 1];
	const vx_size size = 0;
	memset(too_long, 'x', sizeof too_long - 1);
	too_long[sizeof too_long - 1] = 0;
	vx_kernel ours = (vx_kernel)one_of(VX_TYPE_KERNEL, false), builtin = vxGetKernelByEnum(context, VX_KERNEL_NOT);
	vx_kernel raw = vxAddUserKernel(context, "galena.bad.raw", RAW, nothing_to_run, 2, nothing_to_validate, NULL, NULL), used = new_kernel(context);
	CREATED(raw);
	RAN(vxAddParameterToKernel(raw, 0, VX_INPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxCreateGenericNode(graph, used);
	CREATED(node);
	RAN(vxReleaseNode(&node));
	const struct row rows[] = {
		{CALL(vxQueryKernel, R(ours), N(VX_KERNEL_ENUM), P(out), N(4)), WRONG(WRONG_ATTRIBUTE, WRONG_SIZE(4))},
		{CALL(vxQueryKernel, R(ours), N(VX_KERNEL_NAME), P(out), N(VX_MAX_KERNEL_NAME)),
		 WRONG({2, P(NULL), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(4), BAD_PARAMETERS})},
		{CALL(vxReleaseKernel, R(ours))},
		{CALL(vxGetKernelByName, R(context), P("org.khronos.openvx.not")),
		 WRONG({1, P(NULL), BAD_PARAMETERS}, {1, P(""), BAD_PARAMETERS}, {1, P("org.khronos.openvx.nothing"), BAD_PARAMETERS},
		  {1, P("galena.bad.raw"), BAD_PARAMETERS})},
		{CALL(vxGetKernelByEnum, R(context), N(VX_KERNEL_NOT)),
		 WRONG({1, N(0), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {1, N(0x7fffffff), BAD_PARAMETERS}, {1, N(RAW), BAD_PARAMETERS})},
		{CALL(vxGetKernelParameterByIndex, R(ours), N(0)), WRONG({1, N(1), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS})},
		{CALL(vxAddUserKernel, R(context), P("galena.bad.fresh"), N(FRESH), F(nothing_to_run), N(1), F(nothing_to_validate), F(NULL), F(NULL)),
		 WRONG({1, P(NULL), BAD_PARAMETERS}, {1, P(""), BAD_PARAMETERS}, {1, P(too_long), BAD_PARAMETERS}, {1, P("galena.bad.raw"), BAD_PARAMETERS},
		  {1, P("org.khronos.openvx.not"), BAD_PARAMETERS}, {2, N(RAW), BAD_PARAMETERS}, {2, N(VX_KERNEL_NOT), BAD_PARAMETERS},
		  {3, F(NULL), BAD_PARAMETERS}, {4, N(65), BAD_PARAMETERS}, {4, N(-1), BAD_PARAMETERS}),
		 .undo = undo_add},
		{CALL(vxAddParameterToKernel, R(raw), N(1), N(VX_OUTPUT), N(VX_TYPE_IMAGE), N(VX_PARAMETER_STATE_REQUIRED)),
		 WRONG({0, R(builtin), BAD_PARAMETERS}, {0, R(ours), BAD_PARAMETERS}, {1, N(2), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS},
		  {2, N(-1), BAD_PARAMETERS}, {2, N(VX_READ_ONLY), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(VX_TYPE_GRAPH), BAD_PARAMETERS},
		  {3, N(VX_TYPE_CONTEXT), BAD_PARAMETERS}, {3, N(VX_TYPE_META_FORMAT), BAD_PARAMETERS}, {3, N(VX_TYPE_ERROR), BAD_PARAMETERS},
		  {3, N(VX_TYPE_VENDOR_OBJECT_END), BAD_PARAMETERS}, {3, N(-1), BAD_PARAMETERS}, {3, N(VX_TYPE_DELAY), BAD_PARAMETERS},
		  {4, N(0), BAD_PARAMETERS}, {4, N(-1), BAD_PARAMETERS})},
		{CALL(vxSetKernelAttribute, R(raw), N(VX_KERNEL_LOCAL_DATA_SIZE), P(&size), N(sizeof size)),
		 WRONG({0, R(builtin), UNSUPPORTED}, {0, R(ours), UNSUPPORTED}, WRONG_ATTRIBUTE, {1, N(VX_KERNEL_NAME), UNSUPPORTED},
		  {1, N(VX_KERNEL_PARAMETERS), UNSUPPORTED}, WRONG_SIZE(sizeof size))},
		{CALL(vxFinalizeKernel, R(raw))},
		{CALL(vxRemoveKernel, R(raw)), WRONG({0, R(builtin), BAD_PARAMETERS}, {0, R(used), VX_FAILURE})},
	};
	VX_FAILS(BAD_PARAMETERS, vxFinalizeKernel(raw));
	refuse_rows(rows, COUNT(rows));
	/* as long as anybody has a reference, a node or a parameter */
	RAN(vxReleaseGraph(&graph));
	RAN(vxRetainReference((vx_reference)used));
	VX_FAILS(VX_FAILURE, vxRemoveKernel(used));
	vx_kernel second = used;
	RAN(vxReleaseKernel(&second));
	vx_parameter parameter = vxGetKernelParameterByIndex(used, 0);
	VX_FAILS(VX_FAILURE, vxRemoveKernel(used));
	RAN(vxReleaseParameter(&parameter));
	RAN(vxRemoveKernel(used));
	VX_FAILS(BAD_REFERENCE, vxRemoveKernel(used));
	RAN(vxReleaseKernel(&builtin));
}

/* ---- modules ---- */
static unsigned published, unpublished;
static vx_status of_publishing, of_unpublishing;

/* Adds a kernel, and has no reference to it afterwards. */
static vx_status VX_CALLBACK publish(vx_context c)
{
	vx_kernel kernel = vxAddUserKernel(c, "galena.bad.published", VX_KERNEL_BASE(VX_ID_USER, 3), nothing_to_run, 0, nothing_to_validate, NULL, NULL);
	published++;
	return of_publishing ? of_publishing : vxReleaseKernel(&kernel);
}

static vx_status VX_CALLBACK unpublish(vx_context c)
{
	unpublished++;
	of_unpublishing = vxRemoveKernel(vxGetKernelByName(c, "galena.bad.published"));
	return of_unpublishing;
}

static void undo_load(const union arg *args, union arg result)
{
	(void)result;
	RAN(vxUnloadKernels((vx_context)args[0].ref, args[1].ptr));
}

static void modules(void **state)
{
	(void)state;
	const struct row rows[] = {
		{CALL(vxRegisterKernelLibrary, R(context), P("galena-bad"), F(publish), F(unpublish)),
		 WRONG({1, P(NULL), BAD_PARAMETERS}, {2, F(NULL), BAD_PARAMETERS}, {3, F(NULL), BAD_PARAMETERS})},
		{CALL(vxRegisterKernelLibrary, R(context), P("galena-worse"), F(publish), F(unpublish)), WRONG({1, P("galena-bad"), BAD_PARAMETERS})},
		{CALL(vxLoadKernels, R(context), P("galena-bad")),
		 WRONG({1, P(NULL), BAD_PARAMETERS}, {1, P("galena-no-such-library"), VX_ERROR_INVALID_MODULE}, {1, P(""), VX_ERROR_INVALID_MODULE},
		  {1, P("libm.so.6"), VX_ERROR_INVALID_MODULE}),
		 .undo = undo_load},
		{CALL(vxUnloadKernels, R(context), P("galena-bad")),
		 WRONG({1, P(NULL), BAD_PARAMETERS}, {1, P("galena-no-such-library"), BAD_PARAMETERS}, {1, P("galena-bad"), BAD_PARAMETERS}), .is_last = true},
	};
	refuse_rows(rows, COUNT(rows));
	assert_int_equal(published, 1);
	assert_int_equal(unpublished, 1);
	/* one that cannot publish is not loaded */
	of_publishing = VX_ERROR_NO_RESOURCES;
	VX_FAILS(VX_ERROR_NO_RESOURCES, vxLoadKernels(context, "galena-bad"));
	VX_FAILS(BAD_PARAMETERS, vxUnloadKernels(context, "galena-bad"));
	of_publishing = VX_SUCCESS;
	vx_kernel kernel = vxGetKernelByName(context, "galena.bad.published"), kept = kernel;
	CREATED(kernel);
	RAN(vxReleaseKernel(&kept));
	RAN(vxRemoveKernel(kernel));
	/* one whose kernel is in use stays */
	RAN(vxLoadKernels(context, "galena-bad"));
	kernel = vxGetKernelByName(context, "galena.bad.published");
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxCreateGenericNode(graph, kernel);
	CREATED(node);
	RAN(vxReleaseKernel(&kernel));
	VX_FAILS(VX_FAILURE, vxUnloadKernels(context, "galena-bad"));
	RAN(vxVerifyGraph(graph));
	RAN(vxProcessGraph(graph));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	kernel = vxGetKernelByName(context, "galena.bad.published");
	RAN(vxReleaseKernel(&(vx_kernel){kernel}));
	RAN(vxReleaseKernel(&kernel)); /* unpublish() has asked for it in vain */
	RAN(vxUnloadKernels(context, "galena-bad"));
}

/* What is loaded when the context ends takes back its kernels, and what is scheduled ends first. */
static void left_behind(void **state)
{
	(void)state;
	vx_context c = vxCreateContext();
	CREATED(c);
	RAN(vxRegisterKernelLibrary(c, "galena-left", publish, unpublish));
	RAN(vxLoadKernels(c, "galena-left"));
	vx_graph graph = vxCreateGraph(c);
	vx_node node = new_node(graph);
	CREATED(node);
	RAN(vxScheduleGraph(graph));
	const unsigned before = unpublished;
	of_unpublishing = VX_FAILURE;
	RAN(vxReleaseContext(&c));
	assert_int_equal(unpublished, before + 1);
	assert_int_equal(of_unpublishing, VX_SUCCESS);
}

/* ---- graphs, nodes, parameters ---- */
static vx_action VX_CALLBACK go_on(vx_node node)
{
	(void)node;
	return VX_ACTION_CONTINUE;
}

static void undo_schedule(const union arg *args, union arg result)
{
	(void)result;
	RAN(vxWaitGraph((vx_graph)args[0].ref));
}

static void undo_callback(const union arg *args, union arg result)
{
	(void)result;
	RAN(vxAssignNodeCallback((vx_node)args[0].ref, NULL));
}

/* A graph of one node, whose input is parameter 0; parameter 1 has always been empty, and 2 has become so. */
static vx_graph graph_with_parameters(void)
{
	vx_graph graph = vxCreateGraph(context);
	vx_node node = new_node(graph), removed = new_node(graph);
	vx_parameter first = vxGetParameterByIndex(node, 0), last = vxGetParameterByIndex(removed, 0);
	RAN(vxAddParameterToGraph(graph, first));
	RAN(vxAddParameterToGraph(graph, NULL));
	RAN(vxAddParameterToGraph(graph, last));
	RAN(vxReleaseParameter(&first));
	RAN(vxReleaseParameter(&last));
	RAN(vxRemoveNode(&removed));
	RAN(vxReleaseNode(&node));
	return graph;
}

static void graphs(void **state)
{
	(void)state;
	vx_graph graph = graph_with_parameters(), empty = vxCreateGraph(context), another = vxCreateGraph(context);
	vx_node node = new_node(graph), elsewhere = new_node(another);
	vx_parameter parameter = vxGetParameterByIndex(node, 0), foreign = vxGetParameterByIndex(elsewhere, 0);
	vx_parameter of_kernel = vxGetKernelParameterByIndex((vx_kernel)one_of(VX_TYPE_KERNEL, false), 0);
	vx_image image = image_u8(16, 8), hidden = vxCreateVirtualImage(another, 16, 8, VX_DF_IMAGE_U8);
	vx_kernel raw = vxAddUserKernel(context, "galena.bad.raw", VX_KERNEL_BASE(VX_ID_USER, 2) + 7, nothing_to_run, 1, nothing_to_validate, NULL, NULL);
	vx_kernel builtin = vxGetKernelByEnum(context, VX_KERNEL_NOT);
	CREATED(raw);
	const struct row rows[] = {
		{CALL(vxCreateGraph, R(context))},
		{CALL(vxReleaseGraph, R(graph))},
		{CALL(vxQueryGraph, R(graph), N(VX_GRAPH_NUMNODES), P(out), N(4)), WRONG(WRONG_ATTRIBUTE, WRONG_SIZE(4))},
		{CALL(vxSetGraphAttribute, R(graph), N(VX_GRAPH_STATE), P(out), N(4)), WRONG(WRONG_ATTRIBUTE, {1, N(VX_GRAPH_STATE), UNSUPPORTED}),
		 .is_last = true},
		{CALL(vxGetGraphParameterByIndex, R(graph), N(0)),
		 WRONG({1, N(1), BAD_PARAMETERS}, {1, N(2), BAD_PARAMETERS}, {1, N(3), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS})},
		{CALL(vxSetGraphParameterByIndex, R(graph), N(0), R(image)),
		 WRONG({1, N(1), BAD_PARAMETERS}, {1, N(2), BAD_PARAMETERS}, {1, N(3), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS},
		  {2, R(one_of(VX_TYPE_SCALAR, false)), BAD_TYPE}, {2, R(graph), BAD_TYPE}, {2, R(context), BAD_TYPE}, {2, R(hidden), BAD_SCOPE}),
		 .foreign = BAD_SCOPE},
		{CALL(vxVerifyGraph, R(graph)), WRONG({0, R(empty), VX_ERROR_INVALID_GRAPH})},
		{CALL(vxIsGraphVerified, R(graph)), WRONG({0, R(empty), VX_FAILURE})},
		{CALL(vxProcessGraph, R(graph)), WRONG({0, R(empty), VX_ERROR_INVALID_GRAPH})},
		{CALL(vxScheduleGraph, R(graph)), WRONG({0, R(empty), VX_ERROR_INVALID_GRAPH}), .undo = undo_schedule},
		{CALL(vxWaitGraph, R(graph)), WRONG({0, R(graph), VX_FAILURE}, {0, R(empty), VX_FAILURE}), .is_last = true},
		{CALL(vxAddParameterToGraph, R(graph), R(parameter)), WRONG({1, R(of_kernel), BAD_PARAMETERS}, {1, R(foreign), BAD_PARAMETERS}),
		 .foreign = BAD_PARAMETERS, .optional = 1 << 1},
		{CALL(vxCreateGenericNode, R(graph), R(builtin)), WRONG({1, R(raw), BAD_PARAMETERS}), .undo = undo_node},
	};
	refuse_rows(rows, COUNT(rows));
	VX_FAILS(BAD_PARAMETERS, vxGetStatus((vx_reference)vxCreateGenericNode(graph, (vx_kernel)one_of(VX_TYPE_KERNEL, true))));
	/* what is running is neither verified nor scheduled again */
	RAN(vxScheduleGraph(graph));
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, vxScheduleGraph(graph));
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, vxProcessGraph(graph));
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, vxVerifyGraph(graph));
	RAN(vxWaitGraph(graph));
	VX_FAILS(VX_FAILURE, vxWaitGraph(graph));
	RAN(vxRemoveKernel(raw));
	RAN(vxReleaseKernel(&builtin));
	RAN(vxReleaseParameter(&parameter));
	RAN(vxReleaseParameter(&foreign));
	RAN(vxReleaseParameter(&of_kernel));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseNode(&elsewhere));
	RAN(vxReleaseImage(&hidden));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseGraph(&empty));
	RAN(vxReleaseGraph(&another));
	RAN(vxReleaseGraph(&graph));
}

static void nodes(void **state)
{
	(void)state;
	const vx_border_t border = {.mode = VX_BORDER_CONSTANT}, bad_border = {.mode = VX_BORDER_POLICY_RETURN_ERROR};
	vx_graph graph = vxCreateGraph(context), ended = vxCreateGraph(context), another = vxCreateGraph(context);
	vx_node node = new_node(graph), callback = new_node(graph), orphan = new_node(ended);
	vx_parameter parameter = vxGetParameterByIndex(node, 0);
	vx_parameter of_kernel = vxGetKernelParameterByIndex((vx_kernel)one_of(VX_TYPE_KERNEL, false), 0);
	vx_image image = image_u8(16, 8), hidden = vxCreateVirtualImage(another, 16, 8, VX_DF_IMAGE_U8);
	vx_image left = vxCreateVirtualImage(ended, 16, 8, VX_DF_IMAGE_U8), ours = vxCreateVirtualImage(graph, 16, 8, VX_DF_IMAGE_U8);
	vx_reference scalar = one_of(VX_TYPE_SCALAR, false);
	CREATED(parameter);
	CREATED(of_kernel);
	RAN(vxAssignNodeCallback(callback, go_on));
	RAN(vxReleaseGraph(&ended));
	const struct row rows[] = {
		{CALL(vxQueryNode, R(node), N(VX_NODE_PARAMETERS), P(out), N(4)),
		 WRONG(WRONG_ATTRIBUTE, {1, N(VX_NODE_REPLICATE_FLAGS), UNSUPPORTED}, WRONG_SIZE(4))},
		/* one number, told apart by the size */
		{CALL(vxQueryNode, R(node), N(VX_NODE_STATE), P(out), N(sizeof(vx_enum))),
		 WRONG({2, P(NULL), BAD_PARAMETERS}, {3, N(sizeof(cl_command_queue)), UNSUPPORTED})},
		{CALL(vxSetNodeAttribute, R(node), N(VX_NODE_BORDER), P(&border), N(sizeof border)),
		 WRONG(WRONG_ATTRIBUTE, {1, N(VX_NODE_STATUS), UNSUPPORTED}, {1, N(VX_NODE_PARAMETERS), UNSUPPORTED},
		  {1, N(VX_NODE_LOCAL_DATA_SIZE), UNSUPPORTED}, {1, N(VX_NODE_LOCAL_DATA_PTR), UNSUPPORTED}, {2, P(&bad_border), BAD_VALUE},
		  WRONG_SIZE(sizeof border))},
		{CALL(vxReleaseNode, R(node))},
		{CALL(vxRemoveNode, R(node)), WRONG({0, P(&orphan), BAD_REFERENCE}), .is_last = true},
		{CALL(vxAssignNodeCallback, R(node), F(go_on)), WRONG({0, R(callback), VX_ERROR_INVALID_NODE}), .undo = undo_callback},
		{CALL(vxRetrieveNodeCallback, R(callback)), WRONG({0, R(node), VX_FAILURE})},
		{CALL(vxSetNodeTarget, R(node), N(VX_TARGET_ANY), P(NULL)),
		 WRONG({1, N(0), UNSUPPORTED}, {1, N(VX_TARGET_STRING), UNSUPPORTED}, {1, N(-1), UNSUPPORTED})},
		{CALL(vxSetNodeTarget, R(node), N(VX_TARGET_STRING), P("any")), WRONG({2, P("nowhere"), UNSUPPORTED}, {2, P(""), UNSUPPORTED})},
		{CALL(vxGetParameterByIndex, R(node), N(0)), WRONG({1, N(2), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS})},
		{CALL(vxReleaseParameter, R(parameter))},
		{CALL(vxQueryParameter, R(parameter), N(VX_PARAMETER_TYPE), P(out), N(4)),
		 WRONG(WRONG_ATTRIBUTE, {1, N(VX_PARAMETER_META_FORMAT), UNSUPPORTED}, WRONG_SIZE(4))},
		{CALL(vxSetParameterByIndex, R(node), N(0), R(image)),
		 WRONG({1, N(2), BAD_VALUE}, {1, N(-1), BAD_VALUE}, {2, R(scalar), BAD_TYPE}, {2, R(graph), BAD_TYPE}, {2, R(context), BAD_TYPE},
		  {2, R(hidden), BAD_SCOPE}),
		 .foreign = BAD_SCOPE},
		{CALL(vxSetParameterByIndex, R(node), N(1), R(ours)), .foreign = BAD_SCOPE},
		{CALL(vxSetParameterByIndex, R(node), N(1), R(left)), .foreign = BAD_SCOPE},
		{CALL(vxSetParameterByReference, R(parameter), R(image)),
		 WRONG({0, R(of_kernel), BAD_PARAMETERS}, {1, R(scalar), BAD_TYPE}, {1, R(graph), BAD_TYPE}, {1, R(hidden), BAD_SCOPE}), .foreign = BAD_SCOPE},
	};
	refuse_rows(rows, COUNT(rows));
	/* after verification attributes stay */
	vx_image out_image = image_u8(16, 8);
	RAN(vxSetParameterByIndex(node, 1, (vx_reference)out_image));
	RAN(vxVerifyGraph(graph));
	VX_FAILS(UNSUPPORTED, vxSetNodeAttribute(node, VX_NODE_BORDER, &border, sizeof border));
	RAN(vxReleaseImage(&out_image));
	RAN(vxRemoveNode(&node));
	RAN(vxReleaseNode(&callback));
	RAN(vxReleaseNode(&orphan));
	RAN(vxReleaseParameter(&parameter));
	RAN(vxReleaseParameter(&of_kernel));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&hidden));
	RAN(vxReleaseImage(&ours));
	RAN(vxReleaseImage(&left));
	RAN(vxReleaseGraph(&another));
	RAN(vxReleaseGraph(&graph));
}

/* ---- replication ---- */
static vx_object_array images_u8(vx_size count)
{
	vx_image exemplar = image_u8(16, 8);
	vx_object_array array = vxCreateObjectArray(context, (vx_reference)exemplar, count);
	CREATED(array);
	RAN(vxReleaseImage(&exemplar));
	return array;
}

/* A node from an item of one array to an item of another; NULL: an image. */
static vx_node node_of_items(vx_graph graph, vx_object_array from, vx_object_array to, vx_uint32 item)
{
	vx_image in = from ? (vx_image)vxGetObjectArrayItem(from, item) : image_u8(16, 8);
	vx_image result = to ? (vx_image)vxGetObjectArrayItem(to, item) : image_u8(16, 8);
	vx_node node = vxNotNode(graph, in, result);
	CREATED(node);
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&result));
	return node;
}

static void replication(void **state)
{
	(void)state;
	vx_bool both[] = {vx_true_e, vx_true_e}, none[] = {vx_false_e, vx_false_e}, input[] = {vx_true_e, vx_false_e}, output[] = {vx_false_e, vx_true_e};
	vx_graph graph = vxCreateGraph(context), another = vxCreateGraph(context);
	vx_object_array in = images_u8(3), results = images_u8(3), fewer = images_u8(2);
	vx_node some[] = {
		node_of_items(graph, in, results, 0), node_of_items(graph, in, results, 1), node_of_items(graph, NULL, NULL, 0),
		node_of_items(graph, in, fewer, 0), node_of_items(another, in, results, 0), node_of_items(graph, in, NULL, 0),
	};
	const struct row rows[] = {
		{CALL(vxReplicateNode, R(graph), R(some[0]), P(both), N(2)),
		 WRONG({1, R(some[1]), VX_ERROR_NOT_COMPATIBLE}, {1, R(some[2]), VX_ERROR_NOT_COMPATIBLE}, {1, R(some[3]), VX_FAILURE},
		  {1, R(some[4]), VX_FAILURE}, {1, R(some[5]), VX_ERROR_NOT_COMPATIBLE}, {2, P(NULL), BAD_PARAMETERS}, {2, P(none), VX_FAILURE},
		  {2, P(input), VX_FAILURE}, {3, N(0), BAD_PARAMETERS}, {3, N(1), BAD_PARAMETERS}, {3, N(3), BAD_PARAMETERS}, {3, N(-1), BAD_PARAMETERS})},
		{CALL(vxReplicateNode, R(graph), R(some[0]), P(output), N(2)), .foreign = VX_FAILURE},
	};
	refuse_rows(rows, COUNT(rows));
	for (size_t i = 0; i < COUNT(some); i++)
		RAN(vxReleaseNode(&some[i]));
	RAN(vxReleaseObjectArray(&in));
	RAN(vxReleaseObjectArray(&results));
	RAN(vxReleaseObjectArray(&fewer));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseGraph(&another));
}

/* ---- meta data ---- */
static vx_meta_format last_meta;

static vx_status VX_CALLBACK validate_badly(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	const vx_uint32 width = 16;
	(void)node;
	assert_int_equal(num, 2);
	const struct row rows[] = {
		{CALL(vxSetMetaFormatAttribute, R(metas[1]), N(VX_IMAGE_WIDTH), P(&width), N(4)),
		 WRONG({1, N(0), BAD_TYPE}, {1, N(-1), BAD_TYPE}, {1, N(VX_ARRAY_CAPACITY), BAD_TYPE}, {1, N(VX_IMAGE_SPACE), UNSUPPORTED},
		  {1, N(VX_IMAGE_PLANES), UNSUPPORTED}, WRONG_SIZE(4))},
		{CALL(vxQueryMetaFormatAttribute, R(metas[1]), N(VX_IMAGE_WIDTH), P(out), N(4)),
		 WRONG({1, N(0), BAD_TYPE}, {1, N(-1), BAD_TYPE}, {1, N(VX_ARRAY_CAPACITY), BAD_TYPE}, {1, N(VX_IMAGE_SPACE), UNSUPPORTED}, WRONG_SIZE(4))},
		{CALL(vxSetMetaFormatFromReference, R(metas[1]), R(parameters[0])),
		 WRONG({1, R(one_of(VX_TYPE_SCALAR, false)), BAD_REFERENCE}, {1, R(one_of(VX_TYPE_GRAPH, false)), BAD_REFERENCE})},
	};
	refuse_rows(rows, COUNT(rows));
	/* meta data are the framework's */
	last_meta = metas[1];
	VX_FAILS(BAD_REFERENCE, vxReleaseReference(&(vx_reference){(vx_reference)metas[1]}));
	return VX_SUCCESS;
}

static void meta_data(void **state)
{
	(void)state;
	vx_kernel kernel = vxAddUserKernel(context, "galena.bad.meta", VX_KERNEL_BASE(VX_ID_USER, 2) + 9, nothing_to_run, 2, validate_badly, NULL, NULL);
	CREATED(kernel);
	RAN(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	RAN(vxAddParameterToKernel(kernel, 1, VX_OUTPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	RAN(vxFinalizeKernel(kernel));
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxCreateGenericNode(graph, kernel);
	vx_image in = image_u8(16, 8), result = image_u8(16, 8);
	RAN(vxSetParameterByIndex(node, 0, (vx_reference)in));
	RAN(vxSetParameterByIndex(node, 1, (vx_reference)result));
	RAN(vxVerifyGraph(graph));
	/* they end with verification */
	VX_FAILS(BAD_REFERENCE, vxSetMetaFormatAttribute(last_meta, VX_IMAGE_WIDTH, out, 4));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&result));
	RAN(vxReleaseGraph(&graph));
	RAN(vxRemoveKernel(kernel));
}

static void complete(void **state)
{
	(void)state;
	expect_all("framework");
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references), cmocka_unit_test(statuses), cmocka_unit_test(contexts), cmocka_unit_test(contexts_from_opencl),
		cmocka_unit_test(attributes), cmocka_unit_test(logs_nothing), cmocka_unit_test(structs), cmocka_unit_test(exhausted),
		cmocka_unit_test(kernels), cmocka_unit_test(modules), cmocka_unit_test(left_behind), cmocka_unit_test(graphs),
		cmocka_unit_test(nodes), cmocka_unit_test(replication), cmocka_unit_test(meta_data), cmocka_unit_test(complete),
	};
	return cmocka_run_group_tests(tests, open_zoo, close_zoo);
}
