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
/* The body of a copy between two spaces: where element i goes, and where it comes from. */
#define MOVE(to, from, whole, at, source)                                                          \
	{                                                                                          \
		to whole *D = (to whole *)d;                                                       \
		const from whole *S = (const from whole *)s;                                       \
		for (size_t i = first(), step = group(); i < count; i += step)                     \
			D[at] = S[source];                                                         \
		return e;                                                                          \
	}
#define COPY_AS(type, whole)                                                                       \
	OVERLOAD event_t async_work_group_copy(local type *d, const global type *s, size_t count, event_t e) \
	MOVE(local, global, whole, i, i)                                                           \
	OVERLOAD event_t async_work_group_copy(global type *d, const local type *s, size_t count, event_t e) \
	MOVE(global, local, whole, i, i)                                                           \
	OVERLOAD event_t async_work_group_strided_copy(local type *d, const global type *s, size_t count, \
						       size_t stride, event_t e)                   \
	MOVE(local, global, whole, i, i * stride)                                                  \
	OVERLOAD event_t async_work_group_strided_copy(global type *d, const local type *s, size_t count, \
						       size_t stride, event_t e)                   \
	MOVE(global, local, whole, i * stride, i)                                                  \
	OVERLOAD void prefetch(const global type *p, size_t count) {}
#define COPY(type) EACH_WIDTH(COPY_N, type)
EACH_TYPE(COPY)
COPY(half)

#define WAIT(space)                                                                                \
	OVERLOAD void wait_group_events(int count, space event_t *events) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
WAIT(private) WAIT(global) WAIT(local) WAIT(generic)
