/* The OpenCL side of a context. */
#include "runtime/openvx/context.h"
#include <string.h>

/* Exported by the OpenCL library for loaders (cl_khr_icd). */
cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);
void *clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *name);

/* ---- functions ---- */
#define FUNCTION(name) {#name, offsetof(struct cl_functions, name)},
static const struct { const char *name; size_t offset; } functions[] = {CL_FUNCTIONS(FUNCTION)};

static bool find_functions(struct cl_functions *f, cl_platform_id platform)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *p = clIcdGetFunctionAddressForPlatformKHR(platform, functions[i].name);
		if (!p)
			return false;
		memcpy((char *)f + functions[i].offset, &p, sizeof p);
	}
	return true;
}

vx_status device_status(cl_int code)
{
	switch (code) {
	case CL_SUCCESS: return VX_SUCCESS;
	case CL_OUT_OF_HOST_MEMORY:
	case CL_MEM_OBJECT_ALLOCATION_FAILURE: return VX_ERROR_NO_MEMORY;
	case CL_OUT_OF_RESOURCES: return VX_ERROR_NO_RESOURCES;
	case CL_INVALID_MEM_OBJECT: return VX_ERROR_INVALID_REFERENCE;
	default: return VX_FAILURE;
	}
}

/* ---- contexts and queues ---- */
static vx_status own_context(struct device *d, cl_platform_id platform, const char **message)
{
	cl_int code;
	cl_uint count = 0;
	cl_device_id devices[16];
	code = d->cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count);
	if (!code)
		d->context = d->cl.clCreateContext((cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0}, count < 16 ? count : 16,
						   devices, NULL, NULL, &code);
	*message = "the OpenCL library has no device, or no memory for a context";
	return code ? VX_ERROR_NO_RESOURCES : VX_SUCCESS;
}

static vx_status own_queue(struct device *d, const char **message)
{
	cl_int code;
	cl_device_id devices[16];
	code = d->cl.clGetContextInfo(d->context, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL);
	if (!code)
		d->queue = d->cl.clCreateCommandQueueWithProperties(d->context, devices[0], NULL, &code);
	*message = "no memory for a command queue";
	return code ? VX_ERROR_NO_RESOURCES : VX_SUCCESS;
}

/* 2.2: a queue of the context; this project's reading: one that is in order */
static vx_status given_queue(struct device *d, cl_command_queue queue, const char **message)
{
	cl_context of = NULL;
	cl_command_queue_properties properties = 0;
	*message = "that is no command queue of OpenCL's";
	if (d->cl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof of, &of, NULL) ||
	    d->cl.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL))
		return VX_ERROR_INVALID_PARAMETERS;
	*message = "the coordination queue is one of another OpenCL context";
	if (of != d->context)
		return VX_ERROR_INVALID_PARAMETERS;
	*message = "the coordination queue runs out of order";
	if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
		return VX_ERROR_INVALID_PARAMETERS;
	d->cl.clRetainCommandQueue(queue);
	d->queue = queue;
	return VX_SUCCESS;
}

/* A queue without a context: the context is the queue's, since the two have to agree. */
static vx_status context_of(struct device *d, cl_command_queue queue, const char **message)
{
	*message = "that is no command queue of OpenCL's";
	if (d->cl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof d->context, &d->context, NULL))
		return VX_ERROR_INVALID_PARAMETERS;
	d->cl.clRetainContext(d->context);
	return VX_SUCCESS;
}

static vx_status given_context(struct device *d, cl_context context, const char **message)
{
	*message = "that is no context of the OpenCL library's";
	if (d->cl.clRetainContext(context))
		return VX_ERROR_INVALID_PARAMETERS;
	d->context = context;
	return VX_SUCCESS;
}

static vx_status find_items_max(struct device *d)
{
	size_t most = 0;
	if (d->cl.clGetDeviceInfo(d->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL))
		return VX_FAILURE;
	d->items_max = ITEMS_MAX;
	while (d->items_max > most)
		d->items_max /= 2;
	return VX_SUCCESS;
}

vx_status device_open(struct device *d, cl_context context, cl_command_queue queue, const char **message)
{
	cl_platform_id platform;
	d->memory_left = SIZE_MAX;
	*message = "the OpenCL library has no platform: galena info says why";
	if (clIcdGetPlatformIDsKHR(1, &platform, NULL) || !find_functions(&d->cl, platform))
		return VX_ERROR_NO_RESOURCES;
	vx_status status = context ? given_context(d, context, message) : queue ? context_of(d, queue, message) : own_context(d, platform, message);
	if (!status)
		status = queue ? given_queue(d, queue, message) : own_queue(d, message);
	if (!status && d->cl.clGetCommandQueueInfo(d->queue, CL_QUEUE_DEVICE, sizeof d->id, &d->id, NULL))
		status = VX_FAILURE;
	d->queues[0] = d->queue;
	return status ? status : find_items_max(d);
}

void device_close(struct device *d)
{
	device_writes_over(d, NULL, d->writes);
	programs_close(d);
	for (unsigned i = 0; i < QUEUES_MAX; i++)
		if (d->queues[i])
			d->cl.clReleaseCommandQueue(d->queues[i]);
	if (d->context)
		d->cl.clReleaseContext(d->context);
}

cl_command_queue device_queue(struct device *d, unsigned number)
{
	if (!d->queues[number])
		d->queues[number] = d->cl.clCreateCommandQueueWithProperties(d->context, d->id, NULL, NULL);
	return d->queues[number];
}

