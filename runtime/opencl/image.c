/* Images: descriptors, creation, queries, geometry. Texels lie row after row; a 1D array's layers
 * are its rows, at slice_pitch. */
#include "runtime/opencl/external.h"
#include "runtime/opencl/va.h"
#include <stdlib.h>
#include <string.h>

/* ---- geometry ---- */

void image_extent(const struct _cl_mem *m, size_t e[3])
{
	const cl_image_desc *d = &m->desc;
	e[0] = d->image_width;
	e[1] = e[2] = 1;
	switch (m->type) {
	case CL_MEM_OBJECT_IMAGE1D_ARRAY: e[1] = d->image_array_size; break;
	case CL_MEM_OBJECT_IMAGE2D: e[1] = d->image_height; break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		e[1] = d->image_height;
		e[2] = d->image_array_size;
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		e[1] = d->image_height;
		e[2] = d->image_depth;
		break;
	}
}

struct box image_box(const struct _cl_mem *m, const size_t origin[3])
{
	struct box b = {.row = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? m->slice_pitch : m->row_pitch, .slice = m->slice_pitch};
	b.address = m->address + origin[0] * m->element_size + origin[1] * b.row + origin[2] * b.slice;
	return b;
}

cl_int image_check_region(const struct _cl_mem *m, const size_t origin[3], const size_t region[3])
{
	/* CL_ENQUEUE*IMAGE*_ORIGIN_NULL, CL_ENQUEUE*IMAGE*_REGION_NULL, CL_ENQUEUECOPYIMAGE_SRC_ORIGIN_NULL, CL_ENQUEUECOPYIMAGE_DST_ORIGIN_NULL: there is a region */
	FAIL_IF(!origin || !region, CL_INVALID_VALUE, "no origin or no region");
	size_t extent[3];
	image_extent(m, extent);
	for (int i = 0; i < 3; i++) {
		/* CL_ENQUEUE*IMAGE*_REGION_ZERO: not empty */
		FAIL_IF(!region[i], CL_INVALID_VALUE, "region[%d] is 0", i);
		/* CL_ENQUEUE*IMAGE*_BOUNDS, CL_ENQUEUE*IMAGE*_DIMENSIONS: dimensions that the image lacks have extent 1, so origin 0 and region 1 */
		if (origin[i] >= extent[i] || region[i] > extent[i] - origin[i])
			return FAIL(CL_INVALID_VALUE, "dimension %d: %zu+%zu is beyond the image's %zu", i, origin[i], region[i], extent[i]);
	}
	return CL_SUCCESS;
}

void image_describe(const struct _cl_mem *m, struct image_desc *out)
{
	const cl_image_desc *d = &m->desc;
	bool array = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	bool flat = m->type == CL_MEM_OBJECT_IMAGE1D || m->type == CL_MEM_OBJECT_IMAGE1D_BUFFER || m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	*out = (struct image_desc){
		.base = m->address,
		.width = (uint32_t)d->image_width,
		.height = flat ? 1 : (uint32_t)d->image_height,
		.depth = m->type == CL_MEM_OBJECT_IMAGE3D ? (uint32_t)d->image_depth : 1,
		.array_size = array ? (uint32_t)d->image_array_size : 1,
		.row_pitch = m->row_pitch,
		.slice_pitch = m->slice_pitch,
		.channel_order = m->format.image_channel_order,
		.channel_type = m->format.image_channel_data_type,
		.element_size = (uint32_t)m->element_size,
		.channels = format_channels(&m->format),
		.kind = m->type,
	};
}

/* ---- descriptors ---- */

static cl_int check_limit(const char *what, size_t value, size_t limit)
{
	/* CL_CREATEIMAGE*_SIZE: OpenCL 3.0, 5.3.1: CL_INVALID_IMAGE_SIZE for what no device can have; 0 is not a size */
	FAIL_IF(!value || value > limit, CL_INVALID_IMAGE_SIZE, "%s %zu is 0 or above %zu", what, value, limit);
	return CL_SUCCESS;
}

