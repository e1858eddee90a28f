/* clSetKernelArg: checks, then notes the value. */
#include "runtime/opencl/kernel.h"
#include "runtime/opencl/sampler.h"
#include <string.h>

/* The kind of image that an argument's type names: "image2d_array_t" and so on. 0: not known. */
static cl_mem_object_type image_type(const char *type_name)
{
	static const struct {
		const char *prefix; /* longer ones first */
		cl_mem_object_type type;
	} kinds[] = {
		{"image1d_buffer_", CL_MEM_OBJECT_IMAGE1D_BUFFER}, {"image1d_array_", CL_MEM_OBJECT_IMAGE1D_ARRAY},
		{"image2d_array_", CL_MEM_OBJECT_IMAGE2D_ARRAY},   {"image1d_", CL_MEM_OBJECT_IMAGE1D},
		{"image2d_", CL_MEM_OBJECT_IMAGE2D},		   {"image3d_", CL_MEM_OBJECT_IMAGE3D},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(type_name, kinds[i].prefix, strlen(kinds[i].prefix)))
			return kinds[i].type;
	return 0;
}

static cl_int check_buffer(const struct _cl_kernel *k, cl_uint index, const struct _cl_mem *mem)
{
	/* CL_SETKERNELARG_BUFFER: OpenCL 3.0, 5.9.2: a buffer or NULL */
	if (mem && (!MEM_VALID(mem) || mem_is_image(mem)))
		return FAIL(CL_INVALID_MEM_OBJECT, "\"%s\" argument %u: %p is not a buffer", k->name, index,
			    (const void *)mem);
	/* CL_SETKERNELARG_*_CONTEXT: what arguments point to is of the kernel's context */
	FAIL_IF(mem && mem->context != k->context, CL_INVALID_CONTEXT, "\"%s\" argument %u: a buffer of another context", k->name, index);
	return CL_SUCCESS;
}

static cl_int check_image(const struct _cl_kernel *k, cl_uint index, const struct note_arg *arg, const struct _cl_mem *mem)
{
	/* CL_SETKERNELARG_IMAGE, CL_SETKERNELARG_IMAGE_NULL: an image, which must not be NULL */
	if (!MEM_VALID(mem) || !mem_is_image(mem))
		return FAIL(CL_INVALID_MEM_OBJECT, "\"%s\" argument %u: %p is not an image", k->name, index, (const void *)mem);
	FAIL_IF(mem->context != k->context, CL_INVALID_CONTEXT, "\"%s\" argument %u: an image of another context", k->name, index);
	/* CL_SETKERNELARG_IMAGE_READ, CL_SETKERNELARG_IMAGE_WRITE: 5.9.2: an image that may be accessed as the argument's qualifier says */
	const cl_mem_flags refused = arg->access_qualifier == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? CL_MEM_WRITE_ONLY
				     : arg->access_qualifier == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? CL_MEM_READ_ONLY
											       : CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
	FAIL_IF(mem->flags & refused, CL_INVALID_ARG_VALUE, "\"%s\" argument %u: the image's access flags forbid it", k->name, index);
	/* CL_SETKERNELARG_IMAGE_KIND: 5.9.2: an image that is valid for the argument; depth images are for depth_t (6.15.15), and no others are */
	const char *type = kernel_object_string(k->code->object, arg->type_name);
	cl_mem_object_type kind = image_type(type);
	if (kind && kind != mem->type)
		return FAIL(CL_INVALID_MEM_OBJECT, "\"%s\" argument %u: an image of type 0x%x for %s", k->name, index, mem->type,
			    type);
	bool depth = mem->format.image_channel_order == CL_DEPTH;
	if (kind && depth != !!strstr(type, "_depth_t"))
		return FAIL(CL_INVALID_MEM_OBJECT, "\"%s\" argument %u: %s of order CL_DEPTH for %s", k->name, index,
			    depth ? "an image" : "an image not", type);
	return CL_SUCCESS;
}

