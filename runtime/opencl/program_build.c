/* Build, compile and link. Devices are alike, so one run of the compiler serves all that a call
 * names. The run takes place inside the call; a completion function is called on the callback
 * thread once it has ended. */
#include "base/cancel.h"
#include "runtime/kmd/profile.h"
#include "runtime/opencl/program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void(CL_CALLBACK *program_notify)(cl_program, void *);

/* What one run of the compiler gave. */
struct build_result {
	enum compile_status status;
	struct program_code *code; /* one owner and hold; NULL unless status is COMPILE_OK */
	char *log;                 /* malloc'ed; may be NULL */
};

static void build_run(const struct compile_request *request, struct build_result *out)
{
	NOT_CANCELLED;
	PHASE_HERE(BUILD);
	void *object = NULL;
	size_t size = 0;
	const char *error = "";
	*out = (struct build_result){0};
	out->status = compiler_run(request, &object, &size, &out->log);
	if (out->status != COMPILE_OK) {
		free(object);
		return;
	}
	out->code = program_code_create(object, size, &error);
	if (!out->code) {
		/* the compiler's own output is not readable: its installation is at fault */
		log_write(LOG_ERROR, "compiler output cannot be used: %s", error);
		free(out->log);
		out->log = strdup(error);
		out->status = COMPILE_NO_COMPILER;
	}
}

/* The API's code for the result; failed and bad_options are those of the action. */
static cl_int build_code(const struct build_result *r, cl_int failed, cl_int bad_options)
{
	switch (r->status) {
	case COMPILE_OK: return CL_SUCCESS;
	case COMPILE_FAILED: return failed;
	case COMPILE_BAD_OPTIONS: return bad_options;
	case COMPILE_NO_COMPILER:
		log_write(LOG_ERROR, "no compiler: %.*s", (int)strcspn(r->log ? r->log : "", "\n"), r->log ? r->log : "");
		return CL_COMPILER_NOT_AVAILABLE;
	case COMPILE_NO_MEMORY: return CL_OUT_OF_HOST_MEMORY;
	}
	return failed;
}

static void code_drop(struct program_code *code)
{
	program_code_disown(code);
	program_code_unhold(code);
}

/* The build's log with the program's name for its source; NULL: there is none. */
static char *log_named(const struct _cl_program *p, const char *log)
{
	const size_t placeholder = strlen(COMPILE_SOURCE_NAME);
	char name[32], *out = NULL;
	size_t size = 0;
	FILE *f = log ? open_memstream(&out, &size) : NULL;
	if (!f)
		return NULL;
	program_number_name(p->number, name, sizeof name);
	for (const char *at; p->origin == PROGRAM_SOURCE && (at = strstr(log, COMPILE_SOURCE_NAME)); log = at + placeholder)
		fprintf(f, "%.*s%s", (int)(at - log), log, name);
	fputs(log, f);
	fclose(f);
	return out;
}

/* Stores a result in one device of the program. program->lock. */
static void device_result_set(const struct _cl_program *p, struct program_device *d, const struct build_result *r, const char *options)
{
	code_drop(d->code);
	if (r->code)
		program_code_own(r->code);
	d->code = r->code;
	free(d->log);
	free(d->options);
	d->log = log_named(p, r->log);
	d->options = options ? strdup(options) : NULL;
	d->status = r->status == COMPILE_OK ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
}

static void build_result_free(struct build_result *r)
{
	code_drop(r->code);
	free(r->log);
}

/* ---- completion functions ---- */

struct notice {
	program_notify fn;
	cl_program program; /* in use */
	void *arg;
};

static void notice_call(void *arg)
{
	struct notice *n = arg;
	object_callback_ref(&n->program->object);
	n->fn(n->program, n->arg);
	object_callback_unref(&n->program->object);
	object_unuse(&n->program->object);
	free(n);
}

/* Memory for the call is there before the work begins, so that it cannot be lost. */
static struct notice *notice_create(cl_program program, program_notify fn, void *arg)
{
	struct notice *n = malloc(sizeof *n);
	if (n)
		*n = (struct notice){fn, program, arg};
	return n;
}

/* 5.8.2, 5.8.4, 5.8.5: with a completion function the call says only whether the build could begin; how
 * it ended is in the build status. */
static cl_int build_finish(struct notice *notice, cl_int code, cl_int failed)
{
	if (!notice || (code != CL_SUCCESS && code != failed)) {
		free(notice);
		return code;
	}
	object_use(&notice->program->object);
	callback_post(notice_call, notice);
	return CL_SUCCESS;
}

