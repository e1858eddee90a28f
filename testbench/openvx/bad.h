/* What tests of bad input share: every function that the headers declare, called with one argument wrong at a time.
 *
 * A row names a function and its arguments as they should be, and lists what may be wrong with them and what the function says then.
 * References that are none of the type are wrong in every place of every function, so that rows need not say so. A call that is
 * refused changes nothing, and is logged; the call with all arguments as they should be succeeds after all that. */
#ifndef GALENA_TESTBENCH_OPENVX_BAD_H
#define GALENA_TESTBENCH_OPENVX_BAD_H
#include "testbench/openvx/data_kinds.h"
#include <malloc.h>

/* ---- functions, as calls.awk finds them in the headers ---- */
union arg {
	vx_reference ref;
	void *ptr;
	vx_int64 num; /* of any type of integers */
	vx_float32 real;
	void (*function)(void);
};
enum kind_of_arg { NOTHING, HANDLE, HANDLE_AT, NUMBER, REAL, POINTER, FUNCTION }; /* HANDLE_AT: a pointer to one */
struct parameter {
	enum kind_of_arg kind;
	vx_enum type; /* VX_TYPE_IMAGE and so on, of handles */
	const char *c_type, *name;
};
enum { ARGS_MAX = 12 };
struct call {
	const char *name;
	union arg (*call)(const union arg *);
	struct parameter returns;
	unsigned count;
	struct parameter parameters[ARGS_MAX];
};
#include "openvx_calls.inc"

