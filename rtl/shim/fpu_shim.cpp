#include "fpu_shim.h"
#include "Vfpu_lane.h"
#include "shim.h"

struct fpu_shim {
	using unit = Vfpu_lane;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct fpu_shim *fpu_shim_create(void) { return shim_create<fpu_shim>("fpu_lane"); }
void fpu_shim_destroy(struct fpu_shim *s) { shim_destroy(s); }

void fpu_shim_reset(struct fpu_shim *s)
{
	s->top->fpu_valid_i = s->top->fdiv_valid_i = 0;
	shim_reset(s);
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