static cl_int check_sizes(const cl_image_desc *d)
{
	switch (d->image_type) {
	case CL_MEM_OBJECT_IMAGE1D: return check_limit("width", d->image_width, DEVICE_IMAGE2D_MAX);
	case CL_MEM_OBJECT_IMAGE1D_BUFFER: return check_limit("width", d->image_width, DEVICE_IMAGE_BUFFER_MAX);
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		TRY(check_limit("width", d->image_width, DEVICE_IMAGE2D_MAX));
		return check_limit("array size", d->image_array_size, DEVICE_IMAGE_ARRAY_MAX);
	case CL_MEM_OBJECT_IMAGE2D:
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		TRY(check_limit("width", d->image_width, DEVICE_IMAGE2D_MAX));
		TRY(check_limit("height", d->image_height, DEVICE_IMAGE2D_MAX));
		return d->image_type == CL_MEM_OBJECT_IMAGE2D ? CL_SUCCESS : check_limit("array size", d->image_array_size, DEVICE_IMAGE_ARRAY_MAX);
	case CL_MEM_OBJECT_IMAGE3D:
		TRY(check_limit("width", d->image_width, DEVICE_IMAGE3D_MAX));
		TRY(check_limit("height", d->image_height, DEVICE_IMAGE3D_MAX));
		return check_limit("depth", d->image_depth, DEVICE_IMAGE3D_MAX);
	}
	return FAIL(CL_INVALID_IMAGE_DESCRIPTOR, "0x%x is not a type of image", d->image_type);
}

/* 5.3.1.1: pitches are of host_ptr, or of the buffer that the image is made from; 0 means packed */
static cl_int check_pitches(const cl_image_desc *d, size_t element, bool given, size_t *row, size_t *slice)
{
	bool layered = d->image_type == CL_MEM_OBJECT_IMAGE3D || d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	bool lines = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	/* CL_CREATEIMAGE*_DESC, CL_CREATEIMAGE2D_PITCH, CL_CREATEIMAGE3D_PITCH: pitches go with memory and hold what they have to */
	FAIL_IF(!given && (d->image_row_pitch || d->image_slice_pitch), CL_INVALID_IMAGE_DESCRIPTOR, "pitches without host_ptr");
	*row = d->image_row_pitch ? d->image_row_pitch : d->image_width * element;
	if (*row < d->image_width * element || *row % element) {
		/* CL_CREATEIMAGE*_BUFFER_PITCH: 5.3.1: of a buffer, that is an error of the format */
		FAIL_IF(d->mem_object, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "row pitch %zu for %zu texels of %zu bytes", *row, d->image_width, element);
		return FAIL(CL_INVALID_IMAGE_DESCRIPTOR, "row pitch %zu for %zu texels of %zu bytes", *row, d->image_width, element);
	}
	size_t least = layered ? *row * d->image_height : *row;
	*slice = layered || lines ? (d->image_slice_pitch ? d->image_slice_pitch : least) : 0;
	FAIL_IF((layered || lines) && (*slice < least || *slice % *row), CL_INVALID_IMAGE_DESCRIPTOR, "slice pitch %zu for rows of %zu", *slice, *row);
	return CL_SUCCESS;
}

static cl_int check_descriptor(const cl_image_desc *d, const struct external *x)
{
	/* CL_CREATEIMAGE*_DESC_NULL: there is a descriptor */
	FAIL_IF(!d, CL_INVALID_IMAGE_DESCRIPTOR, "no descriptor");
	/* 5.3.1.1: neither mipmaps nor samples; what an image is made from fits its type */
	if (d->num_mip_levels > (x->given ? 1 : 0) || d->num_samples) /* one level is what other APIs call none */
		return FAIL(CL_INVALID_IMAGE_DESCRIPTOR, "num_mip_levels and num_samples have to be 0");
	FAIL_IF(x->given && d->mem_object, CL_INVALID_IMAGE_DESCRIPTOR, "mem_object with external memory");
	if (d->mem_object && d->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER && d->image_type != CL_MEM_OBJECT_IMAGE2D)
		return FAIL(CL_INVALID_IMAGE_DESCRIPTOR, "only 1D and 2D images are made from other objects");
	FAIL_IF(!d->mem_object && d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_IMAGE_DESCRIPTOR, "a 1D image buffer without its buffer");
	return check_sizes(d);
}

