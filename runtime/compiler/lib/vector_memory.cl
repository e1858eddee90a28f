/* vloadn and vstoren where libclc has none: the generic address space, and constant under its number
 * here (OpenCL C 3.0, 6.15.7). A vector's address has the alignment of its elements. */
#include "builtins.h"

#define LOAD(space, type, n)                                                                       \
	OVERLOAD type##n vload##n(size_t at, const space type *p)                                  \
	{                                                                                          \
		typedef type##n __attribute__((aligned(sizeof(type)))) loose;                      \
		return *(const space loose *)(p + at * n);                                         \
	}
#define STORE(space, type, n)                                                                      \
	OVERLOAD void vstore##n(type##n v, size_t at, space type *p)                               \
	{                                                                                          \
		typedef type##n __attribute__((aligned(sizeof(type)))) loose;                      \
		*(space loose *)(p + at * n) = v;                                                  \
	}
/* Three elements are three elements: the fourth of the vector's storage is not touched. */
#define LOAD3(space, type)                                                                         \
	OVERLOAD type##3 vload3(size_t at, const space type *p)                                    \
	{                                                                                          \
		p += at * 3;                                                                       \
		return (type##3)(p[0], p[1], p[2]);                                                \
	}
#define STORE3(space, type)                                                                        \
	OVERLOAD void vstore3(type##3 v, size_t at, space type *p)                                 \
	{                                                                                          \
		p += at * 3;                                                                       \
		p[0] = v.x;                                                                        \
		p[1] = v.y;                                                                        \
		p[2] = v.z;                                                                        \
	}
#define LOADS(space, type)                                                                         \
	LOAD(space, type, 2) LOAD3(space, type) LOAD(space, type, 4) LOAD(space, type, 8) LOAD(space, type, 16)
#define STORES(space, type)                                                                        \
	STORE(space, type, 2) STORE3(space, type) STORE(space, type, 4) STORE(space, type, 8) STORE(space, type, 16)
#define ALL(type) LOADS(generic, type) LOADS(constant, type) STORES(generic, type)

EACH_TYPE(ALL)
