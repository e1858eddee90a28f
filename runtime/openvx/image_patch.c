/* Pixels of images: copies and maps (OpenVX 1.3, 3.37). */
#include "runtime/openvx/image_patch.h"
#include "runtime/openvx/launch.h"
#include "runtime/openvx/map.h"
#include <stdlib.h>
#include <string.h>

/* ---- where pixels are ---- */
/* A rectangle of a plane: its pixels, and the bytes of its rows in the buffer. */
struct patch {
	const struct plane *plane;
	unsigned bits;               /* of a pixel */
	unsigned before;             /* pixels of a bit image that the first byte of a row holds before those of the patch */
	bool ragged;                 /* bits of other pixels share bytes with it */
	vx_uint32 x, y, width, height;
	size_t row;                  /* bytes */
	struct rows at;
	vx_imagepatch_addressing_t addressing; /* as it lies in the buffer */
};

static vx_status patch_find(vx_image image, const vx_rectangle_t *rect, vx_uint32 plane, struct patch *out)
{
	const vx_rectangle_t none = {0, 0, 0, 0}, *r = rect ? rect : &none;
	/* vxMapImagePatch, vxCopyImagePatch: a plane of the image, a rectangle within it that is not empty */
	FAIL_IF(!image->info || plane >= image->info->planes, image, VX_ERROR_INVALID_PARAMETERS, "the image has no plane %u", plane);
	if (r->start_x >= r->end_x || r->start_y >= r->end_y || r->end_x > image->width || r->end_y > image->height)
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "[%u, %u) x [%u, %u) is no rectangle of %u x %u pixels", r->start_x, r->end_x, r->start_y, r->end_y,
			    image->width, image->height);
	TRY(image_allocate(image));
	const unsigned sx = image->info->plane[plane].scale_x, sy = image->info->plane[plane].scale_y;
	const struct plane *p = &image->planes[plane];
	*out = (struct patch){.plane = p, .bits = image->info->plane[plane].bits, .x = r->start_x / sx, .y = r->start_y / sy};
	out->width = (r->end_x + sx - 1) / sx - out->x;
	out->height = (r->end_y + sy - 1) / sy - out->y;
	/* ... of bit images it lies in whole bytes, where its pixels keep their places */
	const size_t first_bit = (size_t)out->x * out->bits;
	out->before = first_bit % 8;
	out->ragged = out->before || ((out->before + out->width * out->bits) % 8 && (image->parent || r->end_x < image->width));
	out->row = (out->before + (size_t)out->width * out->bits + 7) / 8;
	out->at = (struct rows){p->offset + (size_t)out->y * (size_t)p->stride_y + first_bit / 8, (size_t)p->stride_y};
	out->addressing = (vx_imagepatch_addressing_t){
		.dim_x = out->before + r->end_x - r->start_x, .dim_y = r->end_y - r->start_y, .stride_x = p->stride_x, .stride_y = p->stride_y,
		.scale_x = VX_SCALE_UNITY / sx, .scale_y = VX_SCALE_UNITY / sy, .step_x = sx, .step_y = (vx_uint16)sy,
		.stride_x_bits = out->bits < 8 ? (vx_uint16)out->bits : 0,
	};
	return VX_SUCCESS;
}

static vx_status check_access(vx_image image, vx_enum usage, bool copy)
{
	if (usage != VX_READ_ONLY && usage != VX_WRITE_ONLY && (copy || usage != VX_READ_AND_WRITE))
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "there is no access 0x%x", usage);
	/* 3.37: pixels of virtual images are the graph's alone; uniform images are read */
	TRY(object_reach(&image->reference, "access to pixels"));
	FAIL_IF(image->is_uniform && usage != VX_READ_ONLY, image, VX_ERROR_NOT_SUPPORTED, "a uniform image cannot be written");
	return VX_SUCCESS;
}

static void *pixel_at(void *ptr, vx_uint32 x, vx_uint32 y, const vx_imagepatch_addressing_t *a)
{
	const vx_uint32 scale_x = a->scale_x ? a->scale_x : VX_SCALE_UNITY, scale_y = a->scale_y ? a->scale_y : VX_SCALE_UNITY;
	const ptrdiff_t column = (ptrdiff_t)((vx_uint64)x * scale_x / VX_SCALE_UNITY), row = (ptrdiff_t)((vx_uint64)y * scale_y / VX_SCALE_UNITY);
	return (char *)ptr + row * a->stride_y + (a->stride_x ? column * a->stride_x : column * a->stride_x_bits / 8);
}

