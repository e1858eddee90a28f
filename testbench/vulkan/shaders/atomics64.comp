// Atomic operations on integers of 64 bits, in buffers and in memory of the work-group.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { uint64_t values[]; };
layout(std430, binding = 1) buffer Out { uint64_t sum, most, bits, swapped, shared_sum; int64_t least; };
shared uint64_t total;
void main()
{
	const uint64_t v = values[gl_GlobalInvocationID.x];
	if (gl_LocalInvocationIndex == 0)
		total = 0ul;
	barrier();
	atomicAdd(sum, v);
	atomicMax(most, v);
	atomicOr(bits, v);
	atomicMin(least, int64_t(v));
	atomicCompSwap(swapped, 0x123456789abcul, 77ul);
	atomicAdd(total, v);
	barrier();
	if (gl_LocalInvocationIndex == 0)
		atomicAdd(shared_sum, total);
}
