// Integers of 16 bits: arithmetic wraps at 16 bits.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { u16vec2 pairs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint16_t result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x, at = i * 12;
	const uint16_t a = pairs[i].x, b = pairs[i].y;
	const int16_t s = int16_t(a), t = int16_t(b);
	result[at] = a + b;
	result[at + 1] = a - b;
	result[at + 2] = a * b;
	result[at + 3] = a / max(b, uint16_t(1));
	result[at + 4] = a % max(b, uint16_t(1));
	result[at + 5] = a << (b & uint16_t(15));
	result[at + 6] = a >> (b & uint16_t(15));
	result[at + 7] = uint16_t(s >> (b & uint16_t(15)));
	result[at + 8] = uint16_t(max(s, t));
	result[at + 9] = uint16_t(int(s) * 3 / 2);
	result[at + 10] = uint16_t(s < t ? 1 : 0);
	result[at + 11] = uint16_t(-s);
}
