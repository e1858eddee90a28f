#include "walker_shim.h"
#include "Vwalkers.h"
#include "shim.h"

struct walker_shim {
	using unit = Vwalkers;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct walker_shim *walker_shim_create(void) { return shim_create<walker_shim>("walkers"); }
void walker_shim_destroy(struct walker_shim *s) { shim_destroy(s); }

void walker_shim_reset(struct walker_shim *s)
{
	s->top->walk_valid_i = s->top->word_valid_i = s->top->inval_valid_i = s->top->read_ready_i = 0;
	shim_reset(s);
}

struct walker_shim_out walker_shim_step(struct walker_shim *s, const struct walker_shim_in *in)
{
	Vwalkers *t = s->top;

	t->geometry_i = in->geometry & 3;
	t->context_table_i = in->context_table;
	t->walk_valid_i = in->walk;
	t->walk_space_i = in->space & 0x1ffff;
	t->walk_va_i = in->va;
	t->read_ready_i = in->read_ready;
	t->word_valid_i = in->word_valid;
	t->word_number_i = in->word_number & 15;
	t->word_i = in->word;
	t->word_fault_i = in->word_fault & 3;
	t->word_error_i = in->word_error;
	t->inval_valid_i = in->drop;
	t->inval_all_i = in->drop_all;
	t->inval_asid_i = in->asid;
	t->clk_i = 0;
	t->eval();
	const struct walker_shim_out out = { t->walk_ready_o != 0, t->walk_number_o, t->read_valid_o != 0, t->read_kept_o != 0, t->read_number_o,
					     t->read_level_o, t->read_address_o, t->end_valid_o != 0, t->end_of_2m_o != 0, t->end_number_o,
					     (enum walker_shim_end)t->end_fault_o, t->end_leaf_o };
	t->clk_i = 1;
	t->eval();
	return out;
}

}
