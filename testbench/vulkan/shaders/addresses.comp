// Buffers by their addresses: a list that is followed, numbers that are written.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 16) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { Node next; uint value; uvec3 rest; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { uint n[]; };
layout(push_constant) uniform Push { Node first; uint64_t out_address; uint count; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	Node at = first;
	uint sum = 0;
	for (uint k = 0; k <= i % count; k++) {
		sum += at.value * (k + 1) + at.rest.y;
		at = at.next;
	}
	Numbers numbers = Numbers(out_address);
	numbers.n[i] = sum;
	Numbers behind = Numbers(unpackUint2x32(out_address + 256u));
	behind.n[i] = uint(uint64_t(at) != 0);
	atomicAdd(Numbers(out_address + 512u).n[0], i);
}
