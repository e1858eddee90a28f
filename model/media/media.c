/* One job at a time, in steps: what a step does is the job's affair (process.c, jpeg.c), when the next one is due the port's and the job's. */
#include "model/media/media.h"
#include "model/inject.h"
#include "model/media/jpeg.h"
#include "model/media/port.h"
#include "model/media/process.h"
#include "abi/events.h"
#include <stdlib.h>
#include <string.h>

enum {
	AHEAD_CYCLES = 256, /* what is issued ahead of what arrives, beyond the latency of memory */
	STEPS = 16,         /* functional: steps in a cycle */
};

enum phase {
	IDLE,
	BEGIN, /* the job was taken up */
	STEP,  /* a step of it is due */
	END,   /* its last bytes arrive */
};

struct job {
	union packet packet;
	uint64_t asked; /* cycle at which it was started */
	uint32_t space;
};

struct media {
	struct port port;
	enum phase phase;
	uint64_t next;  /* when the phase goes on; UINT64_MAX: not by itself */
	unsigned slot;  /* of the job that the unit has */
	uint64_t taken; /* cycle at which it took it */
	uint64_t busy_cycles;
	uint32_t busy;  /* one bit a slot */
	uint8_t fifo[MEDIA_SLOTS];
	unsigned waiting;
	struct job jobs[MEDIA_SLOTS];
	struct process *process;
	struct jpeg *jpeg;
};

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

struct media *media_create(const struct media_params *params)
{
	const struct device_config *c = params->config;
	struct media *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->port.env = *params;
	m->port.timed = params->speed == BUS_TIMED;
	m->port.ahead = max(c->sys_latency, c->l2_latency + c->dram_latency) + AHEAD_CYCLES;
	m->process = process_create();
	m->jpeg = jpeg_create();
	if (!m->process || !m->jpeg) {
		media_destroy(m);
		return NULL;
	}
	media_reset(m);
	return m;
}

void media_destroy(struct media *m)
{
	if (!m)
		return;
	process_destroy(m->process);
	jpeg_destroy(m->jpeg);
	free(m);
}

void media_reset(struct media *m)
{
	m->busy = 0;
	m->waiting = 0;
	m->phase = IDLE;
	m->next = UINT64_MAX;
}

uint32_t media_busy(const struct media *m) { return m->busy; }
static bool has(const struct media *m, unsigned slot) { return m->phase != IDLE && m->slot == slot; }
uint64_t media_progress(const struct media *m, unsigned slot) { return has(m, slot) ? m->port.result.progress : 0; }
uint64_t media_since(const struct media *m, unsigned slot) { return has(m, slot) ? m->taken : 0; }
uint64_t media_begun(const struct media *m, unsigned slot) { return m->jobs[slot].asked; }
uint64_t media_next(const struct media *m) { return m->next; }
uint64_t media_bytes(const struct media *m) { return m->port.bytes; }

uint64_t media_busy_cycles(const struct media *m, uint64_t now)
{
	return m->busy_cycles + (m->phase != IDLE && m->taken < now ? now - m->taken : 0);
}

/* ---- slots ---- */

/* The unit is free at cycle now: it takes the job that has waited longest. */
static void take(struct media *m, uint64_t now)
{
	m->phase = IDLE;
	m->next = UINT64_MAX;
	if (!m->waiting)
		return;
	m->slot = m->fifo[0];
	memmove(m->fifo, m->fifo + 1, --m->waiting);
	m->phase = BEGIN;
	m->taken = m->next = max(now, m->jobs[m->slot].asked);
	port_begin(&m->port, m->slot, m->jobs[m->slot].space, m->taken);
}

void media_start(struct media *m, const struct media_start *in, uint64_t now)
{
	if (m->busy >> in->slot & 1)
		return;
	m->busy |= 1u << in->slot;
	m->jobs[in->slot] = (struct job){ in->packet, now, in->space };
	m->fifo[m->waiting++] = (uint8_t)in->slot;
	if (m->phase == IDLE)
		take(m, now);
}