VX_API_ENTRY VX_EXPORT void *VX_API_CALL vxFormatImagePatchAddress1d(void *ptr, vx_uint32 index, const vx_imagepatch_addressing_t *addr)
{
	if (!ptr || !addr || !addr->dim_x || index >= (vx_uint64)addr->dim_x * addr->dim_y)
		return NULL;
	return pixel_at(ptr, index % addr->dim_x, index / addr->dim_x, addr);
}

VX_API_ENTRY VX_EXPORT void *VX_API_CALL vxFormatImagePatchAddress2d(void *ptr, vx_uint32 x, vx_uint32 y, const vx_imagepatch_addressing_t *addr)
{
	if (!ptr || !addr || x >= addr->dim_x || y >= addr->dim_y)
		return NULL;
	return pixel_at(ptr, x, y, addr);
}

/* ---- copies ---- */
/* vxCopyImagePatch: the application's pixels lie behind one another, and so do its rows */
static vx_status check_layout(vx_image image, const struct patch *p, const vx_imagepatch_addressing_t *user)
{
	const vx_int64 pixel = p->bits / 8, row = pixel ? user->stride_x * (vx_int64)(p->width - 1) + pixel : (vx_int64)p->row;
	if (user->stride_x >= pixel && user->stride_y >= row)
		return VX_SUCCESS;
	return fail(image, VX_ERROR_INVALID_PARAMETERS, "vxCopyImagePatch: strides of %d and %d bytes, where a pixel has %lld and a row %lld", user->stride_x,
		    user->stride_y, (long long)pixel, (long long)row);
}

/* Bits from rows of bytes in a buffer: the others in the same bytes stay. */
static vx_status copy_bits(vx_image image, const struct patch *p, cl_mem from, size_t stride)
{
	struct _vx_context *c = image->reference.context;
	struct launch l = {.context = c, .queue = c->device.queue};
	const struct plane_arg rows = {.offset_bits = p->before, .width = (cl_int)p->width, .height = (cl_int)p->height, .stride_y = (cl_int)stride};
	struct plane_arg to = rows;
	to.offset = (cl_uint)p->at.offset;
	to.stride_y = (cl_int)p->at.stride;
	/* of two inputs, without a condition */
	launch_kernel(&l, "pixelwise", "-DSELECT", "select_bits", MEM(from), STRUCT(rows), MEM(from), STRUCT(rows), MEM(p->plane->mem),
		      STRUCT(to), MEM(NULL));
	return launch_2d(&l, p->row, p->height);
}

/* The same from the host's memory. */
static vx_status write_bits(vx_image image, const struct patch *p, const void *theirs, size_t stride)
{
	struct device *d = &image->reference.context->device;
	cl_mem bits = device_buffer(d, p->row * p->height);
	FAIL_IF(!bits, image, VX_ERROR_NO_MEMORY, "no memory for %zu bytes on their way to an image", p->row * p->height);
	vx_status status = device_write_rows(d, bits, (struct rows){0, p->row}, theirs, stride, p->row, p->height);
	if (!status)
		status = copy_bits(image, p, bits, p->row);
	device_release(d, bits);
	return status;
}

/* Whether the pixels of the application's rows lie side by side. */
static bool side_by_side(const struct patch *p, const vx_imagepatch_addressing_t *user)
{
	return p->bits < 8 || user->stride_x == p->plane->stride_x;
}

/* Between rows of dense pixels and the application's strided ones. */
static void spread(const struct patch *p, char *dense, const vx_imagepatch_addressing_t *user, char *theirs, bool to_theirs)
{
	const size_t pixel = p->bits / 8;
	for (vx_uint32 y = 0; y < p->height; y++) {
		for (vx_uint32 x = 0; x < p->width; x++) {
			char *a = dense + y * p->row + x * pixel, *b = theirs + (ptrdiff_t)y * user->stride_y + (ptrdiff_t)x * user->stride_x;
			memcpy(to_theirs ? b : a, to_theirs ? a : b, pixel);
		}
	}
}

static vx_status copy_strided(struct device *d, const struct patch *p, const vx_imagepatch_addressing_t *user, char *theirs, bool read)
{
	char *dense = malloc(p->row * p->height);
	vx_status status = VX_SUCCESS;
	if (!dense)
		return VX_ERROR_NO_MEMORY;
	if (read)
		status = device_read_rows(d, p->plane->mem, p->at, dense, p->row, p->row, p->height);
	if (!status)
		spread(p, dense, user, theirs, read);
	if (!read)
		status = device_write_rows(d, p->plane->mem, p->at, dense, p->row, p->row, p->height);
	free(dense);
	return status;
}

