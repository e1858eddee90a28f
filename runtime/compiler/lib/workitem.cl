/* Work-item functions (OpenCL C, section 6.15.1): ids from CSRs, the range from the head of the
 * argument block. */
#include "galena.h"
#include "records.h"

typedef global const struct kernarg_header *header_ptr;

INLINED static header_ptr header(void) { return (header_ptr)csr_read(CSR_kernarg); }

INLINED ulong galena_invariant_offset(uint d) { return header()->global_offset[d]; }
INLINED ulong galena_invariant_size(uint d) { return header()->global_size[d]; }
INLINED ulong galena_invariant_enqueued(uint d) { return header()->local_size[d]; }
INLINED ulong galena_invariant_groups(uint d) { return header()->num_groups[d]; }
INLINED uint galena_invariant_work_dim(void) { return header()->work_dim; }
INLINED ulong galena_invariant_printf(void) { return header()->printf_buffer; }
INLINED ulong galena_invariant_sub_group_max(void) { return header()->max_subgroup; }

INLINED OVERLOAD uint get_work_dim(void) { return galena_invariant_work_dim(); }

/* What a CSR for each dimension has. */
#define BY_DIMENSION(name, beyond)                                                                 \
	INLINED OVERLOAD size_t get_##name(uint d)                                                 \
	{                                                                                          \
		return d == 0 ? csr_read(CSR_##name##_x) : d == 1 ? csr_read(CSR_##name##_y) :     \
		       d == 2 ? csr_read(CSR_##name##_z) : beyond;                                 \
	}
BY_DIMENSION(local_id, 0)
BY_DIMENSION(group_id, 0)
BY_DIMENSION(local_size, 1)

INLINED OVERLOAD size_t get_enqueued_local_size(uint d) { return d < 3 ? galena_invariant_enqueued(d) : 1; }
INLINED OVERLOAD size_t get_global_offset(uint d) { return d < 3 ? galena_invariant_offset(d) : 0; }
INLINED OVERLOAD size_t get_global_size(uint d) { return d < 3 ? galena_invariant_size(d) : 1; }
INLINED OVERLOAD size_t get_num_groups(uint d) { return d < 3 ? galena_invariant_groups(d) : 1; }

INLINED OVERLOAD size_t get_global_id(uint d)
{
	/* ids of groups and sizes of groups have 32 bits, and so the product has 64 */
	return d < 3 ? get_group_id(d) * galena_invariant_enqueued(d) + get_local_id(d) + galena_invariant_offset(d) : 0;
}

INLINED OVERLOAD size_t get_local_linear_id(void)
{
	return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

INLINED OVERLOAD size_t get_global_linear_id(void)
{
	size_t x = get_global_id(0) - get_global_offset(0);
	size_t y = get_global_id(1) - get_global_offset(1);
	size_t z = get_global_id(2) - get_global_offset(2);
	return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

/* A record of the printf buffer (abi/kernel_note.h): its room is taken by one atomic add. NULL when
 * the buffer is full or there is none. A count past 2 GiB stands still, so that it never wraps. */
global uint *__galena_printf_begin(uint bytes, uint index)
{
	global struct printf_buffer *buffer = (global struct printf_buffer *)galena_invariant_printf();
	if (!buffer)
		return 0;
	global atomic_uint *used = (global atomic_uint *)&buffer->used;
	if (__opencl_atomic_load(used, memory_order_relaxed, memory_scope_device) >= 0x80000000u)
		return 0;
	uint at = __opencl_atomic_fetch_add(used, bytes, memory_order_relaxed, memory_scope_device);
	if (at > buffer->capacity || bytes > buffer->capacity - at)
		return 0;
	global uint *record = (global uint *)((global uchar *)(buffer + 1) + at);
	record[0] = bytes;
	record[1] = index;
	return record;
}

/* The front end's way to write a sampler literal. */
INLINED ulong __translate_sampler_initializer(uint bits) { return bits; }
