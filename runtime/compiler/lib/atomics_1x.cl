/* Atomic functions of OpenCL 1.x (OpenCL C, section 6.15.12.8): atomic_ and, for the 64-bit and the
 * older 32-bit extensions, atom_. They order nothing. */
#include "galena.h"

#define RELAXED memory_order_relaxed, memory_scope_device
#define BY(SPACE, name, type, operation)                                                           \
	INLINED OVERLOAD type name(volatile SPACE type *p, type v)                                 \
	{                                                                                          \
		return __opencl_atomic_##operation((volatile SPACE atomic_##type *)p, v, RELAXED); \
	}
#define STEP(SPACE, name, type, operation)                                                         \
	INLINED OVERLOAD type name(volatile SPACE type *p)                                         \
	{                                                                                          \
		return __opencl_atomic_##operation((volatile SPACE atomic_##type *)p, (type)1, RELAXED); \
	}
#define COMPARE(SPACE, name, type)                                                                 \
	INLINED OVERLOAD type name(volatile SPACE type *p, type expected, type desired)            \
	{                                                                                          \
		__opencl_atomic_compare_exchange_strong((volatile SPACE atomic_##type *)p, &expected, desired, \
							memory_order_relaxed, RELAXED);            \
		return expected;                                                                   \
	}
#define FAMILY(SPACE, prefix, type)                                                                \
	BY(SPACE, prefix##add, type, fetch_add)                                                    \
	BY(SPACE, prefix##sub, type, fetch_sub)                                                    \
	BY(SPACE, prefix##xchg, type, exchange)                                                    \
	STEP(SPACE, prefix##inc, type, fetch_add)                                                  \
	STEP(SPACE, prefix##dec, type, fetch_sub)                                                  \
	COMPARE(SPACE, prefix##cmpxchg, type)                                                      \
	BY(SPACE, prefix##min, type, fetch_min)                                                    \
	BY(SPACE, prefix##max, type, fetch_max)                                                    \
	BY(SPACE, prefix##and, type, fetch_and)                                                    \
	BY(SPACE, prefix##or, type, fetch_or)                                                      \
	BY(SPACE, prefix##xor, type, fetch_xor)
#define SPACES(SPACE)                                                                              \
	FAMILY(SPACE, atomic_, int)                                                                \
	FAMILY(SPACE, atomic_, uint)                                                               \
	BY(SPACE, atomic_xchg, float, exchange)                                                    \
	FAMILY(SPACE, atom_, int)                                                                  \
	FAMILY(SPACE, atom_, uint)                                                                 \
	FAMILY(SPACE, atom_, long)                                                                 \
	FAMILY(SPACE, atom_, ulong)

SPACES(global)
SPACES(local)
SPACES(generic)
