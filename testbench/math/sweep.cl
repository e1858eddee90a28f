/* Kernels NAME_WIDTH(a, b, c, n, r, r2, ri): a function over arrays, by vectors of a width. The host puts a line
 * KIND(function, width) for each behind this text; T is the type. */
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define VEC_1 T
#define VEC_2 CAT(T, 2)
#define VEC_3 CAT(T, 3)
#define VEC_4 CAT(T, 4)
#define VEC_8 CAT(T, 8)
#define VEC_16 CAT(T, 16)
#define INT_1 int
#define INT_2 int2
#define INT_3 int3
#define INT_4 int4
#define INT_8 int8
#define INT_16 int16
#define LOAD_1(p) p[i]
#define LOAD_2(p) vload2(i, p)
#define LOAD_3(p) vload3(i, p)
#define LOAD_4(p) vload4(i, p)
#define LOAD_8(p) vload8(i, p)
#define LOAD_16(p) vload16(i, p)
#define STORE_1(v, p) p[i] = v
#define STORE_2(v, p) vstore2(v, i, p)
#define STORE_3(v, p) vstore3(v, i, p)
#define STORE_4(v, p) vstore4(v, i, p)
#define STORE_8(v, p) vstore8(v, i, p)
#define STORE_16(v, p) vstore16(v, i, p)

#define KERNEL(name, w, ...)                                                                       \
	kernel void name##_##w(global const T *a, global const T *b, global const T *c, global const int *n, global T *r, \
			       global T *r2, global int *ri)                                       \
	{                                                                                          \
		size_t i = get_global_id(0);                                                       \
		__VA_ARGS__;                                                                       \
	}
#define F1(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a)), r))
#define F2(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a), LOAD_##w(b)), r))
#define F3(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a), LOAD_##w(b), LOAD_##w(c)), r))
#define FI(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a), LOAD_##w(n)), r))
#define FP(name, w) KERNEL(name, w, VEC_##w second; STORE_##w(name(LOAD_##w(a), &second), r); STORE_##w(second, r2))
#define FPI(name, w) KERNEL(name, w, INT_##w whole; STORE_##w(name(LOAD_##w(a), &whole), r); STORE_##w(whole, ri))
#define FQ(name, w) KERNEL(name, w, INT_##w whole; STORE_##w(name(LOAD_##w(a), LOAD_##w(b), &whole), r); STORE_##w(whole, ri))
#define FR(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a)), ri))

/* operators by name */
#define add(x, y) ((x) + (y))
#define subtract(x, y) ((x) - (y))
#define multiply(x, y) ((x) * (y))
#define divide(x, y) ((x) / (y))

/* geometric functions; a number is given to every element */
#define V1(name, w) KERNEL(name, w, STORE_##w((VEC_##w)(name(LOAD_##w(a))), r))
#define V2(name, w) KERNEL(name, w, STORE_##w((VEC_##w)(name(LOAD_##w(a), LOAD_##w(b))), r))
