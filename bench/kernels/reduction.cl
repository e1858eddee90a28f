/* sum of n floats: a strided loop, then a tree in local memory; run twice, the second time over the
 * one partial sum that each group of the first has left */
kernel void reduction(global const float *in, global float *out, uint n, local float *tree)
{
	uint lid = get_local_id(0);
	float sum = 0.0f;

	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		sum += in[i];
	tree[lid] = sum;
	for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid < half_size)
			tree[lid] += tree[lid + half_size];
	}
	if (lid == 0)
		out[get_group_id(0)] = tree[0];
}
