#include "divergence_shim.h"
#include "Vdivergences.h"
#include "shim.h"

struct divergence_shim {
	using unit = Vdivergences;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct divergence_shim *divergence_shim_create(void) { return shim_create<divergence_shim>("divergences"); }
void divergence_shim_destroy(struct divergence_shim *s) { shim_destroy(s); }

void divergence_shim_reset(struct divergence_shim *s)
{
	s->top->begin_valid_i = s->top->retire_valid_i = s->top->step_i = s->top->release_i = 0;
	shim_reset(s);
}

struct divergence_shim_out divergence_shim_step(struct divergence_shim *s, const struct divergence_shim_in *in)
{
	Vdivergences *t = s->top;
	struct divergence_shim_out out = {};

	t->geometry_i = in->geometry & 3;
	t->begin_valid_i = in->begins;
	t->begin_lanes_i = in->begin_lanes;
	t->begin_pc_i = in->entry;
	t->retire_valid_i = in->retires;
	t->word_i = in->word;
	t->taken_i = in->taken;
	for (unsigned l = 0; l < DIVERGENCE_SHIM_LANES; l++) {
		t->target_i[2 * l] = (uint32_t)in->target[l];
		t->target_i[2 * l + 1] = (uint32_t)(in->target[l] >> 32);
	}
	t->step_i = in->steps;
	t->release_i = in->releases;
	t->clk_i = 0;
	t->eval();
	out.chose = t->chose_o;
	t->clk_i = 1;
	t->eval();
	out.runs = t->runs_o;
	out.steps = t->steps_o;
	out.lanes = t->lanes_o;
	out.pc = t->pc_o;
	out.depth = t->depth_o;
	out.live = t->live_o;
	out.pending = t->pending_o;
	out.at_barrier = t->at_barrier_o;
	out.at_sync = t->at_sync_o;
	return out;
}

}
