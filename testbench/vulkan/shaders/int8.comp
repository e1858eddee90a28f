// Integers of 8 bits: arithmetic wraps at 8 bits.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { u8vec2 pairs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint8_t result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x, at = i * 12;
	const uint8_t a = pairs[i].x, b = pairs[i].y;
	const int8_t s = int8_t(a), t = int8_t(b);
	result[at] = a + b;
	result[at + 1] = a - b;
	result[at + 2] = a * b;
	result[at + 3] = a / max(b, uint8_t(1));
	result[at + 4] = a % max(b, uint8_t(1));
	result[at + 5] = a << (b & uint8_t(7));
	result[at + 6] = a >> (b & uint8_t(7));
	result[at + 7] = uint8_t(s >> (b & uint8_t(7)));
	result[at + 8] = uint8_t(max(s, t));
	result[at + 9] = uint8_t(int(s) * 3 / 2);
	result[at + 10] = uint8_t(s < t ? 1 : 0);
	result[at + 11] = uint8_t(-s);
}
