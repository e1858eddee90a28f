// A step of a chain: what one dispatch leaves, the next takes.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint factor; uint add; } push;
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	data[i] = data[i] * push.factor + i + push.add;
}
