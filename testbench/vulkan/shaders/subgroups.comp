// What the invocations of a subgroup do together; all of them, and in a branch that some take.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
layout(local_size_x_id = 0) in;
const uint WORDS = 52;
layout(std430, binding = 0) readonly buffer In { uint values[]; };
layout(std430, binding = 1) writeonly buffer Out { uint result[]; };
shared uint passed[64];
void main()
{
	const uint v = values[gl_GlobalInvocationID.x], at = gl_GlobalInvocationID.x * WORDS, lane = gl_SubgroupInvocationID;
	const uvec4 odd = subgroupBallot((v & 1) == 1);
	uint r[WORDS];
	for (uint i = 0; i < WORDS; i++)
		r[i] = 0;
	r[0] = gl_SubgroupSize; r[1] = lane; r[2] = gl_SubgroupID; r[3] = gl_NumSubgroups;
	r[4] = uint(subgroupElect()); r[5] = uint(subgroupAll(v > 5)); r[6] = uint(subgroupAny(v > 250)); r[7] = uint(subgroupAllEqual(v >> 8));
	r[8] = subgroupBroadcast(v, 2); r[9] = subgroupBroadcastFirst(v); r[10] = odd.x; r[11] = uint(subgroupInverseBallot(uvec4(0x5a5a5a5a)));
	r[12] = uint(subgroupBallotBitExtract(odd, 3)); r[13] = subgroupBallotBitCount(odd); r[14] = subgroupBallotInclusiveBitCount(odd);
	r[15] = subgroupBallotExclusiveBitCount(odd); r[16] = subgroupBallotFindLSB(odd | uvec4(4)); r[17] = subgroupBallotFindMSB(odd | uvec4(4));
	r[18] = subgroupShuffle(v, (lane * 3 + 1) % gl_SubgroupSize); r[19] = subgroupShuffleXor(v, 1);
	r[20] = subgroupShuffleUp(v, 1); r[21] = subgroupShuffleDown(v, 1);
	r[22] = subgroupAdd(v); r[23] = subgroupInclusiveAdd(v); r[24] = subgroupExclusiveAdd(v); r[25] = subgroupMul(v | 1);
	r[26] = subgroupMin(v); r[27] = uint(subgroupMax(int(v) - 128)); r[28] = floatBitsToUint(subgroupInclusiveAdd(float(v) * 0.25));
	r[29] = subgroupAnd(v | 1); r[30] = subgroupOr(v); r[31] = subgroupExclusiveXor(v); r[32] = subgroupClusteredAdd(v, 4);
	r[33] = subgroupQuadBroadcast(v, 1); r[34] = subgroupQuadSwapHorizontal(v); r[35] = subgroupQuadSwapVertical(v); r[36] = subgroupQuadSwapDiagonal(v);
	r[37] = gl_SubgroupEqMask.x; r[38] = gl_SubgroupLtMask.x; r[39] = subgroupAdd(uvec3(v, v * 2, 1)).y;
	r[40] = uint(subgroupAnd(v > 5)) | uint(subgroupXor((v & 1) == 1)) << 1;
	r[41] = uint(subgroupAdd(uint64_t(v) << 33) >> 32); r[42] = uint(subgroupMin(int16_t(v) - int16_t(128)));
	if ((v & 1) == 1) {
		r[43] = subgroupAdd(1u); r[44] = subgroupBallot(true).x; r[45] = uint(subgroupElect()); r[46] = subgroupExclusiveAdd(v);
		r[47] = subgroupBroadcastFirst(lane);
	}
	// one subgroup alone comes to its barriers
	if (gl_SubgroupID == gl_NumSubgroups - 1) {
		passed[lane] = v;
		subgroupMemoryBarrierShared();
		subgroupBarrier();
		r[48] = passed[gl_SubgroupSize - 1 - lane];
	}
	for (uint i = 0; i < WORDS; i++)
		result[at + i] = r[i];
}