static vx_status copy_host(vx_image image, const struct patch *p, const vx_imagepatch_addressing_t *user, void *theirs, bool read)
{
	struct device *d = &image->reference.context->device;
	if (!side_by_side(p, user))
		return copy_strided(d, p, user, theirs, read);
	if (p->ragged && !read)
		return write_bits(image, p, theirs, (size_t)user->stride_y);
	return read ? device_read_rows(d, p->plane->mem, p->at, theirs, (size_t)user->stride_y, p->row, p->height) :
		      device_write_rows(d, p->plane->mem, p->at, theirs, (size_t)user->stride_y, p->row, p->height);
}

/* A row of which the application's pixels are strided: one by one, in one command. */
static vx_status copy_pixels(struct device *d, const struct patch *p, vx_uint32 y, cl_mem theirs, struct rows there, bool read)
{
	const size_t pixel = p->bits / 8;
	const struct rows here = {p->at.offset + y * p->at.stride, pixel};
	return read ? device_copy_rows(d, p->plane->mem, here, theirs, there, pixel, p->width) :
		      device_copy_rows(d, theirs, there, p->plane->mem, here, pixel, p->width);
}

static vx_status copy_buffer(vx_image image, const struct patch *p, const vx_imagepatch_addressing_t *user, cl_mem theirs, bool read)
{
	struct device *d = &image->reference.context->device;
	const struct rows there = {0, (size_t)user->stride_y};
	const bool strided = !side_by_side(p, user);
	const size_t row = strided ? (size_t)user->stride_x * (p->width - 1) + p->bits / 8 : p->row;
	vx_status status = VX_SUCCESS;
	if (!device_owns(d, theirs, there.stride * (p->height - 1) + row))
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "vxCopyImagePatch: not a buffer of the context's with %u rows of %u pixels, %d and %d bytes apart",
			    p->height, p->width, user->stride_y, user->stride_x);
	if (p->ragged && !read)
		return copy_bits(image, p, theirs, there.stride);
	if (!strided)
		return read ? device_copy_rows(d, p->plane->mem, p->at, theirs, there, p->row, p->height) :
			      device_copy_rows(d, theirs, there, p->plane->mem, p->at, p->row, p->height);
	for (vx_uint32 y = 0; !status && y < p->height; y++)
		status = copy_pixels(d, p, y, theirs, (struct rows){y * there.stride, (size_t)user->stride_x}, read);
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyImagePatch(vx_image image, const vx_rectangle_t *image_rect, vx_uint32 image_plane_index,
							       const vx_imagepatch_addressing_t *user_addr, void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	struct patch p;
	ENTER(image, VX_TYPE_IMAGE);
	if (!image_rect || !user_addr || !user_ptr)
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "vxCopyImagePatch: no rectangle, no addressing, or no memory");
	TRY(memory_check(image, "vxCopyImagePatch", user_mem_type));
	TRY(check_access(image, usage, true));
	TRY(patch_find(image, image_rect, image_plane_index, &p));
	TRY(check_layout(image, &p, user_addr));
	if (user_mem_type == VX_MEMORY_TYPE_HOST)
		return copy_host(image, &p, user_addr, user_ptr, usage == VX_READ_ONLY);
	return copy_buffer(image, &p, user_addr, user_ptr, usage == VX_READ_ONLY);
}

/* ---- maps ---- */
struct image_map {
	struct image_map *next;
	vx_map_id id;
	vx_enum usage, memory;
	struct patch patch;
	cl_mem mem;       /* held as long as the map; of a part for OpenCL, one of its own */
	void *host;       /* what OpenCL has mapped */
	bool is_copy;
};

static vx_status map_host(vx_image image, struct image_map *m, void **ptr)
{
	struct device *d = &image->reference.context->device;
	const struct patch *p = &m->patch;
	m->mem = p->plane->mem;
	m->host = device_map(d, m->mem, p->at.offset + p->at.stride * (p->height - 1) + p->row, m->usage);
	FAIL_IF(!m->host, image, VX_ERROR_NO_MEMORY, "vxMapImagePatch: the pixels cannot be mapped");
	device_retain(d, m->mem);
	*ptr = (char *)m->host + p->at.offset;
	return VX_SUCCESS;
}