/* The call has waited for all that is in the queue. */
static vx_status waited(struct device *d, cl_int code)
{
	if (!code)
		device_writes_over(d, d->queue, d->writes);
	return device_status(code);
}

vx_status device_finish(struct device *d) { return waited(d, d->cl.clFinish(d->queue)); }

cl_event device_mark(struct device *d)
{
	cl_event event = NULL;
	d->cl.clEnqueueMarkerWithWaitList(d->queues[0], 0, NULL, &event);
	return event;
}

vx_status device_wait(struct device *d, cl_event event)
{
	const cl_int code = d->cl.clWaitForEvents(1, &event);
	d->cl.clReleaseEvent(event);
	return code ? VX_FAILURE : VX_SUCCESS;
}

void device_flush(struct device *d) { d->cl.clFlush(d->queues[0]); }

/* ---- buffers ---- */
size_t device_memory(const struct device *d)
{
	cl_ulong bytes = 0;
	d->cl.clGetDeviceInfo(d->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
	return (size_t)bytes;
}

cl_mem device_buffer(struct device *d, size_t bytes)
{
	if (bytes > d->memory_left)
		return NULL;
	cl_mem m = d->cl.clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes ? bytes : 1, NULL, NULL);
	if (m && d->memory_left != SIZE_MAX)
		d->memory_left -= bytes;
	if (m)
		device_fill(d, m, 0, bytes, &(cl_uchar){0}, 1);
	return m;
}

cl_mem device_buffer_of(struct device *d, void *host, size_t bytes)
{
	return d->cl.clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, NULL);
}

void device_release(struct device *d, cl_mem m)
{
	if (m)
		d->cl.clReleaseMemObject(m);
}

void device_retain(struct device *d, cl_mem m)
{
	if (m)
		d->cl.clRetainMemObject(m);
}

bool device_owns(const struct device *d, cl_mem m, size_t at_least)
{
	cl_mem_object_type type = 0;
	cl_context of = NULL;
	size_t size = 0;
	return !d->cl.clGetMemObjectInfo(m, CL_MEM_TYPE, sizeof type, &type, NULL) && !d->cl.clGetMemObjectInfo(m, CL_MEM_CONTEXT, sizeof of, &of, NULL) &&
	       !d->cl.clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL) && type == CL_MEM_OBJECT_BUFFER && of == d->context &&
	       size >= at_least;
}

/* ---- transfers ---- */
vx_status device_read(struct device *d, cl_mem m, size_t offset, void *to, size_t bytes)
{
	return bytes ? waited(d, d->cl.clEnqueueReadBuffer(d->queue, m, CL_TRUE, offset, bytes, to, 0, NULL, NULL)) : VX_SUCCESS;
}

/* An offset as the origin of a rectangle in rows of a pitch. */
static void origin_of(size_t origin[3], struct rows at)
{
	origin[0] = at.stride ? at.offset % at.stride : at.offset;
	origin[1] = at.stride ? at.offset / at.stride : 0;
	origin[2] = 0;
}

vx_status device_read_rows(struct device *d, cl_mem m, struct rows at, void *to, size_t to_stride, size_t row, size_t count)
{
	size_t origin[3];
	if (!row || !count)
		return VX_SUCCESS;
	if (count == 1)
		return device_read(d, m, at.offset, to, row);
	origin_of(origin, at);
	if (origin[0] + row > at.stride) { /* a row that goes beyond its pitch: one by one */
		for (size_t y = 0; y < count; y++)
			TRY(device_read(d, m, at.offset + y * at.stride, (char *)to + y * to_stride, row));
		return VX_SUCCESS;
	}
	return waited(d, d->cl.clEnqueueReadBufferRect(d->queue, m, CL_TRUE, origin, (size_t[]){0, 0, 0}, (size_t[]){row, count, 1}, at.stride, 0, to_stride, 0, to, 0, NULL,
						       NULL));
}

vx_status device_copy_rows(struct device *d, cl_mem from, struct rows a, cl_mem to, struct rows b, size_t row, size_t count)
{
	size_t from_origin[3], to_origin[3];
	if (!row || !count)
		return VX_SUCCESS;
	origin_of(from_origin, a);
	origin_of(to_origin, b);
	if (count == 1)
		return device_status(d->cl.clEnqueueCopyBuffer(d->queue, from, to, a.offset, b.offset, row, 0, NULL, NULL));
	return device_status(d->cl.clEnqueueCopyBufferRect(d->queue, from, to, from_origin, to_origin, (size_t[]){row, count, 1}, a.stride, 0, b.stride, 0, 0, NULL, NULL));
}

vx_status device_fill(struct device *d, cl_mem m, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes)
{
	return bytes ? device_status(d->cl.clEnqueueFillBuffer(d->queue, m, pattern, pattern_bytes, offset, bytes, 0, NULL, NULL)) : VX_SUCCESS;
}

void *device_map(struct device *d, cl_mem m, size_t bytes, vx_enum usage)
{
	const cl_map_flags flags = usage == VX_READ_ONLY ? CL_MAP_READ : usage == VX_WRITE_ONLY ? CL_MAP_WRITE : CL_MAP_READ | CL_MAP_WRITE;
	cl_int code;
	void *host = d->cl.clEnqueueMapBuffer(d->queue, m, CL_TRUE, flags, 0, bytes, 0, NULL, NULL, &code);
	waited(d, code);
	return host;
}

vx_status device_unmap(struct device *d, cl_mem m, void *host)
{
	return device_status(d->cl.clEnqueueUnmapMemObject(d->queue, m, host, 0, NULL, NULL));
}
