/* What every shim of a Verilated unit does: S is the shim, which has a VerilatedContext context and a unit *top, with clk_i and
 * rst_ni. For C++. */
#ifndef GALENA_RTL_SHIM_H
#define GALENA_RTL_SHIM_H
#include "verilated.h"
#include <new>

/* NULL when memory is short. What the unit has not set is random, the same each time. inputs sets the resets that it does not stand in. */
template <class S, class F> static S *shim_create(const char *name, F inputs)
{
	S *s = new (std::nothrow) S;

	if (!s)
		return nullptr;
	s->context.randReset(2);
	s->context.randSeed(1);
	s->top = new (std::nothrow) typename S::unit(&s->context, name);
	if (!s->top) {
		delete s;
		return nullptr;
	}
	inputs(s->top);
	s->top->eval();
	return s;
}

template <class S> static S *shim_create(const char *name)
{
	return shim_create<S>(name, [](typename S::unit *top) { top->rst_ni = 1; });
}

template <class S> static void shim_destroy(S *s)
{
	if (!s)
		return;
	s->top->final();
	delete s->top;
	delete s;
}

/* Holds the unit in reset for so many halves of a clock. Assertions are off meanwhile: what they remember is random, too. */
template <class S> static void shim_reset(S *s, int halves = 3)
{
	s->context.assertOn(false);
	s->top->rst_ni = 0;
	for (int half = 0; half < halves; half++) {
		s->top->clk_i = half & 1;
		s->top->eval();
	}
	s->context.assertOn(true);
	s->top->rst_ni = 1;
	s->top->eval();
}

#endif
