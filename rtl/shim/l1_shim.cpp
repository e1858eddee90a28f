#include "l1_shim.h"
#include "Vl1_caches.h"
#include "shim.h"
#include <string.h>

struct l1_shim {
	using unit = Vl1_caches;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct l1_shim *l1_shim_create(void) { return shim_create<l1_shim>("l1_caches"); }
void l1_shim_destroy(struct l1_shim *s) { shim_destroy(s); }

void l1_shim_reset(struct l1_shim *s)
{
	s->top->empty_i = s->top->line_valid_i = s->top->answer_valid_i = 0;
	shim_reset(s);
}

void l1_shim_step(struct l1_shim *s, const struct l1_shim_in *in, struct l1_shim_out *out)
{
	Vl1_caches *t = s->top;

	t->geometry_i = in->geometry & 7;
	t->empty_i = in->empties;
	t->line_valid_i = in->valid;
	t->line_store_i = in->store;
	t->line_atomic_i = in->atomic;
	t->line_failed_i = in->failed;
	t->line_last_i = in->last;
	t->line_address_i = in->address;
	t->line_id_i = in->id & 15;
	t->line_lines_i = in->lines & 127;
	t->line_lanes_i = in->lanes & 63;
	t->line_charge_i = in->charge & 511;
	memcpy(t->line_bytes_i.data(), in->changes, sizeof(in->changes));
	memcpy(t->line_data_i.data(), in->data, sizeof(in->data));
	memcpy(t->read_data_i.data(), in->read_data, sizeof(in->read_data));
	t->read_fault_i = in->read_fault;
	t->answer_valid_i = ((1u << in->answers) - 1) & 7;
	t->answer_id_i = (in->answer_id[0] | in->answer_id[1] << 4 | in->answer_id[2] << 8) & 4095;
	t->clk_i = 0;
	t->eval();
	*out = {};
	out->found = t->found_o;
	out->takes = t->take_o;
	out->way = t->way_o;
	out->reads = t->read_o;
	memcpy(out->data, t->data_o.data(), sizeof(out->data));
	out->counted = t->counted_o;
	out->hits = t->hits_o;
	out->misses = t->misses_o;
	out->requests = t->request_valid_o;
	out->request_atomic = t->request_atomic_o;
	out->request = t->request_address_o;
	out->request_id = t->request_id_o;
	out->stores = t->store_valid_o;
	out->store = t->store_address_o;
	out->store_bytes = t->store_bytes_o;
	out->store_id = t->store_id_o;
	out->over = t->over_o;
	t->clk_i = 1;
	t->eval();
}

}
