#include "prot_shim.h"
#include "Vprotection.h"
#include "shim.h"
#include "shim_fields.h"

struct prot_shim {
	using unit = Vprotection;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct prot_shim *prot_shim_create(void) { return shim_create<prot_shim>("protection"); }
void prot_shim_destroy(struct prot_shim *s) { shim_destroy(s); }

void prot_shim_reset(struct prot_shim *s)
{
	s->top->set_i = s->top->cleared_i = s->top->check_valid_i = 0;
	shim_reset(s);
}

struct prot_shim_out prot_shim_step(struct prot_shim *s, const struct prot_shim_in *in)
{
	Vprotection *t = s->top;
	struct prot_shim_out out = {};

	t->dram_end_i = in->dram_end;
	t->set_i = in->set.valid;
	t->set_region_i = in->set.region;
	t->set_base_i = in->set.base;
	t->set_limit_i = in->set.limit;
	t->cleared_i = in->cleared;
	t->check_valid_i = in->check.valid;
	pack(t->check_i.data(), 3, { { 16, in->check.unit }, { 1, in->check.job }, { 64, in->check.address }, { 9, in->check.bytes },
				     { 2, in->check.access } });
	t->clk_i = 0;
	t->eval();
	out.changes = t->changes_o;
	out.verdict = { t->verdict_valid_o != 0, t->verdict_o };
	for (unsigned i = 0; i < PROT_SHIM_REGIONS; i++) {
		out.base[i] = bits(t->base_o.data(), 64 * i, 64);
		out.limit[i] = bits(t->limit_o.data(), 64 * i, 64);
	}
	t->clk_i = 1;
	t->eval();
	return out;
}

}
