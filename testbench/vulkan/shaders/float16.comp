// Halves.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { f16vec2 pairs[]; };
layout(std430, binding = 1) writeonly buffer Out { float16_t result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x, at = i * 12;
	const float16_t x = pairs[i].x, y = pairs[i].y;
	result[at] = x + y;
	result[at + 1] = x - y;
	result[at + 2] = x * y;
	result[at + 3] = x / (abs(y) + float16_t(1));
	result[at + 4] = min(x, y);
	result[at + 5] = max(x, y);
	result[at + 6] = floor(x);
	result[at + 7] = float16_t(float(x) * 0.25);
	result[at + 8] = sqrt(abs(x));
	result[at + 9] = x < y ? float16_t(1) : float16_t(0);
	result[at + 10] = float16_t(int(x));
	result[at + 11] = -x;
}
