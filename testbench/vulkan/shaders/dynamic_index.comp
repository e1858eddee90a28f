// Arrays of buffers, by an index that is the same for all invocations.
#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer A { uint v[]; } a[3];
layout(std140, binding = 1) uniform B { uvec4 v; } b[2];
layout(std430, binding = 2) writeonly buffer Out { uint result[]; };
layout(push_constant) uniform Push { uint index; } push;
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	uint sum = 0;
	for (uint k = 0; k < 3; k++)
		sum += a[(k + push.index) % 3].v[i] * (k + 1);
	result[i * 2] = sum;
	result[i * 2 + 1] = b[push.index & 1].v[i];
	a[push.index].v[i + 4] = sum;
}
