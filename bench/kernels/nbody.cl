/* accelerations of n bodies (x, y, z, mass), a tile of bodies at a time through local memory */
kernel void nbody(global const float4 *body, global float4 *acceleration, int n, float softening, local float4 *tile)
{
	int i = get_global_id(0), lid = get_local_id(0), width = get_local_size(0);
	float4 me = body[i];
	float3 sum = (float3)(0.0f);

	for (int base = 0; base < n; base += width) {
		tile[lid] = body[base + lid];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = 0; j < width; j++) {
			float4 other = tile[j];
			float3 d = other.xyz - me.xyz;
			float inv = rsqrt(dot(d, d) + softening);

			sum += d * (other.w * inv * inv * inv);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	acceleration[i] = (float4)(sum, 0.0f);
}
