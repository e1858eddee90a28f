#include "tlb_shim.h"
#include "Vtlb_arrays.h"
#include "shim.h"

struct tlb_shim {
	using unit = Vtlb_arrays;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct tlb_shim *tlb_shim_create(void) { return shim_create<tlb_shim>("tlb_arrays", [](Vtlb_arrays *top) { top->rst_ni = top->rst_por_ni = 1; }); }
void tlb_shim_destroy(struct tlb_shim *s) { shim_destroy(s); }

void tlb_shim_reset(struct tlb_shim *s, bool power_on)
{
	Vtlb_arrays *t = s->top;

	t->lookup_valid_i = t->lookup_drop_i = t->fill_valid_i = t->inval_valid_i = 0;
	s->context.assertOn(false); // what they remember is random, too
	t->rst_ni = 0;
	t->rst_por_ni = !power_on;
	for (int clock = 0; clock < 3; clock++) {
		t->clk_i = clock & 1;
		t->eval();
	}
	t->rst_ni = t->rst_por_ni = 1;
	t->eval();
	s->context.assertOn(true);
}

struct tlb_shim_out tlb_shim_step(struct tlb_shim *s, const struct tlb_shim_in *in)
{
	Vtlb_arrays *t = s->top;

	t->geometry_i = in->geometry & 3;
	t->array_i = in->array & 3;
	t->lookup_valid_i = in->lookup;
	t->lookup_drop_i = in->drop;
	t->lookup_key_i = in->key;
	t->fill_valid_i = in->fill;
	t->fill_key_i = in->entry.key;
	t->fill_leaf_i = in->entry.leaf;
	t->inval_valid_i = in->invalidate & 15;
	t->inval_scope_i = in->scope & 3;
	t->inval_asid_i = in->asid;
	t->inval_va_i = in->va;
	t->clk_i = 0;
	t->eval();
	const struct tlb_shim_out out = { t->lookup_hit_o != 0, t->lookup_way_o, t->fill_way_o, { t->lookup_key_o, t->lookup_leaf_o },
					  t->fill_replaced_o, t->inval_ready_o };
	t->clk_i = 1;
	t->eval();
	return out;
}

void tlb_shim_show(struct tlb_shim *s, unsigned geometry, unsigned array, unsigned set, struct tlb_shim_entry way[4])
{
	Vtlb_arrays *t = s->top;

	t->geometry_i = geometry & 3;
	t->array_i = array & 3;
	t->show_set_i = set & 0xffff;
	t->eval();
	for (int w = 0; w < 4; w++)
		way[w] = { (uint64_t)t->show_key_o[2 * w + 1] << 32 | t->show_key_o[2 * w],
			   (uint64_t)t->show_leaf_o[2 * w + 1] << 32 | t->show_leaf_o[2 * w] };
}

}
