/* Program objects: how they are made, and what can be asked of them. Builds are in
 * program_build.c. */
#include "runtime/opencl/program.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void program_dropped(void *object)
{
	struct _cl_program *p = object;
	for (unsigned i = 0; i < p->num_devices; i++)
		program_code_disown(p->device[i].code);
}

static void program_destroy(void *object)
{
	struct _cl_program *p = object;
	for (unsigned i = 0; i < p->num_devices; i++) {
		program_code_unhold(p->device[i].code);
		free(p->device[i].options);
		free(p->device[i].log);
	}
	object_unuse(&p->context->object);
	pthread_mutex_destroy(&p->lock);
	free(p->source);
	free(p);
}

struct _cl_program *program_create(struct _cl_context *context, enum program_origin origin, unsigned num_devices,
				   const cl_device_id *devices)
{
	struct _cl_program *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	object_init(&p->object, MAGIC_PROGRAM, program_dropped, program_destroy);
	object_use(&context->object);
	p->context = context;
	p->origin = origin;
	p->num_devices = num_devices ? num_devices : context->num_devices;
	memcpy(p->devices, num_devices ? devices : context->devices, p->num_devices * sizeof *p->devices);
	for (unsigned i = 0; i < p->num_devices; i++)
		p->device[i].status = CL_BUILD_NONE;
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

int program_device_index(const struct _cl_program *p, const struct _cl_device_id *device)
{
	for (unsigned i = 0; i < p->num_devices; i++)
		if (p->devices[i] == device)
			return (int)i;
	return -1;
}

cl_program_binary_type program_binary_type(const struct program_device *d)
{
	if (!d->code)
		return CL_PROGRAM_BINARY_TYPE_NONE;
	switch (kernel_object_type(d->code->object)) {
	case NOTE_EXECUTABLE: return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	case NOTE_COMPILED: return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	case NOTE_LIBRARY: return CL_PROGRAM_BINARY_TYPE_LIBRARY;
	}
	return CL_PROGRAM_BINARY_TYPE_NONE;
}

struct program_code *program_executable(struct _cl_program *p)
{
	struct program_code *code = NULL;
	HOLDING(&p->lock);
	for (unsigned i = 0; i < p->num_devices && !code; i++)
		if (p->device[i].status == CL_BUILD_SUCCESS &&
		    program_binary_type(&p->device[i]) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
			code = p->device[i].code;
	if (code)
		program_code_hold(code);
	return code;
}

char *program_number_name(unsigned number, char *buffer, size_t size)
{
	if (number > 1)
		snprintf(buffer, size, "program%u.cl", number);
	else
		snprintf(buffer, size, "program.cl");
	return buffer;
}

/* ---- creation ---- */

CL_API_ENTRY cl_program CL_API_CALL galena_clCreateProgramWithSource(cl_context context, cl_uint count,
								      const char **strings, const size_t *lengths,
								      cl_int *errcode_ret)
{
	static atomic_uint sources;
	size_t size = 0, at = 0;
	/* CL_CREATEPROGRAMWITH*_CONTEXT: OpenCL 3.0, 5.8.1: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "context %p is not valid", (void *)context);
	/* CL_CREATEPROGRAMWITHSOURCE_COUNT_ZERO, CL_CREATEPROGRAMWITHSOURCE_STRINGS_NULL, CL_CREATEPROGRAMWITHSOURCE_STRING_NULL: 5.8.1:
	 * CL_INVALID_VALUE if there is no string, or one of them is NULL */
	FAIL_NULL_IF(!count || !strings, errcode_ret, CL_INVALID_VALUE, "no strings");
	for (cl_uint i = 0; i < count; i++) {
		FAIL_NULL_IF(!strings[i], errcode_ret, CL_INVALID_VALUE, "string %u is NULL", i);
		size += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
	}
	struct _cl_program *p = program_create(context, PROGRAM_SOURCE, 0, NULL);
	FAIL_NULL_IF(!p, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
	p->source = malloc(size + 1);
	if (!p->source)
		return api_object(errcode_ret, FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for %zu bytes of source", size), &p->object);
	for (cl_uint i = 0; i < count; i++) {
		size_t n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
		memcpy(p->source + at, strings[i], n);
		at += n;
	}
	p->source[size] = 0;
	p->source_size = size;
	p->number = atomic_fetch_add(&sources, 1) + 1;
	return api_result(errcode_ret, CL_SUCCESS, p);
}

/* 5.8.1: the devices of a list have to be devices of the context, each at most once. */
static bool device_list_valid(cl_context context, cl_uint num_devices, const cl_device_id *devices)
{
	for (cl_uint i = 0; i < num_devices; i++) {
		if (!DEVICE_VALID(devices[i]) || !context_has_device(context, devices[i]))
			return false;
		for (cl_uint j = 0; j < i; j++)
			if (devices[i] == devices[j])
				return false;
	}
	return num_devices <= CONTEXT_DEVICES_MAX;
}

/* Code for binary i: that of an earlier device when the bytes are the same. */
static struct program_code *binary_code(struct _cl_program *p, cl_uint i, const void *data, size_t size, const char **error)
{
	for (cl_uint j = 0; j < i; j++) {
		struct program_code *other = p->device[j].code;
		if (other && other->binary_size == size && !memcmp(other->binary, data, size)) {
			program_code_own(other);
			return other;
		}
	}
	void *copy = malloc(size);
	if (!copy) {
		*error = "out of memory";
		return NULL;
	}
	memcpy(copy, data, size);
	return program_code_create(copy, size, error);
}

CL_API_ENTRY cl_program CL_API_CALL galena_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
								      const cl_device_id *device_list,
								      const size_t *lengths,
								      const unsigned char **binaries,
								      cl_int *binary_status, cl_int *errcode_ret)
{
	cl_int code = CL_SUCCESS;
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "context %p is not valid", (void *)context);
	/* CL_CREATEPROGRAMWITHBINARY_DEVICES_*, CL_CREATEPROGRAMWITHBINARY_LENGTHS_NULL, CL_CREATEPROGRAMWITHBINARY_BINARIES_NULL: 5.8.1:
	 * CL_INVALID_VALUE if the list is empty, or there are no lengths or binaries */
	if (!num_devices || !device_list || !lengths || !binaries)
		return FAIL_NULL(errcode_ret, CL_INVALID_VALUE, "no %s", !num_devices || !device_list ? "devices" : "binaries");
	/* CL_CREATEPROGRAMWITHBINARY_DEVICE, CL_CREATEPROGRAMWITHBINARY_DEVICE_FOREIGN: 5.8.1: CL_INVALID_DEVICE if a device is not one of the
	 * context's */
	if (!device_list_valid(context, num_devices, device_list))
		return FAIL_NULL(errcode_ret, CL_INVALID_DEVICE, "the list holds a device that is not in the context, or one twice");
	/* CL_CREATEPROGRAMWITHBINARY_LENGTH_ZERO, CL_CREATEPROGRAMWITHBINARY_BINARY_NULL: 5.8.1: CL_INVALID_VALUE if a length is 0 or a binary NULL; told of each device */
	for (cl_uint i = 0; i < num_devices; i++) {
		bool bad = !lengths[i] || !binaries[i];
		if (binary_status)
			binary_status[i] = bad ? CL_INVALID_VALUE : CL_SUCCESS;
		if (bad)
			code = CL_INVALID_VALUE;
	}
	FAIL_NULL_IF(code, errcode_ret, CL_INVALID_VALUE, "a binary is empty");
	struct _cl_program *p = program_create(context, PROGRAM_BINARY, num_devices, device_list);
	FAIL_NULL_IF(!p, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for a program");
	/* CL_CREATEPROGRAMWITHBINARY_BINARY: 5.8.1: CL_INVALID_BINARY if a binary cannot be used; told of each device */
	for (cl_uint i = 0; i < num_devices; i++) {
		const char *error = "";
		p->device[i].code = binary_code(p, i, binaries[i], lengths[i], &error);
		if (p->device[i].code)
			continue;
		code = FAIL(CL_INVALID_BINARY, "binary %u: %s", i, error);
		if (binary_status)
			binary_status[i] = code;
	}
	return api_object(errcode_ret, code, &p->object);
}

CL_API_ENTRY cl_program CL_API_CALL galena_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
									      const cl_device_id *device_list,
									      const char *kernel_names,
									      cl_int *errcode_ret)
{
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "context %p is not valid", (void *)context);
	/* CL_CREATEPROGRAMWITHBUILTINKERNELS_DEVICES_*, CL_CREATEPROGRAMWITHBUILTINKERNELS_NAMES_NULL: devices and names */
	FAIL_NULL_IF(!num_devices || !device_list, errcode_ret, CL_INVALID_VALUE, "no devices");
	FAIL_NULL_IF(!kernel_names, errcode_ret, CL_INVALID_VALUE, "no kernel names");
	if (!device_list_valid(context, num_devices, device_list))
		return FAIL_NULL(errcode_ret, CL_INVALID_DEVICE, "the list holds a device that is not in the context, or one twice");
	/* CL_CREATEPROGRAMWITHBUILTINKERNELS_DEVICE, CL_CREATEPROGRAMWITHBUILTINKERNELS_DEVICE_FOREIGN: devices of the context */
	/* CL_CREATEPROGRAMWITHBUILTINKERNELS_NAMES: 5.8.1: CL_INVALID_VALUE for a kernel that no device has built in; none has any */
	return FAIL_NULL(errcode_ret, CL_INVALID_VALUE, "no device has built-in kernels: \"%s\"", kernel_names);
}

CL_API_ENTRY cl_program CL_API_CALL galena_clCreateProgramWithIL(cl_context context, const void *il, size_t length,
								  cl_int *errcode_ret)
{
	(void)il, (void)length;
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "context %p is not valid", (void *)context);
	/* CL_CREATEPROGRAMWITHIL_SUPPORT: 5.8.1: CL_INVALID_OPERATION if no device takes intermediate languages (CL_DEVICE_IL_VERSION
	 * is empty) */
	return FAIL_NULL(errcode_ret, CL_INVALID_OPERATION, "no device takes intermediate languages");
}

