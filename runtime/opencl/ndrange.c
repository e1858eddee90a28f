/* Kernel launches: from the arguments of clEnqueueNDRangeKernel to one dispatch packet. The path
 * is short: what does not change between launches was worked out when the kernel was made. */
#include "abi/address_map.h"
#include "runtime/kmd/profile.h"
#include "runtime/opencl/command.h"
#include "runtime/opencl/kernel.h"
#include "runtime/opencl/printf.h"
#include "runtime/opencl/va.h"
#include "runtime/opencl/worksize.h"
#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

/* What is to be launched, checked. Unused dimensions have offset 0 and size 1. */
struct launch {
	struct _cl_kernel *kernel;
	const struct kernel_device *on;
	cl_uint dims;
	size_t offset[3], global[3], local[3];
	bool empty;          /* some global size is 0: nothing runs */
	bool not_acquired;   /* an argument is of a surface of VA-API's that another API has */
	uint64_t local_bytes;
};

/* ---- checks ---- */

static cl_int check_objects(struct launch *l, cl_command_queue queue, cl_kernel kernel)
{
	/* CL_ENQUEUENDRANGEKERNEL_KERNEL, CL_ENQUEUETASK_KERNEL, CL_GETKERNELSUGGESTEDLOCALWORKSIZEKHR_KERNEL: OpenCL 3.0, 5.10: a queue, a kernel */
	NEED_QUEUE(queue);
	NEED_KERNEL(kernel);
	/* CL_*_KERNEL_CONTEXT: 5.10: CL_INVALID_CONTEXT if queue and kernel have different ones */
	FAIL_IF(queue->context != kernel->context, CL_INVALID_CONTEXT, "queue and kernel \"%s\" have different contexts", kernel->name);
	/* CL_ENQUEUENDRANGEKERNEL_EXECUTABLE, CL_ENQUEUETASK_EXECUTABLE, CL_GETKERNELSUGGESTEDLOCALWORKSIZEKHR_EXECUTABLE: 5.10:
	 * CL_INVALID_PROGRAM_EXECUTABLE if there is no executable for the queue's device */
	l->on = kernel_on(kernel, queue->device);
	FAIL_IF(!l->on, CL_INVALID_PROGRAM_EXECUTABLE, "\"%s\" is not built for the queue's device", kernel->name);
	*l = (struct launch){.kernel = kernel, .on = l->on};
	return CL_SUCCESS;
}

static cl_int check_range(struct launch *l, cl_uint dims, const size_t *offset, const size_t *global)
{
	/* CL_*_DIMENSIONS: OpenCL 3.0, 5.10: CL_INVALID_WORK_DIMENSION unless 1 to 3 */
	FAIL_IF(dims < 1 || dims > 3, CL_INVALID_WORK_DIMENSION, "\"%s\": %u dimensions", l->kernel->name, dims);
	l->dims = dims;
	for (cl_uint d = 0; d < 3; d++) {
		l->offset[d] = d < dims && offset ? offset[d] : 0;
		/* 5.10 (from 2.1 on): no sizes, or a size of 0, make a command that does nothing */
		l->global[d] = d < dims ? (global ? global[d] : 0) : 1;
		l->empty |= !l->global[d];
		/* CL_*_GLOBAL: 5.10: CL_INVALID_GLOBAL_WORK_SIZE if the device cannot count so many */
		if (l->global[d] > UINT32_MAX)
			return FAIL(CL_INVALID_GLOBAL_WORK_SIZE, "\"%s\": global size %zu in dimension %u", l->kernel->name,
				    l->global[d], d);
		/* CL_*_OFFSET: 5.10: CL_INVALID_GLOBAL_OFFSET if an id would not fit in a size_t */
		if (l->offset[d] > SIZE_MAX - l->global[d])
			return FAIL(CL_INVALID_GLOBAL_OFFSET, "\"%s\": offset %zu + size %zu in dimension %u", l->kernel->name,
				    l->offset[d], l->global[d], d);
	}
	return CL_SUCCESS;
}

