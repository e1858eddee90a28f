#include "fpu_shim.h"
#include "Vfpu_lane.h"
#include "verilated.h"
#include <new>

struct fpu_shim {
	VerilatedContext context;
	Vfpu_lane *top;
};

extern "C" {

struct fpu_shim *fpu_shim_create(void)
{
	fpu_shim *s = new (std::nothrow) fpu_shim;

	if (!s)
		return nullptr;
	s->context.randReset(2);
	s->context.randSeed(1);
	s->top = new (std::nothrow) Vfpu_lane(&s->context, "fpu_lane");
	if (!s->top) {
		delete s;
		return nullptr;
	}
	s->top->rst_ni = 1;
	s->top->eval();
	return s;
}

void fpu_shim_destroy(struct fpu_shim *s)
{
	if (!s)
		return;
	s->top->final();
	delete s->top;
	delete s;
}

void fpu_shim_reset(struct fpu_shim *s)
{
	s->top->fpu_valid_i = s->top->fdiv_valid_i = 0;
	s->context.assertOn(false); // what they remember is random, too
	s->top->rst_ni = 0;
	for (int clock = 0; clock < 3; clock++) {
		s->top->clk_i = clock & 1;
		s->top->eval();
	}
	s->context.assertOn(true);
	s->top->rst_ni = 1;
	s->top->eval();
}

struct fpu_shim_out fpu_shim_step(struct fpu_shim *s, const struct fpu_shim_in *in)
{
	Vfpu_lane *t = s->top;

	t->fpu_valid_i = in->valid[FPU_SHIM_FPU];
	t->fdiv_valid_i = in->valid[FPU_SHIM_FDIV];
	t->fpu_ready_i = in->ready[FPU_SHIM_FPU];
	t->fdiv_ready_i = in->ready[FPU_SHIM_FDIV];
	t->insn_i = in->insn;
	t->rm_i = in->rm & 7;
	t->a_i = in->a;
	t->b_i = in->b;
	t->c_i = in->c;
	t->clk_i = 0;
	t->eval();
	const struct fpu_shim_out out = { { t->fpu_ready_o != 0, t->fdiv_ready_o != 0 }, { t->fpu_valid_o != 0, t->fdiv_valid_o != 0 },
					  { t->fpu_result_o, t->fdiv_result_o }, { t->fpu_flags_o, t->fdiv_flags_o } };
	t->clk_i = 1;
	t->eval();
	return out;
}

}
