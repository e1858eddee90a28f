/* The reference of the semaphore unit and the model's, at the same registers and the same memory: random waits, signals, notifications,
 * stores of others, pages that lose their pins, injected faults, resets and losses of the device. After each step all that the two
 * have reported, their registers and all payloads are the same. Usage: semaphores_model [seed [steps]]. */
#include "model/device.h"
#include "testbench/model/fixture.h"
#include "testbench/reference/semaphores.h"

enum { STEPS = 100000, STEPS_LONG = 1000000, EVENTS = 256, PAGES = 5, WORDS = 3, PROTECTED_AT = 0x5000, DRAM_AT = 0x3000 };
enum page_kind { PINNED, READ_ONLY, UNPINNED, PROTECTED_PAGE, NO_MEMORY };

struct page {
	uint64_t pa;
	enum page_kind kind;
	uint64_t words[WORDS]; /* of the reference's memory */
};

struct log {
	struct semaphore_event event[EVENTS];
	unsigned count;
};

struct world {
	struct event_sink sink; /* first member */
	struct host host;
	struct device *device;
	struct semaphores reference;
	struct page page[PAGES];
	struct log seen, expected;
	uint64_t interrupts;
	bool planted; /* binary waits of the model's queues leave their payload */
};

/* ---- the two sides ---- */

static void log_add(struct log *l, const struct semaphore_event *e)
{
	assert_true(l->count < EVENTS);
	l->event[l->count++] = *e;
}

static void expected_add(void *of, const struct semaphore_event *e) { log_add(&((struct world *)of)->expected, e); }

static void seen_add(struct event_sink *s, const struct event *e)
{
	struct world *w = (struct world *)s;

	if (e->kind == EVENT_IRQ_RAISE && e->a & REG_HOST_IRQ_STATUS_SEM)
		w->interrupts++;
	if (e->kind >= EVENT_SEM_WAIT && e->kind <= EVENT_SEM_NOTIFY)
		log_add(&w->seen, &(struct semaphore_event){ e->kind, e->queue, e->a, e->b, e->c });
}

static struct page *page_at(struct world *w, uint64_t pa)
{
	for (unsigned i = 0; i < PAGES; i++)
		if (pa >> 12 == w->page[i].pa >> 12)
			return &w->page[i];
	return NULL;
}

static enum fault page_access(struct world *w, uint64_t pa, bool write, uint64_t **word)
{
	struct page *p = page_at(w, pa);

	if (p && p->kind == PROTECTED_PAGE)
		return FAULT_PROTECTED;
	if (!p || p->kind == NO_MEMORY || p->kind == UNPINNED || (write && p->kind == READ_ONLY))
		return FAULT_BUS_ERROR;
	*word = &p->words[(pa & 0xfff) / 8];
	return FAULT_NONE;
}

static enum fault memory_read(void *of, uint64_t pa, uint64_t *value)
{
	uint64_t *word;
	const enum fault f = page_access(of, pa, false, &word);

	if (!f)
		*value = *word;
	return f;
}

static enum fault memory_write(void *of, uint64_t pa, uint64_t value)
{
	uint64_t *word;
	const enum fault f = page_access(of, pa, true, &word);

	if (!f)
		*word = value;
	return f;
}

/* Where a word lies on the host; NULL: nowhere. */
static uint64_t *word_at(struct world *w, const struct page *p, unsigned n)
{
	if (p->kind == NO_MEMORY || p->kind == PROTECTED_PAGE)
		return NULL;
	return (uint64_t *)(void *)(p->pa >= SYSTEM_BASE ? (uint8_t *)host_at(&w->host, p->pa) : w->device->mem.dram + (p->pa - DRAM_BASE)) + n;
}

static uint64_t cp_get(const struct world *w, enum reg_id id, unsigned n) { return regs_get(w->device->regs, id, n); }

static void cp_write(struct world *w, enum reg_id id, unsigned n, uint64_t value)
{
	const unsigned bytes = reg_rows[id].bits / 8;

	regs_write(w->device->regs, REG_BANK_CP, reg_rows[id].offset + n * bytes, bytes, value);
}

