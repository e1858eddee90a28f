/* Kernels NAME_WIDTH(a, b, c, n, r, r2, ri): a function over arrays, by vectors of every width. The
 * host puts lines of functions.def behind this text; T is the type. */
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
#define WIDTHS(X, name) X(name, 1) X(name, 2) X(name, 3) X(name, 4) X(name, 8) X(name, 16)
#define F1_(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a)), r))
#define F2_(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a), LOAD_##w(b)), r))
#define F3_(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a), LOAD_##w(b), LOAD_##w(c)), r))
#define FI_(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a), LOAD_##w(n)), r))
#define FP_(name, w) KERNEL(name, w, VEC_##w second; STORE_##w(name(LOAD_##w(a), &second), r); STORE_##w(second, r2))
#define FPI_(name, w) KERNEL(name, w, INT_##w whole; STORE_##w(name(LOAD_##w(a), &whole), r); STORE_##w(whole, ri))
#define FQ_(name, w) KERNEL(name, w, INT_##w whole; STORE_##w(name(LOAD_##w(a), LOAD_##w(b), &whole), r); STORE_##w(whole, ri))
#define FR_(name, w) KERNEL(name, w, STORE_##w(name(LOAD_##w(a)), ri))
#define F1(name) WIDTHS(F1_, name)
#define F2(name) WIDTHS(F2_, name)
#define F3(name) WIDTHS(F3_, name)
#define FI(name) WIDTHS(FI_, name)
#define FP(name) WIDTHS(FP_, name)
#define FPI(name) WIDTHS(FPI_, name)
#define FQ(name) WIDTHS(FQ_, name)
#define FR(name) WIDTHS(FR_, name)

/* operators by name */
#define add(x, y) ((x) + (y))
#define subtract(x, y) ((x) - (y))
#define multiply(x, y) ((x) * (y))
#define divide(x, y) ((x) / (y))

/* geometric functions; a number is given to every element */
#define V1_(name, w) KERNEL(name, w, STORE_##w((VEC_##w)(name(LOAD_##w(a))), r))
#define V2_(name, w) KERNEL(name, w, STORE_##w((VEC_##w)(name(LOAD_##w(a), LOAD_##w(b))), r))
#define V1(name) V1_(name, 1) V1_(name, 2) V1_(name, 3) V1_(name, 4)
#define V2(name) V2_(name, 1) V2_(name, 2) V2_(name, 3) V2_(name, 4)
#define VV(name) F1_(name, 1) F1_(name, 2) F1_(name, 3) F1_(name, 4)
#define VC(name) F2_(name, 3) F2_(name, 4)
