/* Kernel objects: how they are made, counted and cloned. Arguments are in kernel_arg.c, queries in
 * kernel_info.c, launches in ndrange.c. */
#include "runtime/opencl/kernel.h"
#include <stdlib.h>
#include <string.h>

static void kernel_dropped(void *object)
{
	struct _cl_kernel *k = object;
	pthread_mutex_lock(&k->program->lock);
	k->program->kernels--;
	pthread_mutex_unlock(&k->program->lock);
	for (unsigned i = 0; i < CONTEXT_DEVICES_MAX; i++)
		program_code_disown(k->device[i].code);
	object_release(&k->program->object);
}

static void kernel_destroy(void *object)
{
	struct _cl_kernel *k = object;
	for (unsigned i = 0; i < CONTEXT_DEVICES_MAX; i++)
		program_code_unhold(k->device[i].code);
	object_unuse(&k->context->object);
	pthread_mutex_destroy(&k->lock);
	free(k->values);
	free(k->block);
	free(k);
}

/* The kernel of that name in an executable, or NULL. */
static const struct note_kernel *kernel_find(const struct program_code *code, const char *name)
{
	for (size_t i = 0; i < kernel_object_num_kernels(code->object); i++) {
		const struct note_kernel *note = kernel_object_kernel(code->object, i);
		if (!strcmp(kernel_object_string(code->object, note->name), name))
			return note;
	}
	return NULL;
}

/* Are the two kernels' arguments alike? */
static bool kernel_signature_same(const struct kernel_device *a, const struct kernel_device *b)
{
	if (a->note == b->note)
		return true;
	if (a->note->num_args != b->note->num_args || a->note->arg_bytes != b->note->arg_bytes)
		return false;
	const struct note_arg *x = kernel_object_args(a->code->object, a->note);
	const struct note_arg *y = kernel_object_args(b->code->object, b->note);
	for (uint32_t i = 0; i < a->note->num_args; i++)
		if (x[i].kind != y[i].kind || x[i].offset != y[i].offset || x[i].size != y[i].size ||
		    x[i].align != y[i].align)
			return false;
	return true;
}

/* Memory for arguments, and what launches need to know about them. */
static cl_int kernel_layout(struct _cl_kernel *k)
{
	k->args = kernel_object_args(k->code->object, k->note);
	k->num_args = k->num_unset = k->note->num_args;
	for (unsigned i = 0; i < k->num_args; i++)
		k->num_images += k->args[i].kind == NOTE_ARG_IMAGE;
	k->images_offset = (uint32_t)(sizeof(struct kernarg_header) + ((k->note->arg_bytes + 15) & ~15u));
	k->kernarg_bytes = k->images_offset + k->num_images * sizeof(struct image_desc);
	k->values = calloc(k->num_args + 1, sizeof *k->values);
	k->block = calloc(1, k->note->arg_bytes + 1);
	FAIL_IF(!k->values || !k->block, CL_OUT_OF_HOST_MEMORY, "no memory for the arguments of kernel \"%s\"", k->name);
	return CL_SUCCESS;
}

const struct kernel_device *kernel_on(const struct _cl_kernel *k, const struct _cl_device_id *device)
{
	int i = program_device_index(k->program, device);
	return i >= 0 && k->device[i].code ? &k->device[i] : NULL;
}

static struct _cl_kernel *kernel_alloc(struct _cl_program *program)
{
	struct _cl_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return NULL;
	object_init(&k->object, MAGIC_KERNEL, kernel_dropped, kernel_destroy);
	k->context = program->context;
	object_use(&k->context->object);
	k->program = program;
	object_retain(&program->object);
	pthread_mutex_init(&k->lock, NULL);
	HOLDING(&program->lock);
	program->kernels++;
	return k;
}

