/* What the library's OpenCL C files share: overloads over types, widths and address spaces. */
#ifndef GALENA_LIB_BUILTINS_H
#define GALENA_LIB_BUILTINS_H
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
/* Rounding is what the source says: the error bounds of the functions here rest on it. */
#pragma OPENCL FP_CONTRACT OFF

#define OVERLOAD __attribute__((overloadable))
#define INLINE static inline __attribute__((always_inline))

/* X(width suffix) for vectors; the scalar is apart where it needs other code. */
#define EACH_VECTOR(X, ...) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4) X(__VA_ARGS__, 8) X(__VA_ARGS__, 16)
#define EACH_WIDTH(X, ...) X(__VA_ARGS__, ) EACH_VECTOR(X, __VA_ARGS__)
#define EACH_INTEGER(X)                                                                            \
	X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
#define EACH_TYPE(X) EACH_INTEGER(X) X(float) X(double)

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#endif
