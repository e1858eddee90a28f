// Reads and writes of elements that may not be there.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer Indices { uint indices[]; };
layout(std430, binding = 1) buffer Data { uint data[]; };
layout(std430, binding = 2) readonly buffer Wide { uvec4 wide[]; };
layout(std140, binding = 3) uniform Fixed { uvec4 fixed_data[1024]; };
layout(std430, binding = 4) writeonly buffer Out { uvec4 result[]; };
layout(push_constant) uniform Push { uint writes; } push;
void main()
{
	const uint i = gl_GlobalInvocationID.x, at = indices[i];
	result[i * 3] = uvec4(data[at], data.length(), fixed_data[at].yw);
	result[i * 3 + 1] = wide[at];
	result[i * 3 + 2] = uvec4(0);
	if (push.writes != 0) {
		data[at] = 0xbadbad;
		data[at + 3] = 0xbadbad;
	}
	if (push.writes > 1)
		result[i * 3 + 2].x = atomicAdd(data[at], 1);
}
