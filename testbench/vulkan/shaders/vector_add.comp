// Sums up to a count, with a scale, from an element on.
#version 450
layout(local_size_x = 16, local_size_x_id = 0) in;
layout(push_constant) uniform Push { uint count; uint first; float scale; } push;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	if (i >= push.count)
		return;
	c[push.first + i] = a[push.first + i] * push.scale + b[push.first + i];
}