/* A work-group size that the application gave. */
static cl_int check_local(struct launch *l, const struct _cl_device_id *device, const size_t *local)
{
	const struct note_kernel *note = l->on->note;
	const size_t most = device->info->max_wg_size;
	size_t items = 1;
	for (cl_uint d = 0; d < 3; d++) {
		const size_t n = l->local[d] = d < l->dims ? local[d] : 1;
		/* CL_ENQUEUENDRANGEKERNEL_LOCAL_ZERO, CL_ENQUEUE*_LOCAL_REQUIRED: 5.10: CL_INVALID_WORK_GROUP_SIZE if it is 0, or not what the kernel requires */
		if (!n || (note->reqd_local_size[0] && n != note->reqd_local_size[d]))
			return FAIL(CL_INVALID_WORK_GROUP_SIZE, "\"%s\": work-group size %zu in dimension %u, required %u",
				    l->kernel->name, n, d, note->reqd_local_size[d]);
		/* CL_ENQUEUENDRANGEKERNEL_ITEM: 5.10: CL_INVALID_WORK_ITEM_SIZE beyond CL_DEVICE_MAX_WORK_ITEM_SIZES */
		if (n > most)
			return FAIL(CL_INVALID_WORK_ITEM_SIZE, "\"%s\": work-group size %zu in dimension %u, at most %zu",
				    l->kernel->name, n, d, most);
		items *= n;
		/* CL_ENQUEUENDRANGEKERNEL_LOCAL_UNIFORM: 5.10: CL_INVALID_WORK_GROUP_SIZE if it does not divide the global size and the program
		 * does not allow non-uniform work-groups */
		if (l->global[d] % n && !(note->flags & NOTE_NON_UNIFORM))
			return FAIL(CL_INVALID_WORK_GROUP_SIZE,
				    "\"%s\": global size %zu is no multiple of %zu in dimension %u (build with -cl-std=CL3.0 to allow it)",
				    l->kernel->name, l->global[d], n, d);
	}
	/* CL_ENQUEUENDRANGEKERNEL_LOCAL_MAX: 5.10: CL_INVALID_WORK_GROUP_SIZE beyond CL_KERNEL_WORK_GROUP_SIZE */
	if (items > most)
		return FAIL(CL_INVALID_WORK_GROUP_SIZE, "\"%s\": %zu work-items in a work-group, at most %zu", l->kernel->name, items,
			    most);
	return CL_SUCCESS;
}

/* No size given: the one that the kernel requires, or the runtime's choice. kernel->lock. */
static cl_int choose_local(struct launch *l, const struct _cl_device_id *device)
{
	const struct note_kernel *note = l->on->note;
	struct kernel_choice *last = &l->kernel->choice;
	if (note->reqd_local_size[0]) {
		size_t reqd[3];
		for (int d = 0; d < 3; d++)
			reqd[d] = note->reqd_local_size[d];
		return check_local(l, device, reqd);
	}
	if (last->device != device || memcmp(last->global, l->global, sizeof l->global)) {
		const struct worksize_limits limits = {device->info->lanes, device->info->max_wg_size, device->num_cu};
		last->device = device;
		memcpy(last->global, l->global, sizeof l->global);
		worksize_choose(&limits, l->global, last->local);
	}
	memcpy(l->local, last->local, sizeof l->local);
	return CL_SUCCESS;
}

/* kernel->lock. */
static cl_int check_args(struct launch *l, const struct _cl_device_id *device)
{
	struct _cl_kernel *k = l->kernel;
	/* CL_*_ARGS: 5.10: CL_INVALID_KERNEL_ARGS unless all have been set */
	for (unsigned i = 0; k->num_unset && i < k->num_args; i++)
		FAIL_IF(!k->values[i].set, CL_INVALID_KERNEL_ARGS, "\"%s\": argument %u is not set", k->name, i);
	for (unsigned i = 0; i < k->num_args; i++) {
		const struct _cl_mem *mem = k->values[i].mem;
		/* CL_*_ARG_GONE: arguments are not counted: one may be gone by now, and its memory may be another object */
		if (mem && (!MEM_VALID(mem) || mem->context != k->context || mem_is_image(mem) != (k->args[i].kind == NOTE_ARG_IMAGE)))
			return FAIL(CL_INVALID_KERNEL_ARGS, "\"%s\": argument %u has been released", k->name, i);
		/* 5.10: CL_MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer begins where the device cannot */
		if (mem && mem->type == CL_MEM_OBJECT_BUFFER && mem->parent && mem->origin % DEVICE_MEM_BASE_ALIGN)
			return FAIL(CL_MISALIGNED_SUB_BUFFER_OFFSET, "\"%s\": argument %u is a sub-buffer at %zu", k->name, i,
				    mem->origin);
		l->not_acquired |= mem && mem->va && !atomic_load(&mem->va->acquired);
	}
	/* CL_ENQUEUENDRANGEKERNEL_RESOURCES, CL_ENQUEUETASK_RESOURCES: 5.10: CL_OUT_OF_RESOURCES if a work-group needs more local memory than there is */
	l->local_bytes = kernel_local_bytes(k, l->on->note);
	if (l->local_bytes > device->info->lds_bytes)
		return FAIL(CL_OUT_OF_RESOURCES, "\"%s\": %llu bytes of local memory, the device has %u", k->name,
			    (unsigned long long)l->local_bytes, device->info->lds_bytes);
	return CL_SUCCESS;
}

/* ---- the argument block ---- */

/* kernel->lock. Writes header, arguments and image descriptions to device-visible memory, and
 * makes the command hold the memory objects. */
