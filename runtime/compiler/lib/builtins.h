/* What the library's OpenCL C files share: overloads over types, widths and address spaces. */
#ifndef GALENA_LIB_BUILTINS_H
#define GALENA_LIB_BUILTINS_H
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
/* Rounding is what the source says: the error bounds of the functions here rest on it. */
#pragma OPENCL FP_CONTRACT OFF

#define OVERLOAD __attribute__((overloadable))
#define INLINE static inline __attribute__((always_inline))
#define OUTLINE __attribute__((noinline))

/* X(width suffix) for vectors; the scalar is apart where it needs other code. */
#define EACH_VECTOR(X, ...) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4) X(__VA_ARGS__, 8) X(__VA_ARGS__, 16)
#define EACH_WIDTH(X, ...) X(__VA_ARGS__, ) EACH_VECTOR(X, __VA_ARGS__)
#define EACH_INTEGER(X)                                                                            \
	X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
#define EACH_TYPE(X) EACH_INTEGER(X) X(float) X(double)

/* Vector forms of a function that is defined here for scalars: libclc's have its own scalars inside.
 * Vectors of 8 and 16 go by halves. of: what the operands are, of which a vector has so many elements. */
#define VECTORS(how, type, second, f, of)                                                          \
	how type##2 f(of##_VECTORS(type, second, 2)) { return (type##2)(f(of##_PARTS(s0)), f(of##_PARTS(s1))); } \
	how type##3 f(of##_VECTORS(type, second, 3)) { return (type##3)(f(of##_PARTS(s0)), f(of##_PARTS(s1)), f(of##_PARTS(s2))); } \
	how type##4 f(of##_VECTORS(type, second, 4))                                               \
	{                                                                                          \
		return (type##4)(f(of##_PARTS(s0)), f(of##_PARTS(s1)), f(of##_PARTS(s2)), f(of##_PARTS(s3))); \
	}                                                                                          \
	how type##8 f(of##_VECTORS(type, second, 8)) { return (type##8)(f(of##_PARTS(lo)), f(of##_PARTS(hi))); } \
	how type##16 f(of##_VECTORS(type, second, 16)) { return (type##16)(f(of##_PARTS(lo)), f(of##_PARTS(hi))); }
#define ONE_VECTORS(type, second, n) type##n x
#define TWO_VECTORS(type, second, n) type##n x, second##n y
#define VECTOR_1(type, f) VECTORS(OVERLOAD, type, , f, ONE)
#define VECTOR_2(type, second, f) VECTORS(OVERLOAD, type, second, f, TWO)

/* The vector forms of a conversion, from that of scalars. */
#define VECTOR_FORMS(to, from, name)                                                               \
	OVERLOAD to##2 NAME(to, 2, name)(from##2 x) { return (to##2)(NAME(to, , name)(x.s0), NAME(to, , name)(x.s1)); } \
	OVERLOAD to##3 NAME(to, 3, name)(from##3 x)                                                \
	{                                                                                          \
		return (to##3)(NAME(to, , name)(x.s0), NAME(to, , name)(x.s1), NAME(to, , name)(x.s2)); \
	}                                                                                          \
	OVERLOAD to##4 NAME(to, 4, name)(from##4 x) { return (to##4)(NAME(to, 2, name)(x.lo), NAME(to, 2, name)(x.hi)); } \
	OVERLOAD to##8 NAME(to, 8, name)(from##8 x) { return (to##8)(NAME(to, 4, name)(x.lo), NAME(to, 4, name)(x.hi)); } \
	OVERLOAD to##16 NAME(to, 16, name)(from##16 x) { return (to##16)(NAME(to, 8, name)(x.lo), NAME(to, 8, name)(x.hi)); }
#define NAME(to, n, name) convert_##to##n##name

/* Functions of one operand and of two in one macro, which pastes ONE or TWO in front: the parameters, a part of each
 * operand, and each operand converted. */
#define ONE_PARAMETERS(type) type x
#define TWO_PARAMETERS(type) type x, type y
#define ONE_PARTS(part) x.part
#define TWO_PARTS(part) x.part, y.part
#define ONE_OPERANDS(convert, n) convert(n, x)
#define TWO_OPERANDS(convert, n) convert(n, x), convert(n, y)

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#endif
