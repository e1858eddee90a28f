/* Launches of built-in kernels. */
#include "runtime/openvx/launch.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(struct launch *l, vx_status status)
{
	if (!l->status)
		l->status = status;
}

unsigned items_max(const struct launch *l) { return l->context->device.items_max; }

void choose_kernel(struct launch *l, const char *source, const char *options, const char *text, const char *kernel)
{
	char smaller[128]; /* for a device with smaller work-groups: common.cl */
	l->next_arg = 0;
	if (items_max(l) < ITEMS_MAX) {
		snprintf(smaller, sizeof smaller, "%s -DITEMS_MAX=%u", options, items_max(l));
		options = smaller;
	}
	l->kernel = l->status ? NULL : device_kernel(l->context, source, options, text, kernel);
	if (!l->kernel)
		keep(l, VX_FAILURE);
}

/* Nothing is enqueued, and nothing needs to be. */
static bool idle(const struct launch *l) { return l->status || l->dry; }

static void arg(struct launch *l, const void *value, size_t size)
{
	if (!idle(l))
		keep(l, device_status(l->context->device.cl.clSetKernelArg(l->kernel, l->next_arg++, size, value)));
}

static void arg_mem(struct launch *l, cl_mem m) { arg(l, m ? &m : NULL, sizeof m); }

static void arg_plane(struct launch *l, vx_image image, size_t plane)
{
	if (!idle(l))
		keep(l, image_allocate(image));
	if (idle(l))
		return;
	const struct plane *p = &image->planes[plane];
	const struct plane_arg a = {(cl_uint)p->offset, 0, (cl_int)p->width, (cl_int)p->height, p->stride_x, p->stride_y};
	arg(l, &p->mem, sizeof p->mem);
	arg(l, &a, sizeof a);
}

static void arg_store(struct launch *l, struct store *s, bool written)
{
	if (s && !idle(l))
		keep(l, store_allocate(l->context, s));
	if (idle(l))
		return;
	if (s && written)
		store_written(s);
	arg_mem(l, s ? s->mem : NULL);
}

static void arg_tensor(struct launch *l, vx_tensor t)
{
	if (t && !l->status)
		l->status = tensor_allocate(t);
	arg_mem(l, t ? t->mem : NULL);
}

static void arg_border(struct launch *l, vx_df_image format)
{
	const vx_pixel_value_t *v = &l->border.constant_value;
	const struct { vx_df_image format; cl_uint value; } values[] = {
		{VX_DF_IMAGE_U8, v->U8},
		{VX_DF_IMAGE_U16, v->U16},
		{VX_DF_IMAGE_S16, (cl_uint)v->S16},
		{VX_DF_IMAGE_U32, v->U32},
		{VX_DF_IMAGE_S32, (cl_uint)v->S32},
		{VX_DF_IMAGE_U1, v->U1 != 0},
	};
	cl_uint constant = 0;
	memcpy(&constant, v->reserved, sizeof constant); /* of formats of channels: byte by byte */
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i].format == format)
			constant = values[i].value;
	args(l, INT(l->border.mode), STRUCT(constant));
}

void set_args(struct launch *l, const struct arg *list, size_t count)
{
	for (const struct arg *a = list; a < list + count; a++) {
		switch (a->kind) {
		case ARG_BYTES: arg(l, a->bytes, a->size); break;
		case ARG_INT: arg(l, &a->integer, sizeof a->integer); break;
		case ARG_FLOAT: arg(l, &a->real, sizeof a->real); break;
		case ARG_MEM: arg_mem(l, a->mem); break;
		case ARG_STORE:
		case ARG_WRITTEN: arg_store(l, a->store, a->kind == ARG_WRITTEN); break;
		case ARG_TENSOR: arg_tensor(l, a->tensor); break;
		case ARG_PLANE: arg_plane(l, a->image, a->size); break;
		case ARG_BORDER: arg_border(l, a->format); break;
		}
	}
}

cl_mem launch_scratch(struct launch *l, unsigned number, size_t bytes)
{
	struct device *d = &l->context->device;
	struct _vx_node *n = l->node;
	if (idle(l))
		return NULL;
	if (number >= n->num_scratch) {
		struct scratch *grown = realloc(n->scratch, (number + 1) * sizeof *grown);
		if (!grown) {
			keep(l, VX_ERROR_NO_MEMORY);
			return NULL;
		}
		memset(grown + n->num_scratch, 0, (number + 1 - n->num_scratch) * sizeof *grown);
		n->scratch = grown;
		n->num_scratch = number + 1;
	}
	struct scratch *s = &n->scratch[number];
	if (s->size < bytes) {
		device_release(d, s->mem);
		s->mem = device_buffer(d, bytes);
		s->size = s->mem ? bytes : 0;
	}
	if (!s->mem)
		keep(l, VX_ERROR_NO_MEMORY);
	return s->mem;
}

void launch_fill(struct launch *l, cl_mem m, size_t bytes, cl_uint pattern)
{
	if (!idle(l))
		keep(l, device_fill(&l->context->device, m, 0, bytes, &pattern, sizeof pattern));
}

vx_status launch_groups(struct launch *l, unsigned dims, const size_t *global, const size_t *local)
{
	if (!idle(l))
		keep(l, device_status(l->context->device.cl.clEnqueueNDRangeKernel(l->queue, l->kernel, dims, NULL, global, local, 0, NULL, NULL)));
	return l->status;
}

vx_status launch_one_group(struct launch *l)
{
	const size_t items = items_max(l);
	return launch_groups(l, 1, &items, &items);
}

vx_status launch_1d(struct launch *l, size_t items) { return launch_groups(l, 1, &items, NULL); }
vx_status launch_2d(struct launch *l, size_t x, size_t y) { return launch_groups(l, 2, (size_t[]){x, y}, NULL); }