CL_API_ENTRY cl_int CL_API_CALL galena_clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id,
									   size_t spec_size, const void *spec_value)
{
	(void)spec_id, (void)spec_size, (void)spec_value;
	/* CL_SETPROGRAMSPECIALIZATIONCONSTANT_PROGRAM: 5.8.3: CL_INVALID_PROGRAM if it is not a program made from an intermediate language */
	NEED_PROGRAM(program);
	/* CL_SETPROGRAMSPECIALIZATIONCONSTANT_SUPPORT: 5.8.3: CL_INVALID_OPERATION if no device takes intermediate languages */
	return FAIL(CL_INVALID_OPERATION, "no device takes intermediate languages");
}

CL_API_ENTRY cl_int CL_API_CALL galena_clSetProgramReleaseCallback(cl_program program,
								    void(CL_CALLBACK *pfn_notify)(cl_program, void *),
								    void *user_data)
{
	(void)user_data;
	NEED_PROGRAM(program);
	/* CL_SETPROGRAMRELEASECALLBACK_PROGRAM, CL_SETPROGRAMRELEASECALLBACK_NOTIFY: 5.8.3: CL_INVALID_VALUE if there is no function */
	FAIL_IF(!pfn_notify, CL_INVALID_VALUE, "pfn_notify is NULL");
	/* CL_SETPROGRAMRELEASECALLBACK_SUPPORT: 5.8.3: CL_INVALID_OPERATION if no device has destructors of program-scope variables */
	return FAIL(CL_INVALID_OPERATION, "no device has destructors of program-scope variables");
}

