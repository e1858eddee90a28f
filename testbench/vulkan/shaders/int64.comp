// Integers of 64 bits.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { u64vec2 pairs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint64_t result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const uint64_t a = pairs[i].x, b = pairs[i].y;
	const int64_t s = int64_t(a), t = int64_t(b);
	const uint bit = uint(b) & 63u;
	const uint at = i * 24;
	result[at] = a + b;
	result[at + 1] = a - b;
	result[at + 2] = a * b;
	result[at + 3] = a / max(b, 1ul);
	result[at + 4] = a % max(b, 1ul);
	result[at + 5] = uint64_t((s / 2) / (abs(t / 2) + 1));
	result[at + 6] = a << bit;
	result[at + 7] = a >> bit;
	result[at + 8] = uint64_t(s >> bit);
	result[at + 9] = (a & b) ^ ~(a | b);
	result[at + 10] = (a < b ? 1 : 0) + (s < t ? 2 : 0) + (a == b ? 4 : 0) + (s >= t ? 8 : 0);
	result[at + 11] = uint64_t(min(s, t));
	result[at + 12] = max(a, b);
	result[at + 13] = uint64_t(int(s));
	result[at + 14] = uint64_t(int64_t(int(a)));
	result[at + 15] = packUint2x32(unpackUint2x32(a).yx);
	result[at + 16] = uint64_t(float(uint(a >> 40)));
	result[at + 17] = uint64_t(sign(s));
}
