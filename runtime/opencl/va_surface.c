/* Images of planes of VA-API's surfaces, and whose these are: cl_intel_va_api_media_sharing.
 *
 * A surface's driver exports the memory of the surface, and an image is made over it without a copy. Between an acquire and a release the
 * memory is the context's: only then commands may use the image. Unless the application synchronises itself, both commands take a turn
 * at the memory: they stand behind what other APIs have submitted with it, and before what these submit later; the host waits for nothing. */
#include "base/fork.h"
#include "base/list.h"
#include "base/probe.h"
#include "runtime/opencl/enqueue.h"
#include "runtime/opencl/external.h"
#include "runtime/opencl/queue.h"
#include "runtime/opencl/va.h"
#include <stdlib.h>
#include <unistd.h>

/* ---- planes that have an image ---- */

/* Of all contexts. In a forked child there are none: its parent's images are not its own. */
static struct va_surface *taken;
static pthread_mutex_t taken_lock = PTHREAD_MUTEX_INITIALIZER;
HELD_OVER_FORK(taken_lock, FORKS_OTHERS)
static void taken_forked(void) { taken = NULL; }
AFTER_FORK(taken_forked)

static bool take(struct va_surface *s)
{
	HOLDING(&taken_lock);
	for (const struct va_surface *t = taken; t; t = t->next)
		if (t->display == s->display && t->id == s->id && t->plane == s->plane)
			return false;
	s->next = taken;
	taken = s;
	return true;
}

void va_surface_forget(struct va_surface *s)
{
	HOLDING(&taken_lock);
	LIST_TAKE(taken, s, next);
}

void va_surface_free(struct va_surface *s)
{
	if (s)
		umd_sem_release(s->users);
	free(s);
}

/* ---- creation ---- */

/* Formats of planes. */
static const struct { uint32_t fourcc, plane; cl_channel_order order; unsigned divisor; } formats[] = {
	{VA_FOURCC_NV12, 0, CL_R, 1},
	{VA_FOURCC_NV12, 1, CL_RG, 2},
};

/* Where a plane lies in a surface's memory. */
struct place {
	int fd;
	uint32_t offset, pitch;
};

/* False: the surface has no such plane. */
static bool plane_find(const VADRMPRIMESurfaceDescriptor *d, cl_uint plane, struct place *out)
{
	for (uint32_t l = 0; l < d->num_layers && l < 4; plane -= d->layers[l++].num_planes) {
		if (plane >= d->layers[l].num_planes)
			continue;
		if (plane >= 4 || d->layers[l].object_index[plane] >= d->num_objects)
			return false;
		*out = (struct place){d->objects[d->layers[l].object_index[plane]].fd, d->layers[l].offset[plane], d->layers[l].pitch[plane]};
		return true;
	}
	return false;
}

static cl_int check_flags(cl_mem_flags flags)
{
	/* CL_CREATEFROMVA_APIMEDIASURFACEINTEL_FLAGS: at most one, of the access of kernels */
	if (flags & ~(cl_mem_flags)MEM_ACCESS_FLAGS || __builtin_popcountll(flags) > 1)
		return FAIL(CL_INVALID_VALUE, "memory flags 0x%llx for a surface", (unsigned long long)flags);
	return CL_SUCCESS;
}

static cl_int export_surface(const struct _cl_context *c, cl_mem_flags flags, const VASurfaceID *given, VASurfaceID *id, VADRMPRIMESurfaceDescriptor *out)
{
	const uint32_t rights = flags & CL_MEM_READ_ONLY    ? VA_EXPORT_SURFACE_READ_ONLY
				: flags & CL_MEM_WRITE_ONLY ? VA_EXPORT_SURFACE_WRITE_ONLY
							    : VA_EXPORT_SURFACE_READ_WRITE;
	/* CL_CREATEFROMVA_APIMEDIASURFACEINTEL_SURFACE, CL_CREATEFROMVA_APIMEDIASURFACEINTEL_DISPLAY: a surface of the context's display */
	FAIL_IF(!probe_copy(id, given, sizeof *id), CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, "no surface at %p", (void *)given);
	const VAStatus status = va_display_export(c->va_display, *id, rights | VA_EXPORT_SURFACE_SEPARATE_LAYERS, out);
	FAIL_IF(status == VA_STATUS_ERROR_ALLOCATION_FAILED, CL_OUT_OF_HOST_MEMORY, "surface 0x%x: its driver has no memory to export it", *id);
	if (status != VA_STATUS_SUCCESS)
		return FAIL(CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, "0x%x is not a surface of the context's display (VAStatus %d)", *id, status);
	return CL_SUCCESS;
}