/* ---- random steps ---- */

static uint64_t random_value(void) { return random_below(16) ? random_below(4) : random_below(2) ? UINT64_MAX : 1ull << 63; }

static uint64_t random_address(const struct world *w)
{
	uint64_t pa = w->page[random_below(PAGES)].pa + 8 * random_below(WORDS);

	if (!random_below(32))
		return 0;
	return random_below(16) ? pa : pa + 1 + random_below(7);
}

static void step_queue_wait(struct world *w)
{
	const unsigned n = (unsigned)random_below(SEMAPHORE_QUEUES);
	const uint64_t address = random_address(w), value = random_value();
	const uint32_t mode = (uint32_t)random_below(3);

	if (w->reference.lost) /* the command processor is stopped */
		return;
	w->reference.sem_wait_value[n] = value;
	w->reference.sem_wait_mode[n] = mode;
	cp_write(w, REG_ID_CP_SEM_WAIT_VALUE, n, value);
	cp_write(w, REG_ID_CP_SEM_WAIT_MODE, n, mode);
	semaphores_queue_wait(&w->reference, n, address);
	cp_write(w, REG_ID_CP_SEM_WAIT, n, address);
	if (w->planted && mode == SEMAPHORE_BINARY) {
		w->device->sem.wait[n].mode = SEM_TIMELINE;
		w->device->sem.wait[n].value = 1;
	}
}

static void step_host_wait(struct world *w)
{
	const unsigned n = (unsigned)random_below(SEMAPHORE_SLOTS);
	const uint64_t address = random_address(w), value = random_value();

	w->reference.host_wait_value[n] = value;
	bus_write64(&w->device->bus, REG_HOST_HOST_WAIT_VALUE + 8 * n, value);
	semaphores_host_wait(&w->reference, n, address);
	bus_write64(&w->device->bus, REG_HOST_HOST_WAIT + 8 * n, address);
}

static void step_signal(struct world *w)
{
	const uint64_t address = random_address(w), value = random_value();

	if (random_below(2) || w->reference.lost) {
		w->reference.sem_value = value;
		bus_write64(&w->device->bus, REG_HOST_SEM_VALUE, value);
		semaphores_signal(&w->reference, address);
		bus_write64(&w->device->bus, REG_HOST_SEM_SIGNAL, address);
		return;
	}
	w->reference.sem_store_value = value;
	cp_write(w, REG_ID_CP_SEM_STORE_VALUE, 0, value);
	semaphores_store(&w->reference, address);
	cp_write(w, REG_ID_CP_SEM_STORE, 0, address);
}

static void step_notify(struct world *w)
{
	const uint64_t address = random_address(w);

	semaphores_notify(&w->reference, address);
	bus_write64(&w->device->bus, REG_HOST_SEM_NOTIFY, address);
}

/* Another master stores a value, with a notification or without. */
static void step_store(struct world *w)
{
	struct page *p = &w->page[random_below(PAGES)];
	const unsigned n = (unsigned)random_below(WORDS);
	uint64_t *word = word_at(w, p, n);

	if (!word)
		return;
	*word = p->words[n] = random_value();
	if (!random_below(2))
		return;
	semaphores_notify(&w->reference, p->pa + 8 * n);
	bus_write64(&w->device->bus, REG_HOST_SEM_NOTIFY, p->pa + 8 * n);
}

static void step_pin(struct world *w)
{
	static const enum host_rights rights[] = { [PINNED] = HOST_WRITE, [READ_ONLY] = HOST_READ, [UNPINNED] = HOST_UNPINNED };
	struct page *p = &w->page[random_below(2)];

	p->kind = random_below(2) ? PINNED : random_below(2) ? READ_ONLY : UNPINNED;
	host_pin(&w->host, (p->pa - SYSTEM_BASE) >> 12, rights[p->kind]);
}

