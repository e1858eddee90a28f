// Functions of integers, on pairs. integer_reference of compute_math.c is the same in C.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { uvec2 pairs[]; };
layout(std430, binding = 1) writeonly buffer Out { uint result[]; };
uint at;
void put(uint u) { result[at++] = u; }
void put(int i) { put(uint(i)); }
void put(bool b) { put(b ? 1u : 0u); }
void put(uvec4 v) { put(v.x); put(v.y); put(v.z); put(v.w); }
void put(ivec4 v) { put(uvec4(v)); }
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const uint a = pairs[i].x, b = pairs[i].y, bit = b & 31u, count = min((b >> 5) & 31u, 32u - bit);
	const int s = int(a), t = int(b);
	uint high, low, carry;
	int shigh, slow;
	at = i * 72;
	put(bitCount(a)); put(bitCount(s));
	put(findLSB(a)); put(findLSB(s)); put(findMSB(a)); put(findMSB(s));
	put(bitfieldExtract(a, int(bit), int(count))); put(bitfieldExtract(s, int(bit), int(count)));
	put(bitfieldInsert(a, b, int(bit), int(count))); put(bitfieldReverse(a));
	put(uaddCarry(a, b, carry)); put(carry);
	put(usubBorrow(a, b, carry)); put(carry);
	umulExtended(a, b, high, low); put(high); put(low);
	imulExtended(s, t, shigh, slow); put(shigh); put(slow);
	put(a + b); put(a - b); put(a * b); put(a / max(b, 1u)); put(a % max(b, 1u));
	put((s / 2) / (abs(t / 2) + 1)); put((s & 0x7fffffff) % ((t & 0x7fffffff) | 1));
	put(abs(s)); put(sign(s)); put(min(a, b)); put(max(a, b)); put(min(s, t)); put(max(s, t));
	put(clamp(s, -100, 100)); put(clamp(a, 5u, 1000u));
	put(a << bit); put(a >> bit); put(s >> bit); put(s << bit);
	put(a & b); put(a | b); put(a ^ b); put(~a); put(-s);
	put(a < b); put(s < t); put(a >= b); put(s >= t); put(a == b);
	const uvec4 v = uvec4(a, b, a ^ b, bit), w = v.wzyx;
	const ivec4 x = ivec4(v), y = ivec4(w);
	put(bitCount(v)); put(max(x, y)); put(findMSB(x));
	uvec4 h, l;
	umulExtended(v, w, h, l);
	put(h ^ l);
	put(bool(any(lessThan(x, y)))); put(all(greaterThanEqual(v, uvec4(0, 0, 0, bit)))); put(not(equal(v.xy, w.xy)).y);
}
