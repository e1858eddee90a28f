/* 256 bins of n bytes, four a load: local atomics a group, then global atomics */
kernel void histogram(global const uint *in, global uint *bins, uint words)
{
	local uint mine[256];
	uint lid = get_local_id(0);

	for (uint i = lid; i < 256; i += get_local_size(0))
		mine[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < words; i += get_global_size(0)) {
		uint w = in[i];

		atomic_inc(&mine[w & 0xff]);
		atomic_inc(&mine[w >> 8 & 0xff]);
		atomic_inc(&mine[w >> 16 & 0xff]);
		atomic_inc(&mine[w >> 24]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = lid; i < 256; i += get_local_size(0))
		if (mine[i])
			atomic_add(&bins[i], mine[i]);
}
