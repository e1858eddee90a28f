// Memory of a work-group that begins with zeros, after work-groups that have left it full.
#version 450
#extension GL_EXT_null_initializer : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Out { uint seen[]; };
shared uint words[301] = {};
shared uvec3 one = {};
void main()
{
	const uint i = gl_LocalInvocationIndex;
	uint any = 0;
	for (uint k = i; k < 301; k += 16)
		any |= words[k];
	seen[gl_GlobalInvocationID.x] = any | one.y;
	barrier();
	for (uint k = i; k < 301; k += 16)
		words[k] = 0xffffffffu;
	if (i == 0)
		one = uvec3(7);
}