/* ---- what build and compile check alike ---- */

/* The devices of a call as a mask over the program's devices. OpenCL 3.0, 5.8.2 and 5.8.4. */
static cl_int devices_select(const char *function, cl_program program, cl_uint num_devices, const cl_device_id *list,
			     program_notify notify, const void *user_data, uint32_t *mask)
{
	/* CL_BUILDPROGRAM_DEVICES_*, CL_COMPILEPROGRAM_DEVICES_*: CL_INVALID_VALUE if the list and its length disagree */
	if (!num_devices != !list)
		return api_error(function, CL_INVALID_VALUE, "CL_INVALID_VALUE", "device list and its length disagree");
	/* CL_BUILDPROGRAM_NOTIFY, CL_COMPILEPROGRAM_NOTIFY: CL_INVALID_VALUE if there is user data but no function */
	if (!notify && user_data)
		return api_error(function, CL_INVALID_VALUE, "CL_INVALID_VALUE", "user_data without pfn_notify");
	*mask = num_devices ? 0 : (uint32_t)((1ull << program->num_devices) - 1);
	for (cl_uint i = 0; i < num_devices; i++) {
		/* CL_BUILDPROGRAM_DEVICE, CL_COMPILEPROGRAM_DEVICE, CL_BUILDPROGRAM_DEVICE_FOREIGN, CL_COMPILEPROGRAM_DEVICE_FOREIGN: CL_INVALID_DEVICE if
		 * a device is not one of the program's */
		int index = DEVICE_VALID(list[i]) ? program_device_index(program, list[i]) : -1;
		if (index < 0)
			return api_error(function, CL_INVALID_DEVICE, "CL_INVALID_DEVICE",
					 "device %u is not one of the program's", i);
		*mask |= 1u << index;
	}
	return CL_SUCCESS;
}

/* Is d a part of a device that the mask names? */
static bool part_of_named(const struct _cl_program *p, uint32_t mask, const struct _cl_device_id *d)
{
	while ((d = d->parent)) {
		int i = program_device_index(p, d);
		if (i >= 0 && mask >> i & 1)
			return true;
	}
	return false;
}

/* OpenCL 3.0, 5.8.7: what is built for a device serves its sub-devices, too, as long as nothing is built for them.
 * Adds them to the mask. program->lock. */
static void mask_inherit(cl_program program, uint32_t *mask)
{
	const uint32_t named = *mask;
	for (unsigned i = 0; i < program->num_devices; i++) {
		struct program_device *d = &program->device[i];
		if (named >> i & 1)
			d->inherited = false;
		else if ((d->inherited || d->status == CL_BUILD_NONE) && part_of_named(program, named, program->devices[i]))
			d->inherited = true;
		else
			continue;
		*mask |= 1u << i;
	}
}

/* Claims the program for a build. */
static cl_int build_begin(const char *function, cl_program program, uint32_t *mask)
{
	HOLDING(&program->lock);
	/* CL_BUILDPROGRAM_KERNELS, CL_COMPILEPROGRAM_KERNELS, CL_BUILDPROGRAM_BUILDING, CL_COMPILEPROGRAM_BUILDING: CL_INVALID_OPERATION while kernel objects are attached, or while an earlier
	 * build has not completed */
	if (program->kernels)
		return api_error(function, CL_INVALID_OPERATION, "CL_INVALID_OPERATION", "%u kernel objects are attached", program->kernels);
	if (program->building)
		return api_error(function, CL_INVALID_OPERATION, "CL_INVALID_OPERATION", "a build is in progress");
	program->building = true;
	mask_inherit(program, mask);
	for (unsigned i = 0; i < program->num_devices; i++)
		if (*mask >> i & 1)
			program->device[i].status = CL_BUILD_IN_PROGRESS;
	return CL_SUCCESS;
}

static void build_end(cl_program program, uint32_t mask, const struct build_result *r, const char *options)
{
	HOLDING(&program->lock);
	for (unsigned i = 0; i < program->num_devices; i++)
		if (mask >> i & 1)
			device_result_set(program, &program->device[i], r, options);
	program->building = false;
}

