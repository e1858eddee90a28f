/* Reductions and scans over a subgroup (OpenCL C 3.0, 6.15.19; cl_khr_subgroup_extended_types,
 * cl_khr_subgroup_non_uniform_arithmetic, cl_khr_subgroup_clustered_reduce). A reduction is what the
 * last lane of the scan has; the uniform functions are the others behind a meeting. */
#include "subgroups.h"

/* The lanes here that are in this one's cluster; a cluster has 1, 2, 4 ... lanes. */
INLINE uint lanes_cluster(uint size)
{
	return lanes_here() & (~0u >> (32 - size)) << (lane_id() & ~(size - 1));
}

/* name: what the function is called, op: what it does; in: what becomes of the argument. */
#define NON_UNIFORM(type, name, op, nothing, in)                                                   \
	OVERLOAD type sub_group_non_uniform_reduce_##name(type x)                                  \
	{                                                                                          \
		uint here = lanes_here();                                                          \
		return lane_read(scan_##op(in(x), here, popcount(here)), highest(here));           \
	}                                                                                          \
	OVERLOAD type sub_group_non_uniform_scan_inclusive_##name(type x)                          \
	{                                                                                          \
		uint here = lanes_here();                                                          \
		return scan_##op(in(x), here, popcount(here));                                     \
	}                                                                                          \
	OVERLOAD type sub_group_non_uniform_scan_exclusive_##name(type x)                          \
	{                                                                                          \
		uint here = lanes_here();                                                          \
		return shift_##type(scan_##op(in(x), here, popcount(here)), here, (type)(nothing));      \
	}                                                                                          \
	OVERLOAD type sub_group_clustered_reduce_##name(type x, uint size)                         \
	{                                                                                          \
		uint mask = lanes_cluster(size);                                                   \
		return lane_read(scan_##op(in(x), mask, size), highest(mask));                     \
	}

#define UNIFORM(type, kind)                                                                        \
	OVERLOAD type sub_group_##kind(type x)                                                     \
	{                                                                                          \
		lanes_meet();                                                                      \
		return sub_group_non_uniform_##kind(x);                                            \
	}
#define UNIFORM_OF(type, op)                                                                       \
	UNIFORM(type, reduce_##op) UNIFORM(type, scan_inclusive_##op) UNIFORM(type, scan_exclusive_##op)

#define ARITHMETIC(type, smallest, largest)                                                        \
	LANES_SHIFT(type)                                                                          \
	LANES_SCAN(type, add) LANES_SCAN(type, mul) LANES_SCAN(type, min) LANES_SCAN(type, max)    \
	NON_UNIFORM(type, add, add, 0, SAME) NON_UNIFORM(type, mul, mul, 1, SAME)      \
	NON_UNIFORM(type, min, min, largest, SAME) NON_UNIFORM(type, max, max, smallest, SAME) \
	UNIFORM_OF(type, add) UNIFORM_OF(type, min) UNIFORM_OF(type, max)
EACH_ARITHMETIC(ARITHMETIC)

#define BITWISE(type)                                                                              \
	LANES_SCAN(type, and) LANES_SCAN(type, or) LANES_SCAN(type, xor)                           \
	NON_UNIFORM(type, and, and, ~0ul, SAME) NON_UNIFORM(type, or, or, 0, SAME)     \
	NON_UNIFORM(type, xor, xor, 0, SAME)
EACH_INTEGER(BITWISE)

/* Of truths, which any value but 0 is. */
#define TRUTH(x) ((x) != 0)
NON_UNIFORM(int, logical_and, and, 1, TRUTH)
NON_UNIFORM(int, logical_or, or, 0, TRUTH)
NON_UNIFORM(int, logical_xor, xor, 0, TRUTH)
