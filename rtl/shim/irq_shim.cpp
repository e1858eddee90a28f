#include "irq_shim.h"
#include "Virq.h"
#include "shim.h"
#include <string.h>

struct irq_shim {
	using unit = Virq;
	VerilatedContext context;
	unit *top;
};

struct port {
	void *at;
	size_t bytes;
};

extern "C" {

struct irq_shim *irq_shim_create(void) { return shim_create<irq_shim>("irq"); }
void irq_shim_destroy(struct irq_shim *s) { shim_destroy(s); }

void irq_shim_reset(struct irq_shim *s)
{
#define CLEAR(id, name) memset(&s->top->name##_i, 0, sizeof(s->top->name##_i));
	IRQ_SHIM_INPUTS(CLEAR)
	s->top->host_woken_i = s->top->memory_error_i = s->top->crash_i = 0;
	shim_reset(s);
}

uint8_t *irq_shim_input(struct irq_shim *s, unsigned n, size_t *bytes)
{
#define INPUT(id, name) { &s->top->name##_i, sizeof(s->top->name##_i) },
	const port ports[] = { IRQ_SHIM_INPUTS(INPUT) };

	*bytes = ports[n].bytes;
	return static_cast<uint8_t *>(ports[n].at);
}

const uint8_t *irq_shim_output(const struct irq_shim *s, unsigned n, size_t *bytes)
{
#define OUTPUT(id, name) { &s->top->name##_o, sizeof(s->top->name##_o) },
	const port ports[] = { IRQ_SHIM_OUTPUTS(OUTPUT) };

	*bytes = ports[n].bytes;
	return static_cast<uint8_t *>(ports[n].at);
}

struct irq_shim_out irq_shim_show(struct irq_shim *s, const struct irq_shim_in *in)
{
	Virq *t = s->top;

	t->host_woken_i = in->host_woken;
	t->memory_error_i = in->memory_error;
	t->crash_i = in->crash;
	t->lost_i = in->lost;
	t->cycle_i = in->cycle;
	t->clk_i = 0;
	t->eval();
	return { t->host_irq_o != 0, t->irq_o != 0 };
}

void irq_shim_end(struct irq_shim *s)
{
	s->top->clk_i = 1;
	s->top->eval();
}

}
