/* Commands on buffers: read, write, copy, fill, with and without rectangles. */
#include "runtime/opencl/enqueue.h"
#include <stdlib.h>

/* A rectangle in a buffer or in host memory. */
struct rect {
	size_t origin[3], row, slice;
	size_t offset; /* of its first byte */
	size_t end;    /* behind its last byte */
};

/* OpenCL 3.0, 5.2.3: the rules on region and pitches, which are filled in when they are 0 */
static cl_int check_rect(struct rect *r, const size_t origin[3], const size_t region[3], size_t row, size_t slice)
{
	for (int i = 0; i < 3; i++) {
		/* CL_ENQUEUE*BUFFERRECT_REGION_ZERO: none of it is 0 */
		FAIL_IF(!region[i], CL_INVALID_VALUE, "region[%d] is 0", i);
		r->origin[i] = origin[i];
	}
	/* CL_ENQUEUE*BUFFERRECT_*ROW: a row pitch holds a row */
	FAIL_IF(row && row < region[0], CL_INVALID_VALUE, "row pitch %zu for rows of %zu", row, region[0]);
	r->row = row ? row : region[0];
	/* CL_ENQUEUE*BUFFERRECT_*SLICE, CL_ENQUEUE*BUFFERRECT_*SLICE_ROWS: a slice pitch holds a slice and is a number of rows */
	size_t rows_bytes, at[3], beyond = 0;
	if (__builtin_mul_overflow(region[1], r->row, &rows_bytes) || (slice && (slice < rows_bytes || slice % r->row)))
		return FAIL(CL_INVALID_VALUE, "slice pitch %zu for %zu rows of %zu", slice, region[1], r->row);
	r->slice = slice ? slice : rows_bytes;
	/* the last byte is found with sums that may not fit: then it lies nowhere */
	for (int i = 0; i < 3; i++) {
		const size_t pitch = i == 0 ? 1 : i == 1 ? r->row : r->slice;
		size_t last;
		if (__builtin_add_overflow(origin[i], region[i] - 1, &last) || __builtin_mul_overflow(last, pitch, &at[i]) ||
		    __builtin_add_overflow(beyond, at[i], &beyond))
			return FAIL(CL_INVALID_VALUE, "origin[%d] %zu and region[%d] %zu are beyond any memory", i, origin[i], i, region[i]);
	}
	r->offset = origin[2] * r->slice + origin[1] * r->row + origin[0];
	r->end = beyond + 1;
	return CL_SUCCESS;
}

static cl_int check_rect_in(const struct rect *r, cl_mem buffer)
{
	/* CL_ENQUEUE*BUFFERRECT_*BOUNDS: within the buffer */
	FAIL_IF(r->end > buffer->size, CL_INVALID_VALUE, "the region ends at %zu of a buffer of %zu", r->end, buffer->size);
	return CL_SUCCESS;
}

static struct box rect_box(cl_mem m, const struct rect *r) { return (struct box){m->address + r->offset, r->row, r->slice}; }

/* ---- read and write ---- */

static cl_int check_transfer(cl_command_queue queue, cl_mem buffer, const void *ptr, bool write)
{
	TRY(check_object(queue, buffer, false));
	/* CL_ENQUEUE*BUFFER*_PTR_NULL: there is host memory */
	FAIL_IF(!ptr, CL_INVALID_VALUE, "no host memory");
	return check_host_access(buffer, !write, write);
}

static cl_int transfer(cl_command_queue queue, cl_mem buffer, bool blocking, const struct rect *dev, void *ptr, const struct rect *host,
		       const size_t region[3], bool write, cl_command_type type, EVENT_PARAMETERS)
{
	BEGIN_COMMAND(c, queue, type);
	command_use_mem(&c, buffer);
	char *at = (char *)ptr + host->offset;
	if (write)
		command_copy_from_host(&c, at, host->row, host->slice, rect_box(buffer, dev), region);
	else
		command_copy_to_host(&c, rect_box(buffer, dev), at, host->row, host->slice, region);
	return command_submit(&c, blocking, event);
}