static void step_clear(struct world *w)
{
	const uint32_t bits = (uint32_t)random_next() & 0xffff;

	if (random_below(2)) {
		semaphores_clear_host_woken(&w->reference, bits);
		bus_write32(&w->device->bus, REG_HOST_HOST_WOKEN, bits);
	} else {
		semaphores_clear_sem_woken(&w->reference, bits);
		cp_write(w, REG_ID_CP_SEM_WOKEN, 0, bits);
	}
}

static void step_inject(struct world *w)
{
	const uint32_t nth = (uint32_t)random_below(5);
	const unsigned waiter = (unsigned)random_below(2 * SEMAPHORE_WAITERS);
	const unsigned unit = waiter < SEMAPHORE_QUEUES	 ? waiter :
			      waiter < SEMAPHORE_WAITERS ? EVENT_HOST_WAIT + waiter - SEMAPHORE_QUEUES :
							   SEMAPHORE_ANY_QUEUE;
	const uint32_t kind = !random_below(8) ? 0 : random_below(2) ? INJECT_SEM_LOST : INJECT_SEM_SPURIOUS;

	bus_write32(&w->device->bus, REG_HOST_INJECT_NTH, nth);
	bus_write32(&w->device->bus, REG_HOST_INJECT_UNIT, unit);
	bus_write32(&w->device->bus, REG_HOST_INJECT, kind);
	if (!kind)
		semaphores_disarm(&w->reference);
	else if (kind == INJECT_SEM_LOST)
		semaphores_inject_lost(&w->reference, nth, unit);
	else
		semaphores_inject_spurious(&w->reference, nth, unit);
}

static void protect(struct world *w)
{
	bus_write64(&w->device->bus, REG_HOST_PROT_BASE, DRAM_BASE + PROTECTED_AT);
	bus_write64(&w->device->bus, REG_HOST_PROT_LIMIT, DRAM_BASE + PROTECTED_AT + 4096);
}

