/* NAME(function, T) for every line of functions.def. */
#define NAME_(name, type) NAME(name, type)
#define F1(name, ...) NAME_(name, T)
#define F2(name, ...) NAME_(name, T)
#define F3(name, ...) NAME_(name, T)
#define FI(name, ...) NAME_(name, T)
#define FP(name, ...) NAME_(name, T)
#define FPI(name, ...) NAME_(name, T)
#define FQ(name, ...) NAME_(name, T)
#define FR(name, ...) NAME_(name, T)
#include "testbench/builtins/functions.def"
#undef F1
#undef F2
#undef F3
#undef FI
#undef FP
#undef FPI
#undef FQ
#undef FR
#undef NAME_