static inline const struct call *call_named(const char *name)
{
	for (size_t i = 0; i < COUNT(calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	fail_msg("the headers declare no function %s", name);
	return NULL;
}

/* The function whose name begins so, and whose first parameter is of that type. */
static inline const struct call *call_of(const char *prefix, vx_enum type)
{
	for (size_t i = 0; i < COUNT(calls); i++)
		if (!strncmp(calls[i].name, prefix, strlen(prefix)) && calls[i].parameters[0].type == type)
			return &calls[i];
	fail_msg("the headers declare no function %s... of objects of type 0x%x", prefix, (unsigned)type);
	return NULL;
}

/* ---- that no function is forgotten ---- */
static bool refused[COUNT(calls)];

static inline void now_refused(const char *name) { refused[call_named(name) - calls] = true; }

/* Whose rows are where: in the program of the first word that the name has; of no word, in bad_framework.c. */
static const struct { const char *word, *program; } programs[] = {
	{"vxCreateGenericNode", "framework"}, {"vxu", "kernels"}, {"Threshold", "data"}, {"Tensor", "tensors"}, {"Image", "images"}, {"Array", "data"},
	{"AutoAging", "data"}, {"Convolution", "data"}, {"Delay", "data"}, {"Distribution", "data"}, {"LUT", "data"}, {"Matrix", "data"},
	{"Pyramid", "data"}, {"Remap", "data"}, {"Scalar", "data"}, {"UserData", "data"}, {"Import", "ix"}, {"Export", "ix"},
	{"ScheduleConfig", "pipelining"}, {"ReadyRef", "pipelining"}, {"DoneRef", "pipelining"}, {"Streaming", "pipelining"}, {"Event", "pipelining"},
};

static inline const char *program_of(const struct call *c)
{
	size_t i = 0;
	while (i < COUNT(programs) && !strstr(c->name, programs[i].word))
		i++;
	if (i && c->returns.type == VX_TYPE_NODE)
		return "kernels";
	return i < COUNT(programs) ? programs[i].program : "framework";
}

/* The last test of a program: each function that is its own has been called. */
static inline void expect_all(const char *program)
{
	unsigned forgotten = 0;
	for (size_t i = 0; i < COUNT(calls); i++) {
		if (refused[i] || strcmp(program_of(&calls[i]), program))
			continue;
		print_error("bad_%s.c has no row of %s\n", program, calls[i].name);
		forgotten++;
	}
	assert_int_equal(forgotten, 0);
}

/* What a call says: a status, that of an object, or whether there is a result. */
static inline vx_status said(const struct call *c, union arg result)
{
	switch (c->returns.kind) {
	case NOTHING:
		return VX_SUCCESS;
	case HANDLE:
		return vxGetStatus(result.ref);
	case NUMBER:
		if (!strcmp(c->returns.c_type, "vx_status"))
			return (vx_status)result.num;
		return result.num ? VX_SUCCESS : VX_FAILURE;
	default:
		return result.ptr ? VX_SUCCESS : VX_FAILURE;
	}
}

/* ---- statuses, shorter ---- */
enum {
	BAD_REFERENCE = VX_ERROR_INVALID_REFERENCE, BAD_PARAMETERS = VX_ERROR_INVALID_PARAMETERS, BAD_VALUE = VX_ERROR_INVALID_VALUE,
	BAD_TYPE = VX_ERROR_INVALID_TYPE, BAD_FORMAT = VX_ERROR_INVALID_FORMAT, BAD_DIMENSION = VX_ERROR_INVALID_DIMENSION,
	BAD_SCOPE = VX_ERROR_INVALID_SCOPE, UNSUPPORTED = VX_ERROR_NOT_SUPPORTED, HIDDEN = VX_ERROR_OPTIMIZED_AWAY,
};

/* ---- the log ---- */
static struct {
	unsigned calls;
	vx_status status; /* of the last entry */
	char text[VX_MAX_LOG_MESSAGE_LEN];
} logged;

static inline void VX_CALLBACK keep_log(vx_context c, vx_reference ref, vx_status status, const vx_char string[])
{
	(void)c;
	(void)ref;
	logged.calls++;
	logged.status = status;
	snprintf(logged.text, sizeof logged.text, "%s", string);
}

/* ---- objects of every type ---- */
static vx_graph house[2];     /* of the context, and of another one: where nodes are */
static vx_context gone;       /* a context that has ended */

static vx_status VX_CALLBACK nothing_to_run(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	(void)node;
	(void)parameters;
	(void)num;
	return VX_SUCCESS;
}

static vx_status VX_CALLBACK nothing_to_validate(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	(void)metas;
	return nothing_to_run(node, parameters, num);
}

static inline vx_kernel new_kernel(vx_context c)
{
	static unsigned number;
	char name[32];
	snprintf(name, sizeof name, "galena.test.bad%u", number);
	vx_kernel kernel = vxAddUserKernel(c, name, VX_KERNEL_BASE(VX_ID_USER, 1) + (vx_enum)(number++ % 4096), nothing_to_run, 1,
					   nothing_to_validate, NULL, NULL);
	CREATED(kernel);
	RAN(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	RAN(vxFinalizeKernel(kernel));
	return kernel;
}

static inline vx_node new_node(vx_graph graph)
{
	vx_context c = vxGetContext((vx_reference)graph);
	vx_image in = vxCreateImage(c, 16, 8, VX_DF_IMAGE_U8), out = vxCreateImage(c, 16, 8, VX_DF_IMAGE_U8);
	vx_node node = vxNotNode(graph, in, out);
	CREATED(node);
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
	return node;
}

/* Of an image, that only the import has a reference to. */
static inline vx_import new_import(vx_context c)
{
	const vx_enum use = VX_IX_USE_NO_EXPORT_VALUES;
	const vx_uint8 *bytes = NULL;
	vx_size length = 0;
	vx_reference image = (vx_reference)vxCreateImage(c, 16, 8, VX_DF_IMAGE_U8), twin = NULL;
	RAN(vxExportObjectsToMemory(c, 1, &image, &use, &bytes, &length));
	vx_import import = vxImportObjectsFromMemory(c, 1, &twin, &use, bytes, length);
	CREATED(import);
	RAN(vxReleaseExportedMemory(c, &bytes));
	RAN(vxReleaseReference(&image));
	RAN(vxReleaseReference(&twin));
	return import;
}

/* The types of objects that the application makes, without contexts. */
static const vx_enum made_types[] = {
	VX_TYPE_SCALAR, VX_TYPE_ARRAY, VX_TYPE_LUT, VX_TYPE_DISTRIBUTION, VX_TYPE_THRESHOLD, VX_TYPE_MATRIX, VX_TYPE_CONVOLUTION, VX_TYPE_REMAP,
	VX_TYPE_PYRAMID, VX_TYPE_OBJECT_ARRAY, VX_TYPE_DELAY, VX_TYPE_TENSOR, VX_TYPE_USER_DATA_OBJECT, VX_TYPE_IMAGE, VX_TYPE_GRAPH,
	VX_TYPE_NODE, VX_TYPE_KERNEL, VX_TYPE_PARAMETER, VX_TYPE_IMPORT,
};

/* One of each type, in both contexts. */
static struct { vx_reference here, there; } zoo[COUNT(made_types)];

static inline vx_reference one_of(vx_enum type, bool there)
{
	if (type == VX_TYPE_CONTEXT)
		return (vx_reference)(there ? other : context);
	for (size_t i = 0; i < COUNT(made_types); i++)
		if (made_types[i] == type)
			return there ? zoo[i].there : zoo[i].here;
	fail_msg("there is no object of type 0x%x", (unsigned)type);
	return NULL;
}

static inline vx_reference new_object(vx_context c, vx_enum type)
{
	vx_graph graph = house[c != context];
	vx_reference ref;
	switch (type) {
	case VX_TYPE_IMAGE:
		ref = (vx_reference)vxCreateImage(c, 16, 8, VX_DF_IMAGE_U8);
		break;
	case VX_TYPE_GRAPH:
		ref = (vx_reference)vxCreateGraph(c);
		break;
	case VX_TYPE_NODE:
		ref = (vx_reference)new_node(graph);
		break;
	case VX_TYPE_KERNEL:
		ref = (vx_reference)new_kernel(c);
		break;
	case VX_TYPE_PARAMETER: /* of the node of the zoo, which is there before */
		ref = (vx_reference)vxGetParameterByIndex((vx_node)one_of(VX_TYPE_NODE, c != context), 0);
		break;
	case VX_TYPE_IMPORT:
		ref = (vx_reference)new_import(c);
		break;
	default:
		ref = kind_of(type)->make(c);
		break;
	}
	CREATED(ref);
	return ref;
}

/* For good: the graph of a node, and the list of kernels, have it no more either. */
static inline void end_object(vx_reference ref, vx_enum type)
{
	if (type == VX_TYPE_NODE)
		RAN(vxRemoveNode((vx_node *)&ref));
	else if (type == VX_TYPE_KERNEL)
		RAN(vxRemoveKernel((vx_kernel)ref));
	else
		RAN(vxReleaseReference(&ref));
}

static inline vx_enum type_of(vx_reference ref)
{
	vx_enum type = VX_TYPE_INVALID;
	RAN(vxQueryReference(ref, VX_REFERENCE_TYPE, &type, sizeof type));
	return type;
}

/* main's group begins and ends with these. */
static inline int open_zoo(void **state)
{
	if (open_contexts(state))
		return -1;
	gone = vxCreateContext();
	vx_context ended = gone;
	RAN(vxReleaseContext(&ended));
	house[0] = vxCreateGraph(context);
	house[1] = vxCreateGraph(other);
	for (size_t i = 0; i < COUNT(made_types); i++) {
		zoo[i].here = new_object(context, made_types[i]);
		zoo[i].there = new_object(other, made_types[i]);
	}
	vxRegisterLogCallback(context, keep_log, vx_false_e);
	return 0;
}

static inline int close_zoo(void **state)
{
	return close_contexts(state);
}

/* ---- references that are none of a type ---- */
enum { NO_REFERENCE, BYTES, MIDDLE_OF_BYTES, SMALL_NUMBER, ERROR_OBJECT, ENDED, ANOTHER_TYPE, WAYS };
static const char *const ways[WAYS] = {
	"NULL", "bytes that are none", "the middle of bytes", "a small number", "an error object", "one that has ended", "one of another type",
};

/* One that has ended. Its memory is taken at once, so that no other object will be there: of what has just been freed, which is kept apart
 * as there is room for it, an allocation of that size gets the last first. */
static inline vx_reference ended_of(vx_enum type)
{
	void *room[8], *others[32];
	size_t count = 0;
	if (type == VX_TYPE_CONTEXT || type == VX_TYPE_META_FORMAT)
		return (vx_reference)gone;
	vx_reference ref = new_object(context, type == VX_TYPE_REFERENCE ? VX_TYPE_IMAGE : type);
	const size_t size = malloc_usable_size(ref);
	for (size_t i = 0; i < COUNT(room); i++)
		room[i] = malloc(size);
	end_object(ref, type);
	while (count < COUNT(others) && (others[count] = malloc(size)) != (void *)ref)
		count++;
	while (count)
		free(others[--count]);
	for (size_t i = 0; i < COUNT(room); i++)
		free(room[i]);
	return ref;
}

static inline vx_reference none_of(vx_enum type, unsigned way)
{
	static _Alignas(64) char bytes[4096];
	switch (way) {
	case BYTES:
		return (vx_reference)bytes;
	case MIDDLE_OF_BYTES:
		return (vx_reference)(bytes + 1);
	case SMALL_NUMBER:
		return (vx_reference)(uintptr_t)0x1234;
	case ERROR_OBJECT:
		return (vx_reference)vxCreateImage(context, 0, 0, VX_DF_IMAGE_U8);
	case ENDED:
		return ended_of(type);
	case ANOTHER_TYPE:
		return one_of(type == VX_TYPE_SCALAR ? VX_TYPE_IMAGE : VX_TYPE_SCALAR, false);
	default:
		return NULL;
	}
}

/* ---- what an object is like ---- */
/* Attributes of what is not a kind of data (data_kinds.h). */
static const struct attribute {
	vx_enum type, attribute;
	vx_size size;
} attributes_of_others[] = {
	{VX_TYPE_CONTEXT, VX_CONTEXT_VENDOR_ID, sizeof(vx_uint16)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_VERSION, sizeof(vx_uint16)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_UNIQUE_KERNELS, sizeof(vx_uint32)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_MODULES, sizeof(vx_uint32)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_REFERENCES, sizeof(vx_uint32)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_EXTENSIONS_SIZE, sizeof(vx_size)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_CONVOLUTION_MAX_DIMENSION, sizeof(vx_size)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_OPTICAL_FLOW_MAX_WINDOW_DIMENSION, sizeof(vx_size)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_NONLINEAR_MAX_DIMENSION, sizeof(vx_size)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_MAX_TENSOR_DIMS, sizeof(vx_size)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_IMMEDIATE_BORDER, sizeof(vx_border_t)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_IMMEDIATE_BORDER_POLICY, sizeof(vx_enum)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_CL_CONTEXT, sizeof(cl_context)},
	{VX_TYPE_CONTEXT, VX_CONTEXT_CL_COMMAND_QUEUE, sizeof(cl_command_queue)},
	{VX_TYPE_GRAPH, VX_GRAPH_NUMNODES, sizeof(vx_uint32)},
	{VX_TYPE_GRAPH, VX_GRAPH_PERFORMANCE, sizeof(vx_perf_t)},
	{VX_TYPE_GRAPH, VX_GRAPH_NUMPARAMETERS, sizeof(vx_uint32)},
	{VX_TYPE_GRAPH, VX_GRAPH_STATE, sizeof(vx_enum)},
	{VX_TYPE_GRAPH, VX_GRAPH_SCHEDULE_MODE, sizeof(vx_enum)},
	{VX_TYPE_NODE, VX_NODE_STATUS, sizeof(vx_status)},
	{VX_TYPE_NODE, VX_NODE_PERFORMANCE, sizeof(vx_perf_t)},
	{VX_TYPE_NODE, VX_NODE_BORDER, sizeof(vx_border_t)},
	{VX_TYPE_NODE, VX_NODE_LOCAL_DATA_SIZE, sizeof(vx_size)},
	{VX_TYPE_NODE, VX_NODE_LOCAL_DATA_PTR, sizeof(void *)},
	{VX_TYPE_NODE, VX_NODE_PARAMETERS, sizeof(vx_uint32)},
	{VX_TYPE_NODE, VX_NODE_IS_REPLICATED, sizeof(vx_bool)},
	{VX_TYPE_NODE, VX_NODE_VALID_RECT_RESET, sizeof(vx_bool)},
	{VX_TYPE_KERNEL, VX_KERNEL_PARAMETERS, sizeof(vx_uint32)},
	{VX_TYPE_KERNEL, VX_KERNEL_ENUM, sizeof(vx_enum)},
	{VX_TYPE_KERNEL, VX_KERNEL_LOCAL_DATA_SIZE, sizeof(vx_size)},
	{VX_TYPE_KERNEL, VX_KERNEL_USE_OPENCL, sizeof(vx_bool)},
	{VX_TYPE_KERNEL, VX_KERNEL_PIPEUP_INPUT_DEPTH, sizeof(vx_uint32)},
	{VX_TYPE_PARAMETER, VX_PARAMETER_INDEX, sizeof(vx_uint32)},
	{VX_TYPE_PARAMETER, VX_PARAMETER_DIRECTION, sizeof(vx_enum)},
	{VX_TYPE_PARAMETER, VX_PARAMETER_TYPE, sizeof(vx_enum)},
	{VX_TYPE_PARAMETER, VX_PARAMETER_STATE, sizeof(vx_enum)},
	{VX_TYPE_IMAGE, VX_IMAGE_WIDTH, sizeof(vx_uint32)},
	{VX_TYPE_IMAGE, VX_IMAGE_HEIGHT, sizeof(vx_uint32)},
	{VX_TYPE_IMAGE, VX_IMAGE_FORMAT, sizeof(vx_df_image)},
	{VX_TYPE_IMAGE, VX_IMAGE_PLANES, sizeof(vx_size)},
	{VX_TYPE_IMAGE, VX_IMAGE_SPACE, sizeof(vx_enum)},
	{VX_TYPE_IMAGE, VX_IMAGE_RANGE, sizeof(vx_enum)},
	{VX_TYPE_IMAGE, VX_IMAGE_MEMORY_TYPE, sizeof(vx_enum)},
	{VX_TYPE_IMAGE, VX_IMAGE_IS_UNIFORM, sizeof(vx_bool)},
	{VX_TYPE_IMAGE, VX_IMAGE_UNIFORM_VALUE, sizeof(vx_pixel_value_t)},
};

static inline vx_status query(vx_reference ref, vx_enum type, vx_enum attribute, void *ptr, vx_size size)
{
	return (vx_status)call_of("vxQuery", type)->call((const union arg[]){{.ref = ref}, {.num = attribute}, {.ptr = ptr}, {.num = (vx_int64)size}}).num;
}

/* Attributes, name and number of references; of data objects that are no images their data, too. */
struct likeness { size_t size; uint8_t bytes[4096]; };

static inline void liken(struct likeness *l, vx_reference ref, vx_enum type, vx_enum attribute, vx_size size)
{
	assert_true(l->size + size <= sizeof l->bytes);
	RAN(query(ref, type, attribute, l->bytes + l->size, size));
	l->size += size;
}

static inline struct likeness likeness_of(vx_reference ref)
{
	static struct likeness l;
	const vx_enum type = type_of(ref);
	const vx_char *name = NULL;
	memset(&l, 0, sizeof l);
	liken(&l, ref, VX_TYPE_REFERENCE, VX_REFERENCE_COUNT, sizeof(vx_uint32));
	RAN(vxQueryReference(ref, VX_REFERENCE_NAME, &name, sizeof name));
	strncpy((char *)l.bytes + l.size, name, VX_MAX_REFERENCE_NAME);
	l.size += VX_MAX_REFERENCE_NAME;
	for (size_t i = 0; i < COUNT(attributes_of_others); i++)
		if (attributes_of_others[i].type == type)
			liken(&l, ref, type, attributes_of_others[i].attribute, attributes_of_others[i].size);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (kinds[i].type != type)
			continue;
		for (size_t a = 0; a < COUNT(kinds[i].attributes) && kinds[i].attributes[a].size; a++)
			liken(&l, ref, type, kinds[i].attributes[a].attribute, kinds[i].attributes[a].size);
		/* of objects like those of the zoo, and not of virtual ones */
		if (kinds[i].copy && ref == one_of(type, false)) {
			RAN(kinds[i].copy(ref, l.bytes + l.size, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
			l.size += kinds[i].bytes;
		}
	}
	return l;
}

static inline void expect_alike(const struct likeness *before, vx_reference ref, const char *name)
{
	const struct likeness after = likeness_of(ref);
	for (size_t i = 0; i < after.size; i++)
		if (before->bytes[i] != after.bytes[i])
			fail_msg("%s: calls that were refused have changed byte %zu of what an object of type 0x%x is like", name, i,
				 (unsigned)type_of(ref));
}

/* ---- rows ---- */
#define R(object) {.ref = (vx_reference)(object)}
#define P(address) {.ptr = (void *)(uintptr_t)(address)}
#define N(number) {.num = (vx_int64)(number)}
#define X(number) {.real = (number)}
#define F(name) {.function = (void (*)(void))(name)}
#define CALL(function, ...) .name = #function, .good = {__VA_ARGS__}
#define WRONG(...) .wrong = {__VA_ARGS__}
enum { WRONG_MAX = 26 };
struct row {
	const char *name;
	union arg good[ARGS_MAX]; /* of a HANDLE_AT: the handle */
	struct wrong { unsigned at; union arg value; vx_status status; } wrong[WRONG_MAX]; /* up to the first without a status */
	vx_status first;   /* of a first argument that is no reference, where it is not as usual */
	vx_status foreign; /* of an object of another context in another place; 0: it will do */
	vx_status another; /* of one of another type there, where it is not BAD_REFERENCE */
	unsigned optional; /* parameters that may be NULL: a bit each */
	bool borrowed;     /* the result is not to be released */
	bool is_last;      /* the call would not succeed, or end what others need */
	void (*undo)(const union arg *args, union arg result); /* what the call has done */
};

static inline void refuse(const struct call *c, const union arg *args, vx_status expected, bool is_logged, unsigned at, const char *how)
{
	logged.calls = 0;
	const vx_status got = said(c, c->call(args));
	if (got != expected)
		fail_msg("%s with argument %u (%s) %s: gave %d, not %d", c->name, at, c->parameters[at].name, how, got, expected);
	if (is_logged && (!logged.calls || logged.status != expected))
		fail_msg("%s with argument %u (%s) %s: logged %u times, last with %d, not with %d", c->name, at, c->parameters[at].name, how,
			 logged.calls, logged.status, expected);
}

/* What is said of a first argument that is none: there is nothing to create an object with. */
static inline vx_status status_of_first(const struct row *row, const struct call *c)
{
	if (row->first)
		return row->first;
	if (c->returns.kind == HANDLE)
		return VX_ERROR_NO_RESOURCES;
	return strcmp(c->returns.c_type, "vx_status") ? VX_FAILURE : BAD_REFERENCE;
}

static inline bool has_object(const struct call *c)
{
	return c->count && (c->parameters[0].kind == HANDLE || c->parameters[0].kind == HANDLE_AT);
}

/* Whether there is an object to log against, and a status that is logged. */
static inline bool logs(const struct call *c, unsigned at)
{
	return at && has_object(c) && (c->returns.kind == HANDLE || !strcmp(c->returns.c_type, "vx_status"));
}

static inline unsigned refuse_references(const struct row *row, const struct call *c)
{
	unsigned count = 0;
	for (unsigned at = 0; at < c->count; at++) {
		const struct parameter *p = &c->parameters[at];
		if (p->kind != HANDLE && (p->kind != HANDLE_AT || at))
			continue;
		for (unsigned way = 0; way < WAYS; way++) {
			union arg args[ARGS_MAX];
			if ((way == NO_REFERENCE && row->optional >> at & 1) || (way == ANOTHER_TYPE && p->type == VX_TYPE_REFERENCE))
				continue;
			vx_reference none = none_of(p->type, way), kept = none;
			memcpy(args, row->good, sizeof args);
			args[at].ref = none;
			if (p->kind == HANDLE_AT)
				args[at].ptr = &kept;
			refuse(c, args, !at ? status_of_first(row, c) : way == ANOTHER_TYPE && row->another ? row->another : BAD_REFERENCE, logs(c, at), at,
			       ways[way]);
			if (kept != none)
				fail_msg("%s with a pointer to %s has written there", c->name, ways[way]);
			count++;
		}
		if (p->kind == HANDLE_AT) {
			refuse(c, (const union arg[ARGS_MAX]){{.ptr = NULL}}, BAD_REFERENCE, false, at, "NULL");
			count++;
		}
		if (at && row->foreign && row->good[at].ref) {
			union arg args[ARGS_MAX];
			memcpy(args, row->good, sizeof args);
			args[at].ref = one_of(type_of(row->good[at].ref), true);
			refuse(c, args, row->foreign, logs(c, at), at, "of another context");
			count++;
		}
	}
	return count;
}

static inline void accept(const struct row *row, const struct call *c)
{
	union arg args[ARGS_MAX];
	vx_reference ref = row->good[0].ref;
	memcpy(args, row->good, sizeof args);
	if (c->count && c->parameters[0].kind == HANDLE_AT) {
		args[0].ptr = &ref;
		RAN(vxRetainReference(ref));
	}
	const union arg result = c->call(args);
	const vx_status got = said(c, result);
	if (got != VX_SUCCESS)
		fail_msg("%s with all arguments as they should be: gave %d; %s", c->name, got, logged.text);
	if (row->undo)
		row->undo(args, result);
	else if (c->returns.kind == HANDLE && !row->borrowed)
		RAN(vxReleaseReference(&(vx_reference){result.ref}));
}

/* Of rows that make nodes. */
static inline void undo_node(const union arg *args, union arg result)
{
	(void)args;
	RAN(vxRemoveNode((vx_node *)&result.ref));
}

/* All calls of a row. */
static inline void refuse_row(const struct row *row)
{
	const struct call *c = call_named(row->name);
	const struct likeness of_context = likeness_of((vx_reference)context);
	struct likeness before = {0};
	if (has_object(c))
		before = likeness_of(row->good[0].ref);
	unsigned count = refuse_references(row, c);
	for (const struct wrong *w = row->wrong; w < row->wrong + WRONG_MAX && w->status; w++, count++) {
		union arg args[ARGS_MAX];
		char how[64];
		memcpy(args, row->good, sizeof args);
		args[w->at] = w->value;
		snprintf(how, sizeof how, "0x%llx (case %zu)", (unsigned long long)w->value.num, (size_t)(w - row->wrong));
		refuse(c, args, w->status, logs(c, w->at), w->at, how);
	}
	if (has_object(c))
		expect_alike(&before, row->good[0].ref, row->name);
	expect_alike(&of_context, (vx_reference)context, row->name);
	if (!row->is_last)
		accept(row, c);
	assert_true(count || !c->count);
	now_refused(row->name);
}

static inline void refuse_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		refuse_row(&rows[i]);
}

/* ---- graphs that cannot run ---- */
/* Verification fails, and the log says which parameter of which kernel's node it is. */
static inline void expect_fault(vx_graph graph, vx_status status, const char *kernel, unsigned parameter)
{
	char name[VX_MAX_KERNEL_NAME + 1], place[24];
	snprintf(name, sizeof name, "%s,", kernel);
	snprintf(place, sizeof place, "parameter %u:", parameter);
	logged.calls = 0;
	REFUSED(status, vxVerifyGraph(graph));
	if (!logged.calls || logged.status != status || !strstr(logged.text, name) || !strstr(logged.text, place))
		fail_msg("%s: logged %u times, last %d, \"%s\", not %d of %s %s", what, logged.calls, logged.status, logged.text, status, name, place);
	assert_false(vxIsGraphVerified(graph));
}

/* ---- maps ---- */
/* The number of a map, where a call has put it. */
static inline vx_map_id *map_of(const struct call *c, const union arg *args)
{
	for (unsigned i = 0; i < c->count; i++)
		if (!strcmp(c->parameters[i].name, "map_id"))
			return args[i].ptr;
	fail_msg("%s gives no map", c->name);
	return NULL;
}

static inline vx_status unmap(vx_reference ref, vx_map_id id)
{
	return (vx_status)call_of("vxUnmap", type_of(ref))->call((const union arg[]){{.ref = ref}, {.num = (vx_int64)id}}).num;
}

static inline void undo_map(const union arg *args, union arg result)
{
	(void)result;
	RAN(unmap(args[0].ref, *map_of(call_of("vxMap", type_of(args[0].ref)), args)));
}

/* A row of a function that maps; and what is no map of its object: one of another, one that has been closed, numbers. */
static inline void refuse_map(const struct row *map)
{
	const struct call *c = call_named(map->name);
	const vx_enum type = type_of(map->good[0].ref);
	vx_reference another = new_object(context, type);
	union arg args[ARGS_MAX];
	refuse_row(map);
	memcpy(args, map->good, sizeof args);
	const vx_map_id closed = *map_of(c, args);
	RAN((vx_status)c->call(args).num);
	const vx_map_id open = *map_of(c, args);
	args[0].ref = another;
	RAN((vx_status)c->call(args).num);
	const vx_map_id of_another = *map_of(c, args);
	const struct row row = {
		.name = call_of("vxUnmap", type)->name, .good = {map->good[0], N(open)},
		WRONG({0, R(another), BAD_PARAMETERS}, {1, N(0), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {1, N(of_another), BAD_PARAMETERS},
		      {1, N(closed), BAD_PARAMETERS}),
	};
	refuse_row(&row);
	REFUSED(BAD_PARAMETERS, unmap(map->good[0].ref, open));
	RAN(unmap(another, of_another));
	end_object(another, type);
}

/* ---- what is wrong with arguments that many functions have ---- */
/* An attribute at 1, an address at 2, and the size of what is there at 3. */
#define WRONG_ATTRIBUTE {1, N(0), UNSUPPORTED}, {1, N(-1), UNSUPPORTED}, {1, N(VX_TYPE_IMAGE), UNSUPPORTED}
#define WRONG_SIZE(size) \
	{2, P(NULL), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N((size) - 1), BAD_PARAMETERS}, {3, N((size) + 1), BAD_PARAMETERS}, \
	{3, N(-1), BAD_PARAMETERS}
/* An address, a usage and a type of memory, one behind the other. */
#define WRONG_COPY(at) \
	{(at), P(NULL), BAD_PARAMETERS}, {(at) + 1, N(0), BAD_PARAMETERS}, {(at) + 1, N(VX_READ_AND_WRITE), BAD_PARAMETERS}, \
	{(at) + 1, N(-1), BAD_PARAMETERS}, WRONG_MEMORY((at) + 2)
#define WRONG_MEMORY(at) \
	{(at), N(0), BAD_PARAMETERS}, {(at), N(VX_MEMORY_TYPE_NONE), BAD_PARAMETERS}, {(at), N(-1), BAD_PARAMETERS}
#define WRONG_USAGE(at) {(at), N(0), BAD_PARAMETERS}, {(at), N(VX_MEMORY_TYPE_HOST), BAD_PARAMETERS}, {(at), N(-1), BAD_PARAMETERS}
#endif
