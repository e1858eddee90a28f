/* Kernels as programs have them that run for a moment: bench/short.c launches each a few times, in a process of its own. */

/* one compare-exchange step of a bitonic sort */
kernel void bitonic(global uint *keys, uint size, uint stride)
{
	uint t = get_global_id(0), i = 2 * t - (t & (stride - 1));
	uint a = keys[i], b = keys[i + stride];

	if ((a > b) == ((i & size) == 0)) {
		keys[i] = b;
		keys[i + stride] = a;
	}
}

/* sums of all before, in each work-group of 256 */
kernel void scan(global const uint *in, global uint *out)
{
	local uint line[256];
	uint l = get_local_id(0), sum = in[get_global_id(0)];

	for (uint d = 1; d < 256; d *= 2) {
		line[l] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l >= d)
			sum += line[l - d];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = sum;
}

/* a row a work-item; rows have different lengths */
kernel void spmv(global const uint *rows, global const uint *columns, global const float *values, global const float *x,
		 global float *y)
{
	uint row = get_global_id(0);
	float sum = 0;

	for (uint k = rows[row]; k < rows[row + 1]; k++)
		sum += values[k] * x[columns[k]];
	y[row] = sum;
}

/* 16x16 tiles */
kernel void gemm(global const float *a, global const float *b, global float *c, uint n)
{
	local float ta[16][16], tb[16][16];
	uint x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
	float sum = 0;

	for (uint t = 0; t < n; t += 16) {
		ta[ly][lx] = a[y * n + t + lx];
		tb[ly][lx] = b[(t + ly) * n + x];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < 16; k++)
			sum += ta[ly][k] * tb[k][lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[y * n + x] = sum;
}

/* bytes, counted in local memory first */
kernel void histogram(global const uint *in, global uint *bins)
{
	local uint count[256];
	uint l = get_local_id(0), v = in[get_global_id(0)];

	count[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < 4; k++)
		atomic_inc(&count[v >> 8 * k & 255]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (count[l])
		atomic_add(&bins[l], count[l]);
}

kernel void stencil(global const float *in, global float *out, uint n)
{
	uint x = get_global_id(0), y = get_global_id(1), i = y * n + x;

	if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
		out[i] = in[i];
	else
		out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

kernel void nbody(global const float4 *body, global float4 *force, uint n)
{
	float4 me = body[get_global_id(0)];
	float3 sum = 0;

	for (uint k = 0; k < n; k++) {
		float3 d = body[k].xyz - me.xyz;
		float r = native_rsqrt(dot(d, d) + 0.01f);

		sum += d * (body[k].w * r * r * r);
	}
	force[get_global_id(0)] = (float4)(sum, 0);
}

kernel void transpose(global const float *in, global float *out, uint n)
{
	local float tile[16][17];
	uint lx = get_local_id(0), ly = get_local_id(1);

	tile[ly][lx] = in[get_global_id(1) * n + get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(get_group_id(0) * 16 + ly) * n + get_group_id(1) * 16 + lx] = tile[lx][ly];
}

/* a tree in each work-group of 256 */
kernel void reduction(global const uint *in, global uint *out)
{
	local uint line[256];
	uint l = get_local_id(0);

	line[l] = in[get_global_id(0)];
	for (uint far = 128; far; far /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < far)
			line[l] += line[l + far];
	}
	if (l == 0)
		out[get_group_id(0)] = line[0];
}

kernel void mandelbrot(global uint *out, uint n, uint most)
{
	float cx = get_global_id(0) * 3.0f / n - 2.0f, cy = get_global_id(1) * 2.0f / n - 1.0f, x = 0, y = 0;
	uint i = 0;

	for (; i < most && x * x + y * y < 4; i++) {
		float t = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = t;
	}
	out[get_global_id(1) * n + get_global_id(0)] = i;
}

/* where a word of letters stands in a text */
kernel void search(global const uchar *text, global const uchar *word, uint length, global uint *found)
{
	uint at = get_global_id(0), k = 0;

	while (k < length && text[at + k] == word[k])
		k++;
	if (k == length)
		atomic_inc(found);
}

/* a level of a breadth-first search */
kernel void bfs(global const uint *first, global const uint *edges, global uint *level, uint now)
{
	uint node = get_global_id(0);

	if (level[node] != now)
		return;
	for (uint k = first[node]; k < first[node + 1]; k++)
		if (level[edges[k]] > now + 1)
			level[edges[k]] = now + 1;
}

kernel void bfs_start(global uint *level)
{
	level[get_global_id(0)] = get_global_id(0) ? 0xffffff : 0;
}
