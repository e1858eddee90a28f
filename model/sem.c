#include "model/sem.h"
#include <string.h>

void sem_init(struct sem *s, const struct sem_params *p)
{
	memset(s, 0, sizeof(*s));
	s->env = *p;
}

void sem_reset(struct sem *s) { memset(s->wait, 0, sizeof(s->wait)); }

/* Wakes the queue if its wait is satisfied or never can be. */
static void check(struct sem *s, unsigned queue)
{
	uint64_t address = s->wait[queue].address, payload = 0;
	enum fault f = FAULT_MISALIGNED;

	if (address % sizeof(payload) == 0)
		f = physmem_read(s->env.mem, address, &payload, sizeof(payload));
	if (!f && payload < s->wait[queue].value)
		return;
	s->wait[queue].address = 0;
	s->env.woken(s->env.ctx, queue, address, f);
}

void sem_arm(struct sem *s, unsigned queue, uint64_t address, uint64_t value)
{
	s->wait[queue].address = address;
	s->wait[queue].value = value;
	if (address)
		check(s, queue);
}

enum fault sem_store(struct sem *s, uint64_t address, uint64_t value)
{
	enum fault f;

	if (address % sizeof(value))
		return FAULT_MISALIGNED;
	f = physmem_write(s->env.mem, address, &value, sizeof(value));
	if (!f)
		sem_notify(s, address);
	return f;
}

void sem_notify(struct sem *s, uint64_t address)
{
	if (!address)
		return;
	for (unsigned q = 0; q < SEM_QUEUES; q++)
		if (s->wait[q].address == address)
			check(s, q);
}
