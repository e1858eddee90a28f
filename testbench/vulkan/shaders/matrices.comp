// Matrices, in both layouts, and what is packed around them.
#version 450
layout(local_size_x = 1) in;
struct item { vec3 v; float s; mat2 m; uint tag; };
layout(std140, binding = 0) uniform U {
	mat4 m;
	mat3 n[2];
	layout(row_major) mat4 r;
	vec3 p;
	float q;
	vec2 w[3];
	mat2x3 odd;
} u;
layout(std430, binding = 1) buffer Items { item items[]; };
layout(std430, binding = 2) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Push { uint index; } push; // below 2
uint at = 0;
void put(float f) { result[at++] = f; }
void put(vec2 v) { put(v.x); put(v.y); }
void put(vec3 v) { put(v.xy); put(v.z); }
void put(vec4 v) { put(v.xy); put(v.zw); }
void put(mat3 m) { for (int i = 0; i < 3; i++) put(m[i]); }
void put(mat4 m) { for (int i = 0; i < 4; i++) put(m[i]); }
void main()
{
	const vec4 v = vec4(u.p, u.q);
	put(u.m * v);
	put(v * u.m);
	put(u.r * v);
	put(v * u.r);
	put(u.n[0] * u.p);
	put(u.p * u.n[1]);
	put(u.n[push.index] * u.p);
	put(transpose(u.m));
	put(inverse(u.m));
	put(determinant(u.m));
	put(determinant(u.n[0]));
	put(inverse(u.n[1]));
	put(outerProduct(u.p, items[1].v));
	put(u.m * u.r);
	put(matrixCompMult(u.m, u.r));
	put(u.odd * u.w[1]);
	put(u.p * u.odd);
	put(u.m[push.index + 1][push.index + 2]);
	put(u.r[push.index + 1][push.index + 2]);
	put(u.w[push.index + 1]);
	const uint count = uint(items.length());
	put(float(count));
	for (uint i = 0; i < count; i++) {
		put(items[i].m * items[i].v.xy * items[i].s);
		items[i].v.y = items[i].s + 1;
		items[i].m[1] += vec2(1, 2);
		items[i].m[0][push.index] = 9;
		items[i].tag += i;
	}
}
