#include "cp_shim.h"
#include "Vcp.h"
#include "shim.h"
#include "shim_fields.h"
#include <string.h>

struct cp_shim {
	using unit = Vcp;
	VerilatedContext context;
	unit *top;
	uint8_t *tcm;
	uint64_t cycle;
};

enum { STORE_BITS = 130 };

static void outputs(struct cp_shim *s, struct cp_shim_out *out)
{
	Vcp *t = s->top;
	const uint32_t *m = t->mem_o.data();

	out->reg = { t->reg_valid_o != 0, t->reg_write_o != 0, t->reg_offset_o, t->reg_size_o, t->reg_wdata_o };
	out->mem.valid = t->mem_valid_o;
	if (out->mem.valid)
		out->mem = { true, (enum cp_shim_op)bits(m, 162, 3), (unsigned)bits(m, 160, 2), bits(m, 96, 64), bits(m, 32, 64), (uint32_t)bits(m, 0, 32) };
	out->tcm = { t->tcm_write_o != 0, t->tcm_size_o, t->tcm_address_o, t->tcm_wdata_o };
	out->write = { t->write_valid_o != 0, t->write_rd_o, t->write_value_o };
	out->retires = t->retire_o;
}

extern "C" {

struct cp_shim *cp_shim_create(uint8_t *tcm)
{
	struct cp_shim *s = shim_create<cp_shim>("cp");

	if (s)
		s->tcm = tcm;
	return s;
}

void cp_shim_destroy(struct cp_shim *s) { shim_destroy(s); }

void cp_shim_reset(struct cp_shim *s)
{
	Vcp *t = s->top;

	pack(t->control_i.data(), 3, { { 1, 0 }, { 64, 0 } });
	t->fail_valid_i = t->irq_i = t->reg_answer_valid_i = t->reg_hold_i = t->mem_answer_valid_i = t->store_taken_i = 0;
	t->reg_ready_i = 1;
	shim_reset(s, 5);
}

void cp_shim_show(struct cp_shim *s, const struct cp_shim_in *in, struct cp_shim_out *out)
{
	Vcp *t = s->top;
	uint32_t word;
	uint64_t data;

	s->cycle = in->cycle;
	pack(t->control_i.data(), 3, { { 1, in->run }, { 64, in->entry } });
	t->fail_valid_i = in->fail;
	t->fail_i = in->cause;
	t->irq_i = in->irq;
	t->cycle_i = in->cycle;
	t->reg_hold_i = in->hold;
	t->reg_answer_valid_i = in->reg.valid;
	t->reg_rdata_i = in->reg.data;
	t->mem_answer_valid_i = in->answer.valid;
	pack(t->mem_answer_i.data(), 4, { { 64, in->answer.data }, { 32, in->answer.version }, { 1, in->answer.held } });
	t->store_taken_i = in->taken;
	t->reg_ready_i = 1;
	t->mem_fault_i = 0;
	t->clk_i = 0;
	t->eval();
	memcpy(&word, s->tcm + 2 * t->fetch_halfword_o, sizeof(word));
	t->fetch_word_i = word;
	t->eval();
	memcpy(&data, s->tcm + t->tcm_address_o, sizeof(data));
	t->tcm_rdata_i = data;
	t->eval();
	out->stores = 0;
	for (unsigned i = 0; i < CP_SHIM_STORES && t->store_valid_o >> i & 1; i++, out->stores++)
		out->store[i] = { (unsigned)bits(t->store_o.data(), i * STORE_BITS + 128, 2), bits(t->store_o.data(), i * STORE_BITS + 64, 64),
				  bits(t->store_o.data(), i * STORE_BITS, 64) };
	outputs(s, out);
}

void cp_shim_refuse(struct cp_shim *s, bool register_ready, bool mem_fault, struct cp_shim_out *out)
{
	s->top->reg_ready_i = register_ready;
	s->top->mem_fault_i = mem_fault;
	s->top->eval();
	outputs(s, out);
}

void cp_shim_end(struct cp_shim *s, struct cp_shim_registers *r)
{
	Vcp *t = s->top;
	const uint32_t *c = t->csrs_o.data();
	const uint64_t data = t->tcm_wdata_o;
	const unsigned at = t->tcm_address_o, bytes = t->tcm_write_o ? 1u << t->tcm_size_o : 0;

	t->clk_i = 1;
	t->eval();
	memcpy(s->tcm + at, &data, bytes);
	r->state = t->state_o;
	r->crash_cause = bits(t->crash_o.data(), 128, 64);
	r->crash_pc = bits(t->crash_o.data(), 64, 64);
	r->crash_address = bits(t->crash_o.data(), 0, 64);
	r->pc = t->pc_o;
	r->mstatus = 0x1800 | bits(c, 452, 1) << 3 | bits(c, 451, 1) << 7;
	r->mie = bits(c, 450, 1) << 3 | bits(c, 449, 1) << 7 | bits(c, 448, 1) << 11;
	r->mtvec = bits(c, 384, 64);
	r->mscratch = bits(c, 320, 64);
	r->mepc = bits(c, 256, 64);
	r->mcause = bits(c, 192, 64);
	r->mtval = bits(c, 128, 64);
	r->offset = bits(c, 64, 64) - s->cycle;
	r->minstret = bits(c, 0, 64);
}

}