static cl_int transfer_linear(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *ptr, bool write,
			      EVENT_PARAMETERS)
{
	TRY(check_transfer(queue, buffer, ptr, write));
	TRY(check_range(buffer, offset, size));
	struct rect dev = {.offset = offset}, host = {0};
	return transfer(queue, buffer, blocking, &dev, ptr, &host, (const size_t[3]){size, 1, 1}, write,
			write ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER, num_events, wait_list, event);
}

cl_int CL_API_CALL galena_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *ptr,
					      EVENT_PARAMETERS)
{
	return transfer_linear(queue, buffer, blocking, offset, size, ptr, false, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
					       const void *ptr, EVENT_PARAMETERS)
{
	return transfer_linear(queue, buffer, blocking, offset, size, (void *)(uintptr_t)ptr, true, EVENT_ARGUMENTS);
}

static cl_int transfer_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin, const size_t *host_origin,
			    const size_t *region, size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice, void *ptr,
			    bool write, EVENT_PARAMETERS)
{
	struct rect dev, host;
	TRY(check_transfer(queue, buffer, ptr, write));
	/* CL_ENQUEUE*BUFFERRECT_ORIGIN_NULL: origins and region are there */
	FAIL_IF(!buffer_origin || !host_origin || !region, CL_INVALID_VALUE, "no origin or no region");
	TRY(check_rect(&dev, buffer_origin, region, buffer_row, buffer_slice));
	TRY(check_rect(&host, host_origin, region, host_row, host_slice));
	TRY(check_rect_in(&dev, buffer));
	return transfer(queue, buffer, blocking, &dev, ptr, &host, region, write,
			write ? CL_COMMAND_WRITE_BUFFER_RECT : CL_COMMAND_READ_BUFFER_RECT, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
						  const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
						  size_t host_row, size_t host_slice, void *ptr, EVENT_PARAMETERS)
{
	return transfer_rect(queue, buffer, blocking, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice, ptr,
			     false, EVENT_ARGUMENTS);
}

cl_int CL_API_CALL galena_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
						   const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
						   size_t host_row, size_t host_slice, const void *ptr, EVENT_PARAMETERS)
{
	return transfer_rect(queue, buffer, blocking, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice,
			     (void *)(uintptr_t)ptr, true, EVENT_ARGUMENTS);
}

/* ---- copy ---- */

/* Two buffers that are, or are parts of, the same memory; then offsets count from its start. */
static bool same_memory(const struct _cl_mem *a, const struct _cl_mem *b)
{
	return (a->parent ? a->parent : a) == (b->parent ? b->parent : b);
}

static cl_int check_copy(cl_command_queue queue, cl_mem src, cl_mem dst)
{
	TRY(check_object(queue, src, false));
	return check_object(queue, dst, false);
}

cl_int CL_API_CALL galena_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset, size_t size,
					      EVENT_PARAMETERS)
{
	TRY(check_copy(queue, src, dst));
	TRY(check_range(src, src_offset, size));
	TRY(check_range(dst, dst_offset, size));
	/* CL_ENQUEUECOPYBUFFER_OVERLAP, CL_ENQUEUECOPYBUFFER_OVERLAP_PARTS: 5.2.3: ranges of one buffer, or of sub-buffers of one, do not overlap */
	if (same_memory(src, dst)) {
		size_t s = src->origin + src_offset, d = dst->origin + dst_offset;
		FAIL_IF(ranges_meet(s, d, size, size), CL_MEM_COPY_OVERLAP, "%zu bytes from %zu to %zu of one buffer", size, s, d);
	}
	BEGIN_COMMAND(c, queue, CL_COMMAND_COPY_BUFFER);
	command_use_mem(&c, src);
	command_use_mem(&c, dst);
	command_copy(&c, (struct box){.address = src->address + src_offset}, (struct box){.address = dst->address + dst_offset},
		     (const size_t[3]){size, 1, 1});
	return command_submit(&c, false, event);
}

/* Do rectangles at byte offsets a and b of the same memory share a byte? The rows of each come in the order of their addresses and do
 * not meet, as pitches hold rows and slices. */
static bool rects_meet(size_t a, const struct rect *s, size_t b, const struct rect *d, const size_t region[3])
{
	const size_t rows = region[1] * region[2];
	for (size_t i = 0, j = 0; i < rows && j < rows;) {
		const size_t from = a + i / region[1] * s->slice + i % region[1] * s->row;
		const size_t to = b + j / region[1] * d->slice + j % region[1] * d->row;
		if (ranges_meet(from, to, region[0], region[0]))
			return true;
		*(from < to ? &i : &j) += 1;
	}
	return false;
}

