#include "icache_shim.h"
#include "Vicaches.h"
#include "shim.h"

struct icache_shim {
	using unit = Vicaches;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct icache_shim *icache_shim_create(void) { return shim_create<icache_shim>("icaches"); }
void icache_shim_destroy(struct icache_shim *s) { shim_destroy(s); }

void icache_shim_reset(struct icache_shim *s)
{
	Vicaches *t = s->top;

	t->begin_i = t->look_i = t->fault_i = t->next_i = t->runs_i = t->translation_valid_i = t->answer_i = 0;
	t->empty_i = t->drop_i = 0;
	shim_reset(s);
}

struct icache_shim_out icache_shim_step(struct icache_shim *s, const struct icache_shim_in *in)
{
	Vicaches *t = s->top;
	struct icache_shim_out out = {};

	t->geometry_i = in->geometry & 3;
	t->first_i = in->first & 15;
	t->empty_i = in->empties;
	t->drop_i = in->drops;
	t->begin_i = (uint16_t)in->begins;
	t->look_i = (uint16_t)in->looks;
	t->fault_i = (uint16_t)in->faults;
	t->next_i = (uint16_t)in->nexts;
	t->runs_i = (uint16_t)in->runs;
	t->steps_i = (uint16_t)in->steps;
	t->mapping_there_i = (uint16_t)in->mapped;
	t->translation_valid_i = (uint16_t)in->translated;
	t->answer_i = (uint16_t)in->answers;
	for (unsigned i = 0; i < ICACHE_SHIM_WARPS; i++) {
		t->space_i[i] = in->slot[i].space;
		t->mapping_fault_i[i] = in->slot[i].mapping_fault;
		t->translation_fault_i[i] = in->slot[i].translation_fault;
		for (unsigned half = 0; half < 2; half++) {
			t->pc_i[2 * i + half] = (uint32_t)(in->slot[i].pc >> 32 * half);
			t->mapping_address_i[2 * i + half] = (uint32_t)(in->slot[i].mapping >> 32 * half);
			t->translation_address_i[2 * i + half] = (uint32_t)(in->slot[i].translation >> 32 * half);
		}
	}
	t->clk_i = 0;
	t->eval();
	out.translates = t->translate_o;
	out.requests = t->request_valid_o;
	out.takes = t->take_o;
	for (unsigned i = 0; i < ICACHE_SHIM_WARPS; i++) {
		out.there |= (t->line_o[i] >> 10 & 1) << i;
		out.fails |= (t->line_o[i] >> 9 & 1) << i;
		out.held |= (t->line_o[i] >> 8 & 1) << i;
		out.slot[i].fault = t->line_o[i] & 255;
		out.slot[i].way = t->take_way_o[i];
		out.slot[i].request = (uint64_t)t->request_o[2 * i + 1] << 32 | t->request_o[2 * i];
	}
	t->clk_i = 1;
	t->eval();
	return out;
}

}
