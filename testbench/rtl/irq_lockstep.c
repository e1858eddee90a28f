#include "testbench/rtl/irq_lockstep.h"
#include "model/device.h"
#include "rtl/shim/irq_shim.h"
#include "rtl/shim/regs_shim.h"
#include "testbench/model/fixture.h"
#include <inttypes.h>

enum { QUEUES = 16, SEGMENT = 3000, MOST_STROBES = 4 };

/* Registers whose writes and reads the register block tells of by a strobe. */
#define STROBED(X) X(CP_HOST_IRQ) X(HOST_DOORBELL) X(HOST_QUEUE_DESC) X(HOST_QUEUE_CTRL)

#define INPUT(id, name) REG_ID_##id,
static const enum reg_id inputs[] = { IRQ_SHIM_INPUTS(INPUT) }, outputs[] = { IRQ_SHIM_OUTPUTS(INPUT) };
#undef INPUT
enum { INPUTS = sizeof(inputs) / sizeof(*inputs), OUTPUTS = sizeof(outputs) / sizeof(*outputs) };

/* Registers that other blocks set bits of. */
static const enum reg_id sources[] = { REG_ID_CP_DISPATCH_DONE, REG_ID_CP_DMA_DONE, REG_ID_CP_MEDIA_DONE, REG_ID_CP_SEM_WOKEN,
				       REG_ID_CP_REPLAY_PENDING };
enum { SOURCES = sizeof(sources) / sizeof(*sources) };

struct lockstep {
	uint64_t random, now, resets_at;
	struct host host;
	struct device *model;
	struct reg_hook hooks[REG_NUM_IDS];
	struct regs_shim *regs;
	struct irq_shim *irq;
	uint64_t rate, idle; /* causes come in 1 of rate cycles, accesses in all but 1 of idle */
	struct {
		enum reg_id id;
		unsigned index;
		uint64_t value;
	} strobes[MOST_STROBES], now_strobes[MOST_STROBES];
	unsigned n_strobes, n_now;
	struct irq_shim_in in;
	struct regs_shim_access access;
	uint32_t set[SOURCES], cleared; /* cleared: of REPLAY_PENDING */
	uint64_t answer;
	bool answered, host_was, cp_was;
	struct irq_lockstep_result *result;
};