/* 5.3.1.1: what the image is made from */
static cl_int check_parent(const struct _cl_context *c, const cl_image_desc *d, const cl_image_format *f, size_t size)
{
	const struct _cl_mem *p = d->mem_object;
	FAIL_IF(!MEM_VALID(p), CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is not a memory object");
	FAIL_IF(p->context != c, CL_INVALID_CONTEXT, "mem_object is of another context");
	if (p->type == CL_MEM_OBJECT_BUFFER) {
		/* all rows, with their padding, are in the buffer */
		FAIL_IF(size > p->size, CL_INVALID_IMAGE_SIZE, "image of %zu bytes from a buffer of %zu", size, p->size);
		return CL_SUCCESS;
	}
	/* an image from an image is the same texels under a format that may differ in the meaning of the order alone */
	if (p->type != CL_MEM_OBJECT_IMAGE2D || d->image_type != CL_MEM_OBJECT_IMAGE2D)
		return FAIL(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is neither a buffer nor a 2D image");
	if (!format_is_view(f, &p->format))
		return FAIL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "order 0x%x and type 0x%x are no view of an image of order 0x%x and type 0x%x",
			    f->image_channel_order, f->image_channel_data_type, p->format.image_channel_order,
			    p->format.image_channel_data_type);
	if (d->image_width != p->desc.image_width || d->image_height != p->desc.image_height ||
	    (d->image_row_pitch && d->image_row_pitch != p->row_pitch))
		return FAIL(CL_INVALID_IMAGE_DESCRIPTOR, "size differs from that of the image it is made from");
	return CL_SUCCESS;
}

static size_t image_bytes(const cl_image_desc *d, size_t row, size_t slice)
{
	switch (d->image_type) {
	case CL_MEM_OBJECT_IMAGE2D: return row * d->image_height;
	case CL_MEM_OBJECT_IMAGE3D: return slice * d->image_depth;
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
	case CL_MEM_OBJECT_IMAGE2D_ARRAY: return slice * d->image_array_size;
	}
	return row;
}

/* ---- creation ---- */

/* What clCreateImage has found out about its arguments. */
struct plan {
	size_t element, row, slice, bytes; /* of the image's memory, which has the pitches of host_ptr */
};

static cl_int plan_image(const struct _cl_context *c, cl_mem_flags *flags, const cl_image_format *format, const cl_image_desc *d,
			 const void *host_ptr, const struct external *x, struct plan *p)
{
	cl_int code;
	p->element = format_element_size(format, d ? d->image_type : 0, &code);
	if (!d || !code)
		code = check_descriptor(d, x);
	if (code)
		return code;
	struct _cl_mem *parent = d->mem_object;
	FAIL_IF(parent && !MEM_VALID(parent), CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is not a memory object");
	TRY(parent ? (host_ptr ? FAIL(CL_INVALID_HOST_PTR, "host_ptr with mem_object") : mem_check_child_flags(parent->flags, flags))
		      : mem_check_flags(*flags, host_ptr));
	TRY(check_pitches(d, p->element, host_ptr || parent || x->given, &p->row, &p->slice));
	if (parent && mem_is_image(parent))
		p->row = parent->row_pitch;
	p->bytes = image_bytes(d, p->row, p->slice);
	if (parent)
		return check_parent(c, d, format, p->bytes);
	FAIL_IF(p->bytes > device_max_alloc(c->devices[0]), CL_INVALID_IMAGE_SIZE, "%zu bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE", p->bytes);
	return CL_SUCCESS;
}

static cl_mem image_create(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, const cl_image_format *format,
			   const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
	/* CL_CREATEIMAGE*_CONTEXT: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "not a context");
	size_t num_properties;
	struct plan p = {0};
	struct external external = {0};
	TRY_NULL(errcode_ret, external_properties(context, properties, &external, &num_properties));
	TRY_NULL(errcode_ret, external_check(&external, flags, host_ptr));
	TRY_NULL(errcode_ret, plan_image(context, &flags, format, desc, host_ptr, &external, &p));
	struct _cl_mem *m = mem_create(context, desc->image_type, flags, p.bytes, properties, num_properties);
	FAIL_NULL_IF(!m, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for the image");
	m->format = *format;
	m->desc = *desc;
	m->element_size = p.element;
	m->row_pitch = p.row;
	m->slice_pitch = p.slice;
	if (desc->mem_object) {
		mem_attach(m, desc->mem_object, 0);
		return api_result(errcode_ret, CL_SUCCESS, m);
	}
	size_t region[3];
	image_extent(m, region);
	region[0] *= p.element;
	cl_int code = external.given ? external_place(m, &external) :
				       mem_place(m, host_ptr, region, desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? p.slice : p.row, p.slice);
	return api_object(errcode_ret, code, &m->object);
}

cl_mem CL_API_CALL galena_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
					void *host_ptr, cl_int *errcode_ret)
{
	return image_create(context, NULL, flags, format, desc, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL galena_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
						      const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
						      cl_int *errcode_ret)
{
	return image_create(context, properties, flags, format, desc, host_ptr, errcode_ret);
}

/* OpenCL 1.1, 5.3.1: the ways of making images without a descriptor. What is wrong with a pitch is wrong with the size there, and
 * a volume has more than one slice. */
static cl_mem image_create_plain(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
				 void *host_ptr, cl_int *errcode_ret)
{
	cl_int code;
	cl_mem m = NULL;
	if (CONTEXT_VALID(context) && format && desc->image_type == CL_MEM_OBJECT_IMAGE3D && desc->image_depth <= 1)
		code = FAIL(CL_INVALID_IMAGE_SIZE, "depth %zu of a 3D image", desc->image_depth);
	else
		m = image_create(context, NULL, flags, format, desc, host_ptr, &code);
	return api_result(errcode_ret, code == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : code, m);
}

cl_mem CL_API_CALL galena_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
					  size_t height, size_t row_pitch, void *host_ptr, cl_int *errcode_ret)
{
	cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = row_pitch};
	return image_create_plain(context, flags, format, &d, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL galena_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
					  size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr,
					  cl_int *errcode_ret)
{
	cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
			   .image_width = width,
			   .image_height = height,
			   .image_depth = depth,
			   .image_row_pitch = row_pitch,
			   .image_slice_pitch = slice_pitch};
	return image_create_plain(context, flags, format, &d, host_ptr, errcode_ret);
}

cl_int CL_API_CALL galena_clGetImageInfo(cl_mem image, cl_image_info param_name, INFO_PARAMETERS)
{
	/* CL_GETIMAGEINFO_IMAGE: an image */
	FAIL_IF(!MEM_VALID(image) || !mem_is_image(image), CL_INVALID_MEM_OBJECT, "not an image");
	const struct _cl_mem *m = image;
	bool array = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	bool tall = m->type == CL_MEM_OBJECT_IMAGE2D || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || m->type == CL_MEM_OBJECT_IMAGE3D;
	bool deep = m->type == CL_MEM_OBJECT_IMAGE3D;
	switch (param_name) {
	case CL_IMAGE_FORMAT: return INFO_BYTES(&m->format, sizeof m->format);
	case CL_IMAGE_ELEMENT_SIZE: return INFO(size_t, m->element_size);
	case CL_IMAGE_ROW_PITCH: return INFO(size_t, m->row_pitch);
	/* 5.3.7: 0 in dimensions that the image lacks */
	case CL_IMAGE_SLICE_PITCH: return INFO(size_t, m->slice_pitch);
	case CL_IMAGE_WIDTH: return INFO(size_t, m->desc.image_width);
	case CL_IMAGE_HEIGHT: return INFO(size_t, tall ? m->desc.image_height : 0);
	case CL_IMAGE_DEPTH: return INFO(size_t, deep ? m->desc.image_depth : 0);
	case CL_IMAGE_ARRAY_SIZE: return INFO(size_t, array ? m->desc.image_array_size : 0);
	case CL_IMAGE_BUFFER: return INFO(cl_mem, m->parent && !mem_is_image(m->parent) ? m->parent : NULL);
	case CL_IMAGE_NUM_MIP_LEVELS:
	case CL_IMAGE_NUM_SAMPLES: return INFO(cl_uint, 0);
	case CL_IMAGE_VA_API_PLANE_INTEL:
		/* CL_GETIMAGEINFO_VA_PLANE: of an image of a surface */
		FAIL_IF(!m->va || m->parent, CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, "not made from a VA-API surface");
		return INFO(cl_uint, m->va->plane);
	}
	/* CL_GETIMAGEINFO_PARAM_NAME: a query that there is */
	return FAIL(CL_INVALID_VALUE, "unknown image query 0x%x", param_name);
}