static void write_kernarg(struct launch *l, struct command *c, const struct staging *s, uint64_t printf_buffer)
{
	struct _cl_kernel *k = l->kernel;
	struct kernarg_header *header = s->cpu;
	unsigned char *args = (unsigned char *)(header + 1);
	uint64_t local = l->on->note->local_bytes, image = k->images_offset;
	memset(header, 0, sizeof *header);
	header->work_dim = l->dims;
	for (int d = 0; d < 3; d++) {
		header->global_offset[d] = l->offset[d];
		header->global_size[d] = l->global[d];
		header->local_size[d] = (uint32_t)l->local[d];
		header->num_groups[d] = (uint32_t)((l->global[d] + l->local[d] - 1) / l->local[d]);
	}
	header->printf_buffer = printf_buffer;
	const size_t items = l->local[0] * l->local[1] * l->local[2], lanes = c->queue->device->info->lanes;
	header->max_subgroup = items < lanes ? items : lanes;
	memcpy(args, k->block, k->note->arg_bytes);
	for (unsigned i = 0; i < k->num_args; i++) {
		const struct note_arg *arg = &k->args[i];
		const struct kernel_arg *v = &k->values[i];
		uint64_t slot;
		switch (arg->kind) {
		case NOTE_ARG_GLOBAL:
		case NOTE_ARG_CONSTANT:
			slot = v->mem ? v->mem->address : v->svm;
			break;
		case NOTE_ARG_LOCAL:
			local = kernel_local_place(arg, local);
			slot = VA_LOCAL_BASE + local;
			local += v->local;
			break;
		case NOTE_ARG_IMAGE:
			image_describe(v->mem, (struct image_desc *)((char *)s->cpu + image));
			slot = s->address + image;
			image += sizeof(struct image_desc);
			break;
		default: continue; /* in the block already */
		}
		memcpy(args + arg->offset, &slot, sizeof slot);
		if (v->mem)
			command_use_mem(c, v->mem);
	}
}

/* ---- printf ---- */

/* The printf buffer of one command. */
struct print {
	struct program_code *code; /* held */
	struct printf_buffer *buffer;
};

static void print_done(void *arg, cl_int status)
{
	struct print *p = arg;
	size_t lost = 0;
	(void)status; /* what a kernel printed before it failed is printed too */
	/* OpenCL C 6.15.14: all output of a launch is out when its event completes */
	printf_drain(stdout, p->code->object, p->buffer, &lost);
	if (lost)
		log_write(LOG_INFO, "printf: the buffer of %d bytes was too small, %zu bytes are lost", PRINTF_BUFFER_BYTES, lost);
	program_code_unhold(p->code);
	free(p);
}

/* A printf buffer for the command; its device address. 0: no memory (kept in c->error). */
static uint64_t print_prepare(struct command *c, struct program_code *code)
{
	struct print *p = malloc(sizeof *p);
	struct staging s;
	if (!p) {
		c->error = CL_OUT_OF_HOST_MEMORY;
		return 0;
	}
	if (command_staging(c, PRINTF_BUFFER_BYTES, GALENA_PAGE_SIZE, &s)) {
		free(p);
		return 0;
	}
	printf_buffer_init(s.cpu);
	program_code_hold(code);
	*p = (struct print){code, s.cpu};
	command_hook(c, print_done, p);
	return s.address;
}

/* ---- launch ---- */

/* What the launch needs of device-visible memory. Without kernel->lock: completions may run. */
struct launch_memory {
	struct staging kernarg;
	uint64_t code, printf_buffer;
};

static cl_int launch_begin(struct launch *l, cl_command_queue queue, cl_command_type type, cl_uint num_events,
			   const cl_event *wait_list, struct command *c, struct launch_memory *m)
{
	*m = (struct launch_memory){0};
	cl_int code = l->empty ? CL_SUCCESS : program_code_load(l->on->code, queue->context, queue->device, &m->code);
	if (!code)
		code = command_begin(c, queue, type, num_events, wait_list);
	if (code || l->empty)
		return code;
	command_use(c, &l->kernel->object);
	c->state->kernel_name = l->kernel->name;
	c->state->program = l->kernel->program;
	c->state->code = l->on->code;
	c->state->code_address = m->code;
	if (l->on->note->flags & NOTE_USES_PRINTF)
		m->printf_buffer = print_prepare(c, l->on->code);
	command_staging(c, l->kernel->kernarg_bytes, sizeof(struct kernarg_header), &m->kernarg);
	return CL_SUCCESS;
}