static cl_int place_image(struct _cl_mem *m, const struct place *p)
{
	struct kmd_dmabuf b;
	const bool imported = !umd_dmabuf_query(p->fd, &b) && !b.is_protected && p->offset <= b.size && m->size <= b.size - p->offset;
	FAIL_IF(!imported, CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, "the surface's memory cannot be imported: %zu bytes at %u", m->size, p->offset);
	if (!b.writable)
		m->flags = CL_MEM_READ_ONLY;
	const int error = umd_bo_import_dmabuf(m->context->space, p->fd, p->offset, m->size,
					       KMD_BO_SHARED | (m->flags & CL_MEM_READ_ONLY ? KMD_BO_READ_ONLY : 0), &m->bo);
	/* CL_CREATEFROMVA_APIMEDIASURFACEINTEL_HOST_MEMORY, CL_CREATEFROMVA_APIMEDIASURFACEINTEL_RESOURCES: memory and addresses for it */
	FAIL_IF(error == KMD_NO_MEMORY, CL_OUT_OF_HOST_MEMORY, "no host memory to import %zu bytes", m->size);
	FAIL_IF(error, CL_OUT_OF_RESOURCES, "no device addresses for %zu bytes (%d)", m->size, error);
	m->cpu = umd_bo_cpu(m->bo);
	m->address = umd_bo_address(m->bo);
	return CL_SUCCESS;
}

static cl_int make_image(struct _cl_context *c, cl_mem_flags flags, struct va_surface *s, const VADRMPRIMESurfaceDescriptor *d, struct _cl_mem **out)
{
	struct place p;
	unsigned f = 0;
	/* CL_CREATEFROMVA_APIMEDIASURFACEINTEL_PLANE: a plane of the surface */
	FAIL_IF(!plane_find(d, s->plane, &p), CL_INVALID_VALUE, "surface 0x%x has no plane %u", s->id, s->plane);
	while (f < sizeof formats / sizeof *formats && (formats[f].fourcc != d->fourcc || formats[f].plane != s->plane))
		f++;
	/* CL_CREATEFROMVA_APIMEDIASURFACEINTEL_FORMAT: of a format that images have */
	if (f == sizeof formats / sizeof *formats)
		return FAIL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "surface 0x%x has format %.4s, not NV12", s->id, (const char *)&d->fourcc);
	const unsigned part = formats[f].divisor;
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_row_pitch = p.pitch,
			      .image_width = (d->width + part - 1) / part, .image_height = (d->height + part - 1) / part};
	const cl_image_format format = {formats[f].order, CL_UNORM_INT8};
	cl_int code;
	const size_t element = format_element_size(&format, desc.image_type, &code);
	struct _cl_mem *m = mem_create(c, desc.image_type, flags, p.pitch * desc.image_height, NULL, 0);
	FAIL_IF(!m, CL_OUT_OF_HOST_MEMORY, "no memory for the image");
	m->format = format;
	m->desc = desc;
	m->element_size = element;
	m->row_pitch = p.pitch;
	code = place_image(m, &p);
	if (!code && umd_bo_users(m->bo, &s->users))
		code = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the turns of the image's users");
	if (code) {
		object_release(&m->object);
		return code;
	}
	*out = m;
	return CL_SUCCESS;
}

static cl_int surface_image(struct _cl_context *c, cl_mem_flags flags, struct va_surface *s, struct _cl_mem **out)
{
	VADRMPRIMESurfaceDescriptor d;
	TRY(export_surface(c, flags, s->given, &s->id, &d));
	cl_int code = make_image(c, flags, s, &d, out);
	for (uint32_t i = 0; i < d.num_objects && i < 4; i++)
		close(d.objects[i].fd);
	TRY(code);
	if (take(s)) {
		(*out)->va = s;
		return CL_SUCCESS;
	}
	object_release(&(*out)->object);
	/* CL_CREATEFROMVA_APIMEDIASURFACEINTEL_TWICE: a plane has one image at a time */
	return FAIL(CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, "surface 0x%x, plane %u: there is an image of it", s->id, s->plane);
}