/* 2.4: the buffer itself where all of it is asked for; else a dense one, with what is read. */
static vx_status map_buffer(vx_image image, struct image_map *m, void **ptr)
{
	struct device *d = &image->reference.context->device;
	struct patch *p = &m->patch;
	vx_status status = VX_SUCCESS;
	const bool whole = !p->at.offset && p->height == p->plane->height && p->width == p->plane->width && p->at.stride == p->row;
	if (whole) {
		m->mem = p->plane->mem;
		device_retain(d, m->mem);
	} else {
		m->is_copy = true;
		m->mem = device_buffer(d, p->row * p->height);
		FAIL_IF(!m->mem, image, VX_ERROR_NO_MEMORY, "vxMapImagePatch: no memory for %zu bytes", p->row * p->height);
		if (m->usage != VX_WRITE_ONLY)
			status = device_copy_rows(d, p->plane->mem, p->at, m->mem, (struct rows){0, p->row}, p->row, p->height);
		p->addressing.stride_y = (vx_int32)p->row;
	}
	*ptr = m->mem;
	return status;
}

static vx_map_id fresh_id(void)
{
	static _Atomic vx_map_id last;
	return ++last;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapImagePatch(vx_image image, const vx_rectangle_t *rect, vx_uint32 plane_index, vx_map_id *map_id,
							      vx_imagepatch_addressing_t *addr, void **ptr, vx_enum usage, vx_enum mem_type, vx_uint32 flags)
{
	(void)flags; /* VX_NOGAP_X: there never is one */
	ENTER(image, VX_TYPE_IMAGE);
	FAIL_IF(!map_id || !addr || !ptr, image, VX_ERROR_INVALID_PARAMETERS, "vxMapImagePatch: no room for an id, an addressing or a pointer");
	TRY(memory_check(image, "vxMapImagePatch", mem_type));
	TRY(check_access(image, usage, false));
	struct image_map *m = calloc(1, sizeof *m);
	if (!m)
		return VX_ERROR_NO_MEMORY;
	m->usage = usage;
	m->memory = mem_type;
	vx_status status = patch_find(image, rect, plane_index, &m->patch);
	if (!status)
		status = mem_type == VX_MEMORY_TYPE_HOST ? map_host(image, m, ptr) : map_buffer(image, m, ptr);
	if (status) {
		if (m->is_copy)
			device_release(&image->reference.context->device, m->mem);
		free(m);
		return status;
	}
	*addr = m->patch.addressing;
	*map_id = m->id = fresh_id();
	m->next = image->maps;
	image->maps = m;
	return VX_SUCCESS;
}

static vx_status unmap(vx_image image, struct image_map *m)
{
	struct device *d = &image->reference.context->device;
	const struct patch *p = &m->patch;
	vx_status status = VX_SUCCESS;
	if (m->host)
		status = device_unmap(d, m->mem, m->host);
	else if (m->is_copy && m->usage != VX_READ_ONLY && p->ragged)
		status = copy_bits(image, p, m->mem, p->row);
	else if (m->is_copy && m->usage != VX_READ_ONLY)
		status = device_copy_rows(d, m->mem, (struct rows){0, p->row}, p->plane->mem, p->at, p->row, p->height);
	device_release(d, m->mem);
	free(m);
	return status;
}

void image_unmap_all(vx_image image)
{
	while (image->maps) {
		struct image_map *m = image->maps;
		image->maps = m->next;
		unmap(image, m);
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapImagePatch(vx_image image, vx_map_id map_id)
{
	ENTER(image, VX_TYPE_IMAGE);
	struct image_map **at = &image->maps;
	while (*at && (*at)->id != map_id)
		at = &(*at)->next;
	FAIL_IF(!*at, image, VX_ERROR_INVALID_PARAMETERS, "vxUnmapImagePatch: the image has no map %zu", (size_t)map_id);
	struct image_map *m = *at;
	*at = m->next;
	return unmap(image, m);
}

void image_give_back(vx_image image)
{
	struct device *d = &image->reference.context->device;
	/* what the device has written is in the application's memory when a map of it is there */
	for (unsigned i = 0; i < image->info->planes; i++) {
		const struct plane *p = &image->planes[i];
		if (!p->mem)
			continue;
		void *host = device_map(d, p->mem, (size_t)p->stride_y * (p->height - 1) + 1, VX_READ_ONLY);
		if (host)
			device_unmap(d, p->mem, host);
	}
	device_finish(d);
}
