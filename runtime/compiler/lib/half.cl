/* vload_half, vstore_half and their kin (OpenCL C 3.0, 6.15.7): the only use of half without
 * cl_khr_fp16. */
#include "half.h"

/* M(convert, i) for each element i of a vector of width n. */
#define ELEMENTS_2(M, convert) M(convert, 0) M(convert, 1)
#define ELEMENTS_3(M, convert) ELEMENTS_2(M, convert) M(convert, 2)
#define ELEMENTS_4(M, convert) ELEMENTS_3(M, convert) M(convert, 3)
#define ELEMENTS_8(M, convert) ELEMENTS_4(M, convert) M(convert, 4) M(convert, 5) M(convert, 6) M(convert, 7)
#define ELEMENTS_16(M, convert)                                                                    \
	ELEMENTS_8(M, convert) M(convert, 8) M(convert, 9) M(convert, a) M(convert, b) M(convert, c) M(convert, d) M(convert, e) M(convert, f)
#define LOAD_ONE(convert, i) v.s##i = convert(p[0x##i]);
#define STORE_ONE(convert, i) u[0x##i] = convert(v.s##i);

/* Elements from vector to vector of width n. */
#define PACKED(n) n
#define ALIGNED(n) (sizeof(half##n) / sizeof(half))

#define LOAD(space, name, stride, n)                                                               \
	OVERLOAD float##n name##n(size_t at, const space half *p)                                  \
	{                                                                                          \
		float##n v;                                                                        \
		p += at * stride(n);                                                               \
		ELEMENTS_##n(LOAD_ONE, (float))                                                    \
		return v;                                                                          \
	}
#define STORE(space, type, name, mode, suffix, stride, n)                                          \
	OVERLOAD void name##n##suffix(type##n v, size_t at, space half *p)                         \
	{                                                                                          \
		space ushort *u = (space ushort *)p + at * stride(n);                              \
		ELEMENTS_##n(STORE_ONE, half_##mode##_##type)                                      \
	}

#define LOADS(space)                                                                               \
	OVERLOAD float vload_half(size_t at, const space half *p) { return (float)p[at]; }         \
	EACH_VECTOR(LOAD, space, vload_half, PACKED) EACH_VECTOR(LOAD, space, vloada_half, ALIGNED)
#define STORES_MODE(space, type, mode, suffix)                                                     \
	OVERLOAD void vstore_half##suffix(type v, size_t at, space half *p)                        \
	{                                                                                          \
		((space ushort *)p)[at] = half_##mode##_##type(v);                                 \
	}                                                                                          \
	EACH_VECTOR(STORE, space, type, vstore_half, mode, suffix, PACKED)                         \
	EACH_VECTOR(STORE, space, type, vstorea_half, mode, suffix, ALIGNED)
#define STORES_TYPE(space, type)                                                                   \
	STORES_MODE(space, type, rte, ) STORES_MODE(space, type, rte, _rte)                        \
	STORES_MODE(space, type, rtz, _rtz) STORES_MODE(space, type, rtp, _rtp)                    \
	STORES_MODE(space, type, rtn, _rtn)
#define STORES(space) STORES_TYPE(space, float) STORES_TYPE(space, double)

LOADS(private) LOADS(global) LOADS(constant) LOADS(local) LOADS(generic)
STORES(private) STORES(global) STORES(local) STORES(generic)
