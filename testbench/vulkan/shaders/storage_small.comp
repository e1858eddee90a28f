// Integers of 8 and 16 bits, and halves, in memory alone.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 16) in;
struct mixed { uint8_t a; int8_t b; uint16_t c; float16_t d; uint8_t e[3]; i16vec2 f; };
layout(std430, binding = 0) readonly buffer In { mixed v[]; };
layout(std430, binding = 1) buffer Bytes { int8_t bytes[]; };
layout(std430, binding = 2) buffer Out { uint result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	result[i * 8] = uint(v[i].a);
	result[i * 8 + 1] = uint(int(v[i].b));
	result[i * 8 + 2] = uint(v[i].c);
	result[i * 8 + 3] = floatBitsToUint(float(v[i].d));
	result[i * 8 + 4] = uint(v[i].e[i % 3]);
	result[i * 8 + 5] = uint(int(v[i].f.x) * 1000 + int(v[i].f.y));
	bytes[i] = int8_t(int(bytes[i]) * 3 + int(i));
}
