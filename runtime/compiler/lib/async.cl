/* Copies between global and local memory (OpenCL C 3.0, 6.15.11). Every work-item of the group
 * copies its share, work-item i the elements i, i + size, ...: neighbours touch neighbouring
 * memory. There is no event to wait for: the group waits at a barrier, which makes what all of
 * them wrote visible. */
#include "builtins.h"

INLINE size_t first(void) { return get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)); }
INLINE size_t group(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

/* Vectors of three travel as vectors of four, which is how they lie in memory. */
#define COPY_N(type, n) COPY_AS(type##n, PASTE(type, LANES_##n))
#define LANES_
#define LANES_2 2
#define LANES_3 4
#define LANES_4 4
#define LANES_8 8
#define LANES_16 16
#define COPY_AS(type, whole)                                                                       \
	OVERLOAD event_t async_work_group_copy(local type *d, const global type *s, size_t count, event_t e) \
	{                                                                                          \
		local whole *D = (local whole *)d;                                                 \
		const global whole *S = (const global whole *)s;                                   \
		for (size_t i = first(), step = group(); i < count; i += step)                     \
			D[i] = S[i];                                                               \
		return e;                                                                          \
	}                                                                                          \
	OVERLOAD event_t async_work_group_copy(global type *d, const local type *s, size_t count, event_t e) \
	{                                                                                          \
		global whole *D = (global whole *)d;                                               \
		const local whole *S = (const local whole *)s;                                     \
		for (size_t i = first(), step = group(); i < count; i += step)                     \
			D[i] = S[i];                                                               \
		return e;                                                                          \
	}                                                                                          \
	OVERLOAD event_t async_work_group_strided_copy(local type *d, const global type *s, size_t count, \
						       size_t stride, event_t e)                   \
	{                                                                                          \
		local whole *D = (local whole *)d;                                                 \
		const global whole *S = (const global whole *)s;                                   \
		for (size_t i = first(), step = group(); i < count; i += step)                     \
			D[i] = S[i * stride];                                                      \
		return e;                                                                          \
	}                                                                                          \
	OVERLOAD event_t async_work_group_strided_copy(global type *d, const local type *s, size_t count, \
						       size_t stride, event_t e)                   \
	{                                                                                          \
		global whole *D = (global whole *)d;                                               \
		const local whole *S = (const local whole *)s;                                     \
		for (size_t i = first(), step = group(); i < count; i += step)                     \
			D[i * stride] = S[i];                                                      \
		return e;                                                                          \
	}                                                                                          \
	OVERLOAD void prefetch(const global type *p, size_t count) {}
#define COPY(type) EACH_WIDTH(COPY_N, type)
EACH_TYPE(COPY)
COPY(half)

OVERLOAD void wait_group_events(int count, private event_t *events)
{
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
OVERLOAD void wait_group_events(int count, global event_t *events)
{
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
OVERLOAD void wait_group_events(int count, local event_t *events)
{
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
OVERLOAD void wait_group_events(int count, generic event_t *events)
{
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
