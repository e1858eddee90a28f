// Packing of floats into words, and classes of floats given as words.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { vec4 v[]; };
layout(std430, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, binding = 2) writeonly buffer Out { uint result[]; };
uint at;
void put(uint u) { result[at++] = u; }
void put(float f) { put(floatBitsToUint(f)); }
void put(vec2 f) { put(f.x); put(f.y); }
void put(vec4 f) { put(f.xy); put(f.zw); }
void main()
{
	const uint i = gl_GlobalInvocationID.x, w = words[i];
	const vec4 f = v[i];
	at = i * 32;
	put(packUnorm4x8(f)); put(packSnorm4x8(f)); put(packUnorm2x16(f.xy)); put(packSnorm2x16(f.xy)); put(packHalf2x16(f.zw));
	put(unpackUnorm4x8(w)); put(unpackSnorm4x8(w)); put(unpackUnorm2x16(w)); put(unpackSnorm2x16(w)); put(unpackHalf2x16(w));
	const float x = uintBitsToFloat(w);
	put(uint(isnan(x))); put(uint(isinf(x))); put(intBitsToFloat(floatBitsToInt(x)));
}
