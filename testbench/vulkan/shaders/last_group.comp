// The last work-group adds what all have written: made available, and visible, by atomics of Vulkan's memory model.
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) nonprivate buffer Parts { uint parts[]; };
layout(std430, binding = 1) buffer Out { uint counter; uint sum; };
shared uint last;
void main()
{
	const uint i = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
	parts[group * 16 + i] = group * 100 + i;
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
	if (i == 0)
		last = atomicAdd(counter, 1, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
		       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
	if (last != gl_NumWorkGroups.x - 1)
		return;
	uint own = 0;
	for (uint k = 0; k < gl_NumWorkGroups.x; k++)
		own += parts[k * 16 + i];
	atomicAdd(sum, own, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
}