static void step_device(struct world *w)
{
	if (random_below(2)) {
		semaphores_lose(&w->reference);
		device_lose(w->device, FAULT_FIRMWARE);
		return;
	}
	semaphores_reset(&w->reference);
	w->interrupts = 0;
	bus_write32(&w->device->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	protect(w);
}

static void step(struct world *w)
{
	const unsigned kind = (unsigned)random_below(256);

	if (kind < 70)
		step_queue_wait(w);
	else if (kind < 120)
		step_host_wait(w);
	else if (kind < 165)
		step_signal(w);
	else if (kind < 185)
		step_notify(w);
	else if (kind < 225)
		step_store(w);
	else if (kind < 235)
		step_pin(w);
	else if (kind < 245)
		step_clear(w);
	else if (kind < 254)
		step_inject(w);
	else if (!random_below(8) || w->reference.lost)
		step_device(w);
}

/* ---- the comparison ---- */

static const char *waits_differ(const struct world *w)
{
	const struct semaphores *r = &w->reference;

	for (unsigned n = 0; n < SEMAPHORE_QUEUES; n++) {
		if (semaphores_armed(r, n) != w->device->sem.wait[n].address ||
		    (!r->lost && semaphores_armed(r, n) != cp_get(w, REG_ID_CP_SEM_WAIT, n)))
			return "SEM_WAIT";
		if (semaphores_armed(r, SEMAPHORE_QUEUES + n) != cp_get(w, REG_ID_HOST_HOST_WAIT, n))
			return "HOST_WAIT";
		if (r->sem_status[n] != cp_get(w, REG_ID_CP_SEM_STATUS, n))
			return "SEM_STATUS";
		if (r->fault_address[n] != cp_get(w, REG_ID_CP_FAULT_ADDRESS, n) || r->fault_info[n] != cp_get(w, REG_ID_CP_FAULT_INFO, n) ||
		    r->fault_pc[n] != cp_get(w, REG_ID_CP_FAULT_PC, n))
			return "the FAULT registers";
	}
	return NULL;
}

/* What is not the same, NULL for nothing. */
static const char *differs(struct world *w)
{
	const struct semaphores *r = &w->reference;

	if (w->seen.count != w->expected.count || memcmp(w->seen.event, w->expected.event, w->seen.count * sizeof(*w->seen.event)) != 0)
		return "events";
	w->seen.count = w->expected.count = 0;
	if (r->host_woken != cp_get(w, REG_ID_HOST_HOST_WOKEN, 0) || r->sem_woken != cp_get(w, REG_ID_CP_SEM_WOKEN, 0))
		return "woken";
	if (r->sem_store_status != cp_get(w, REG_ID_CP_SEM_STORE_STATUS, 0))
		return "SEM_STORE_STATUS";
	if (r->interrupts != w->interrupts)
		return "interrupts";
	if (r->faults != w->device->faults)
		return "CNT_FAULTS";
	for (unsigned i = 0; i < PAGES; i++)
		for (unsigned n = 0; n < WORDS; n++)
			if (word_at(w, &w->page[i], n) && *word_at(w, &w->page[i], n) != w->page[i].words[n])
				return "payload";
	return waits_differ(w);
}

static struct world *world_create(void)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_params p = { .speed = BUS_FUNCTIONAL, .events = &w->sink };
	struct device_config config = *device_config_find("mini");
	const char *error = NULL;

	assert_non_null(w);
	w->sink.event = seen_add;
	p.memory = host_init(&w->host, false);
	config.dram_mib = 16;
	w->device = (struct device *)device_open(&p, &config, &error);
	assert_non_null(w->device);
	w->page[0].pa = host_page(&w->host);
	w->page[1].pa = host_page(&w->host);
	w->page[2].pa = DRAM_BASE + DRAM_AT;
	w->page[3] = (struct page){ .pa = DRAM_BASE + PROTECTED_AT, .kind = PROTECTED_PAGE };
	w->page[4] = (struct page){ .pa = SYSTEM_BASE + ((uint64_t)HOST_PAGES << 12), .kind = NO_MEMORY };
	protect(w);
	semaphores_begin(&w->reference);
	w->reference.memory = (struct semaphore_memory){ w, memory_read, memory_write };
	w->reference.event = expected_add;
	w->reference.event_of = w;
	return w;
}

/* Steps until something differs, at most so many; returns what, and the step in *at. */
static const char *run(unsigned steps, bool planted, unsigned *at)
{
	struct world *w = world_create();
	const char *what = NULL;

	w->planted = planted;
	for (*at = 0; *at < steps && !what; ++*at) {
		step(w);
		what = differs(w);
	}
	if (what && !planted) {
		for (unsigned i = 0; i < w->seen.count; i++)
			print_error("model: event %u, queue %#x: %#llx %llu %llu\n", w->seen.event[i].kind, w->seen.event[i].queue,
				    (unsigned long long)w->seen.event[i].a, (unsigned long long)w->seen.event[i].b, (unsigned long long)w->seen.event[i].c);
		for (unsigned i = 0; i < w->expected.count; i++)
			print_error("reference: event %u, queue %#x: %#llx %llu %llu\n", w->expected.event[i].kind, w->expected.event[i].queue,
				    (unsigned long long)w->expected.event[i].a, (unsigned long long)w->expected.event[i].b,
				    (unsigned long long)w->expected.event[i].c);
	}
	bus_close(&w->device->bus);
	host_fini(&w->host);
	free(w);
	return what;
}

static unsigned steps;

static void test_random_steps(void **state)
{
	unsigned at;
	const char *what = run(steps, false, &at);

	(void)state;
	if (what)
		fail_msg("%s: not the same after step %u", what, at);
	print_message("%u steps agree\n", at);
}

static void test_a_planted_difference_is_found(void **state)
{
	unsigned at;

	(void)state;
	assert_non_null(run(STEPS, true, &at));
	assert_in_range(at, 1, 10000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_steps),
		cmocka_unit_test(test_a_planted_difference_is_found),
	};

	random_seed(argc, argv);
	steps = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : check_long() ? STEPS_LONG : STEPS;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
