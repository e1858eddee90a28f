/* Writes of buffers. The application may use its memory again when a write returns, and no write waits: the command reads a copy. Copies are
 * freed where the calls alone say that their commands have ended, and by the thread that makes the calls, so that addresses do not depend on
 * the host's speed. */
#include "runtime/openvx/context.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, COPIED_BYTES = 16 << 20 };

struct device_copy {
	struct device_copy *next;
	cl_command_queue queue;
	cl_event event;
	vx_uint64 number;
	size_t bytes;
	char *data; /* of whole pages: devices may see where in its page the host has it */
};

static bool over(const struct device *d, const struct device_copy *c)
{
	cl_int status = CL_QUEUED;
	return !d->cl.clGetEventInfo(c->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) && status <= CL_COMPLETE;
}

static void copy_free(struct device *d, struct device_copy **at)
{
	struct device_copy *c = *at;
	*at = c->next;
	d->copied -= c->bytes;
	d->cl.clReleaseEvent(c->event);
	free(c->data);
	free(c);
}

void device_writes_over(struct device *d, cl_command_queue q, vx_uint64 number)
{
	for (struct device_copy **at = &d->copies; *at;) {
		if ((!q || (*at)->queue == q) && (*at)->number <= number)
			copy_free(d, at);
		else
			at = &(*at)->next;
	}
}

/* An application that only writes: those that have ended. If few have, they are asked again when there are twice as many. */
static void bound(struct device *d)
{
	if (d->copied < d->copied_most)
		return;
	for (struct device_copy **at = &d->copies; *at;) {
		if (over(d, *at))
			copy_free(d, at);
		else
			at = &(*at)->next;
	}
	d->copied_most = d->copied > COPIED_BYTES / 2 ? 2 * d->copied : COPIED_BYTES;
}

static struct device_copy *copy_new(struct device *d, size_t bytes)
{
	bound(d);
	const size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
	struct device_copy *c = malloc(sizeof *c);
	char *data = pages >= bytes ? aligned_alloc(PAGE, pages) : NULL;
	if (!c || !data) {
		free(c);
		free(data);
		return NULL;
	}
	*c = (struct device_copy){.next = d->copies, .queue = d->queue, .bytes = bytes, .data = data};
	return c;
}

/* The copy ends with the command that reads it. */
static vx_status enqueued(struct device *d, cl_int code, struct device_copy *c)
{
	if (code) {
		free(c->data);
		free(c);
		return device_status(code);
	}
	c->number = ++d->writes;
	d->copied += c->bytes;
	d->copies = c;
	return VX_SUCCESS;
}

vx_status device_write_rows(struct device *d, cl_mem m, struct rows at, const void *from, size_t from_stride, size_t row, size_t count)
{
	const size_t origin[3] = {at.stride ? at.offset % at.stride : at.offset, at.stride ? at.offset / at.stride : 0, 0};
	if (!row || !count)
		return VX_SUCCESS;
	struct device_copy *c = copy_new(d, row * count);
	if (!c)
		return VX_ERROR_NO_MEMORY;
	for (size_t y = 0; y < count; y++)
		memcpy(c->data + y * row, (const char *)from + y * from_stride, row);
	return enqueued(d, d->cl.clEnqueueWriteBufferRect(d->queue, m, CL_FALSE, origin, (size_t[]){0, 0, 0}, (size_t[]){row, count, 1}, at.stride, 0, row, 0, c->data, 0, NULL,
							  &c->event), c);
}

vx_status device_write(struct device *d, cl_mem m, size_t offset, const void *from, size_t bytes)
{
	if (!bytes)
		return VX_SUCCESS;
	struct device_copy *c = copy_new(d, bytes);
	if (!c)
		return VX_ERROR_NO_MEMORY;
	memcpy(c->data, from, bytes);
	return enqueued(d, d->cl.clEnqueueWriteBuffer(d->queue, m, CL_FALSE, offset, bytes, c->data, 0, NULL, &c->event), c);
}
