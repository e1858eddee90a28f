/* vload_half, vstore_half and their kin (OpenCL C 3.0, 6.15.7): the only use of half without
 * cl_khr_fp16. */
#include "half.h"

/* n: width; stride: elements from vector to vector (4 for the aligned three). */
#define ELEMENTS_1(M) M(0)
#define ELEMENTS_2(M) M(0) M(1)
#define ELEMENTS_3(M) ELEMENTS_2(M) M(2)
#define ELEMENTS_4(M) ELEMENTS_3(M) M(3)
#define ELEMENTS_8(M) ELEMENTS_4(M) M(4) M(5) M(6) M(7)
#define ELEMENTS_16(M) ELEMENTS_8(M) M(8) M(9) M(a) M(b) M(c) M(d) M(e) M(f)
#define LOAD_ONE(i) v.s##i = (float)p[0x##i];

#define LOAD(space, name, n, stride)                                                               \
	OVERLOAD float##n name##n(size_t at, const space half *p)                                  \
	{                                                                                          \
		float##n v;                                                                        \
		p += at * stride;                                                                  \
		ELEMENTS_##n(LOAD_ONE)                                                             \
		return v;                                                                          \
	}
#define STORE(space, type, name, mode, suffix, n, stride)                                          \
	OVERLOAD void name##n##suffix(type##n v, size_t at, space half *p)                         \
	{                                                                                          \
		space ushort *u = (space ushort *)p + at * stride;                                 \
		STORE_##n(half_##mode##_##type)                                                    \
	}
#define STORE_2(f) u[0] = f(v.s0); u[1] = f(v.s1);
#define STORE_3(f) STORE_2(f) u[2] = f(v.s2);
#define STORE_4(f) STORE_3(f) u[3] = f(v.s3);
#define STORE_8(f) STORE_4(f) u[4] = f(v.s4); u[5] = f(v.s5); u[6] = f(v.s6); u[7] = f(v.s7);
#define STORE_16(f)                                                                                \
	STORE_8(f) u[8] = f(v.s8); u[9] = f(v.s9); u[10] = f(v.sa); u[11] = f(v.sb);               \
	u[12] = f(v.sc); u[13] = f(v.sd); u[14] = f(v.se); u[15] = f(v.sf);

#define LOADS(space)                                                                               \
	OVERLOAD float vload_half(size_t at, const space half *p) { return (float)p[at]; }         \
	LOAD(space, vload_half, 2, 2) LOAD(space, vload_half, 3, 3) LOAD(space, vload_half, 4, 4)  \
	LOAD(space, vload_half, 8, 8) LOAD(space, vload_half, 16, 16)                              \
	LOAD(space, vloada_half, 2, 2) LOAD(space, vloada_half, 3, 4) LOAD(space, vloada_half, 4, 4) \
	LOAD(space, vloada_half, 8, 8) LOAD(space, vloada_half, 16, 16)
#define STORES_MODE(space, type, mode, suffix)                                                     \
	OVERLOAD void vstore_half##suffix(type v, size_t at, space half *p)                        \
	{                                                                                          \
		((space ushort *)p)[at] = half_##mode##_##type(v);                                 \
	}                                                                                          \
	STORE(space, type, vstore_half, mode, suffix, 2, 2)                                        \
	STORE(space, type, vstore_half, mode, suffix, 3, 3)                                        \
	STORE(space, type, vstore_half, mode, suffix, 4, 4)                                        \
	STORE(space, type, vstore_half, mode, suffix, 8, 8)                                        \
	STORE(space, type, vstore_half, mode, suffix, 16, 16)                                      \
	STORE(space, type, vstorea_half, mode, suffix, 2, 2)                                       \
	STORE(space, type, vstorea_half, mode, suffix, 3, 4)                                       \
	STORE(space, type, vstorea_half, mode, suffix, 4, 4)                                       \
	STORE(space, type, vstorea_half, mode, suffix, 8, 8)                                       \
	STORE(space, type, vstorea_half, mode, suffix, 16, 16)
#define STORES_TYPE(space, type)                                                                   \
	STORES_MODE(space, type, rte, ) STORES_MODE(space, type, rte, _rte)                        \
	STORES_MODE(space, type, rtz, _rtz) STORES_MODE(space, type, rtp, _rtp)                    \
	STORES_MODE(space, type, rtn, _rtn)
#define STORES(space) STORES_TYPE(space, float) STORES_TYPE(space, double)

LOADS(private) LOADS(global) LOADS(constant) LOADS(local) LOADS(generic)
STORES(private) STORES(global) STORES(local) STORES(generic)
