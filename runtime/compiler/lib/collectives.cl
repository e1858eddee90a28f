/* Work-group functions (OpenCL C 3.0, 6.15.16): every subgroup does its part with its own lanes,
 * subgroups pass what came of it to one another through local memory. */
#include "subgroups.h"

/* One slot a subgroup, of which no work-group has more than 16. galena_local_ at the beginning of a
 * variable's name puts it into local memory, where the language lets only kernels have any. */
enum { SUBGROUPS = 16 };
global ulong galena_local_slots[SUBGROUPS];

#define SLOT(type) ((volatile global type *)galena_local_slots)

/* What all subgroups have written is there; and may be overwritten. */
INLINE void slots_written(void) { barrier(CLK_LOCAL_MEM_FENCE); }
INLINE void slots_read(void) { barrier(CLK_LOCAL_MEM_FENCE); }

INLINE uint subgroup(void) { return (uint)csr_read(CSR_subgroup_id); }
INLINE uint subgroups(void) { return (uint)csr_read(CSR_num_subgroups); }

/* reduce: all work-items combine the subgroups' parts in one order, and have the same bits.
 * scan: what the subgroups below have goes in front. */
#define COLLECTIVE(type, op, nothing)                                                              \
	OVERLOAD type work_group_reduce_##op(type x)                                               \
	{                                                                                          \
		lanes_meet();                                                                      \
		uint here = lanes_here();                                                          \
		type scanned = scan_##op(x, here, popcount(here));                                 \
		if (lane_id() == highest(here))                                                    \
			SLOT(type)[subgroup()] = scanned;                                          \
		slots_written();                                                                   \
		type all = SLOT(type)[0];                                                          \
		for (uint i = 1; i < subgroups(); i++)                                             \
			all = OP_##op(all, SLOT(type)[i]);                                         \
		slots_read();                                                                      \
		return all;                                                                        \
	}                                                                                          \
	INLINE OVERLOAD type behind_others_##op(type mine, type total, uint here)                  \
	{                                                                                          \
		if (lane_id() == highest(here))                                                    \
			SLOT(type)[subgroup()] = total;                                            \
		slots_written();                                                                   \
		type below = (type)(nothing);                                                      \
		for (uint i = 0; i < subgroup(); i++)                                              \
			below = i ? (type)OP_##op(below, SLOT(type)[i]) : SLOT(type)[i];           \
		slots_read();                                                                      \
		return subgroup() ? (type)OP_##op(below, mine) : mine;                             \
	}                                                                                          \
	OVERLOAD type work_group_scan_inclusive_##op(type x)                                       \
	{                                                                                          \
		lanes_meet();                                                                      \
		uint here = lanes_here();                                                          \
		type scanned = scan_##op(x, here, popcount(here));                                 \
		return behind_others_##op(scanned, scanned, here);                                 \
	}                                                                                          \
	OVERLOAD type work_group_scan_exclusive_##op(type x)                                       \
	{                                                                                          \
		lanes_meet();                                                                      \
		uint here = lanes_here();                                                          \
		type scanned = scan_##op(x, here, popcount(here));                                 \
		return behind_others_##op(shift_##type(scanned, here, (type)(nothing)), scanned, here); \
	}

/* The work-item with these local ids gives its value. */
#define BROADCAST(type)                                                                            \
	INLINE OVERLOAD type given(type x, bool giver)                                             \
	{                                                                                          \
		if (giver)                                                                         \
			SLOT(type)[0] = x;                                                         \
		slots_written();                                                                   \
		type all = SLOT(type)[0];                                                          \
		slots_read();                                                                      \
		return all;                                                                        \
	}                                                                                          \
	OVERLOAD type work_group_broadcast(type x, size_t i) { return given(x, get_local_id(0) == i); } \
	OVERLOAD type work_group_broadcast(type x, size_t i, size_t j)                             \
	{                                                                                          \
		return given(x, get_local_id(0) == i && get_local_id(1) == j);                     \
	}                                                                                          \
	OVERLOAD type work_group_broadcast(type x, size_t i, size_t j, size_t k)                   \
	{                                                                                          \
		return given(x, get_local_id(0) == i && get_local_id(1) == j && get_local_id(2) == k); \
	}

#define COLLECTIVES(type, smallest, largest)                                                       \
	LANES_SHIFT(type)                                                                          \
	LANES_SCAN(type, add) LANES_SCAN(type, min) LANES_SCAN(type, max)                          \
	COLLECTIVE(type, add, 0) COLLECTIVE(type, min, largest) COLLECTIVE(type, max, smallest)    \
	BROADCAST(type)
EACH_ARITHMETIC_WORD(COLLECTIVES)

OVERLOAD int work_group_all(int predicate) { return work_group_reduce_min((int)(predicate != 0)); }
OVERLOAD int work_group_any(int predicate) { return work_group_reduce_max((int)(predicate != 0)); }