/* kernel->lock. */
static void launch_build(struct launch *l, struct command *c, const struct launch_memory *m)
{
	const struct note_kernel *note = l->on->note;
	if (c->error)
		return;
	write_kernarg(l, c, &m->kernarg, m->printf_buffer);
	union packet *p = command_packet(c);
	p->dispatch.head.type = PACKET_CODE_dispatch;
	p->dispatch.head.tag = l->kernel->label;
	p->dispatch.entry = m->code + note->entry;
	p->dispatch.kernarg = m->kernarg.address;
	for (int d = 0; d < 3; d++) {
		p->dispatch.global_size[d] = (uint32_t)l->global[d];
		p->dispatch.local_size[d] = (uint16_t)l->local[d];
	}
	p->dispatch.local_bytes = (uint32_t)l->local_bytes;
	p->dispatch.private_bytes = note->private_bytes;
	p->dispatch.units = device_units(c->queue->device);
	c->private_bytes = note->private_bytes;
}

/* kernel->lock: the arguments are those of this moment. */
static cl_int launch_prepare(struct launch *l, const size_t *local, struct command *c, const struct launch_memory *m)
{
	const struct _cl_device_id *device = c->queue->device;
	TRY(check_args(l, device));
	/* CL_ENQUEUENDRANGEKERNEL_VA_ACQUIRED, CL_ENQUEUETASK_VA_ACQUIRED: cl_intel_va_api_media_sharing, 9.X.6: acquired, if it is of a surface */
	if (l->not_acquired)
		return FAIL(CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL, "\"%s\": the image of a VA-API surface is not acquired", l->kernel->name);
	if (!l->empty)
		TRY(local ? check_local(l, device, local) : choose_local(l, device));
	if (!l->empty)
		launch_build(l, c, m);
	else
		command_packet(c); /* a nop */
	return CL_SUCCESS;
}

static cl_int launch_kernel(cl_command_queue queue, cl_kernel kernel, cl_command_type type, cl_uint dims, const size_t *offset,
			    const size_t *global, const size_t *local, EVENT_PARAMETERS)
{
	PHASE_HERE(ENQUEUE);
	struct launch l;
	struct launch_memory m;
	struct command c;
	TRY(check_objects(&l, queue, kernel));
	TRY(check_range(&l, dims, offset, global));
	TRY(launch_begin(&l, queue, type, num_events, wait_list, &c, &m));
	pthread_mutex_lock(&kernel->lock);
	cl_int code = launch_prepare(&l, local, &c, &m);
	pthread_mutex_unlock(&kernel->lock);
	if (!code)
		return command_submit(&c, false, event);
	command_abort(&c);
	return code;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
							       const size_t *global_work_offset, const size_t *global_work_size,
							       const size_t *local_work_size, EVENT_PARAMETERS)
{
	return launch_kernel(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, work_dim, global_work_offset, global_work_size, local_work_size,
			     EVENT_ARGUMENTS);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, EVENT_PARAMETERS)
{
	static const size_t one = 1;
	return launch_kernel(queue, kernel, CL_COMMAND_TASK, 1, NULL, &one, &one, EVENT_ARGUMENTS);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *user_func)(void *), void *args,
							      size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
							      const void **args_mem_loc, EVENT_PARAMETERS)
{
	(void)user_func, (void)args, (void)cb_args, (void)num_mem_objects, (void)mem_list, (void)args_mem_loc;
	(void)num_events, (void)wait_list, (void)event;
	NEED_QUEUE(queue);
	/* CL_ENQUEUENATIVEKERNEL_SUPPORT: 5.11: CL_INVALID_OPERATION unless the device has CL_EXEC_NATIVE_KERNEL */
	return FAIL(CL_INVALID_OPERATION, "the device runs no functions of the host");
}

/* ---- what would be chosen ---- */

CL_API_ENTRY cl_int CL_API_CALL galena_clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
									    const size_t *offset, const size_t *global, size_t *suggested)
{
	struct launch l;
	TRY(check_objects(&l, queue, kernel));
	TRY(check_range(&l, work_dim, offset, global));
	/* CL_GETKERNELSUGGESTEDLOCALWORKSIZEKHR_GLOBAL_ZERO, CL_GETKERNELSUGGESTEDLOCALWORKSIZEKHR_SIZE_NULL: CL_INVALID_GLOBAL_WORK_SIZE for no sizes and for 0,
	 * CL_INVALID_VALUE if there is no place for the answer */
	FAIL_IF(l.empty, CL_INVALID_GLOBAL_WORK_SIZE, "\"%s\": no global size, or one of 0", kernel->name);
	FAIL_IF(!suggested, CL_INVALID_VALUE, "no place for the size");
	pthread_mutex_lock(&kernel->lock);
	cl_int code = check_args(&l, queue->device);
	if (!code)
		code = choose_local(&l, queue->device);
	pthread_mutex_unlock(&kernel->lock);
	if (!code)
		memcpy(suggested, l.local, work_dim * sizeof *suggested);
	return code;
}
