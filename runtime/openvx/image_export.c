/* Images in exports: pixels plane by plane, in dense rows. */
#include "runtime/openvx/ix.h"
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */
static size_t row_of(const struct _vx_image *image, unsigned plane) { return row_bytes(image->info, plane, image->planes[plane].width); }

/* Bits of an image that is a part of another: its rows begin and end within bytes that others have, too. */
static bool shares_bytes(const struct _vx_image *image) { return image->parent && image->format == VX_DF_IMAGE_U1; }

static bool bit_get(const vx_uint8 *row, size_t i) { return row[i / 8] >> i % 8 & 1; }

static void bit_set(vx_uint8 *row, size_t i, bool value)
{
	const vx_uint8 mask = (vx_uint8)(1u << i % 8);
	row[i / 8] = (vx_uint8)(value ? row[i / 8] | mask : row[i / 8] & ~mask);
}

/* Between dense rows and the bytes that rows of bits lie in. */
static vx_status move_bits(vx_image image, vx_uint8 *dense, bool read)
{
	struct device *d = &image->reference.context->device;
	const struct plane *p = &image->planes[0];
	const size_t row = row_of(image, 0), covering = ((size_t)p->width + 7) / 8;
	const struct rows at = {p->offset, (size_t)p->stride_y};
	vx_uint8 *bytes = malloc(covering * p->height);
	if (!bytes)
		return VX_ERROR_NO_MEMORY;
	vx_status status = device_read_rows(d, p->mem, at, bytes, covering, covering, p->height);
	for (vx_uint32 y = 0; !status && y < p->height; y++) {
		for (vx_uint32 x = 0; x < p->width; x++) {
			if (read)
				bit_set(dense + y * row, x, bit_get(bytes + y * covering, x));
			else
				bit_set(bytes + y * covering, x, bit_get(dense + y * row, x));
		}
	}
	if (!status && !read)
		status = device_write_rows(d, p->mem, at, bytes, covering, covering, p->height);
	free(bytes);
	return status;
}

static vx_status move_plane(vx_image image, unsigned plane, vx_uint8 *dense, bool read)
{
	struct device *d = &image->reference.context->device;
	const struct plane *p = &image->planes[plane];
	const size_t row = row_of(image, plane);
	const struct rows at = {p->offset, (size_t)p->stride_y};
	if (shares_bytes(image))
		return move_bits(image, dense, read);
	return read ? device_read_rows(d, p->mem, at, dense, row, row, p->height) :
		      device_write_rows(d, p->mem, at, dense, row, row, p->height);
}

/* ---- data ---- */
static bool is_unwritten(const struct _vx_image *image)
{
	while (image->parent)
		image = image->parent;
	return image->memory == VX_MEMORY_TYPE_NONE && !image->planes[0].mem;
}

vx_status image_put_values(struct ix_writer *w, void *object)
{
	vx_image image = object;
	ix_put_bytes(w, &image->valid, sizeof image->valid);
	/* pixels of uniform images follow from their value */
	const bool pixels = !image->is_uniform && !is_unwritten(image);
	ix_put_u8(w, pixels);
	vx_status status = pixels ? image_allocate(image) : VX_SUCCESS;
	for (unsigned i = 0; pixels && !status && i < image->info->planes; i++) {
		const size_t row = row_of(image, i);
		vx_uint8 *dense = ix_put_room(w, row * image->planes[i].height);
		if (!dense)
			break;
		memset(dense, 0, row * image->planes[i].height);
		status = move_plane(image, i, dense, true);
	}
	return status;
}

void image_get_values(struct ix_reader *r, void *object)
{
	vx_image image = object;
	vx_rectangle_t valid;
	ix_copy(r, &valid, sizeof valid);
	const bool pixels = ix_u8(r);
	if (r->status)
		return;
	if (vxSetImageValidRectangle(image, &valid)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "the valid rectangle does not lie in the image");
		return;
	}
	if (!pixels)
		return;
	size_t bytes = 0;
	for (unsigned i = 0; i < image->info->planes; i++)
		bytes += row_of(image, i) * image->planes[i].height;
	if (bytes > r->end - r->at) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%zu bytes of pixels, where %zu are left", bytes, r->end - r->at);
		return;
	}
	if (image->is_uniform) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "pixels of a uniform image");
		return;
	}
	vx_status status = image_allocate(image);
	if (status)
		ix_refuse(r, status, "there is no room for the pixels");
	for (unsigned i = 0; !r->status && i < image->info->planes; i++) {
		const void *dense = ix_bytes(r, row_of(image, i) * image->planes[i].height);
		status = dense ? move_plane(image, i, (vx_uint8 *)(uintptr_t)dense, false) : VX_SUCCESS;
		if (status)
			ix_refuse(r, status, "the pixels of plane %u cannot be written", i);
	}
}
