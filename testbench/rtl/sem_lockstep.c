#include "testbench/rtl/sem_lockstep.h"
#include "model/mem/access_time.h"
#include "model/sem/sem.h"
#include "rtl/shim/sem_shim.h"
#include "testbench/model/fixture.h"
#include <inttypes.h>

enum { PAYLOAD = 8, DRAM_BYTES = 1 << 20, PROTECTED_AT = 0x4000, OPEN_AT = 0x6000, SEGMENT = 5000 };
enum side_name { MODEL, RTL, SIDES };

/* One side's memory and what stands beside it. */
struct side {
	struct host host;
	struct physmem mem;
	struct prot prot;
	struct inject inject;
	struct l2 *l2;
};

/* A request of the Verilated unit. */
struct flight {
	bool there, taken, write;
	uint64_t address, at; /* at: cycle of its answer */
	enum fault fault;
};

/* What a side shows in a cycle. */
struct shown {
	bool free, is_stored, is_woken;
	struct sem_stored stored;
	struct sem_woken woken;
};

enum { PLACES = 16, GOOD = 8 /* at the first of them there is memory */ };
struct lockstep {
	uint64_t random, now;
	struct side side[SIDES];
	struct device_config config; /* of the L2 caches */
	struct sem model;
	struct sem_shim *shim;
	struct shown seen; /* of the model */
	struct sem_shim_in in;
	struct flight flight;
	uint64_t place[PLACES]; /* of payloads */
	unsigned hot, busy; /* hot: most are there; busy: out of 16 cycles that many bring something */
	bool binary[SEM_WAITERS];   /* what is armed */
	unsigned long ended;        /* waits since the unit took something */
	uint64_t resets_at;
	struct sem_lockstep_result *result;
};

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	va_list args;
	int n;

	if (l->result->text[0])
		return;
	n = snprintf(l->result->text, sizeof(l->result->text), "cycle %" PRIu64 ", operation %lu: ", l->now, l->result->operations);
	va_start(args, format);
	vsnprintf(l->result->text + n, sizeof(l->result->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- what stands around both ---- */

static void seen_stored(void *ctx, const struct sem_stored *s, uint64_t cycle)
{
	struct lockstep *l = ctx;

	if (l->seen.is_stored || cycle != l->now)
		differs(l, "the model answers a store again, or for cycle %" PRIu64, cycle);
	l->seen.is_stored = true;
	l->seen.stored = *s;
}

static void seen_woken(void *ctx, const struct sem_woken *w, uint64_t cycle)
{
	struct lockstep *l = ctx;

	if (l->seen.is_woken || cycle != l->now)
		differs(l, "the model wakes a second waiter, or for cycle %" PRIu64, cycle);
	l->seen.is_woken = true;
	l->seen.woken = *w;
}

static void side_open(struct side *s)
{
	struct bus_memory sys = host_init(&s->host, true);

	assert_int_equal(physmem_init(&s->mem, DRAM_BYTES, &sys), 0);
	prot_init(&s->prot, &s->mem, NULL);
	inject_init(&s->inject, NULL);
	s->mem.prot = &s->prot;
	s->mem.inject = &s->inject;
	prot_region_set(&s->prot, 0, DRAM_BASE + PROTECTED_AT, DRAM_BASE + PROTECTED_AT + 0x1000, NULL, 0);
	host_page(&s->host);
	host_page(&s->host);
	host_page(&s->host);
	host_pin(&s->host, 2, HOST_READ);
	s->l2 = NULL;
}

static void side_close(struct side *s)
{
	l2_destroy(s->l2);
	physmem_fini(&s->mem);
	host_fini(&s->host);
}

/* Where a payload lies; NULL: there is no memory. */
static uint64_t *word_at(struct side *s, uint64_t pa)
{
	uint8_t *byte = NULL;

	if (pa >= SYSTEM_BASE + 0x1000 && pa < SYSTEM_BASE + 0x4000)
		byte = host_at(&s->host, pa);
	else if (pa >= DRAM_BASE && pa < DRAM_BASE + DRAM_BYTES)
		byte = s->mem.dram + (pa - DRAM_BASE);
	return (uint64_t *)(void *)byte;
}

static void payloads_are_equal(struct lockstep *l)
{
	for (unsigned i = 0; i < PLACES; i++) {
		const uint64_t *model = word_at(&l->side[MODEL], l->place[i]), *rtl = word_at(&l->side[RTL], l->place[i]);

		if (model && *model != *rtl)
			differs(l, "payload %" PRIx64 " is %" PRIx64 ", of the model %" PRIx64, l->place[i], *rtl, *model);
	}
}

/* Both units are reset; the L2 caches become others. */
static void reset(struct lockstep *l)
{
	struct device_config *c = &l->config;

	*c = *device_config_find("mini");
	c->l2_bytes = 1 << 14;
	if (below(l, 32)) {
		c->l2_latency = (uint32_t)below(l, 12);
		c->dram_latency = (uint32_t)below(l, 16);
		c->sys_latency = (uint32_t)below(l, 16);
		c->l2_bytes_cycle = 1u << below(l, 7);
		c->sys_bytes_cycle = 1u << below(l, 7);
	}
	for (unsigned i = 0; i < SIDES; i++) {
		l2_destroy(l->side[i].l2);
		l->side[i].l2 = l2_create(c, BUS_TIMED);
		assert_non_null(l->side[i].l2);
	}
	l->model.env.l2 = l->side[MODEL].l2;
	sem_reset(&l->model);
	sem_shim_reset(l->shim);
	memset(&l->in, 0, sizeof(l->in));
	l->flight.there = false;
	l->busy = 2 + (unsigned)below(l, 14);
	l->resets_at = l->now + 1 + below(l, SEGMENT);
	l->result->counts.resets++;
}

static uint64_t random_value(struct lockstep *l)
{
	static const uint64_t border[] = { UINT64_MAX, 1ull << 63, (1ull << 63) - 1, 1ull << 32, UINT32_MAX };

	return below(l, 8) ? below(l, 4) : border[below(l, sizeof(border) / sizeof(*border))];
}

static uint64_t random_address(struct lockstep *l)
{
	const uint64_t pa = l->place[below(l, 4) ? l->hot : below(l, PLACES)];

	return below(l, 16) ? pa : pa ^ (1 + below(l, 7)); /* misaligned */
}

/* Others write payloads, and use the L2 cache and the bus; rights of pages, regions and armed errors change. */
static void environment(struct lockstep *l)
{
	const uint64_t place = l->place[below(l, PLACES)], value = random_value(l), what = below(l, 256), arg = below(l, 3);
	const bool write = below(l, 2);

	if (!below(l, 1024))
		l->hot = (unsigned)below(l, below(l, 4) ? GOOD : PLACES);
	for (unsigned i = 0; i < SIDES; i++) {
		struct side *s = &l->side[i];

		if (what < 16 && word_at(s, place))
			*word_at(s, place) = value;
		else if (what >= 16 && what < 64)
			l2_access(s->l2, l->now, (arg ? DRAM_BASE : SYSTEM_BASE) + value % 64 * 64 + place % 4096 / 64 * 64, 64, write);
		else if (what == 64)
			host_pin(&s->host, 3, (enum host_rights)arg);
		else if (what == 65)
			prot_region_set(&s->prot, 1, DRAM_BASE + OPEN_AT, DRAM_BASE + OPEN_AT + (write ? 0x1000 : 0), NULL, l->now);
		else if (what == 66)
			inject_arm(&s->inject, arg ? INJECT_ECC_DOUBLE : INJECT_BUS_ERROR, (uint32_t)(1 + value % 4), INJECT_ANY_UNIT, 0, l->now);
	}
}

/* ---- a cycle ---- */

/* What stands at the inputs, until it is taken. */
static void offer(struct lockstep *l)
{
	struct sem_shim_in *in = &l->in;

	if (!in->arm.valid && below(l, 24) < l->busy) {
		in->arm.valid = true;
		in->arm.waiter = (unsigned)below(l, SEM_WAITERS);
		in->arm.binary = below(l, 3) == 0;
		in->arm.address = below(l, 16) ? random_address(l) : 0;
		in->arm.value = random_value(l);
	}
	if (!in->store.valid && below(l, 48) < l->busy) {
		in->store.valid = true;
		in->store.address = random_address(l);
		in->store.value = random_value(l);
		in->store.host = below(l, 2);
	}
	if (!in->notify.valid && below(l, 48) < l->busy) {
		in->notify.valid = true;
		in->notify.address = below(l, 16) ? random_address(l) : 0;
	}
	in->response.valid = l->flight.there && l->flight.at == l->now;
	in->response.data = splitmix64(&l->random); /* means nothing */
	in->response.fault = (unsigned)below(l, 32);
	if (!in->response.valid)
		return;
	in->response.fault = l->flight.fault;
	if (!l->flight.write) {
		in->response.data = 0;
		in->response.fault = physmem_load(&l->side[RTL].mem, UNIT_SEM, l->flight.address, &in->response.data, PAYLOAD, l->now);
	}
	l->flight.there = false;
}

/* A request is there: does it, and says when its answer comes; whether it is taken in this cycle. */
static bool request(struct lockstep *l, const struct sem_shim_out *out)
{
	struct side *s = &l->side[RTL];
	struct flight *f = &l->flight;

	if (!out->request.valid) {
		if (f->there && !f->taken)
			differs(l, "a request is gone before it was taken");
		return below(l, 2);
	}
	if (!f->there) {
		*f = (struct flight){ .there = true, .write = out->request.write, .address = out->request.address, .at = l->now };
		if (!f->write)
			f->at = access_time_read(s->l2, &s->mem, l->now, f->address, PAYLOAD, PAYLOAD);
		else if (!(f->fault = physmem_store(&s->mem, UNIT_SEM, f->address, &out->request.data, PAYLOAD, l->now)))
			f->at = l2_access(s->l2, l->now, f->address, PAYLOAD, true);
		if (f->at <= l->now)
			f->at = l->now + 1;
	} else if (f->taken) {
		differs(l, "a second request before the answer to the first");
	}
	f->taken = f->at == l->now + 1 || below(l, 3);
	l->result->counts.held += !f->taken;
	return f->taken;
}

static void count(struct lockstep *l, const struct shown *rtl, bool arms, bool takes)
{
	struct sem_lockstep_counts *n = &l->result->counts;

	if (rtl->is_stored)
		n->stored[rtl->stored.fault]++;
	if (rtl->is_woken) {
		n->binary += l->binary[rtl->woken.waiter] && !rtl->woken.fault;
		(rtl->woken.access == ACCESS_WRITE ? n->cleared : n->read)[rtl->woken.fault]++;
		n->most = ++l->ended > n->most ? l->ended : n->most;
		n->together += takes;
		n->again += arms && l->in.arm.waiter == rtl->woken.waiter;
	}
}

static void compare(struct lockstep *l, const struct sem_shim_out *out, struct shown *rtl)
{
	const struct shown *m = &l->seen;

	*rtl = (struct shown){ .free = out->arm_ready, .is_stored = out->stored.valid, .is_woken = out->woken.valid,
			       .stored = { (enum fault)(out->stored.fault % SEM_LOCKSTEP_FAULTS), out->stored.host },
			       .woken = { .waiter = out->woken.waiter, .address = out->woken.address,
					  .fault = (enum fault)(out->woken.fault % SEM_LOCKSTEP_FAULTS), .access = (enum access)out->woken.access } };
	if (rtl->free != m->free || out->store_ready != (m->free && !l->in.arm.valid) ||
	    out->notify_ready != (m->free && !l->in.arm.valid && !l->in.store.valid))
		differs(l, "ready for arm %d, store %d, notify %d, the model is free: %d", out->arm_ready, out->store_ready, out->notify_ready, m->free);
	if (rtl->is_stored != m->is_stored || rtl->is_woken != m->is_woken)
		differs(l, "stored %d, woken %d, of the model %d and %d", rtl->is_stored, rtl->is_woken, m->is_stored, m->is_woken);
	else if (m->is_stored && (out->stored.fault != m->stored.fault || rtl->stored.host != m->stored.host))
		differs(l, "stored fault %u host %d, of the model %u and %d", out->stored.fault, rtl->stored.host, m->stored.fault, m->stored.host);
	else if (m->is_woken && (rtl->woken.waiter != m->woken.waiter || rtl->woken.address != m->woken.address ||
				 out->woken.fault != m->woken.fault || rtl->woken.access != m->woken.access))
		differs(l, "woken %u at %" PRIx64 " fault %u access %u, of the model %u at %" PRIx64 " fault %u access %u", rtl->woken.waiter,
			rtl->woken.address, out->woken.fault, rtl->woken.access, m->woken.waiter, m->woken.address, m->woken.fault, m->woken.access);
	if (m->is_stored || m->is_woken)
		payloads_are_equal(l);
}

/* What the Verilated unit takes in this cycle, the model gets. */
static void take(struct lockstep *l, const struct sem_shim_out *out, bool *took)
{
	struct sem_shim_in *in = &l->in;
	struct sem_lockstep_counts *n = &l->result->counts;

	if (in->arm.valid && out->arm_ready) {
		sem_arm(&l->model, &(struct sem_arm){ .waiter = in->arm.waiter, .mode = in->arm.binary ? SEM_BINARY : SEM_TIMELINE,
						      .address = in->arm.address, .value = in->arm.value }, l->now);
		l->binary[in->arm.waiter] = in->arm.binary;
		l->ended = 0;
		n->arms++;
	} else if (in->store.valid && out->store_ready) {
		sem_store(&l->model, &(struct sem_store){ .address = in->store.address, .value = in->store.value, .host = in->store.host }, l->now);
		l->ended = 0;
		n->stores++;
	} else if (in->notify.valid && out->notify_ready) {
		sem_notify(&l->model, &(struct sem_notify){ in->notify.address }, l->now);
		l->ended = 0;
		n->notifies++;
	} else {
		return;
	}
	*took = true;
	l->result->operations++;
}

static void cycle(struct lockstep *l)
{
	struct sem_shim_out out;
	struct shown rtl;
	bool took = false, arms, ready;

	if (l->now == l->resets_at)
		reset(l);
	environment(l);
	offer(l);
	out = sem_shim_show(l->shim, &l->in);
	l->seen = (struct shown){ 0 };
	sem_tick(&l->model, l->now);
	l->seen.free = l->model.at == UINT64_MAX;
	compare(l, &out, &rtl);
	arms = l->in.arm.valid && out.arm_ready;
	l->seen = (struct shown){ 0 };
	take(l, &out, &took);
	if (l->seen.is_stored || l->seen.is_woken)
		differs(l, "the model answers in the cycle in which it is asked");
	count(l, &rtl, arms, took);
	ready = request(l, &out);
	if (arms)
		l->in.arm.valid = false;
	l->in.store.valid = l->in.store.valid && !out.store_ready;
	l->in.notify.valid = l->in.notify.valid && !out.notify_ready;
	sem_shim_end(l->shim, ready);
	l->now++;
	l->result->counts.cycles++;
}

void sem_lockstep_run(uint64_t seed, unsigned long operations, struct sem_lockstep_result *r)
{
	static const uint64_t places[PLACES] = {
		SYSTEM_BASE + 0x1000, SYSTEM_BASE + 0x1008, SYSTEM_BASE + 0x1ff8, /* a page for all */
		SYSTEM_BASE + 0x2000, SYSTEM_BASE + 0x3010, /* a page to be read, one whose rights change */
		DRAM_BASE + 0x1000, DRAM_BASE + 0x1008, DRAM_BASE + DRAM_BYTES - 8, SYSTEM_BASE + 0x4000, DRAM_BASE + PROTECTED_AT, DRAM_BASE + OPEN_AT + 0xff8,
		DRAM_BASE + DRAM_BYTES, DRAM_BASE - 8, 0, UINT64_MAX - 7, SYSTEM_BASE + SYSTEM_SIZE,
	};
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	memset(r, 0, sizeof(*r));
	l->random = seed;
	l->result = r;
	memcpy(l->place, places, sizeof(places));
	l->shim = sem_shim_create();
	assert_non_null(l->shim);
	for (unsigned i = 0; i < SIDES; i++)
		side_open(&l->side[i]);
	sem_init(&l->model, &(struct sem_params){ .mem = &l->side[MODEL].mem, .stored = seen_stored, .woken = seen_woken, .ctx = l });
	reset(l);
	while (r->operations < operations && !r->text[0])
		cycle(l);
	for (unsigned i = 0; i < SIDES; i++)
		side_close(&l->side[i]);
	sem_shim_destroy(l->shim);
	free(l);
}