/* Whether there is a byte of the one between the first and the last of the other. */
static bool spans_meet(cl_mem src, const struct rect *s, cl_mem dst, const struct rect *d)
{
	return same_memory(src, dst) && ranges_meet(src->origin + s->offset, dst->origin + d->offset, s->end - s->offset, d->end - d->offset);
}

static cl_int check_rect_overlap(cl_mem src, const struct rect *s, cl_mem dst, const struct rect *d, const size_t region[3])
{
	if (!same_memory(src, dst))
		return CL_SUCCESS;
	/* CL_ENQUEUECOPYBUFFERRECT_SAME_ROW, CL_ENQUEUECOPYBUFFERRECT_SAME_SLICE: 5.2.3: copies in one buffer have one layout */
	if (src == dst && (s->row != d->row || s->slice != d->slice))
		return FAIL(CL_INVALID_VALUE, "different pitches for source and destination in one buffer");
	/* CL_ENQUEUECOPYBUFFERRECT_OVERLAP, CL_ENQUEUECOPYBUFFERRECT_OVERLAP_PARTS: regions do not meet */
	FAIL_IF(spans_meet(src, s, dst, d) && rects_meet(src->origin + s->offset, s, dst->origin + d->offset, d, region), CL_MEM_COPY_OVERLAP,
		"source and destination regions overlap");
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin,
						  const size_t *dst_origin, const size_t *region, size_t src_row, size_t src_slice,
						  size_t dst_row, size_t dst_slice, EVENT_PARAMETERS)
{
	struct rect s, d;
	TRY(check_copy(queue, src, dst));
	FAIL_IF(!src_origin || !dst_origin || !region, CL_INVALID_VALUE, "no origin or no region");
	TRY(check_rect(&s, src_origin, region, src_row, src_slice));
	TRY(check_rect(&d, dst_origin, region, dst_row, dst_slice));
	TRY(check_rect_in(&s, src));
	TRY(check_rect_in(&d, dst));
	TRY(check_rect_overlap(src, &s, dst, &d, region));
	BEGIN_COMMAND(c, queue, CL_COMMAND_COPY_BUFFER_RECT);
	command_use_mem(&c, src);
	command_use_mem(&c, dst);
	if (src != dst && spans_meet(src, &s, dst, &d)) { /* parts of one buffer with different layouts, which the device does not copy at once */
		struct staging between;
		if (!command_staging(&c, region[0] * region[1] * region[2], 64, &between)) {
			command_copy(&c, rect_box(src, &s), (struct box){.address = between.address}, region);
			command_copy(&c, (struct box){.address = between.address}, rect_box(dst, &d), region);
		}
	} else {
		command_copy(&c, rect_box(src, &s), rect_box(dst, &d), region);
	}
	return command_submit(&c, false, event);
}

/* ---- fill ---- */

cl_int CL_API_CALL galena_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset,
					      size_t size, EVENT_PARAMETERS)
{
	TRY(check_object(queue, buffer, false));
	/* CL_ENQUEUEFILLBUFFER_PATTERN_*: 5.2.4: the pattern is the size of a scalar or vector type */
	if (!pattern || !pattern_size || pattern_size > 128 || (pattern_size & (pattern_size - 1)))
		return FAIL(CL_INVALID_VALUE, "no pattern, or a pattern of %zu bytes", pattern_size);
	/* CL_ENQUEUEFILLBUFFER_OFFSET, CL_ENQUEUEFILLBUFFER_SIZE: offset and size are multiples of it */
	FAIL_IF(offset % pattern_size || size % pattern_size, CL_INVALID_VALUE, "%zu bytes at %zu with a pattern of %zu", size, offset, pattern_size);
	TRY(check_range(buffer, offset, size));
	BEGIN_COMMAND(c, queue, CL_COMMAND_FILL_BUFFER);
	command_use_mem(&c, buffer);
	command_fill(&c, pattern, pattern_size, (struct box){.address = buffer->address + offset}, (const size_t[3]){size, 1, 1});
	return command_submit(&c, false, event);
}
