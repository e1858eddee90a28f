/* bitonic sort of 2^k keys: blocks of 512 in local memory, longer strides in global memory */
#define BLOCK 512

void order(uint *a, uint *b, bool ascending)
{
	uint lo = min(*a, *b), hi = max(*a, *b);

	*a = ascending ? lo : hi;
	*b = ascending ? hi : lo;
}

/* one compare-exchange step at `stride` of the merge to runs of `size` */
kernel void sort_step(global uint *keys, uint size, uint stride)
{
	uint t = get_global_id(0);
	uint i = 2 * t - (t & (stride - 1));
	uint a = keys[i], b = keys[i + stride];

	order(&a, &b, (i & size) == 0);
	keys[i] = a;
	keys[i + stride] = b;
}

/* every merge from runs of `first` to runs of `last`, as far as it stays inside a block */
kernel __attribute__((reqd_work_group_size(BLOCK / 2, 1, 1)))
void sort_block(global uint *keys, uint first, uint last)
{
	local uint block[BLOCK];
	uint lid = get_local_id(0), base = get_group_id(0) * BLOCK;

	block[lid] = keys[base + lid];
	block[lid + BLOCK / 2] = keys[base + lid + BLOCK / 2];
	for (uint size = first; size <= last; size *= 2)
		for (uint stride = min(size / 2, (uint)BLOCK / 2); stride > 0; stride /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);

			uint i = 2 * lid - (lid & (stride - 1));
			uint a = block[i], b = block[i + stride];

			order(&a, &b, ((base + i) & size) == 0);
			block[i] = a;
			block[i + stride] = b;
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	keys[base + lid] = block[lid];
	keys[base + lid + BLOCK / 2] = block[lid + BLOCK / 2];
}
