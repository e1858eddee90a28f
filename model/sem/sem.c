#include "model/sem/sem.h"
#include "model/inject.h"
#include <string.h>

void sem_init(struct sem *s, const struct sem_params *p)
{
	memset(s, 0, sizeof(*s));
	s->env = *p;
}

void sem_reset(struct sem *s) { memset(s->wait, 0, sizeof(s->wait)); }

/* As events and INJECT_UNIT name it. */
static unsigned waiter_name(unsigned waiter)
{
	return waiter < SEM_HOST ? waiter : EVENT_HOST_WAIT + waiter - SEM_HOST;
}

static void report(struct sem *s, enum event_kind kind, unsigned queue, uint64_t a, uint64_t b, uint64_t c, uint64_t cycle)
{
	EVENT_SEND(s->env.mem->events, .cycle = cycle, .kind = (uint16_t)kind, .unit = UNIT_SEM, .queue = (uint16_t)queue,
		   .a = a, .b = b, .c = c);
}

/* Wakes the waiter if its wait is over: satisfied, or never can be, or woken for nothing by an armed fault. */
static void check(struct sem *s, unsigned waiter, uint64_t cycle)
{
	struct physmem *mem = s->env.mem;
	uint64_t address = s->wait[waiter].address, payload = 0;
	bool binary = s->wait[waiter].mode == SEM_BINARY;
	enum access access = ACCESS_READ;
	enum fault f = FAULT_MISALIGNED;
	bool over;

	if (address % sizeof(payload) == 0)
		f = physmem_load(mem, UNIT_SEM, address, &payload, sizeof(payload), cycle);
	over = f || (binary ? payload != 0 : payload >= s->wait[waiter].value);
	if (mem->inject && inject_fires(mem->inject, over ? INJECT_SEM_LOST : INJECT_SEM_SPURIOUS, waiter_name(waiter),
					address, cycle))
		over = !over;
	if (!over)
		return;
	if (!f && binary && payload) {
		const uint64_t zero = 0;

		access = ACCESS_WRITE;
		f = physmem_store(mem, UNIT_SEM, address, &zero, sizeof(zero), cycle);
	}
	s->wait[waiter].address = 0;
	report(s, EVENT_SEM_WAKE, waiter_name(waiter), address, payload, f, cycle);
	s->env.woken(s->env.ctx, waiter, address, f, access, cycle);
}

void sem_arm(struct sem *s, unsigned waiter, uint64_t address, uint64_t value, enum sem_mode mode, uint64_t cycle)
{
	s->wait[waiter].address = address;
	s->wait[waiter].value = value;
	s->wait[waiter].mode = mode;
	if (!address)
		return;
	report(s, EVENT_SEM_WAIT, waiter_name(waiter), address, value, mode, cycle);
	check(s, waiter, cycle);
}

static void wake(struct sem *s, uint64_t address, uint64_t cycle)
{
	for (unsigned w = 0; w < SEM_WAITERS; w++)
		if (s->wait[w].address == address)
			check(s, w, cycle);
}

enum fault sem_store(struct sem *s, uint64_t address, uint64_t value, uint64_t cycle)
{
	enum fault f;

	if (address % sizeof(value))
		return FAULT_MISALIGNED;
	f = physmem_store(s->env.mem, UNIT_SEM, address, &value, sizeof(value), cycle);
	if (f)
		return f;
	report(s, EVENT_SEM_SIGNAL, EVENT_NO_QUEUE, address, value, 0, cycle);
	wake(s, address, cycle);
	return FAULT_NONE;
}

void sem_notify(struct sem *s, uint64_t address, uint64_t cycle)
{
	if (!address)
		return;
	report(s, EVENT_SEM_NOTIFY, EVENT_NO_QUEUE, address, 0, 0, cycle);
	wake(s, address, cycle);
}
