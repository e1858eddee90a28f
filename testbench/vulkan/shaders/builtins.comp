// What an invocation knows of itself.
#version 450
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(std430, binding = 0) buffer Out { uint result[]; };
void main()
{
	const uvec3 all = gl_NumWorkGroups * gl_WorkGroupSize, id = gl_WorkGroupID * gl_WorkGroupSize + gl_LocalInvocationID;
	const uint at = ((id.z * 32 + id.y) * 64 + id.x) * 20;
	const uvec3 v[6] = uvec3[](gl_GlobalInvocationID, gl_LocalInvocationID, gl_WorkGroupID, gl_NumWorkGroups, gl_WorkGroupSize, all);
	for (uint i = 0; i < 18; i++)
		result[at + i] = v[i / 3][i % 3];
	result[at + 18] = gl_LocalInvocationIndex;
	result[at + 19] += 1;
}
