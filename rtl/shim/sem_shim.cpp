#include "sem_shim.h"
#include "Vsem.h"
#include "shim.h"
#include "shim_fields.h"

struct sem_shim {
	using unit = Vsem;
	VerilatedContext context;
	unit *top;
};

extern "C" {

struct sem_shim *sem_shim_create(void) { return shim_create<sem_shim>("sem"); }
void sem_shim_destroy(struct sem_shim *s) { shim_destroy(s); }

void sem_shim_reset(struct sem_shim *s)
{
	s->top->arm_valid_i = s->top->store_valid_i = s->top->notify_valid_i = s->top->response_valid_i = 0;
	shim_reset(s, 5);
}

struct sem_shim_out sem_shim_show(struct sem_shim *s, const struct sem_shim_in *in)
{
	Vsem *t = s->top;
	struct sem_shim_out out = {};

	t->arm_valid_i = in->arm.valid;
	if (in->arm.valid)
		pack(t->arm_i.data(), 5, { { 5, in->arm.waiter }, { 1, in->arm.binary }, { 64, in->arm.address }, { 64, in->arm.value } });
	t->store_valid_i = in->store.valid;
	if (in->store.valid)
		pack(t->store_i.data(), 5, { { 64, in->store.address }, { 64, in->store.value }, { 1, in->store.host } });
	t->notify_valid_i = in->notify.valid;
	t->notify_i = in->notify.address;
	t->response_valid_i = in->response.valid;
	pack(t->response_i.data(), 3, { { 8, in->response.fault }, { 64, in->response.data } });
	t->clk_i = 0;
	t->eval();
	out.arm_ready = t->arm_ready_o;
	out.store_ready = t->store_ready_o;
	out.notify_ready = t->notify_ready_o;
	out.stored = { t->stored_valid_o != 0, (unsigned)(t->stored_o >> 1), (t->stored_o & 1) != 0 };
	out.woken.valid = t->woken_valid_o;
	if (out.woken.valid)
		out.woken = { true, (unsigned)bits(t->woken_o.data(), 74, 5), bits(t->woken_o.data(), 10, 64), (unsigned)bits(t->woken_o.data(), 2, 8),
			      (unsigned)bits(t->woken_o.data(), 0, 2) };
	out.request.valid = t->request_valid_o;
	if (out.request.valid)
		out.request = { true, bits(t->request_o.data(), 65, 64), bits(t->request_o.data(), 64, 1) != 0, bits(t->request_o.data(), 0, 64) };
	return out;
}

void sem_shim_end(struct sem_shim *s, bool request_ready)
{
	s->top->request_ready_i = request_ready;
	s->top->eval();
	s->top->clk_i = 1;
	s->top->eval();
}

}
