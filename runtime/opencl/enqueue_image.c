/* Commands on images: read, write, copy, fill, from and to buffers. */
#include "runtime/opencl/enqueue.h"
#include <stdlib.h>
#include <string.h>

/* A region in bytes, rows, slices. */
static void byte_region(const struct _cl_mem *m, const size_t region[3], size_t out[3])
{
	out[0] = region[0] * m->element_size;
	out[1] = region[1];
	out[2] = region[2];
}

/* OpenCL 3.0, 5.3.3: pitches of host memory; *row and *slice become those between what stands in
 * the second and third place of the region */
static cl_int check_host_pitches(const struct _cl_mem *m, const size_t region[3], size_t *row, size_t *slice)
{
	size_t width = region[0] * m->element_size;
	bool lines = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	bool layered = m->type == CL_MEM_OBJECT_IMAGE3D || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	/* CL_ENQUEUE*IMAGE_ROW: a row pitch holds a row */
	FAIL_IF(*row && *row < width, CL_INVALID_VALUE, "row pitch %zu for rows of %zu", *row, width);
	if (!*row)
		*row = width;
	/* CL_ENQUEUE*IMAGE_SLICE_UNUSED: a slice pitch is for slices */
	FAIL_IF(*slice && !lines && !layered, CL_INVALID_VALUE, "slice pitch for an image without slices");
	size_t least = layered ? *row * region[1] : *row;
	/* CL_ENQUEUE*IMAGE_SLICE: a slice pitch holds a slice */
	FAIL_IF(*slice && *slice < least, CL_INVALID_VALUE, "slice pitch %zu, at least %zu needed", *slice, least);
	if (!*slice)
		*slice = least;
	if (lines)
		*row = *slice;
	return CL_SUCCESS;
}

static cl_int transfer(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region, size_t row,
		       size_t slice, void *ptr, bool write, EVENT_PARAMETERS)
{
	TRY(check_object(queue, image, true));
	/* CL_ENQUEUE*IMAGE_PTR_NULL: there is host memory */
	FAIL_IF(!ptr, CL_INVALID_VALUE, "no host memory");
	TRY(image_check_region(image, origin, region));
	TRY(check_host_pitches(image, region, &row, &slice));
	TRY(check_host_access(image, !write, write));
	BEGIN_COMMAND(c, queue, write ? CL_COMMAND_WRITE_IMAGE : CL_COMMAND_READ_IMAGE);
	size_t bytes[3];
	byte_region(image, region, bytes);
	command_use_mem(&c, image);
	if (write)
		command_copy_from_host(&c, ptr, row, slice, image_box(image, origin), bytes);
	else
		command_copy_to_host(&c, image_box(image, origin), ptr, row, slice, bytes);
	return command_submit(&c, blocking, event);
}

cl_int CL_API_CALL galena_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region,
					     size_t row_pitch, size_t slice_pitch, void *ptr, EVENT_PARAMETERS)
{
	return transfer(queue, image, blocking, origin, region, row_pitch, slice_pitch, ptr, false, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region,
					      size_t row_pitch, size_t slice_pitch, const void *ptr, EVENT_PARAMETERS)
{
	return transfer(queue, image, blocking, origin, region, row_pitch, slice_pitch, (void *)(uintptr_t)ptr, true, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueCopyImage(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin, const size_t *dst_origin,
					     const size_t *region, EVENT_PARAMETERS)
{
	TRY(check_object(queue, src, true));
	TRY(check_object(queue, dst, true));
	/* CL_ENQUEUECOPYIMAGE_MISMATCH: 5.3.3: both have the same format; there is no conversion */
	FAIL_IF(memcmp(&src->format, &dst->format, sizeof src->format), CL_IMAGE_FORMAT_MISMATCH, "source and destination have different formats");
	TRY(image_check_region(src, src_origin, region));
	TRY(image_check_region(dst, dst_origin, region));
	/* CL_ENQUEUECOPYIMAGE_OVERLAP: 5.3.3: in one image, source and destination do not overlap */
	bool meet = src == dst;
	for (int i = 0; i < 3; i++)
		meet = meet && ranges_meet(src_origin[i], dst_origin[i], region[i], region[i]);
	FAIL_IF(meet, CL_MEM_COPY_OVERLAP, "source and destination regions overlap");
	BEGIN_COMMAND(c, queue, CL_COMMAND_COPY_IMAGE);
	size_t bytes[3];
	byte_region(src, region, bytes);
	command_use_mem(&c, src);
	command_use_mem(&c, dst);
	command_copy(&c, image_box(src, src_origin), image_box(dst, dst_origin), bytes);
	return command_submit(&c, false, event);
}

static cl_int copy_buffer_image(cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *origin, const size_t *region, size_t offset,
				bool to_image, EVENT_PARAMETERS)
{
	TRY(check_object(queue, image, true));
	TRY(check_object(queue, buffer, false));
	TRY(image_check_region(image, origin, region));
	/* CL_ENQUEUE*_IMAGE_OF_BUFFER: 5.3.5: not one onto itself */
	FAIL_IF(image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER && image->parent == buffer, CL_INVALID_MEM_OBJECT, "the image is one of the buffer");
	size_t bytes[3];
	byte_region(image, region, bytes);
	/* 5.3.5: the buffer holds the texels of the region, packed */
	TRY(check_range(buffer, offset, bytes[0] * bytes[1] * bytes[2]));
	BEGIN_COMMAND(c, queue, to_image ? CL_COMMAND_COPY_BUFFER_TO_IMAGE : CL_COMMAND_COPY_IMAGE_TO_BUFFER);
	struct box linear = {.address = buffer->address + offset}, box = image_box(image, origin);
	command_use_mem(&c, image);
	command_use_mem(&c, buffer);
	command_copy(&c, to_image ? linear : box, to_image ? box : linear, bytes);
	return command_submit(&c, false, event);
}

cl_int CL_API_CALL galena_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin,
						     const size_t *region, size_t dst_offset, EVENT_PARAMETERS)
{
	return copy_buffer_image(queue, src, dst, src_origin, region, dst_offset, false, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset, const size_t *dst_origin,
						     const size_t *region, EVENT_PARAMETERS)
{
	return copy_buffer_image(queue, dst, src, dst_origin, region, src_offset, true, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *fill_color, const size_t *origin,
					     const size_t *region, EVENT_PARAMETERS)
{
	TRY(check_object(queue, image, true));
	/* CL_ENQUEUEFILLIMAGE_COLOR_NULL: there is a colour */
	FAIL_IF(!fill_color, CL_INVALID_VALUE, "no colour");
	TRY(image_check_region(image, origin, region));
	BEGIN_COMMAND(c, queue, CL_COMMAND_FILL_IMAGE);
	unsigned char texel[16];
	size_t bytes[3];
	byte_region(image, region, bytes);
	format_pack_color(&image->format, fill_color, texel);
	command_use_mem(&c, image);
	command_fill(&c, texel, image->element_size, image_box(image, origin), bytes);
	return command_submit(&c, false, event);
}
