/* Atomic functions of OpenCL 2.0 and later (OpenCL C, section 6.15.12), for named and generic
 * pointers. What is not explicit is sequentially consistent. Every scope is the device's. */
#include "galena.h"

#define SCOPE memory_scope_device
#define SEQ_CST memory_order_seq_cst
/* A failed exchange cannot release: its order is the load part of the one asked for. */
#define LOAD_PART(order)                                                                           \
	((order) == memory_order_release ? memory_order_relaxed :                                  \
	 (order) == memory_order_acq_rel ? memory_order_acquire : (order))

#define INIT(AS, type)                                                                             \
	INLINED OVERLOAD void atomic_init(volatile AS atomic_##type *p, type v) { __opencl_atomic_init(p, v); }
/* A function in sequentially consistent order, and with the order, and the scope, that are asked for. */
#define LIST(...) __VA_ARGS__
#define IN_ORDERS(result, name, operation, parameters, arguments)                                  \
	INLINED OVERLOAD result name(LIST parameters) { return operation(LIST arguments, SEQ_CST, SCOPE); } \
	INLINED OVERLOAD result name##_explicit(LIST parameters, memory_order o) { return operation(LIST arguments, o, SCOPE); } \
	INLINED OVERLOAD result name##_explicit(LIST parameters, memory_order o, memory_scope s)   \
	{                                                                                          \
		return operation(LIST arguments, o, SCOPE);                                        \
	}
#define STORE(AS, type) IN_ORDERS(void, atomic_store, __opencl_atomic_store, (volatile AS atomic_##type *p, type v), (p, v))
#define LOAD(AS, type) IN_ORDERS(type, atomic_load, __opencl_atomic_load, (volatile AS atomic_##type *p), (p))
/* type is the atomic's, by the operand's: they differ for pointers, whose operand is a difference. */
#define CHANGE(AS, name, type, by)                                                                 \
	IN_ORDERS(type, atomic_##name, __opencl_atomic_##name, (volatile AS atomic_##type *p, by v), (p, (type)v))
/* EAS: where the expected value is. */
#define COMPARE(AS, EAS, name, type)                                                               \
	INLINED OVERLOAD bool atomic_##name##_explicit(volatile AS atomic_##type *p, EAS type *e, type v, \
						       memory_order yes, memory_order no)          \
	{                                                                                          \
		type was = *e;                                                                     \
		bool done = __opencl_atomic_##name(p, &was, v, yes, LOAD_PART(no), SCOPE);         \
		if (!done)                                                                         \
			*e = was;                                                                  \
		return done;                                                                       \
	}                                                                                          \
	INLINED OVERLOAD bool atomic_##name##_explicit(volatile AS atomic_##type *p, EAS type *e, type v, \
						       memory_order yes, memory_order no, memory_scope s) \
	{                                                                                          \
		return atomic_##name##_explicit(p, e, v, yes, no);                                 \
	}                                                                                          \
	INLINED OVERLOAD bool atomic_##name(volatile AS atomic_##type *p, EAS type *e, type v)     \
	{                                                                                          \
		return atomic_##name##_explicit(p, e, v, SEQ_CST, SEQ_CST);                        \
	}
#define COMPARES(AS, name, type)                                                                   \
	COMPARE(AS, global, name, type) COMPARE(AS, local, name, type) COMPARE(AS, private, name, type) COMPARE(AS, generic, name, type)
#define ALL_TYPES(AS, type)                                                                        \
	INIT(AS, type)                                                                             \
	STORE(AS, type)                                                                            \
	LOAD(AS, type)                                                                             \
	CHANGE(AS, exchange, type, type)                                                           \
	COMPARES(AS, compare_exchange_strong, type)                                                \
	COMPARES(AS, compare_exchange_weak, type)                                                  \
	CHANGE(AS, fetch_add, type, type)                                                          \
	CHANGE(AS, fetch_sub, type, type)                                                          \
	CHANGE(AS, fetch_min, type, type)                                                          \
	CHANGE(AS, fetch_max, type, type)
#define INTEGERS(AS, type)                                                                         \
	ALL_TYPES(AS, type)                                                                        \
	CHANGE(AS, fetch_and, type, type)                                                          \
	CHANGE(AS, fetch_or, type, type)                                                           \
	CHANGE(AS, fetch_xor, type, type)
#define FLAG(AS)                                                                                   \
	IN_ORDERS(bool, atomic_flag_test_and_set, __opencl_atomic_exchange, (volatile AS atomic_flag *p), ((volatile AS atomic_int *)p, 1)) \
	IN_ORDERS(void, atomic_flag_clear, __opencl_atomic_store, (volatile AS atomic_flag *p), ((volatile AS atomic_int *)p, 0))
#define SPACE(AS)                                                                                  \
	INTEGERS(AS, int)                                                                          \
	INTEGERS(AS, uint)                                                                         \
	INTEGERS(AS, long)                                                                         \
	INTEGERS(AS, ulong)                                                                        \
	ALL_TYPES(AS, float)                                                                       \
	ALL_TYPES(AS, double)                                                                      \
	/* atomic_uintptr_t is atomic_ulong here, and takes a ptrdiff_t */                         \
	CHANGE(AS, fetch_add, ulong, long)                                                         \
	CHANGE(AS, fetch_sub, ulong, long)                                                         \
	FLAG(AS)

SPACE(global)
SPACE(local)
SPACE(generic)