/* What the compiler makes of a request becomes the program's, whose build has begun. */
static cl_int build_source(cl_program program, uint32_t mask, struct compile_request *request, struct notice *notice, cl_int failed, cl_int bad_options)
{
	const struct compile_input source = {NULL, program->source, program->source_size};
	struct build_result r;
	request->inputs = &source;
	request->num_inputs = 1;
	build_run(request, &r);
	const cl_int code = build_code(&r, failed, bad_options);
	build_end(program, mask, &r, request->options);
	build_result_free(&r);
	return build_finish(notice, code, failed);
}

/* ---- build ---- */

/* CL_BUILDPROGRAM_BINARY: a program made from binaries is built by finding them in order. 5.8.2: CL_INVALID_BINARY unless
 * each is an executable. */
static cl_int build_binaries(cl_program program, uint32_t mask, const char *options)
{
	cl_int code = CL_SUCCESS;
	HOLDING(&program->lock);
	for (unsigned i = 0; i < program->num_devices; i++) {
		struct program_device *d = &program->device[i];
		if (!(mask >> i & 1))
			continue;
		bool ok = program_binary_type(d) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
		d->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
		free(d->options);
		d->options = options ? strdup(options) : NULL;
		if (!ok)
			code = CL_INVALID_BINARY;
	}
	program->building = false;
	return code;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clBuildProgram(cl_program program, cl_uint num_devices,
						       const cl_device_id *device_list, const char *options,
						       program_notify pfn_notify, void *user_data)
{
	struct notice *notice = NULL;
	uint32_t mask;
	cl_int code;
	/* CL_BUILDPROGRAM_PROGRAM: OpenCL 3.0, 5.8.2: a program */
	NEED_PROGRAM(program);
	TRY(devices_select(__func__, program, num_devices, device_list, pfn_notify, user_data, &mask));
	/* CL_BUILDPROGRAM_ORIGIN: 5.8.2: CL_INVALID_OPERATION if it has neither source nor binaries of its own */
	FAIL_IF(program->origin == PROGRAM_LINKED, CL_INVALID_OPERATION, "the program was made by linking");
	FAIL_IF(pfn_notify && !(notice = notice_create(program, pfn_notify, user_data)), CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
	code = build_begin(__func__, program, &mask);
	if (code) {
		free(notice);
		return code;
	}
	if (program->origin == PROGRAM_BINARY) {
		code = build_binaries(program, mask, options);
		return build_finish(notice, code, CL_BUILD_PROGRAM_FAILURE);
	}
	/* CL_BUILDPROGRAM_FAILURE, CL_BUILDPROGRAM_OPTIONS, CL_BUILDPROGRAM_COMPILER: what the compiler says */
	return build_source(program, mask, &(struct compile_request){.action = COMPILE_BUILD, .options = options}, notice, CL_BUILD_PROGRAM_FAILURE,
			    CL_INVALID_BUILD_OPTIONS);
}

/* ---- compile ---- */

CL_API_ENTRY cl_int CL_API_CALL galena_clCompileProgram(cl_program program, cl_uint num_devices,
							 const cl_device_id *device_list, const char *options,
							 cl_uint num_input_headers, const cl_program *input_headers,
							 const char **header_include_names, program_notify pfn_notify,
							 void *user_data)
{
	struct notice *notice = NULL;
	uint32_t mask;
	cl_int code;
	/* CL_COMPILEPROGRAM_PROGRAM: OpenCL 3.0, 5.8.4: a program */
	NEED_PROGRAM(program);
	TRY(devices_select(__func__, program, num_devices, device_list, pfn_notify, user_data, &mask));
	/* CL_COMPILEPROGRAM_HEADERS_ZERO, CL_COMPILEPROGRAM_HEADERS_NULL: 5.8.4: CL_INVALID_VALUE if headers, their names and their number disagree */
	if (!num_input_headers != !input_headers || !num_input_headers != !header_include_names)
		return FAIL(CL_INVALID_VALUE, "headers, their names and their number disagree");
	for (cl_uint i = 0; i < num_input_headers; i++) {
		/* CL_COMPILEPROGRAM_INPUT: each is a program */
		FAIL_IF(!PROGRAM_VALID(input_headers[i]), CL_INVALID_PROGRAM, "header %u is not a valid program", i);
		/* CL_COMPILEPROGRAM_INPUT_CONTEXT: program and headers are of one context */
		FAIL_IF(input_headers[i]->context != program->context, CL_INVALID_CONTEXT, "header %u is of another context", i);
		FAIL_IF(!header_include_names[i], CL_INVALID_VALUE, "header %u has no name", i);
		FAIL_IF(!input_headers[i]->source, CL_INVALID_OPERATION, "header %u has no source", i);
	}
	/* CL_COMPILEPROGRAM_SOURCE: 5.8.4: CL_INVALID_OPERATION if it has no source */
	FAIL_IF(!program->source, CL_INVALID_OPERATION, "the program has no source");
	struct compile_input *headers = calloc(num_input_headers + 1u, sizeof *headers);
	if (pfn_notify)
		notice = notice_create(program, pfn_notify, user_data);
	if (!headers || (pfn_notify && !notice))
		code = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for %u headers", num_input_headers);
	else
		code = build_begin(__func__, program, &mask);
	if (code) {
		free(headers);
		free(notice);
		return code;
	}
	for (cl_uint i = 0; i < num_input_headers; i++)
		headers[i] = (struct compile_input){header_include_names[i], input_headers[i]->source,
						    input_headers[i]->source_size};
	program_lines_note(program);
	struct compile_request request = {.action = COMPILE_COMPILE, .options = options, .headers = headers, .num_headers = num_input_headers};
	/* CL_COMPILEPROGRAM_FAILURE, CL_COMPILEPROGRAM_OPTIONS, CL_COMPILEPROGRAM_COMPILER: what the compiler says */
	code = build_source(program, mask, &request, notice, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS);
	free(headers);
	return code;
}

/* ---- link ---- */

/* The inputs of a link for one device, held; false when some but not all have code for it. */
static bool link_inputs_find(cl_uint count, const cl_program *programs, const struct _cl_device_id *device,
			     struct program_code **codes, bool *any)
{
	cl_uint found = 0;
	for (cl_uint i = 0; i < count; i++) {
		int index = program_device_index(programs[i], device);
		codes[i] = NULL;
		if (index < 0)
			continue;
		pthread_mutex_lock(&programs[i]->lock);
		const struct program_device *d = &programs[i]->device[index];
		cl_program_binary_type type = program_binary_type(d);
		if (!programs[i]->building && (type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || type == CL_PROGRAM_BINARY_TYPE_LIBRARY)) {
			codes[i] = d->code;
			program_code_hold(codes[i]);
			found++;
		}
		pthread_mutex_unlock(&programs[i]->lock);
	}
	*any = found > 0;
	return found == count || !found;
}

static void link_run(const char *options, cl_uint count, struct program_code *const *codes, struct build_result *out)
{
	struct compile_input *inputs = calloc(count, sizeof *inputs);
	if (!inputs) {
		*out = (struct build_result){.status = COMPILE_NO_MEMORY};
		return;
	}
	for (cl_uint i = 0; i < count; i++)
		inputs[i] = (struct compile_input){NULL, codes[i]->binary, codes[i]->binary_size};
	build_run(&(struct compile_request){.action = COMPILE_LINK, .options = options, .inputs = inputs, .num_inputs = count},
		  out);
	free(inputs);
}

/* Links for every device of the new program. The inputs of devices are mostly the same code: then
 * one link serves them. */
static cl_int link_devices(const char *function, cl_program program, const char *options, cl_uint count,
			   const cl_program *inputs)
{
	struct program_code **codes = calloc(2 * (size_t)count, sizeof *codes), **last = codes + count;
	struct build_result r = {0};
	bool linked = false;
	cl_int code = CL_SUCCESS;
	if (!codes)
		return CL_OUT_OF_HOST_MEMORY;
	for (unsigned i = 0; i < program->num_devices && !code; i++) {
		bool any;
		/* CL_LINKPROGRAM_COMPILED, CL_LINKPROGRAM_BUILDING: 5.8.5: CL_INVALID_OPERATION if for a device some inputs have a compiled binary or
		 * library and others have not; a device that none has one for gets no executable */
		if (!link_inputs_find(count, inputs, program->devices[i], codes, &any))
			code = api_error(function, CL_INVALID_OPERATION, "CL_INVALID_OPERATION",
					 "not every input program is compiled for device %u", i);
		if (!code && any) {
			if (!linked || memcmp(codes, last, count * sizeof *codes)) {
				build_result_free(&r);
				link_run(options, count, codes, &r);
				memcpy(last, codes, count * sizeof *codes);
				linked = true;
			}
			device_result_set(program, &program->device[i], &r, options);
			/* CL_LINKPROGRAM_FAILURE, CL_LINKPROGRAM_OPTIONS, CL_LINKPROGRAM_LINKER: what the linker says */
			code = build_code(&r, CL_LINK_PROGRAM_FAILURE, CL_INVALID_LINKER_OPTIONS);
			if (code == CL_COMPILER_NOT_AVAILABLE)
				code = CL_LINKER_NOT_AVAILABLE;
		}
		for (cl_uint j = 0; j < count; j++)
			program_code_unhold(codes[j]);
	}
	/* 5.8.5: CL_INVALID_OPERATION if no input is compiled for any device */
	if (!code && !linked)
		code = api_error(function, CL_INVALID_OPERATION, "CL_INVALID_OPERATION", "no input program is compiled");
	build_result_free(&r);
	free(codes);
	return code;
}

CL_API_ENTRY cl_program CL_API_CALL galena_clLinkProgram(cl_context context, cl_uint num_devices,
							  const cl_device_id *device_list, const char *options,
							  cl_uint num_input_programs, const cl_program *input_programs,
							  program_notify pfn_notify, void *user_data, cl_int *errcode_ret)
{
	struct notice *notice = NULL;
	cl_int code;
	/* CL_LINKPROGRAM_CONTEXT: OpenCL 3.0, 5.8.5: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "context %p is not valid", (void *)context);
	/* CL_LINKPROGRAM_DEVICES_*, CL_LINKPROGRAM_INPUTS_*, CL_LINKPROGRAM_NOTIFY: 5.8.5: CL_INVALID_VALUE if a list and its length disagree, there are no inputs, or there is
	 * user data but no function */
	if (!num_devices != !device_list || num_devices > CONTEXT_DEVICES_MAX)
		return FAIL_NULL(errcode_ret, CL_INVALID_VALUE, "device list and its length disagree");
	FAIL_NULL_IF(!num_input_programs || !input_programs, errcode_ret, CL_INVALID_VALUE, "no input programs");
	FAIL_NULL_IF(!pfn_notify && user_data, errcode_ret, CL_INVALID_VALUE, "user_data without pfn_notify");
	/* CL_LINKPROGRAM_INPUT: 5.8.5: programs */
	for (cl_uint i = 0; i < num_input_programs; i++)
		FAIL_NULL_IF(!PROGRAM_VALID(input_programs[i]), errcode_ret, CL_INVALID_PROGRAM, "input program %u is not valid", i);
	/* CL_LINKPROGRAM_INPUT_CONTEXT: inputs are of the context */
	for (cl_uint i = 0; i < num_input_programs; i++)
		FAIL_NULL_IF(input_programs[i]->context != context, errcode_ret, CL_INVALID_CONTEXT, "input program %u is of another context", i);
	/* CL_LINKPROGRAM_DEVICE, CL_LINKPROGRAM_DEVICE_FOREIGN: 5.8.5: CL_INVALID_DEVICE if a device is not one of the context's */
	for (cl_uint i = 0; i < num_devices; i++)
		if (!DEVICE_VALID(device_list[i]) || !context_has_device(context, device_list[i]))
			return FAIL_NULL(errcode_ret, CL_INVALID_DEVICE, "device %u is not in the context", i);
	struct _cl_program *program = program_create(context, PROGRAM_LINKED, num_devices, device_list);
	if (program && pfn_notify && !(notice = notice_create(program, pfn_notify, user_data))) {
		object_release(&program->object);
		program = NULL;
	}
	FAIL_NULL_IF(!program, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
	code = link_devices(__func__, program, options, num_input_programs, input_programs);
	/* 5.8.5: when the link could begin there is a program, with a log, even if it failed */
	const bool begun = code == CL_SUCCESS || code == CL_LINK_PROGRAM_FAILURE;
	code = build_finish(notice, code, CL_LINK_PROGRAM_FAILURE);
	return begun ? api_result(errcode_ret, code, program) : api_object(errcode_ret, code, &program->object);
}

/* ---- the compiler's resources ---- */

CL_API_ENTRY cl_int CL_API_CALL galena_clUnloadCompiler(void)
{
	/* The compiler is a process of its own that ends after each build. */
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clUnloadPlatformCompiler(cl_platform_id platform)
{
	/* CL_UNLOADPLATFORMCOMPILER_PLATFORM: 5.8.6: the platform */
	FAIL_IF(!PLATFORM_VALID(platform), CL_INVALID_PLATFORM, "platform %p is not valid", (void *)platform);
	return CL_SUCCESS;
}
