#include "lsu_shim.h"
#include "Vlsus.h"
#include "shim.h"

struct lsu_shim {
	using unit = Vlsus;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct lsu_shim *lsu_shim_create(void) { return shim_create<lsu_shim>("lsus"); }
void lsu_shim_destroy(struct lsu_shim *s) { shim_destroy(s); }

void lsu_shim_reset(struct lsu_shim *s)
{
	s->top->issue_i = 0;
	s->top->found_i = s->top->memory_over_i = 0;
	shim_reset(s);
}

void lsu_shim_step(struct lsu_shim *s, const struct lsu_shim_in *in, struct lsu_shim_out *out)
{
	Vlsus *t = s->top;

	t->geometry_i = in->geometry & 3;
	t->issue_i = in->issues;
	t->issue_id_i = in->id & 31;
	t->issue_local_i = in->local;
	t->issue_rounds_i = in->rounds & 127;
	t->issue_atomic_i = in->atomic;
	t->issue_lanes_i = in->lanes & 63;
	t->issue_lines_i = in->lines & 127;
	t->issue_found_i = in->there;
	t->found_i = in->found;
	t->memory_over_i = in->memory_over;
	t->clk_i = 0;
	t->eval();
	out->room = t->room_o;
	out->begins = t->begin_o;
	out->round = t->round_o;
	out->line = t->line_o;
	out->over = t->over_o;
	for (unsigned i = 0; i < LSU_SHIM_ACCESSES; i++)
		out->index[i] = t->index_o[i / 4] >> i % 4 * 8 & 255;
	t->clk_i = 1;
	t->eval();
}

}
