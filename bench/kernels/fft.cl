/* batch of 1024-point complex transforms, radix-4 Stockham, one group of 256 a transform;
 * twiddle[i] = exp(-2 pi i / 1024) */
#define POINTS 1024
#define ITEMS 256

float2 complex_mul(float2 a, float2 b)
{
	return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void fft(global const float2 *in, global float2 *out, global const float2 *twiddle)
{
	local float2 stage[POINTS];
	int lid = get_local_id(0);
	size_t base = get_group_id(0) * POINTS;

	for (int r = 0; r < 4; r++)
		stage[lid + r * ITEMS] = in[base + lid + r * ITEMS];
	for (int span = 1; span < POINTS; span *= 4) {
		int k = lid & (span - 1);
		float2 v[4];

		barrier(CLK_LOCAL_MEM_FENCE);
		for (int r = 0; r < 4; r++)
			v[r] = complex_mul(stage[lid + r * ITEMS], twiddle[r * k * (ITEMS / span)]);

		float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
		int to = (lid - k) * 4 + k;

		barrier(CLK_LOCAL_MEM_FENCE);
		stage[to] = a + c;
		stage[to + span] = (float2)(b.x + d.y, b.y - d.x);
		stage[to + 2 * span] = a - c;
		stage[to + 3 * span] = (float2)(b.x - d.y, b.y + d.x);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int r = 0; r < 4; r++)
		out[base + lid + r * ITEMS] = stage[lid + r * ITEMS];
}
