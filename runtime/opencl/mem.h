/* What buffers and images share. */
#ifndef GALENA_RUNTIME_OPENCL_MEM_H
#define GALENA_RUNTIME_OPENCL_MEM_H
#include "runtime/opencl/command.h"

#define MEM_ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)
#define MEM_HOST_PTR_FLAGS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
#define MEM_HOST_ACCESS_FLAGS (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)

/* The rules on flags and host_ptr of clCreateBuffer and clCreateImage. */
cl_int mem_check_flags(cl_mem_flags, const void *host_ptr);
/* The rules of an object made from another: clCreateSubBuffer, clCreateImage. *flags becomes what
 * the object has. */
cl_int mem_check_child_flags(cl_mem_flags parent, cl_mem_flags *flags);
/* The rules on the size of a buffer that is made or imported. */
cl_int buffer_check_size(const struct _cl_context *, size_t);

/* A new object without memory; NULL when the host has none. object_release() undoes it. */
struct _cl_mem *mem_create(struct _cl_context *, cl_mem_object_type, cl_mem_flags, size_t size, const cl_mem_properties *,
			   size_t num_properties);
/* Gives it memory, and its initial contents from host_ptr, a box of region (bytes, rows, slices)
 * with these pitches; the object's own pitches are in m->row_pitch and m->slice_pitch, 0 for a
 * buffer. Does not wait for the device. */
cl_int mem_place(struct _cl_mem *m, void *host_ptr, const size_t region[3], size_t host_row, size_t host_slice);
/* Makes it a part of the parent's memory. */
void mem_attach(struct _cl_mem *, struct _cl_mem *parent, size_t origin);

/* The device-side box at an origin of an image; the pitches count what stands in the second and
 * third place of origins and regions (layers come second in a 1D array). */
struct box image_box(const struct _cl_mem *, const size_t origin[3]);
/* The size of an image in the terms of origins and regions. */
void image_extent(const struct _cl_mem *, size_t extent[3]);
/* OpenCL 3.0, 5.3.3 and on: origin and region lie in the image, and are 0 and 1 in dimensions that it lacks. */
cl_int image_check_region(const struct _cl_mem *, const size_t origin[3], const size_t region[3]);

/* formats.c: 0 when the format makes no sense or is not supported, and *code says which. */
size_t format_element_size(const cl_image_format *, cl_mem_object_type, cl_int *code);
unsigned format_channels(const cl_image_format *);
/* 5.3.1.2: may an image of the first format show the texels of a 2D image of the second? */
bool format_is_view(const cl_image_format *, const cl_image_format *of);
/* A colour as clEnqueueFillImage gets it (float4, int4 or uint4) in the image's own format;
 * out has room for 16 bytes. */
void format_pack_color(const cl_image_format *, const void *color, void *out);

/* map.c */
void mappings_free(struct _cl_mem *);

#endif