CL_API_ENTRY cl_mem CL_API_CALL galena_clCreateFromVA_APIMediaSurfaceINTEL(cl_context context, cl_mem_flags flags, VASurfaceID *surface, cl_uint plane,
									   cl_int *errcode_ret)
{
	struct _cl_mem *m = NULL;
	/* CL_CREATEFROMVA_APIMEDIASURFACEINTEL_CONTEXT: a context that was made for a display */
	FAIL_NULL_IF(!CONTEXT_VALID(context) || !context->va_display, errcode_ret, CL_INVALID_CONTEXT, "not a context of a VA-API display");
	TRY_NULL(errcode_ret, check_flags(flags));
	struct va_surface *s = malloc(sizeof *s);
	FAIL_NULL_IF(!s, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for the image");
	*s = (struct va_surface){.display = context->va_display, .given = surface, .plane = plane};
	const cl_int code = surface_image(context, flags, s, &m);
	if (code)
		va_surface_free(s);
	return api_result(errcode_ret, code, code ? NULL : m);
}

/* ---- ownership ---- */

static cl_int check_surfaces(cl_command_queue queue, cl_uint count, const cl_mem *list)
{
	/* CL_ENQUEUE*VA_APIMEDIASURFACESINTEL_LIST: objects, or neither a number nor a list */
	FAIL_IF(!count != !list, CL_INVALID_VALUE, "%u memory objects at %p", count, (const void *)list);
	/* CL_ENQUEUE*VA_APIMEDIASURFACESINTEL_MEM: of surfaces */
	for (cl_uint i = 0; i < count; i++)
		FAIL_IF(!MEM_VALID(list[i]) || !list[i]->va || list[i]->parent, CL_INVALID_MEM_OBJECT, "entry %u is not an image of a surface", i);
	NEED_QUEUE(queue);
	/* CL_ENQUEUE*VA_APIMEDIASURFACESINTEL_CONTEXT: in a context of a display, theirs */
	FAIL_IF(!queue->context->va_display, CL_INVALID_CONTEXT, "the queue's context was not made for a VA-API display");
	for (cl_uint i = 0; i < count; i++)
		FAIL_IF(list[i]->context != queue->context, CL_INVALID_CONTEXT, "entry %u is of another context", i);
	return CL_SUCCESS;
}

/* All of them become acquired, or released, or none. */
static cl_int change_owner(cl_command_queue queue, bool acquire, cl_uint count, const cl_mem *list)
{
	cl_uint i = 0;
	HOLDING(&queue->context->lock);
	while (i < count && atomic_load(&list[i]->va->acquired) != acquire)
		atomic_store(&list[i++]->va->acquired, acquire);
	if (i == count)
		return CL_SUCCESS;
	for (cl_uint k = 0; k < i; k++)
		atomic_store(&list[k]->va->acquired, !acquire);
	/* CL_ENQUEUEACQUIREVA_APIMEDIASURFACESINTEL_ACQUIRED, CL_ENQUEUERELEASEVA_APIMEDIASURFACESINTEL_RELEASED: they change their owner */
	return acquire ? FAIL(CL_VA_API_MEDIA_SURFACE_ALREADY_ACQUIRED_INTEL, "entry %u is acquired already", i) :
			 FAIL(CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL, "entry %u is not acquired", i);
}

/* The command is the next user of the memory: after all that have been submitted before it, of any API, before all that will be. */
static void take_turn(struct command *c, const struct _cl_mem *m)
{
	union packet turn[2];
	umd_turn_packets(m->va->users, turn);
	*command_packet(c) = turn[0];
	*command_packet(c) = turn[1];
}

static bool of_one_surface(const struct _cl_mem *a, const struct _cl_mem *b) { return a->va->display == b->va->display && a->va->id == b->va->id; }

static cl_int enqueue_ownership(cl_command_queue queue, bool acquire, cl_uint count, const cl_mem *list, EVENT_PARAMETERS)
{
	if (!count && !list)
		return CL_SUCCESS;
	TRY(check_surfaces(queue, count, list));
	const unsigned op = acquire ? CACHE_CLEAN | CACHE_INVALIDATE : CACHE_CLEAN;
	TRY(change_owner(queue, acquire, count, list));
	struct command c;
	cl_int code = command_begin(&c, queue, acquire ? CL_COMMAND_ACQUIRE_VA_API_MEDIA_SURFACES_INTEL : CL_COMMAND_RELEASE_VA_API_MEDIA_SURFACES_INTEL,
				    num_events, wait_list);
	if (!code) {
		/* an acquire is before all work that is enqueued later, a release behind all that was enqueued before */
		const bool implicit = !queue->context->user_sync;
		c.barrier = implicit && acquire;
		c.after_all = implicit && !acquire;
		for (cl_uint i = 0; i < count; i++) {
			command_use_mem(&c, list[i]);
			if (implicit && !(i && of_one_surface(list[i], list[i - 1])))
				take_turn(&c, list[i]);
			command_maintain(&c, list[i], op);
		}
		code = command_submit(&c, false, event);
	}
	HOLDING(&queue->context->lock);
	for (cl_uint i = 0; code && i < count; i++)
		atomic_store(&list[i]->va->acquired, !acquire);
	/* who stands behind it may be no command of this context, whose flushes reach what they wait for */
	queue_flush(queue);
	return code;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueAcquireVA_APIMediaSurfacesINTEL(cl_command_queue queue, cl_uint num_objects, const cl_mem *mem_objects,
										EVENT_PARAMETERS)
{
	return enqueue_ownership(queue, true, num_objects, mem_objects, EVENT_ARGUMENTS);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueReleaseVA_APIMediaSurfacesINTEL(cl_command_queue queue, cl_uint num_objects, const cl_mem *mem_objects,
										EVENT_PARAMETERS)
{
	return enqueue_ownership(queue, false, num_objects, mem_objects, EVENT_ARGUMENTS);
}