/* The unit's job ends at cycle now with what the port's result says. */
static void leave(struct media *m, uint64_t now)
{
	struct port *p = &m->port;
	const unsigned slot = m->slot;
	struct media_result r;

	p->result.slot = slot;
	p->result.end = now;
	r = p->result;
	if (r.code && r.code != FAULT_ABORTED)
		EVENT_SEND(p->env.mem->events, .cycle = now, .kind = EVENT_FAULT, .unit = UNIT_MEDIA, .queue = (uint16_t)slot,
			   .asid = (uint16_t)p->space, .a = r.address, .b = r.code, .c = r.access);
	EVENT_SEND(p->env.mem->events, .cycle = now, .kind = EVENT_MEDIA_END, .unit = UNIT_MEDIA, .queue = (uint16_t)slot,
		   .asid = (uint16_t)p->space, .a = r.progress, .b = r.code);
	m->busy_cycles += now - m->taken;
	m->busy &= ~(1u << slot);
	take(m, now);
	p->env.result(p->env.ctx, &r, now);
}

void media_abort(struct media *m, const struct media_abort *in, uint64_t now)
{
	const unsigned slot = in->slot;

	if (!(m->busy >> slot & 1))
		return;
	if (has(m, slot)) {
		m->port.result.code = FAULT_ABORTED;
		m->port.result.access = ACCESS_READ;
		m->port.result.address = 0;
		leave(m, max(now, m->taken));
		return;
	}
	for (unsigned i = 0; i < m->waiting; i++)
		if (m->fifo[i] == slot)
			memmove(m->fifo + i, m->fifo + i + 1, --m->waiting - i);
	m->busy &= ~(1u << slot);
	m->port.env.result(m->port.env.ctx, &(struct media_result){ .slot = slot, .start = now, .end = now, .code = FAULT_ABORTED }, now);
}

/* ---- steps ---- */

/* An injected stall: before the first access. */
static void hold(struct media *m)
{
	struct inject *inject = m->port.env.mem->inject;
	uint64_t cycles;

	if (!inject || !inject_fires(inject, INJECT_MEDIA_STALL, m->slot, 0, m->taken))
		return;
	cycles = inject_arg(inject, INJECT_MEDIA_STALL);
	m->next = cycles && cycles < UINT64_MAX - m->next ? m->next + cycles : UINT64_MAX;
}

static void begin(struct media *m)
{
	const union packet *p = &m->jobs[m->slot].packet;

	if (p->head.type == PACKET_CODE_process) {
		process_begin(m->process, &p->process);
		m->phase = STEP;
	} else if (p->head.type == PACKET_CODE_jpeg) {
		jpeg_begin(m->jpeg, &p->jpeg);
		m->phase = STEP;
	} else {
		port_fail(&m->port, FAULT_BAD_PACKET, ACCESS_READ, 0);
		m->phase = END;
	}
	m->next += m->port.timed ? m->port.env.config->media_setup : 1;
	hold(m);
}

static bool job_step(struct media *m, uint64_t *next)
{
	return m->jobs[m->slot].packet.head.type == PACKET_CODE_process ? process_step(m->process, &m->port, m->next, next) :
									  jpeg_step(m->jpeg, &m->port, m->next, next);
}

static void step(struct media *m)
{
	struct port *p = &m->port;
	uint64_t next = m->next;
	bool more = true;

	p->clock = max(p->clock, m->next);
	for (unsigned i = p->timed ? 1 : STEPS; more && i; i--)
		more = job_step(m, &next);
	m->next = p->timed ? max(next, p->arrived > p->ahead ? p->arrived - p->ahead : 0) : m->next + 1;
	if (more)
		return;
	m->phase = END;
	m->next = max(m->next, p->arrived);
}

void media_tick(struct media *m, uint64_t until)
{
	while (m->next <= until) {
		switch (m->phase) {
		case BEGIN:
			begin(m);
			break;
		case STEP:
			step(m);
			break;
		case END:
			leave(m, m->next);
			break;
		case IDLE:
			return;
		}
	}
}
