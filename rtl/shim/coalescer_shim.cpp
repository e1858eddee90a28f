#include "coalescer_shim.h"
#include "Vcoalescers.h"
#include "shim.h"
#include "shim_fields.h"

struct coalescer_shim {
	using unit = Vcoalescers;
	VerilatedContext context;
	unit *top;
};

static void put(uint32_t *words, const uint64_t *addresses)
{
	for (unsigned i = 0; i < COALESCER_SHIM_LANES; i++) {
		words[2 * i] = (uint32_t)addresses[i];
		words[2 * i + 1] = (uint32_t)(addresses[i] >> 32);
	}
}

extern "C" {

struct coalescer_shim *coalescer_shim_create(void) { return shim_create<coalescer_shim>("coalescers"); }
void coalescer_shim_destroy(struct coalescer_shim *s) { shim_destroy(s); }

void coalescer_shim_reset(struct coalescer_shim *s)
{
	s->top->access_valid_i = s->top->line_ready_i = 0;
	shim_reset(s);
}

void coalescer_shim_step(struct coalescer_shim *s, const struct coalescer_shim_in *in, struct coalescer_shim_out *out)
{
	Vcoalescers *t = s->top;

	t->geometry_i = in->geometry & 3;
	t->access_valid_i = in->access != nullptr;
	if (in->access) {
		t->access_running_i = in->access->running;
		t->access_memory_i = in->access->memory;
		t->access_private_i = in->access->in_private;
		t->access_size_i = in->access->size & 3;
		put(t->access_place_i.data(), in->access->place);
		put(t->access_next_i.data(), in->access->next);
	}
	t->line_ready_i = in->line_ready;
	t->clk_i = 0;
	t->eval();
	out->access_ready = t->access_ready_o;
	out->line_valid = t->line_valid_o;
	out->last = t->line_last_o;
	out->address = t->line_address_o;
	out->lanes = t->line_lanes_o;
	out->lines = t->lines_o;
	out->store_bytes = t->store_bytes_o;
	for (unsigned i = 0; i < COALESCER_SHIM_LINE / 64; i++)
		out->bytes[i] = bits(t->line_bytes_o.data(), 64 * i, 64);
	t->clk_i = 1;
	t->eval();
}

}
