/* Relational, common, geometric, shuffle, vector load and store builtins
 * (OpenCL C 3.0, 6.15.4 to 6.15.7, 6.15.10): definitions, and vectors against scalars. */
#include "checks.h"

/* ---- relational: 1 for scalars, -1 an element for vectors ---- */
#define RELATION(type, itype, f, expression)                                                       \
	bad += f(x, y) != ((expression) ? 1 : 0);                                                  \
	bad += f((type##2)(x, y), (type##2)(y, y)).s0 != (itype)((expression) ? -1 : 0);      \
	bad += any(f((type##3)(x), (type##3)(y)) != (itype##3)((expression) ? -1 : 0));            \
	bad += any(f((type##16)(x), (type##16)(y)) != (itype##16)((expression) ? -1 : 0));
#define CLASSIFY(type, itype, f, expression)                                                       \
	bad += f(x) != ((expression) ? 1 : 0);                                                     \
	bad += any(f((type##3)(x)) != (itype##3)((expression) ? -1 : 0));                          \
	bad += any(f((type##8)(x)) != (itype##8)((expression) ? -1 : 0));
#define RELATIONAL(type, itype, mask, inf, least)                                                  \
	CHECK(relational_##type)                                                                   \
	{                                                                                          \
		ulong bad = 0;                                                                     \
		for (uint i = 0; i < rounds * 4; i++) {                                            \
			type x = any_##type(&seed), y = i & 1 ? any_##type(&seed) : x;             \
			itype ax = as_##itype(x) & mask, ay = as_##itype(y) & mask;                \
			RELATION(type, itype, isequal, x == y) RELATION(type, itype, isnotequal, x != y) \
			RELATION(type, itype, isgreater, x > y) RELATION(type, itype, isgreaterequal, x >= y) \
			RELATION(type, itype, isless, x < y) RELATION(type, itype, islessequal, x <= y) \
			RELATION(type, itype, islessgreater, x < y || x > y)                       \
			RELATION(type, itype, isordered, ax <= inf && ay <= inf)                   \
			RELATION(type, itype, isunordered, ax > inf || ay > inf)                   \
			CLASSIFY(type, itype, isfinite, ax < inf) CLASSIFY(type, itype, isinf, ax == inf) \
			CLASSIFY(type, itype, isnan, ax > inf) CLASSIFY(type, itype, isnormal, ax < inf && ax >= least) \
			CLASSIFY(type, itype, signbit, as_##itype(x) < 0)                          \
			itype m = (itype)next(&seed);                                              \
			bad += as_##itype(bitselect(x, y, as_##type(m))) != ((as_##itype(x) & ~m) | (as_##itype(y) & m)); \
			bad += as_##itype(select(x, y, m)) != as_##itype(m ? y : x);               \
			bad += as_##itype(select((type##3)(x), (type##3)(y), (itype##3)(0, m, -1)).y) != as_##itype(m < 0 ? y : x); \
			bad += as_##itype(select((type##4)(x), (type##4)(y), (itype##4)(0, m, -1, m)).z) != as_##itype(y); \
		}                                                                                  \
		return bad;                                                                        \
	}
RELATIONAL(float, int, 0x7fffffff, 0x7f800000, 0x00800000)
RELATIONAL(double, long, 0x7fffffffffffffff, 0x7ff0000000000000, 0x0010000000000000)
RELATIONAL(half, short, 0x7fff, 0x7c00, 0x0400)

#define ANY_ALL(type)                                                                              \
	for (uint i = 0; i < rounds; i++) {                                                        \
		VECTOR_OF(type, 16, a);                                                            \
		for (int k = 0; k < 16; k++)                                                       \
			if (next(&seed) & 1)                                                       \
				a.e[k] = (type)(i & 1 ? -1 : 0);                                   \
		int some = 0, every = 1;                                                           \
		for (int k = 0; k < 16; k++) {                                                     \
			some |= a.e[k] < 0;                                                        \
			every &= a.e[k] < 0;                                                       \
			if (k == 0)                                                                \
				bad += any(a.e[0]) != some || all(a.e[0]) != every;                \
			if (k == 2)                                                                \
				bad += any(a.v.s012) != some || all(a.v.s012) != every;            \
			if (k == 3)                                                                \
				bad += any(a.v.s0123) != some || all(a.v.s0123) != every;          \
			if (k == 7)                                                                \
				bad += any(a.v.lo) != some || all(a.v.lo) != every;                \
		}                                                                                  \
		bad += any(a.v) != some || all(a.v) != every;                                      \
	}
CHECK(any_all)
{
	ulong bad = 0;
	ANY_ALL(char) ANY_ALL(short) ANY_ALL(int) ANY_ALL(long)
	return bad;
}

#define SELECT(type, stype, utype)                                                                 \
	for (uint i = 0; i < rounds; i++) {                                                        \
		type a = any_##type(&seed), b = any_##type(&seed);                                 \
		stype m = any_##stype(&seed);                                                      \
		bad += select(a, b, m) != (m ? b : a);                                             \
		bad += select(a, b, (utype)m) != (m ? b : a);                                      \
		bad += select((type##3)(a), (type##3)(b), (stype##3)(m)).z != (m < 0 ? b : a);     \
		bad += select((type##8)(a), (type##8)(b), (utype##8)((utype)m)).s7 != (m < 0 ? b : a); \
		bad += bitselect(a, b, (type)m) != (type)((a & ~(type)m) | (b & (type)m));         \
		bad += bitselect((type##16)(a), (type##16)(b), (type##16)((type)m)).sf != bitselect(a, b, (type)m); \
	}
CHECK(select)
{
	ulong bad = 0;
	SELECT(char, char, uchar) SELECT(uchar, char, uchar) SELECT(short, short, ushort) SELECT(ushort, short, ushort)
	SELECT(int, int, uint) SELECT(uint, int, uint) SELECT(long, long, ulong) SELECT(ulong, long, ulong)
	return bad;
}

/* ---- common and geometric: within a few units of the last place of the plain formula ---- */
#define NEAR(type, a, b, scale) (!(fabs((a) - (b)) <= (scale) * (sizeof(type) == 4 ? (type)0x1p-20 : (type)0x1p-49)))
#define COMMON(type)                                                                               \
	CHECK(common_##type)                                                                       \
	{                                                                                          \
		ulong bad = 0;                                                                     \
		for (uint i = 0; i < rounds * 4; i++) {                                            \
			type x = (type)(int)next(&seed) * (type)0x1p-24, y = (type)(int)next(&seed) * (type)0x1p-24; \
			type z = (type)(uint)next(&seed) * (type)0x1p-32, lo = x < y ? x : y, hi = x < y ? y : x; \
			type w = (type)(int)next(&seed) * (type)0x1p-24;                           \
			bad += clamp(w, lo, hi) != (w < lo ? lo : w > hi ? hi : w);                \
			bad += any(clamp((type##3)(w), lo, hi) != (type##3)(clamp(w, lo, hi)));    \
			bad += max(x, y) != hi || min(x, y) != lo;                                 \
			bad += any(max((type##4)(x), y) != (type##4)(hi)) || any(min((type##2)(x), (type##2)(y)) != (type##2)(lo)); \
			bad += NEAR(type, degrees(x), x * (type)57.29577951308232, fabs(x) * 64);  \
			bad += NEAR(type, radians(x), x * (type)0.017453292519943295, fabs(x));    \
			bad += NEAR(type, mix(x, y, z), x + (y - x) * z, fabs(x) + fabs(y));       \
			bad += NEAR(type, mix((type##3)(x), (type##3)(y), z).z, x + (y - x) * z, fabs(x) + fabs(y)); \
			bad += step(x, y) != (y < x ? 0 : 1);                                      \
			bad += any(step(x, (type##3)(y)) != (type##3)(y < x ? 0 : 1));             \
			bad += sign(x) != (x > 0 ? 1 : x < 0 ? -1 : 0);                            \
			type t = (w - lo) / (hi - lo);                                             \
			t = t < 0 ? 0 : t > 1 ? 1 : t;                                             \
			if (hi - lo > (type)0.01)                                                  \
				bad += NEAR(type, smoothstep(lo, hi, w), t * t * (3 - 2 * t), (type)4) || \
				       smoothstep(lo, hi, (type##3)(w)).y != smoothstep(lo, hi, w); \
			type##4 a = (type##4)(x, y, z, w), b = (type##4)(w, x, y, z);              \
			type d = x * w + y * x + z * y + w * z, size = fabs(x * w) + fabs(y * x) + fabs(z * y) + fabs(w * z); \
			type len = sqrt(x * x + y * y + z * z + w * w);                            \
			bad += NEAR(type, dot(a, b), d, size);                                     \
			bad += NEAR(type, dot(a.xyz, b.xyz), x * w + y * x + z * y, size) || dot(x, y) != x * y; \
			bad += NEAR(type, length(a), len, len) || NEAR(type, length(a.xy), sqrt(x * x + y * y), len); \
			bad += NEAR(type, distance(a, (type##4)(0)), len, len);                    \
			bad += NEAR(type, normalize(a).y, y / len, (type)1) || NEAR(type, normalize(a.xyz).z, z / sqrt(x * x + y * y + z * z), (type)1); \
			type##3 c = cross(a.xyz, b.xyz);                                           \
			bad += NEAR(type, c.x, y * y - z * x, y * y + fabs(z * x)) || NEAR(type, c.z, x * x - y * w, x * x + fabs(y * w)); \
			bad += cross(a, b).w != 0 || NEAR(type, cross(a, b).y, z * w - x * y, fabs(z * w) + fabs(x * y)); \
		}                                                                                  \
		/* no overflow or underflow on the way to a result that has none */                 \
		type big = sizeof(type) == 4 ? (type)0x1p100 : (type)0x1p1000, tiny = 1 / big;     \
		bad += NEAR(type, length((type##3)(3 * big, 4 * big, 0)), 5 * big, big);           \
		bad += NEAR(type, length((type##2)(3 * tiny, 4 * tiny)), 5 * tiny, tiny);          \
		bad += NEAR(type, normalize((type##4)(3 * tiny, 4 * tiny, 0, 0)).x, (type)0.6, (type)1); \
		bad += NEAR(type, normalize((type##2)(3 * big, 4 * big)).y, (type)0.8, (type)1);   \
		return bad;                                                                        \
	}
COMMON(float)
COMMON(double)
/* ---- half: what float gives for the same arguments, rounded; float's are checked above ---- */
#define HALF_NEAR(a, b) (!(fabs((double)(a) - (double)(b)) <= 0x1p-11 * fabs((double)(b)) + 0x1p-25))
CHECK(common_half)
{
	ulong bad = 0;
	for (uint i = 0; i < rounds * 4; i++) {
		half x = (half)((float)(int)next(&seed) * 0x1p-27f), y = (half)((float)(int)next(&seed) * 0x1p-27f);
		half z = (half)((float)(uint)next(&seed) * 0x1p-32f), w = any_half(&seed), lo = x < y ? x : y, hi = x < y ? y : x;
		float fx = (float)x, fy = (float)y, fz = (float)z, fw = (float)w;
		if (w == w)
			bad += clamp(w, lo, hi) != (w < lo ? lo : w > hi ? hi : w) || any(clamp((half3)(w), lo, hi) != (half3)(clamp(w, lo, hi)));
		bad += max(x, y) != hi || min(x, y) != lo || fmax(x, y) != hi || fmin(x, y) != lo;
		bad += any(max((half4)(x), y) != (half4)(hi)) || any(min((half2)(x), (half2)(y)) != (half2)(lo));
		bad += any(fmax((half8)(x), y) != (half8)(hi)) || any(fmin((half16)(x), y) != (half16)(lo));
		bad += !same_half(fmax(w, (half)NAN), w) || !same_half(fmin((half)NAN, w), w);
		bad += HALF_NEAR(degrees(x), (double)x * 57.29577951308232) || HALF_NEAR(radians(x), (double)x * 0.017453292519943295);
		bad += HALF_NEAR(mix(x, y, z), mix(fx, fy, fz)) || mix((half3)(x), (half3)(y), z).z != mix(x, y, z);
		bad += step(x, y) != (half)(y < x ? 0 : 1) || any(step(x, (half3)(y)) != (half3)(step(x, y)));
		bad += sign(x) != (half)(x > 0 ? 1 : x < 0 ? -1 : 0) || as_ushort(sign((half)-0.0f)) != 0x8000 || sign(w) != sign(w) && w == w;
		if (lo < hi)
			bad += HALF_NEAR(smoothstep(lo, hi, z), smoothstep((float)lo, (float)hi, fz)) ||
			       smoothstep(lo, hi, (half3)(z)).y != smoothstep(lo, hi, z);
		half4 a = (half4)(x, y, z, z), b = (half4)(z, x, y, z);
		float4 fa = (float4)(fx, fy, fz, fz), fb = (float4)(fz, fx, fy, fz);
		bad += HALF_NEAR(dot(a, b), dot(fa, fb)) || HALF_NEAR(dot(a.xyz, b.xyz), dot(fa.xyz, fb.xyz)) || dot(x, y) != x * y;
		bad += HALF_NEAR(length(a), length(fa)) || HALF_NEAR(length(a.xy), length(fa.xy)) || length(x) != fabs(x);
		bad += HALF_NEAR(distance(a, b), distance(fa, fb)) || HALF_NEAR(distance(x, y), fabs(fx - fy));
		bad += HALF_NEAR(normalize(a).y, normalize(fa).y) || HALF_NEAR(normalize(a.xyz).z, normalize(fa.xyz).z);
		bad += HALF_NEAR(cross(a, b).y, cross(fa, fb).y) || HALF_NEAR(cross(a.xyz, b.xyz).x, cross(fa.xyz, fb.xyz).x) || cross(a, b).w != 0;
		/* 6.15.10: the bits of the number, not its value */
		bad += as_ushort(fabs(w)) != (as_ushort(w) & 0x7fff) || as_ushort(copysign(x, w)) != ((as_ushort(x) & 0x7fff) | (as_ushort(w) & 0x8000));
		bad += as_ushort(copysign((half3)(x, y, z), (half3)(w)).z) != ((as_ushort(z) & 0x7fff) | (as_ushort(w) & 0x8000));
		half code = nan((ushort)(as_ushort(w) & 0x1ff));
		bad += code == code || (as_ushort(code) & 0x1ff) != (as_ushort(w) & 0x1ff);
		/* 6.15.2: the next number in the direction of the other, one step of the bits */
		half up = nextafter(w, (half)INFINITY), down = nextafter(w, (half)-INFINITY);
		if (w == w && fabs(fw) < INFINITY) {
			bad += !(up > w) || !(down < w) || !same_half(nextafter(up, w), up == 0.0h ? up : w) && w != 0.0h;
			bad += w != 0.0h && abs_diff(as_ushort(up), as_ushort(w)) != 1;
			bad += !same_half(nextafter((half4)(w), (half4)(w, x, (half)INFINITY, w)).z, up);
		}
		bad += !same_half(nextafter(w, w), w) || nextafter(x, (half)NAN) == x;
	}
	/* no overflow on the way to a result that has none */
	bad += length((half2)(30000, 40000)) != 50000 || HALF_NEAR(normalize((half2)(30000, 40000)).x, 0.6f);
	half whole;
	bad += fract(-0x1p-24h, &whole) != as_half((ushort)0x3bff) || whole != -1.0h;
	return bad;
}
CHECK(fast_geometric)
{
	ulong bad = 0;
	for (uint i = 0; i < rounds; i++) {
		float x = (float)(int)next(&seed) * 0x1p-24f, y = (float)(int)next(&seed) * 0x1p-24f, len = sqrt(x * x + y * y);
		bad += !(fabs(fast_length((float2)(x, y)) - len) <= len * 0x1p-10f);
		bad += !(fabs(fast_distance((float3)(x, 0, y), (float3)(0)) - len) <= len * 0x1p-10f);
		bad += !(fabs(fast_normalize((float3)(x, 0, y)).z - y / len) <= 0x1p-10f);
	}
	return bad;
}

/* ---- shuffle: element k of the result is the element that the low bits of mask[k] name ---- */
#define SHUFFLE(type, mtype, n, m)                                                                 \
	for (uint i = 0; i < rounds; i++) {                                                        \
		VECTOR_OF(type, m, a);                                                             \
		VECTOR_OF(type, m, b);                                                             \
		VECTOR_OF(mtype, n, mask);                                                           \
		union { type e[16]; type##n v; } one, two;                                         \
		one.v = shuffle(a.v, mask.v);                                                         \
		two.v = shuffle2(a.v, b.v, mask.v);                                                   \
		for (int j = 0; j < n; j++) {                                                      \
			uint at = (uint)mask.e[j] & (2 * m - 1);                                      \
			bad += !same_##type(one.e[j], a.e[at & (m - 1)]);                          \
			bad += !same_##type(two.e[j], at < m ? a.e[at] : b.e[at - m]);             \
		}                                                                                  \
	}
CHECK(shuffle)
{
	ulong bad = 0;
	SHUFFLE(char, uchar, 2, 2) SHUFFLE(char, uchar, 16, 4) SHUFFLE(ushort, ushort, 8, 16) SHUFFLE(int, uint, 4, 4)
	SHUFFLE(float, uint, 4, 8) SHUFFLE(float, uint, 16, 2) SHUFFLE(half, ushort, 8, 4) SHUFFLE(half, ushort, 2, 16) SHUFFLE(double, ulong, 2, 16) SHUFFLE(ulong, ulong, 8, 8)
	return bad;
}

/* ---- vload and vstore: elements where they belong, and nothing beside them ---- */
#define MEMORY_N(space, type, n)                                                                   \
	{                                                                                          \
		type m[40];                                                                        \
		space type *p = (space type *)m;                                                   \
		for (int k = 0; k < 40; k++)                                                       \
			m[k] = (type)(k + 1);                                                      \
		type##n v = vload##n(1, p + 1);                                                    \
		union { type e[16]; type##n v; } u;                                                \
		u.v = v;                                                                           \
		for (int k = 0; k < n; k++)                                                        \
			bad += u.e[k] != (type)(n + 2 + k);                                        \
		vstore##n(v + (type)1, 1, p + 3);                                                  \
		for (int k = 0; k < 40; k++)                                                       \
			bad += m[k] != (k >= n + 3 && k < 2 * n + 3 ? (type)(k - 1 + 1) : (type)(k + 1)); \
	}
#define MEMORY(space, type) ALL_WIDTHS(MEMORY_N, space, type)
CHECK(vector_memory)
{
	ulong bad = 0;
	MEMORY(private, char) MEMORY(private, ushort) MEMORY(private, int) MEMORY(private, ulong) MEMORY(private, float)
	MEMORY(private, double) MEMORY(generic, uchar) MEMORY(generic, short) MEMORY(generic, uint) MEMORY(generic, long)
	MEMORY(generic, float) MEMORY(generic, double) MEMORY(private, half) MEMORY(generic, half)
	return bad;
}

/* ---- pointers of every space ---- */
CHECK(second_results)
{
	ulong bad = 0;
	for (uint i = 0; i < rounds; i++) {
		float x = any_float(&seed), y = any_float(&seed);
		float p1, p2;
		int n1, n2;
		generic float *g = &p2;
		generic int *n = &n2;
		bad += !same_float(fract(x, &p1), fract(x, g)) || !same_float(p1, p2);
		bad += !same_float(modf(x, &p1), modf(x, g)) || !same_float(p1, p2);
		bad += !same_float(sincos(x, &p1), sincos(x, g)) || !same_float(p1, p2);
		bad += !same_float(frexp(x, &n1), frexp(x, n)) || n1 != n2;
		bad += !same_float(remquo(x, y, &n1), remquo(x, y, n)) || n1 != n2;
		float3 v = (float3)(x, y, x), w;
		float s = sincos(y, &p1);
		v = sincos(v, &w);
		bad += !same_float(v.y, s) || !same_float(w.y, p1);
		int3 e;
		v = frexp((float3)(y, x, y), &e);
		bad += !same_float(v.y, frexp(x, &n1)) || e.y != n1;
		half h = any_half(&seed), k = any_half(&seed), q1, q2;
		generic half *gh = &q2;
		bad += !same_half(fract(h, &q1), fract(h, gh)) || !same_half(q1, q2) || (h - h == 0 && !(fract(h, &q1) < 1));
		bad += !same_half(modf(h, &q1), modf(h, gh)) || !same_half(q1, q2) || (h - h == 0 && modf(h, &q1) + q1 != h);
		bad += !same_half(sincos(h, &q1), sin(h)) || !same_half(sincos(h, gh), sin(h)) || !same_half(q1, cos(h)) || !same_half(q2, q1);
		bad += !same_half(frexp(h, &n1), frexp(h, n)) || n1 != n2 || !same_half(ldexp(frexp(h, &n1), n1), h) || (h == h && ilogb(h) != ilogb((float)h));
		bad += !same_half(remquo(h, k, &n1), remquo(h, k, n)) || n1 != n2 || !same_half(remquo(h, k, &n1), remainder(h, k));
		bad += !same_half(lgamma_r(h, &n1), lgamma_r(h, n)) || !same_half(lgamma_r(h, &n1), lgamma(h));
		half3 hv = (half3)(h, k, h), hw;
		half hs = sincos(k, &q1);
		hv = sincos(hv, &hw);
		bad += !same_half(hv.y, hs) || !same_half(hw.y, q1);
	}
	return bad;
}
