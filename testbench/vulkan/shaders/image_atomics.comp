// Atomics on a storage image: a histogram.
#version 450
layout(local_size_x = 16) in;
layout(r32ui, binding = 0) uniform uimage2D bins;
layout(std430, binding = 1) readonly buffer In { uint values[]; };
void main()
{
	const uint v = values[gl_GlobalInvocationID.x];
	imageAtomicAdd(bins, ivec2(v & 7, 0), v);
	imageAtomicMax(bins, ivec2(v & 7, 1), v);
	imageAtomicOr(bins, ivec2(v & 7, 2), v);
}
