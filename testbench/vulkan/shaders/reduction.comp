// A sum in shared memory, and atomics on shared memory and on buffers.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LENGTH = 4; // elements of an invocation
layout(constant_id = 2) const bool SQUARE = false;
layout(constant_id = 3) const int BIAS = 0;
const uint SLOTS = 8;
layout(std430, binding = 0) readonly buffer Input { int values[]; };
layout(std430, binding = 1) writeonly buffer Sums { int sums[]; };
layout(std430, binding = 2) coherent buffer Totals {
	int sum, largest, smallest;
	uint ones, zeros, odd, winners, mixed;
	uint owner[SLOTS];
} total;
shared int partial[gl_WorkGroupSize.x];
shared int table[LENGTH];
shared uint arrivals;
void main()
{
	const uint me = gl_LocalInvocationIndex, size = gl_WorkGroupSize.x, i = gl_GlobalInvocationID.x;
	if (me == 0)
		arrivals = 0;
	for (uint k = me; k < LENGTH; k += size)
		table[k] = int(k) + BIAS;
	barrier();
	int mine = 0;
	for (uint k = 0; k < LENGTH; k++) {
		const int v = values[i * LENGTH + k];
		mine += (SQUARE ? v * v : v) + table[k];
	}
	partial[me] = mine;
	atomicAdd(arrivals, me + 1);
	barrier();
	for (uint n = size; n > 1; n = (n + 1) / 2) {
		if (me < n / 2)
			partial[me] += partial[me + (n + 1) / 2];
		barrier();
	}
	if (me == 0)
		sums[gl_WorkGroupID.x] = arrivals == size * (size + 1) / 2 ? partial[0] : -1;
	atomicAdd(total.sum, mine);
	atomicMax(total.largest, mine);
	atomicMin(total.smallest, mine);
	atomicOr(total.ones, uint(mine));
	atomicAnd(total.zeros, uint(mine));
	atomicXor(total.odd, uint(mine));
	if (atomicCompSwap(total.owner[i % SLOTS], 0u, i + 1) == 0u)
		atomicAdd(total.winners, 1u);
	uint seen = total.mixed, old;
	while ((old = atomicCompSwap(total.mixed, seen, seen * 3u)) != seen)
		seen = old;
}