static struct lockstep *running; /* for hooks of registers */

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	va_list args;
	int n;

	if (l->result->text[0])
		return;
	n = snprintf(l->result->text, sizeof(l->result->text), "cycle %lu: ", l->result->cycles);
	va_start(args, format);
	vsnprintf(l->result->text + n, sizeof(l->result->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- the model: what a strobe tells of comes a cycle after the access ---- */

static void strobe(enum reg_id id, unsigned index, uint64_t value)
{
	struct lockstep *l = running;

	l->strobes[l->n_strobes].id = id;
	l->strobes[l->n_strobes].index = index;
	l->strobes[l->n_strobes++].value = value;
}

#define WRITE(id) static void write_##id(struct device *d, unsigned index, uint64_t value) { (void)d; strobe(REG_ID_##id, index, value); }
STROBED(WRITE)
#undef WRITE

static void model_open(struct lockstep *l)
{
	const struct bus_params params = { .device = "model", .speed = BUS_TIMED, .memory = host_init(&l->host, false) };
	const char *error = NULL;

	l->model = (struct device *)(void *)device_open(&params, device_config_find("mini"), &error);
	if (!l->model)
		fail_msg("%s", error);
	memcpy(l->hooks, device_irq_hooks, sizeof(l->hooks)); /* others' registers do nothing */
#define WRITE(id) l->hooks[REG_ID_##id].write = write_##id;
	STROBED(WRITE)
#undef WRITE
	l->model->regs->hooks = l->hooks;
}

static void strobes_take(struct lockstep *l)
{
	for (unsigned i = 0; i < l->n_now; i++)
		device_irq_hooks[l->now_strobes[i].id].write(l->model, l->now_strobes[i].index, l->now_strobes[i].value);
	l->result->counts.strobes += l->n_now;
}

static void model_causes(struct lockstep *l)
{
	struct device *d = l->model;
	const uint64_t replay = regs_get(d->regs, REG_ID_CP_REPLAY_PENDING, 0);

	if (l->in.host_woken)
		device_irq_raise(d, REG_HOST_IRQ_STATUS_SEM);
	if (l->in.memory_error)
		device_irq_raise(d, REG_HOST_IRQ_STATUS_ECC);
	if (l->in.crash)
		device_irq_raise(d, REG_HOST_IRQ_STATUS_CRASH);
	regs_set(d->regs, REG_ID_CP_REPLAY_PENDING, 0, replay & ~(uint64_t)l->cleared);
	for (unsigned i = 0; i < SOURCES; i++)
		device_bits_set(d, sources[i], l->set[i]);
	device_irq_update(d, d->now);
}

static void model_access(struct lockstep *l)
{
	const struct regs_shim_access *a = &l->access;
	const enum reg_bank bank = a->address < REG_BANK_CP_OFFSET ? REG_BANK_HOST : REG_BANK_CP;
	const uint32_t offset = a->address % REG_BANK_CP_OFFSET;

	l->answered = a->valid && !a->write;
	l->answer = 0;
	if (!a->valid || (bank == REG_BANK_CP && a->master == REG_MASTER_HOST))
		return;
	if (a->write)
		regs_write(l->model->regs, bank, offset, 1u << a->size, a->data);
	else
		l->answer = regs_read(l->model->regs, (enum reg_master)a->master, bank, offset, 1u << a->size);
}

/* ---- random stimulus ---- */

static uint32_t some_bits(struct lockstep *l, unsigned width)
{
	const uint64_t v = splitmix64(&l->random);

	switch (below(l, 4)) {
	case 0: return UINT32_MAX;
	case 1: return (uint32_t)(v & splitmix64(&l->random));
	default: return 1u << v % width;
	}
}

static uint64_t some_time(struct lockstep *l)
{
	switch (below(l, 8)) {
	case 0: return 0;
	case 1: return l->now;
	case 2: return l->now - below(l, 1000);
	case 3: return l->now + (below(l, 4) << 32);
	case 4: return l->now ^ 1ull << below(l, 64);
	default: return l->now + below(l, 60);
	}
}

static uint64_t pair(uint64_t low, uint64_t high) { return (low & UINT32_MAX) | high << 32; }

static void access_to(struct lockstep *l, enum reg_bank bank, uint32_t offset, unsigned size, uint64_t data)
{
	l->access.address = offset + (bank == REG_BANK_CP ? REG_BANK_CP_OFFSET : 0);
	l->access.size = size;
	l->access.data = data;
	if (bank == REG_BANK_CP)
		l->access.master = below(l, 32) ? REG_MASTER_CP : REG_MASTER_HOST; /* of the host: none */
}

/* One of 32 bits: alone, or with its neighbour in one access of 64. */
static void access_word(struct lockstep *l, enum reg_bank bank, uint32_t offset, uint64_t data)
{
	if (below(l, 6))
		access_to(l, bank, offset, 2, data);
	else
		access_to(l, bank, offset & ~7u, 3, offset & 4 ? pair(some_bits(l, 32), data) : pair(data, some_bits(l, 32)));
}

/* One of 64 bits, whole or in halves. */
static void access_wide(struct lockstep *l, enum reg_bank bank, uint32_t offset, uint64_t data)
{
	const bool high = below(l, 2);

	if (below(l, 3))
		access_to(l, bank, offset, 3, data);
	else
		access_to(l, bank, offset + 4 * high, 2, high ? data >> 32 : data);
}

static void access_host(struct lockstep *l)
{
	const uint32_t n = (uint32_t)below(l, below(l, 2) ? 2 : QUEUES);

	switch (below(l, 8)) {
	case 0: access_word(l, REG_BANK_HOST, REG_HOST_IRQ_ENABLE, some_bits(l, 8)); break;
	case 1: access_wide(l, REG_BANK_HOST, REG_HOST_DOORBELL + 8 * n, some_time(l)); break;
	case 2: access_wide(l, REG_BANK_HOST, REG_HOST_QUEUE_DESC + 8 * n, some_time(l)); break;
	case 3: access_word(l, REG_BANK_HOST, REG_HOST_QUEUE_CTRL + 4 * n, below(l, 3) ? some_bits(l, 32) : 0); break;
	default: access_word(l, REG_BANK_HOST, REG_HOST_IRQ_STATUS, some_bits(l, 8)); break;
	}
}

/* What firmware does: clears a cause that is pending. */
static void access_clears(struct lockstep *l)
{
	static const enum reg_id pending[] = { REG_ID_CP_DOORBELL_PENDING, REG_ID_CP_QUEUE_PENDING, REG_ID_CP_CTRL_PENDING, REG_ID_CP_REPLAY_PENDING,
					       REG_ID_CP_DISPATCH_DONE, REG_ID_CP_DMA_DONE, REG_ID_CP_MEDIA_DONE, REG_ID_CP_SEM_WOKEN };
	const unsigned n = sizeof(pending) / sizeof(*pending);
	unsigned at = (unsigned)below(l, n);

	l->access.write = true;
	for (unsigned i = 0; i < n && !regs_get(l->model->regs, pending[at], 0); i++)
		at = (at + 1) % n;
	if (below(l, n + 1))
		access_word(l, REG_BANK_CP, reg_rows[pending[at]].offset, UINT32_MAX);
	else
		access_to(l, REG_BANK_CP, REG_CP_TIMER, 3, below(l, 2) ? 0 : l->now + below(l, 100));
}

static void access_cp(struct lockstep *l)
{
	static const uint32_t pending[] = { REG_CP_DOORBELL_PENDING, REG_CP_QUEUE_PENDING, REG_CP_CTRL_PENDING, REG_CP_REPLAY_PENDING,
					    REG_CP_DISPATCH_DONE, REG_CP_DMA_DONE, REG_CP_MEDIA_DONE, REG_CP_SEM_WOKEN };

	switch (below(l, 16)) {
	case 0: access_word(l, REG_BANK_CP, REG_CP_IRQ_PENDING, some_bits(l, 9)); break;
	case 1: access_word(l, REG_BANK_CP, REG_CP_HOST_IRQ, below(l, 8) ? some_bits(l, 8) : some_bits(l, 32) & ~0xffu); break;
	case 2: access_wide(l, REG_BANK_CP, REG_CP_TIMER, some_time(l)); break;
	case 3:
	case 4:
	case 5: access_word(l, REG_BANK_CP, pending[below(l, sizeof(pending) / sizeof(*pending))], below(l, 3) ? UINT32_MAX : some_bits(l, 32)); break;
	default: access_clears(l); break;
	}
}

/* What a strobe sets in this cycle, an access clears in the same one. */
static void access_meets(struct lockstep *l)
{
	l->access.write = true;
	switch (l->now_strobes[0].id) {
	case REG_ID_HOST_DOORBELL: access_word(l, REG_BANK_CP, REG_CP_DOORBELL_PENDING, UINT32_MAX); break;
	case REG_ID_HOST_QUEUE_DESC: access_word(l, REG_BANK_CP, REG_CP_QUEUE_PENDING, UINT32_MAX); break;
	case REG_ID_HOST_QUEUE_CTRL: access_word(l, REG_BANK_CP, REG_CP_CTRL_PENDING, UINT32_MAX); break;
	default: access_word(l, REG_BANK_HOST, REG_HOST_IRQ_STATUS, some_bits(l, 8)); break;
	}
}

static bool comes(struct lockstep *l) { return !below(l, l->rate); }

static void stimulus(struct lockstep *l)
{
	if (comes(l))
		l->model->lost = below(l, 4) == 0;
	l->in = (struct irq_shim_in){ .host_woken = comes(l), .memory_error = comes(l), .crash = comes(l), .lost = l->model->lost, .cycle = l->now };
	for (unsigned i = 0; i < SOURCES; i++)
		l->set[i] = comes(l) ? some_bits(l, 32) : 0;
	l->cleared = comes(l) ? some_bits(l, 32) : 0;
	l->access = (struct regs_shim_access){ .valid = below(l, l->idle), .write = below(l, 3), .master = (unsigned)below(l, 2) };
	if (l->n_now && !below(l, 3))
		access_meets(l);
	else if (below(l, 2))
		access_host(l);
	else
		access_cp(l);
	l->result->counts.accesses += l->access.valid;
	l->result->counts.lost += l->in.lost;
}

static void reset(struct lockstep *l)
{
	static const uint64_t rates[] = { 4, 40, 400, 4000 };

	l->now += below(l, 2) ? 1 + below(l, 1ull << 40) : (l->now | UINT32_MAX) - l->now - below(l, 1000); /* or soon over a border */
	l->model->now = l->now;
	device_reset(l->model);
	regs_shim_reset(l->regs);
	irq_shim_reset(l->irq);
	l->n_strobes = 0;
	l->rate = rates[below(l, sizeof(rates) / sizeof(*rates))];
	l->idle = 2 + below(l, 20);
	l->resets_at = l->now + 1 + below(l, SEGMENT);
	l->host_was = l->cp_was = false;
	l->result->counts.resets++;
}

/* ---- what both show in a cycle ---- */

static uint64_t port_value(const uint8_t *at, unsigned bits)
{
	uint64_t v = 0;

	memcpy(&v, at, bits / 8);
	return v;
}

static void count(struct lockstep *l, bool host, bool cp, uint32_t pending)
{
	struct irq_lockstep_counts *n = &l->result->counts;
	const uint32_t status = (uint32_t)regs_get(l->model->regs, REG_ID_HOST_IRQ_STATUS, 0);
	const uint32_t enabled = status & (uint32_t)regs_get(l->model->regs, REG_ID_HOST_IRQ_ENABLE, 0);

	n->host_rises += host && !l->host_was;
	n->host_falls += !host && l->host_was;
	n->cp_rises += cp && !l->cp_was;
	n->cp_falls += !cp && l->cp_was;
	n->disabled += status && !enabled;
	for (unsigned i = 0; i < IRQ_LOCKSTEP_HOST; i++)
		n->host_alone[i] += enabled == 1u << i;
	for (unsigned i = 0; i < IRQ_LOCKSTEP_CP; i++)
		n->cp_alone[i] += pending == 1u << i;
	l->host_was = host;
	l->cp_was = cp;
}

static void compare(struct lockstep *l, const struct irq_shim_out *out)
{
	const bool host = device_host_irq(l->model), cp = l->model->cp_irq;
	const uint32_t pending = (uint32_t)device_irq_hooks[REG_ID_CP_IRQ_PENDING].read(l->model, 0);

	if (out->host_irq != host)
		differs(l, "the host's line is %d, of the model %d", out->host_irq, host);
	if (out->level != cp)
		differs(l, "the command processor's line is %d, of the model %d", out->level, cp);
	for (unsigned i = 0; i < OUTPUTS; i++) {
		size_t bytes;
		const uint8_t *port = irq_shim_output(l->irq, i, &bytes);

		if (outputs[i] == REG_ID_CP_IRQ_PENDING && port_value(port, 32) != pending)
			differs(l, "IRQ_PENDING is %" PRIx64 ", of the model %" PRIx32, port_value(port, 32), pending);
	}
	for (unsigned i = 0; i < INPUTS; i++) {
		const struct reg_row *row = &reg_rows[inputs[i]];
		const uint64_t want = regs_get(l->model->regs, inputs[i], 0);
		size_t bytes;
		const uint64_t q = port_value(regs_shim_port(l->regs, inputs[i], true, &bytes), row->bits);

		if (row->count == 1 && row->access != REG_ACCESS_WO && q != want)
			differs(l, "%s is %" PRIx64 ", of the model %" PRIx64, row->name, q, want);
	}
	count(l, host, cp, pending);
}

/* ---- a cycle ---- */

/* What the register block has for the controller goes there, and what the controller has for it goes back, with what others set. */
static void wires_to_irq(struct lockstep *l)
{
	for (unsigned i = 0; i < INPUTS; i++) {
		size_t from, to;
		const uint8_t *port = regs_shim_port(l->regs, inputs[i], true, &from);
		uint8_t *input = irq_shim_input(l->irq, i, &to);

		assert_int_equal(from, to);
		memcpy(input, port, to);
	}
}

static void wires_to_regs(struct lockstep *l)
{
	size_t from, to;

	for (unsigned i = 0; i < OUTPUTS; i++) {
		const uint8_t *output = irq_shim_output(l->irq, i, &from);
		uint8_t *port = regs_shim_port(l->regs, outputs[i], false, &to);

		assert_int_equal(from, to);
		memcpy(port, output, to);
	}
	for (unsigned i = 0; i < SOURCES; i++) {
		uint8_t *port = regs_shim_port(l->regs, sources[i], false, &to);

		memcpy(port, &l->set[i], sizeof(l->set[i])); /* hwset is the lowest */
		if (sources[i] == REG_ID_CP_REPLAY_PENDING)
			memcpy(port + sizeof(l->set[i]), &l->cleared, sizeof(l->cleared));
	}
}

/* How many bits the access clears that the controller sets in its cycle. */
static unsigned together(const struct lockstep *l)
{
	const struct regs_shim_access *a = &l->access;
	unsigned n = 0;

	for (unsigned i = 0; a->valid && a->write && i < OUTPUTS; i++) {
		const struct reg_row *row = &reg_rows[outputs[i]];
		const uint32_t address = row->offset + (row->bank == REG_BANK_CP ? REG_BANK_CP_OFFSET : 0);
		size_t bytes;
		const uint64_t set = port_value(irq_shim_output(l->irq, i, &bytes), 32);

		if (row->access == REG_ACCESS_RW1C && a->address == address)
			n += (unsigned)__builtin_popcountll(set & a->data & regs_get(l->model->regs, outputs[i], 0));
	}
	return n;
}

static void cycle(struct lockstep *l)
{
	struct irq_shim_out out;
	struct regs_shim_response response;

	if (l->now >= l->resets_at)
		reset(l);
	l->model->now = l->now;
	l->n_now = l->n_strobes;
	memcpy(l->now_strobes, l->strobes, sizeof(l->strobes));
	l->n_strobes = 0;
	device_irq_update(l->model, l->now); /* the timer */
	stimulus(l);
	wires_to_irq(l);
	out = irq_shim_show(l->irq, &l->in);
	compare(l, &out);
	wires_to_regs(l);
	l->result->counts.together += together(l);
	if (regs_shim_access(l->regs, &l->access) != l->access.valid)
		differs(l, "an access waits");
	model_access(l);
	strobes_take(l);
	model_causes(l);
	response = regs_shim_step(l->regs);
	irq_shim_end(l->irq);
	if (l->answered && response.data != l->answer)
		differs(l, "a read of %" PRIx32 ", size %u, is %" PRIx64 ", of the model %" PRIx64, l->access.address, l->access.size, response.data,
			l->answer);
	l->now++;
	l->result->cycles++;
}

void irq_lockstep_run(uint64_t seed, unsigned long cycles, struct irq_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	memset(r, 0, sizeof(*r));
	running = l;
	l->random = seed;
	l->result = r;
	l->regs = regs_shim_create(0);
	l->irq = irq_shim_create();
	assert_non_null(l->regs);
	assert_non_null(l->irq);
	model_open(l);
	while (r->cycles < cycles && !r->text[0])
		cycle(l);
	bus_close(&l->model->bus);
	host_fini(&l->host);
	irq_shim_destroy(l->irq);
	regs_shim_destroy(l->regs);
	free(l);
}
