#include "model/sem/sem.h"
#include "model/inject.h"
#include "model/mem/access_time.h"
#include <string.h>

void sem_init(struct sem *s, const struct sem_params *p)
{
	memset(s, 0, sizeof(*s));
	s->env = *p;
	s->at = UINT64_MAX;
}

void sem_reset(struct sem *s)
{
	memset(s->wait, 0, sizeof(s->wait));
	s->at = UINT64_MAX;
}

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

/* Begins to look at waiters of an address. */
static void look(struct sem *s, uint64_t address, unsigned first, unsigned end, uint64_t cycle)
{
	s->address = address;
	s->waiter = first;
	s->end = end;
	s->step = SEM_SEARCHES;
	s->at = cycle;
}

/* The next waiter of the address: asks for the payload. */
static void search(struct sem *s)
{
	while (s->waiter < s->end && s->wait[s->waiter].address != s->address)
		s->waiter++;
	if (s->waiter == s->end) {
		s->at = UINT64_MAX;
		return;
	}
	s->step = SEM_READS;
	if (s->address % sizeof(s->payload) == 0)
		s->at = access_time_read(s->env.l2, s->env.mem, s->at, s->address, sizeof(s->payload), sizeof(s->payload));
}

/* The wait is over, and the payload stored, where it had to be. */
static void wake(struct sem *s, enum access access)
{
	const unsigned waiter = s->waiter++;

	s->wait[waiter].address = 0;
	s->step = SEM_SEARCHES;
	report(s, EVENT_SEM_WAKE, waiter_name(waiter), s->address, s->payload, s->fault, s->at);
	s->env.woken(s->env.ctx, waiter, s->address, s->fault, access, s->at);
}

/* Wakes the waiter if its wait is over: satisfied, or never can be, or woken for nothing by an armed fault. */
static void decide(struct sem *s)
{
	struct physmem *mem = s->env.mem;
	const bool binary = s->wait[s->waiter].mode == SEM_BINARY;
	bool over;

	s->payload = 0;
	s->fault = FAULT_MISALIGNED;
	if (s->address % sizeof(s->payload) == 0)
		s->fault = physmem_load(mem, UNIT_SEM, s->address, &s->payload, sizeof(s->payload), s->at);
	over = s->fault || (binary ? s->payload != 0 : s->payload >= s->wait[s->waiter].value);
	if (mem->inject && inject_fires(mem->inject, over ? INJECT_SEM_LOST : INJECT_SEM_SPURIOUS, waiter_name(s->waiter),
					s->address, s->at))
		over = !over;
	if (!over) {
		s->waiter++;
		s->step = SEM_SEARCHES;
	} else if (!s->fault && binary && s->payload) {
		const uint64_t zero = 0;

		s->step = SEM_CLEARS;
		s->fault = physmem_store(mem, UNIT_SEM, s->address, &zero, sizeof(zero), s->at);
		if (!s->fault && s->env.l2)
			s->at = l2_access(s->env.l2, s->at, s->address, sizeof(zero), true);
	} else {
		wake(s, ACCESS_READ);
	}
}

void sem_run(struct sem *s, uint64_t cycle)
{
	while (s->at <= cycle && s->at != UINT64_MAX)
		switch (s->step) {
		case SEM_SEARCHES:
			search(s);
			break;
		case SEM_READS:
			decide(s);
			break;
		case SEM_CLEARS:
			wake(s, ACCESS_WRITE);
			break;
		}
}

void sem_arm(struct sem *s, unsigned waiter, uint64_t address, uint64_t value, enum sem_mode mode, uint64_t cycle)
{
	s->wait[waiter].address = address;
	s->wait[waiter].value = value;
	s->wait[waiter].mode = mode;
	if (!address)
		return;
	report(s, EVENT_SEM_WAIT, waiter_name(waiter), address, value, mode, cycle);
	look(s, address, waiter, waiter + 1, cycle);
	sem_run(s, cycle);
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
	look(s, address, 0, SEM_WAITERS, s->env.l2 ? l2_access(s->env.l2, cycle, address, sizeof(value), true) : cycle);
	sem_run(s, cycle);
	return FAULT_NONE;
}

void sem_notify(struct sem *s, uint64_t address, uint64_t cycle)
{
	if (!address)
		return;
	report(s, EVENT_SEM_NOTIFY, EVENT_NO_QUEUE, address, 0, 0, cycle);
	look(s, address, 0, SEM_WAITERS, cycle);
	sem_run(s, cycle);
}
