#include "lds_shim.h"
#include "Vlds_units.h"
#include "shim.h"
#include "shim_fields.h"

struct lds_shim {
	using unit = Vlds_units;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct lds_shim *lds_shim_create(void) { return shim_create<lds_shim>("lds_units"); }
void lds_shim_destroy(struct lds_shim *s) { shim_destroy(s); }

void lds_shim_reset(struct lds_shim *s)
{
	s->top->access_valid_i = s->top->round_ready_i = 0;
	shim_reset(s);
}

void lds_shim_step(struct lds_shim *s, const struct lds_shim_in *in, struct lds_shim_out *out)
{
	Vlds_units *t = s->top;

	t->geometry_i = in->geometry & 3;
	t->access_valid_i = in->access != nullptr;
	if (in->access) {
		t->access_lanes_i = in->access->lanes;
		t->access_size_i = in->access->size & 3;
		for (unsigned i = 0; i < LDS_SHIM_LANES; i += 2)
			t->access_offset_i[i / 2] = in->access->offset[i] | (uint32_t)in->access->offset[i + 1] << 16;
	}
	t->round_ready_i = in->round_ready;
	t->clk_i = 0;
	t->eval();
	out->access_ready = t->access_ready_o;
	out->round_valid = t->round_valid_o;
	out->last = t->round_last_o;
	out->conflicts = t->conflicts_o;
	for (unsigned i = 0; i < LDS_SHIM_LANES * LDS_SHIM_PARTS; i++)
		out->words[i] = t->round_words_o[i / 32] >> i % 32 & 1;
	out->banks = t->bank_valid_o;
	for (unsigned i = 0; i < LDS_SHIM_BANKS; i++)
		out->row[i] = out->banks >> i & 1 ? (uint16_t)bits(t->bank_row_o.data(), 14 * i, 14) : 0;
	t->clk_i = 1;
	t->eval();
}

}