/* ---- references ---- */

/* CL_RETAINPROGRAM_PROGRAM: a program */
/* CL_RELEASEPROGRAM_PROGRAM: one that the application has a reference to */
OBJECT_REFERENCES(galena_clRetainProgram, galena_clReleaseProgram, cl_program, MAGIC_PROGRAM, CL_INVALID_PROGRAM,
		  "program %p is not valid", (void *)object)

/* ---- queries ---- */

/* 5.8.7: "name;name;name" of all kernels. */
static cl_int kernel_names_info(const struct kernel_object *object, INFO_PARAMETERS)
{
	size_t size = 1, at = 0;
	for (size_t i = 0; i < kernel_object_num_kernels(object); i++)
		size += strlen(kernel_object_string(object, kernel_object_kernel(object, i)->name)) + 1;
	char *names = malloc(size);
	FAIL_IF(!names, CL_OUT_OF_HOST_MEMORY, "no memory for kernel names");
	*names = 0;
	for (size_t i = 0; i < kernel_object_num_kernels(object); i++)
		at += (size_t)sprintf(names + at, "%s%s", i ? ";" : "", kernel_object_string(object, kernel_object_kernel(object, i)->name));
	cl_int code = INFO_STRING(names);
	free(names);
	return code;
}

static cl_int program_kernels_info(struct _cl_program *p, cl_program_info param_name, INFO_PARAMETERS)
{
	/* CL_GETPROGRAMINFO_EXECUTABLE: 5.8.7: CL_INVALID_PROGRAM_EXECUTABLE if no device has an executable */
	struct program_code *code = program_executable(p);
	cl_int result;
	FAIL_IF(!code, CL_INVALID_PROGRAM_EXECUTABLE, "the program has no executable; build it first");
	if (param_name == CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT || param_name == CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT)
		result = INFO(cl_bool, CL_FALSE);
	else if (param_name == CL_PROGRAM_NUM_KERNELS)
		result = INFO(size_t, kernel_object_num_kernels(code->object));
	else
		result = kernel_names_info(code->object, INFO_ARGUMENTS);
	program_code_unhold(code);
	return result;
}

