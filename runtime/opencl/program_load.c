/* Code: a kernel object on the host, and its copies in the memory of devices. */
#include "runtime/kmd/profile.h"
#include "runtime/opencl/program.h"
#include "runtime/umd/code.h"
#include <stdlib.h>
#include <string.h>

struct program_code *program_code_create(void *binary, size_t size, const char **error)
{
	struct program_code *code = calloc(1, sizeof *code);
	if (!code) {
		*error = "out of memory";
		free(binary);
		return NULL;
	}
	code->object = kernel_object_read(binary, size, error);
	if (!code->object) {
		free(binary);
		free(code);
		return NULL;
	}
	code->binary = binary;
	code->binary_size = size;
	atomic_init(&code->holders, 1);
	atomic_init(&code->owners, 1);
	pthread_mutex_init(&code->lock, NULL);
	return code;
}

void program_code_hold(struct program_code *code) { atomic_fetch_add(&code->holders, 1); }

void program_code_unhold(struct program_code *code)
{
	if (!code || atomic_fetch_sub(&code->holders, 1) != 1)
		return;
	pthread_mutex_destroy(&code->lock);
	kernel_object_free(code->object);
	free(code->binary);
	free(code);
}

void program_code_own(struct program_code *code)
{
	program_code_hold(code);
	atomic_fetch_add(&code->owners, 1);
}

void program_code_disown(struct program_code *code)
{
	if (!code || atomic_fetch_sub(&code->owners, 1) != 1)
		return;
	HOLDING(&code->lock);
	for (unsigned i = 0; i < DEVICES_MAX; i++) {
		if (code->loaded[i])
			umd_bo_release(code->loaded[i]);
		code->loaded[i] = NULL;
		code->base[i] = 0;
	}
}

static cl_int load_failed(int error)
{
	switch (error) {
	case KMD_NO_MEMORY: return CL_OUT_OF_HOST_MEMORY;
	case KMD_NO_DEVICE_MEMORY: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	case KMD_INVALID: return CL_INVALID_VALUE;
	}
	return CL_OUT_OF_RESOURCES;
}

cl_int program_code_load(struct program_code *code, struct _cl_context *context, const struct _cl_device_id *device,
			 uint64_t *base)
{
	const unsigned i = device->index;
	struct umd_bo *image;
	*base = atomic_load_explicit(&code->base[i], memory_order_acquire);
	if (*base)
		return CL_SUCCESS;
	/* without the lock: completions may run in it */
	int error = code_create(context->space, code->object, &image);
	if (error)
		return load_failed(error);
	pthread_mutex_lock(&code->lock);
	if (!code->loaded[i]) {
		const uint64_t address = umd_bo_address(image);
		profile_object(code->binary, code->binary_size);
		kernel_object_place(code->object, address, umd_bo_cpu(image));
		code->loaded[i] = image;
		image = NULL;
		atomic_store_explicit(&code->base[i], address, memory_order_release);
	}
	*base = code->base[i];
	pthread_mutex_unlock(&code->lock);
	umd_bo_release(image); /* another thread was faster */
	return CL_SUCCESS;
}
