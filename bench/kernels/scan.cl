/* inclusive prefix sums of blocks of 256, in local memory, a barrier a step */
kernel void scan(global const uint *in, global uint *out)
{
	local uint a[2][256];
	uint lid = get_local_id(0), from = 0;

	a[0][lid] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = 1; d < 256; d *= 2) {
		a[1 - from][lid] = lid >= d ? a[from][lid] + a[from][lid - d] : a[from][lid];
		from = 1 - from;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = a[from][lid];
}