/* Finds the kernel on every device that has an executable. program->lock. OpenCL 3.0, 5.9.1. */
static cl_int kernel_bind(struct _cl_kernel *k, const char *name)
{
	bool executable = false;
	for (unsigned i = 0; i < k->program->num_devices; i++) {
		const struct program_device *d = &k->program->device[i];
		if (d->status != CL_BUILD_SUCCESS || program_binary_type(d) != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
			continue;
		executable = true;
		struct kernel_device kd = {d->code, kernel_find(d->code, name)};
		if (!kd.note)
			continue;
		if (!k->note) {
			k->code = kd.code;
			k->note = kd.note;
			k->name = kernel_object_string(kd.code->object, kd.note->name);
			k->label = umd_label(galena_platform.driver, k->name);
		} else if (!kernel_signature_same(&kd, &(struct kernel_device){k->code, k->note})) {
			/* CL_CREATEKERNEL_DEFINITION: it has the same arguments on all devices */
			return FAIL(CL_INVALID_KERNEL_DEFINITION, "\"%s\" differs between devices", name);
		}
		program_code_own(kd.code);
		k->device[i] = kd;
	}
	/* CL_CREATEKERNEL_EXECUTABLE, CL_CREATEKERNEL_NAME: there is an executable that has the kernel */
	FAIL_IF(!executable, CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built");
	FAIL_IF(!k->note, CL_INVALID_KERNEL_NAME, "no kernel \"%s\"", name);
	return CL_SUCCESS;
}

static cl_int kernel_create(cl_program program, const char *name, cl_kernel *out)
{
	struct _cl_kernel *k = kernel_alloc(program);
	*out = k;
	FAIL_IF(!k, CL_OUT_OF_HOST_MEMORY, "no memory for kernel \"%s\"", name);
	pthread_mutex_lock(&program->lock);
	cl_int code = kernel_bind(k, name);
	pthread_mutex_unlock(&program->lock);
	if (!code)
		code = kernel_layout(k);
	if (code) {
		object_release(&k->object);
		*out = NULL;
	}
	return code;
}

CL_API_ENTRY cl_kernel CL_API_CALL galena_clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
	cl_kernel k;
	/* CL_CREATEKERNEL_PROGRAM: 5.9.1: a program */
	FAIL_NULL_IF(!PROGRAM_VALID(program), errcode_ret, CL_INVALID_PROGRAM, "program %p is not valid", (void *)program);
	/* CL_CREATEKERNEL_NAME_NULL: 5.9.1: a name */
	FAIL_NULL_IF(!kernel_name, errcode_ret, CL_INVALID_VALUE, "kernel_name is NULL");
	cl_int code = kernel_create(program, kernel_name, &k);
	return api_result(errcode_ret, code, k);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
								 cl_kernel *kernels, cl_uint *num_kernels_ret)
{
	cl_int code = CL_SUCCESS;
	/* CL_CREATEKERNELSINPROGRAM_PROGRAM: a program */
	NEED_PROGRAM(program);
	/* CL_CREATEKERNELSINPROGRAM_EXECUTABLE: 5.9.1: CL_INVALID_PROGRAM_EXECUTABLE if no device has an executable */
	struct program_code *executable = program_executable(program);
	FAIL_IF(!executable, CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built");
	const size_t count = kernel_object_num_kernels(executable->object);
	size_t made = 0;
	/* CL_CREATEKERNELSINPROGRAM_ROOM: 5.9.1: CL_INVALID_VALUE if there is room for fewer than there are */
	if (kernels && num_kernels < count) {
		program_code_unhold(executable);
		return FAIL(CL_INVALID_VALUE, "%u kernels asked for, there are %zu", num_kernels, count);
	}
	for (; kernels && made < count && !code; made += !code) {
		const struct note_kernel *note = kernel_object_kernel(executable->object, made);
		code = kernel_create(program, kernel_object_string(executable->object, note->name), &kernels[made]);
	}
	while (code && made)
		object_release(&kernels[--made]->object);
	program_code_unhold(executable);
	if (!code && num_kernels_ret)
		*num_kernels_ret = (cl_uint)count;
	return code;
}

CL_API_ENTRY cl_kernel CL_API_CALL galena_clCloneKernel(cl_kernel source, cl_int *errcode_ret)
{
	/* CL_CLONEKERNEL_KERNEL: 5.9.1: a kernel */
	FAIL_NULL_IF(!KERNEL_VALID(source), errcode_ret, CL_INVALID_KERNEL, "kernel %p is not valid", (void *)source);
	struct _cl_kernel *k = kernel_alloc(source->program);
	FAIL_NULL_IF(!k, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for a kernel");
	k->code = source->code;
	k->note = source->note;
	k->name = source->name;
	k->label = source->label;
	for (unsigned i = 0; i < CONTEXT_DEVICES_MAX; i++) {
		k->device[i] = source->device[i];
		if (k->device[i].code)
			program_code_own(k->device[i].code);
	}
	const cl_int code = kernel_layout(k);
	if (code)
		return api_object(errcode_ret, code, &k->object);
	/* 5.9.1: the arguments are those of the source at this moment; unset ones stay unset */
	pthread_mutex_lock(&source->lock);
	memcpy(k->values, source->values, k->num_args * sizeof *k->values);
	memcpy(k->block, source->block, k->note->arg_bytes);
	k->num_unset = source->num_unset;
	pthread_mutex_unlock(&source->lock);
	return api_result(errcode_ret, CL_SUCCESS, k);
}

/* CL_RETAINKERNEL_KERNEL: a kernel */
/* CL_RELEASEKERNEL_KERNEL: one that the application has a reference to */
OBJECT_REFERENCES(galena_clRetainKernel, galena_clReleaseKernel, cl_kernel, MAGIC_KERNEL, CL_INVALID_KERNEL,
		  "kernel %p is not valid", (void *)object)
