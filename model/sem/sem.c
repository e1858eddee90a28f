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

/* Cycle at which ends what began at a cycle and has its answer at another: a later one than that, where time passes. */
static uint64_t end_of(const struct sem *s, uint64_t begun, uint64_t answered)
{
	return s->env.l2 && answered <= begun ? begun + 1 : answered;
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
	uint64_t answered = s->at;
	if (s->address % sizeof(s->payload) == 0)
		answered = access_time_read(s->env.l2, s->env.mem, s->at, s->address, sizeof(s->payload), sizeof(s->payload));
	s->at = end_of(s, s->at, answered);
}

/* The wait is over, and the payload stored, where it had to be. */
static void wake(struct sem *s, enum access access)
{
	const unsigned waiter = s->waiter++;

	s->wait[waiter].address = 0;
	s->step = SEM_SEARCHES;
	report(s, EVENT_SEM_WAKE, waiter_name(waiter), s->address, s->payload, s->fault, s->at);
	s->env.woken(s->env.ctx, &(struct sem_woken){ .waiter = waiter, .address = s->address, .fault = s->fault, .access = access },
		     s->at);
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
		uint64_t accepted = s->at;

		s->step = SEM_CLEARS;
		s->fault = physmem_store(mem, UNIT_SEM, s->address, &zero, sizeof(zero), s->at);
		if (!s->fault && s->env.l2)
			accepted = l2_access(s->env.l2, s->at, s->address, sizeof(zero), true);
		s->at = end_of(s, s->at, accepted);
	} else {
		wake(s, ACCESS_READ);
	}
}

/* The store has been accepted, or has failed: then no waiter is looked at. */
static void answer(struct sem *s)
{
	const uint64_t cycle = s->at;

	s->step = SEM_SEARCHES;
	if (s->stored.fault)
		s->at = UINT64_MAX;
	s->env.stored(s->env.ctx, &s->stored, cycle);
}

void sem_tick(struct sem *s, uint64_t cycle)
{
	while (s->at <= cycle && s->at != UINT64_MAX)
		switch (s->step) {
		case SEM_STORES:
			answer(s);
			break;
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

void sem_arm(struct sem *s, const struct sem_arm *in, uint64_t cycle)
{
	s->wait[in->waiter].address = in->address;
	s->wait[in->waiter].value = in->value;
	s->wait[in->waiter].mode = in->mode;
	if (!in->address)
		return;
	report(s, EVENT_SEM_WAIT, waiter_name(in->waiter), in->address, in->value, in->mode, cycle);
	look(s, in->address, in->waiter, in->waiter + 1, cycle);
	sem_tick(s, cycle);
}

void sem_store(struct sem *s, const struct sem_store *in, uint64_t cycle)
{
	uint64_t accepted = cycle;

	s->stored = (struct sem_stored){ .fault = FAULT_MISALIGNED, .host = in->host };
	if (in->address % sizeof(in->value) == 0)
		s->stored.fault = physmem_store(s->env.mem, UNIT_SEM, in->address, &in->value, sizeof(in->value), cycle);
	if (!s->stored.fault) {
		report(s, EVENT_SEM_SIGNAL, EVENT_NO_QUEUE, in->address, in->value, 0, cycle);
		if (s->env.l2)
			accepted = l2_access(s->env.l2, cycle, in->address, sizeof(in->value), true);
	}
	look(s, in->address, 0, SEM_WAITERS, end_of(s, cycle, accepted));
	s->step = SEM_STORES;
	sem_tick(s, cycle);
}

void sem_notify(struct sem *s, const struct sem_notify *in, uint64_t cycle)
{
	if (!in->address)
		return;
	report(s, EVENT_SEM_NOTIFY, EVENT_NO_QUEUE, in->address, 0, 0, cycle);
	look(s, in->address, 0, SEM_WAITERS, cycle);
	sem_tick(s, cycle);
}
