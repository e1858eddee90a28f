/* Subgroups (OpenCL C 3.0, 6.15.19; cl_khr_subgroups and the extensions of its family): ids, barrier,
 * votes, ballots, values of other work-items. */
#include "subgroups.h"

ulong galena_invariant_sub_group_max(void);

/* ---- ids ---- */

OVERLOAD uint get_sub_group_size(void) { return (uint)csr_read(CSR_subgroup_live); }
OVERLOAD uint get_max_sub_group_size(void) { return (uint)galena_invariant_sub_group_max(); }
OVERLOAD uint get_num_sub_groups(void) { return (uint)csr_read(CSR_num_subgroups); }
OVERLOAD uint get_sub_group_id(void) { return (uint)csr_read(CSR_subgroup_id); }
OVERLOAD uint get_sub_group_local_id(void) { return lane_id(); }
OVERLOAD uint get_enqueued_num_sub_groups(void)
{
	uint items = (uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2));
	uint most = get_max_sub_group_size();
	return (items + most - 1) / most;
}

/* ---- barrier ---- */

OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags)
{
	mem_fence(flags);
	lanes_meet();
}
OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { sub_group_barrier(flags); }

/* ---- votes ---- */

OVERLOAD int sub_group_non_uniform_all(int predicate) { return lanes_ballot(predicate) == lanes_here(); }
OVERLOAD int sub_group_non_uniform_any(int predicate) { return lanes_ballot(predicate) != 0; }
OVERLOAD int sub_group_elect(void) { return lowest(lanes_here()) == lane_id(); }
OVERLOAD int sub_group_all(int predicate)
{
	lanes_meet();
	return sub_group_non_uniform_all(predicate);
}
OVERLOAD int sub_group_any(int predicate)
{
	lanes_meet();
	return sub_group_non_uniform_any(predicate);
}

/* ---- ballots: bit l of the first element is work-item l; there are no more than 32 ---- */

INLINE uint lanes_at_most(void) { return ~0u >> (32 - get_max_sub_group_size()); }
INLINE uint4 bits(uint mask) { return (uint4)(mask, 0, 0, 0); }

OVERLOAD uint4 sub_group_ballot(int predicate) { return bits(lanes_ballot(predicate)); }
OVERLOAD int sub_group_inverse_ballot(uint4 value) { return value.x >> lane_id() & 1; }
OVERLOAD int sub_group_ballot_bit_extract(uint4 value, uint index) { return value.x >> (index & 31) & 1; }
OVERLOAD uint sub_group_ballot_bit_count(uint4 value) { return popcount(value.x & lanes_at_most()); }
OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 value)
{
	return popcount(value.x & (lanes_below() | 1u << lane_id()));
}
OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 value) { return popcount(value.x & lanes_below()); }
OVERLOAD uint sub_group_ballot_find_lsb(uint4 value) { return ctz(value.x & lanes_at_most()); }
OVERLOAD uint sub_group_ballot_find_msb(uint4 value) { return 31 - clz(value.x & lanes_at_most()); }

OVERLOAD uint4 get_sub_group_eq_mask(void) { return bits(1u << lane_id()); }
OVERLOAD uint4 get_sub_group_ge_mask(void) { return bits(~lanes_below() & lanes_at_most()); }
OVERLOAD uint4 get_sub_group_gt_mask(void) { return bits(~1u << lane_id() & lanes_at_most()); }
OVERLOAD uint4 get_sub_group_le_mask(void) { return bits(lanes_below() | 1u << lane_id()); }
OVERLOAD uint4 get_sub_group_lt_mask(void) { return bits(lanes_below()); }

/* ---- values of other work-items ---- */

#define BROADCAST(type)                                                                            \
	OVERLOAD type sub_group_non_uniform_broadcast(type x, uint id) { return lane_read(x, id); } \
	OVERLOAD type sub_group_broadcast(type x, uint id)                                         \
	{                                                                                          \
		lanes_meet();                                                                      \
		return lane_read(x, id);                                                           \
	}
#define BROADCAST_WIDTHS(type)                                                                     \
	BROADCAST(type) BROADCAST(type##2) BROADCAST(type##3) BROADCAST(type##4) BROADCAST(type##8) BROADCAST(type##16)

#define SHUFFLES(type, ...)                                                                        \
	BROADCAST_WIDTHS(type)                                                                     \
	OVERLOAD type sub_group_broadcast_first(type x) { return lane_read(x, lowest(lanes_here())); } \
	OVERLOAD int sub_group_non_uniform_all_equal(type x)                                       \
	{                                                                                          \
		return sub_group_non_uniform_all(x == sub_group_broadcast_first(x));               \
	}                                                                                          \
	OVERLOAD type sub_group_shuffle(type x, uint id) { return lane_read(x, id); }              \
	OVERLOAD type sub_group_shuffle_xor(type x, uint mask) { return lane_read(x, lane_id() ^ mask); } \
	OVERLOAD type sub_group_shuffle_up(type x, uint delta) { return lane_read(x, lane_id() - delta); } \
	OVERLOAD type sub_group_shuffle_down(type x, uint delta) { return lane_read(x, lane_id() + delta); } \
	/* the subgroup's size is no power of two where the work-group is smaller than a warp; the sum  \
	 * of a delta of any sign and a lane is one modulo 2^32, so the delta is brought down first */ \
	OVERLOAD type sub_group_rotate(type x, int delta)                                          \
	{                                                                                          \
		int size = (int)get_max_sub_group_size(), by = delta % size;                       \
		uint from = lane_id() + (uint)(by < 0 ? by + size : by);                           \
		return lane_read(x, from >= (uint)size ? from - (uint)size : from);                \
	}                                                                                          \
	OVERLOAD type sub_group_clustered_rotate(type x, int delta, uint cluster)                  \
	{                                                                                          \
		uint lane = lane_id(), inside = cluster - 1;                                       \
		return lane_read(x, (lane & ~inside) | ((lane + (uint)delta) & inside));           \
	}
EACH_CARRIED(SHUFFLES)
