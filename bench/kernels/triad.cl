/* nothing but memory: a = b + s * c */
kernel void triad(global float4 *a, global const float4 *b, global const float4 *c, float s)
{
	size_t i = get_global_id(0);

	a[i] = b[i] + s * c[i];
}