/* Everything that can be wrong with a value. On success *mem and *slot are what to store. */
static cl_int check_value(const struct _cl_kernel *k, cl_uint index, const struct note_arg *arg, size_t size,
			  const void *value, struct _cl_mem **mem, uint64_t *slot)
{
	cl_sampler sampler;
	switch (arg->kind) {
	case NOTE_ARG_LOCAL:
		/* CL_SETKERNELARG_LOCAL_VALUE, CL_SETKERNELARG_LOCAL_SIZE: 5.9.2: CL_INVALID_ARG_VALUE if a local argument has a value, CL_INVALID_ARG_SIZE if it
		 * has no size */
		FAIL_IF(value, CL_INVALID_ARG_VALUE, "\"%s\" argument %u is local: its value has to be NULL", k->name, index);
		FAIL_IF(!size, CL_INVALID_ARG_SIZE, "\"%s\" argument %u is local: its size is 0", k->name, index);
		return CL_SUCCESS;
	case NOTE_ARG_GLOBAL:
	case NOTE_ARG_CONSTANT:
	case NOTE_ARG_IMAGE:
		/* CL_SETKERNELARG_MEM_SIZE: 5.9.2: CL_INVALID_ARG_SIZE if the size is not that of a memory object */
		FAIL_IF(size != sizeof(cl_mem), CL_INVALID_ARG_SIZE, "\"%s\" argument %u is a memory object: size %zu", k->name, index, size);
		*mem = value ? *(struct _cl_mem *const *)value : NULL;
		return arg->kind == NOTE_ARG_IMAGE ? check_image(k, index, arg, *mem) : check_buffer(k, index, *mem);
	case NOTE_ARG_SAMPLER:
		/* CL_SETKERNELARG_SAMPLER, CL_SETKERNELARG_SAMPLER_NULL, CL_SETKERNELARG_SAMPLER_SIZE: 5.9.2: CL_INVALID_SAMPLER unless it is a sampler (no value is none), CL_INVALID_ARG_SIZE */
		FAIL_IF(!value, CL_INVALID_SAMPLER, "\"%s\" argument %u is a sampler: value is NULL", k->name, index);
		FAIL_IF(size != sizeof(cl_sampler), CL_INVALID_ARG_SIZE, "\"%s\" argument %u is a sampler: size %zu", k->name, index, size);
		sampler = *(const cl_sampler *)value;
		FAIL_IF(!SAMPLER_VALID(sampler), CL_INVALID_SAMPLER, "\"%s\" argument %u: %p is not a sampler", k->name, index, (void *)sampler);
		FAIL_IF(sampler->context != k->context, CL_INVALID_CONTEXT, "\"%s\" argument %u: a sampler of another context", k->name, index);
		*slot = sampler->bits;
		return CL_SUCCESS;
	default:
		/* CL_SETKERNELARG_VALUE_NULL, CL_SETKERNELARG_VALUE_SIZE: 5.9.2: CL_INVALID_ARG_VALUE for NULL, CL_INVALID_ARG_SIZE if the size is not
		 * the type's */
		FAIL_IF(!value, CL_INVALID_ARG_VALUE, "\"%s\" argument %u: value is NULL", k->name, index);
		if (size != arg->size)
			return FAIL(CL_INVALID_ARG_SIZE, "\"%s\" argument %u: size %zu, its type has %u", k->name, index, size,
				    arg->size);
		return CL_SUCCESS;
	}
}

CL_API_ENTRY cl_int CL_API_CALL galena_clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
						       const void *arg_value)
{
	struct _cl_mem *mem = NULL;
	uint64_t slot = 0;
	/* CL_SETKERNELARG_KERNEL: OpenCL 3.0, 5.9.2: a kernel */
	NEED_KERNEL(kernel);
	/* CL_SETKERNELARG_INDEX: 5.9.2: an argument of it */
	FAIL_IF(arg_index >= kernel->num_args, CL_INVALID_ARG_INDEX, "\"%s\" has %u arguments, no %u", kernel->name, kernel->num_args, arg_index);
	const struct note_arg *arg = &kernel->args[arg_index];
	TRY(check_value(kernel, arg_index, arg, arg_size, arg_value, &mem, &slot));
	HOLDING(&kernel->lock);
	struct kernel_arg *v = &kernel->values[arg_index];
	kernel->num_unset -= !v->set;
	v->set = true;
	v->mem = mem;
	v->svm = 0;
	if (arg->kind == NOTE_ARG_LOCAL)
		v->local = arg_size;
	else if (arg->kind == NOTE_ARG_SAMPLER)
		memcpy(kernel->block + arg->offset, &slot, sizeof slot);
	else if (arg->kind == NOTE_ARG_VALUE)
		memcpy(kernel->block + arg->offset, arg_value, arg->size);
	return CL_SUCCESS;
}

uint64_t kernel_local_bytes(const struct _cl_kernel *k, const struct note_kernel *note)
{
	uint64_t used = note->local_bytes;
	for (unsigned i = 0; i < k->num_args; i++)
		if (k->args[i].kind == NOTE_ARG_LOCAL && k->values[i].set)
			used = kernel_local_place(&k->args[i], used) + k->values[i].local;
	return used;
}