/* 5.8.7: one pointer a device; those that are NULL are skipped. */
static cl_int program_binaries_info(struct _cl_program *p, INFO_PARAMETERS)
{
	const size_t size = p->num_devices * sizeof(unsigned char *);
	unsigned char *const *out = param_value;
	FAIL_IF(out && param_value_size < size, CL_INVALID_VALUE, "%zu bytes are needed", size);
	if (param_value_size_ret)
		*param_value_size_ret = size;
	if (!out)
		return CL_SUCCESS;
	HOLDING(&p->lock);
	for (unsigned i = 0; i < p->num_devices; i++)
		if (out[i] && p->device[i].code)
			memcpy(out[i], p->device[i].code->binary, p->device[i].code->binary_size);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetProgramInfo(cl_program program, cl_program_info param_name, INFO_PARAMETERS)
{
	size_t sizes[CONTEXT_DEVICES_MAX];
	/* CL_GETPROGRAMINFO_PROGRAM: a program */
	NEED_PROGRAM(program);
	switch (param_name) {
	case CL_PROGRAM_REFERENCE_COUNT: return INFO(cl_uint, object_refs(&program->object));
	case CL_PROGRAM_CONTEXT: return INFO(cl_context, program->context);
	case CL_PROGRAM_NUM_DEVICES: return INFO(cl_uint, program->num_devices);
	case CL_PROGRAM_DEVICES: return INFO_BYTES(program->devices, program->num_devices * sizeof *program->devices);
	case CL_PROGRAM_SOURCE: return INFO_STRING(program->source);
	case CL_PROGRAM_IL: return INFO_BYTES(NULL, 0);
	case CL_PROGRAM_BINARY_SIZES:
		pthread_mutex_lock(&program->lock);
		for (unsigned i = 0; i < program->num_devices; i++)
			sizes[i] = program->device[i].code ? program->device[i].code->binary_size : 0;
		pthread_mutex_unlock(&program->lock);
		return INFO_BYTES(sizes, program->num_devices * sizeof *sizes);
	case CL_PROGRAM_BINARIES:
		return program_binaries_info(program, INFO_ARGUMENTS);
	case CL_PROGRAM_NUM_KERNELS:
	case CL_PROGRAM_KERNEL_NAMES:
	case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
	case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
		return program_kernels_info(program, param_name, INFO_ARGUMENTS);
	/* CL_GETPROGRAMINFO_PARAM_NAME, CL_GETPROGRAMBUILDINFO_PARAM_NAME: a query that there is */
	default: return FAIL(CL_INVALID_VALUE, "query 0x%x is not known", param_name);
	}
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name,
							     INFO_PARAMETERS)
{
	NEED_PROGRAM(program);
	/* CL_GETPROGRAMBUILDINFO_PROGRAM, CL_GETPROGRAMBUILDINFO_DEVICE, CL_GETPROGRAMBUILDINFO_DEVICE_FOREIGN: 5.8.7: CL_INVALID_DEVICE if the device
	 * is not one of the program's */
	int i = program_device_index(program, device);
	FAIL_IF(i < 0, CL_INVALID_DEVICE, "device %p is not one of the program's", (void *)device);
	const struct program_device *d = &program->device[i];
	HOLDING(&program->lock);
	switch (param_name) {
	case CL_PROGRAM_BUILD_STATUS: return INFO(cl_build_status, d->status);
	case CL_PROGRAM_BUILD_OPTIONS: return INFO_STRING(d->options);
	case CL_PROGRAM_BUILD_LOG: return INFO_STRING(d->log);
	case CL_PROGRAM_BINARY_TYPE: return INFO(cl_program_binary_type, program_binary_type(d));
	case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: return INFO(size_t, d->code ? kernel_object_global_bytes(d->code->object) : 0);
	default: return FAIL(CL_INVALID_VALUE, "query 0x%x is not known", param_name);
	}
}
