#include "scheduler_shim.h"
#include "Vschedulers.h"
#include "shim.h"

struct scheduler_shim {
	using unit = Vschedulers;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct scheduler_shim *scheduler_shim_create(void) { return shim_create<scheduler_shim>("schedulers"); }
void scheduler_shim_destroy(struct scheduler_shim *s) { shim_destroy(s); }

void scheduler_shim_reset(struct scheduler_shim *s)
{
	s->top->begin_i = s->top->chose_i = s->top->accepted_i = s->top->result_valid_i = 0;
	for (unsigned i = 0; i < SCHEDULER_SHIM_WARPS; i++)
		s->top->candidate_i[i] = 0;
	shim_reset(s);
}

struct scheduler_shim_out scheduler_shim_show(struct scheduler_shim *s, const struct scheduler_shim_in *in)
{
	Vschedulers *t = s->top;
	struct scheduler_shim_out out = {};

	t->geometry_i = in->geometry & 3;
	t->begin_i = (uint16_t)in->begins;
	t->accepted_i = (uint16_t)in->accepted;
	t->chose_i = 0;
	t->room_i = in->room;
	for (unsigned i = 0; i < SCHEDULER_SHIM_WARPS; i++) {
		const struct scheduler_shim_candidate *c = &in->candidate[i];

		t->candidate_i[i] = (uint32_t)c->runs << 17 | (uint32_t)c->there << 16 | (uint32_t)c->fails << 15 | (uint32_t)c->stalls << 14 |
				    (c->dispatch & 15) << 10 | (c->cls & 15) << 6 | (c->rd & 63);
		t->check_i[i] = (c->rd & 63) << 18 | (c->rs1 & 63) << 12 | (c->rs2 & 63) << 6 | (c->rs3 & 63);
	}
	t->result_valid_i = (uint8_t)((1u << in->results) - 1);
	t->result_i = 0;
	for (unsigned i = 0; i < in->results; i++)
		t->result_i |= (uint64_t)((in->result[i].warp & 15) << 6 | (in->result[i].rd & 63)) << 16 * i;
	t->clk_i = 0;
	t->eval();
	out.issues = t->issue_valid_o;
	out.warp = t->issue_warp_o;
	out.cls = t->issue_cls_o;
	out.rd = t->issue_rd_o;
	out.looks = t->look_o;
	out.faults = t->fault_o;
	out.next = t->next_o;
	return out;
}

void scheduler_shim_end(struct scheduler_shim *s, uint32_t chose)
{
	s->top->chose_i = (uint16_t)chose;
	s->top->eval();
	s->top->clk_i = 1;
	s->top->eval();
}

}
