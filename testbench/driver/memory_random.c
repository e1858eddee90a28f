/* Random work of several queues on the memory of a whole device with its firmware: copies, fills and
 * kernels of jobs that are protected or not, each queue in its own address space, while the host maps,
 * unmaps, pins and unpins between rounds and protected regions come and go. A predictor says how every
 * command ends, which record it leaves, and what every page holds.
 *   memory_random [SEED [ROUNDS]] */
#include "testbench/driver/board.h"

enum {
	QUEUES = 6, COMMANDS = 5, /* of a queue in a round */
	OWN = 6, SHARED = 12,     /* pages of each kind of memory that a queue writes, and that all read */
	KIND = QUEUES * OWN + SHARED,
	PHYS = 2 * KIND,          /* DRAM, then system memory */
	SLOTS = 16,               /* pages of an address space, in a row */
	SYSTEM_FIRST = 120, SCRATCH = 200 /* pages of system memory */, DRAM_FIRST = 512,
	OBSERVER = 7,             /* the queue that looks at DRAM, in address space 1 */
};
#define SLOT_VA(slot) VA(100 + (slot))
#define DRAM_PA(i) (DRAM_BASE + (uint64_t)(DRAM_FIRST + (i)) * 4096)
#define DRAM_VA(i) (VA_HEAP_BASE + 0x40000000 + (uint64_t)(i) * 4096)

struct slot {
	unsigned phys;
	uint64_t bits;
};

struct expected {
	enum fault fault;
	unsigned unit;
	enum access access;
	uint64_t address, progress;
};

static struct slot slots[QUEUES][SLOTS];
static uint8_t bytes[PHYS][4096];
static bool is_protected[PHYS];
static uint64_t base[8], limit[8];
static unsigned unpinned = PHYS;
static uint64_t index_of[QUEUES], observed, refused;
static struct expected expected[QUEUES][COMMANDS];
static unsigned counts[QUEUES];
static uint64_t seed, state_of_random, round_number;
static uint64_t faults_of[32], copies, partial;

static uint64_t below(uint64_t n) { return splitmix64(&state_of_random) % n; }
static bool chance(unsigned percent) { return below(100) < percent; }

static uint64_t phys_pa(unsigned phys) { return phys < KIND ? DRAM_PA(phys) : PA(SYSTEM_FIRST + phys - KIND); }
static uint8_t *system_at(unsigned phys) { return memory + (SYSTEM_FIRST + phys - KIND) * 4096; }
static uint16_t asid(unsigned q) { return (uint16_t)(2 + q); }

/* ---- the predictor ---- */

static enum fault translate(const struct slot *s, bool job, enum access a)
{
	bool r = s->bits & PTE_R, w = s->bits & PTE_W, inside = is_protected[s->phys];

	if (!(s->bits & PTE_V))
		return FAULT_PAGE_NOT_PRESENT;
	if (a == ACCESS_READ && !r)
		return FAULT_PAGE_READ;
	if (a == ACCESS_WRITE && !w)
		return FAULT_PAGE_WRITE;
	if (a == ACCESS_ATOMIC && !(r && w))
		return r ? FAULT_PAGE_WRITE : FAULT_PAGE_READ;
	if (job ? a != ACCESS_READ && !inside : inside || s->bits & PTE_PROTECTED)
		return FAULT_PROTECTED;
	return FAULT_NONE;
}

static enum fault access_fault(const struct slot *s, bool job, enum access a)
{
	enum fault f = translate(s, job, a);

	return f ? f : s->phys == unpinned ? FAULT_BUS_ERROR : FAULT_NONE;
}

static struct slot *slot_at(unsigned q, uint64_t va) { return &slots[q][(va - SLOT_VA(0)) / 4096]; }
static uint8_t *byte_at(unsigned q, uint64_t va) { return bytes[slot_at(q, va)->phys] + va % 4096; }

/* One access of a transfer: fault and where, or FAULT_NONE. */
static bool stops(struct expected *e, enum fault f, enum access a, uint64_t address)
{
	if (f)
		*e = (struct expected){ f, UNIT_DMA, a, address, e->progress };
	return f != FAULT_NONE;
}

static void predict_copy(unsigned q, bool job, uint64_t dst, uint64_t src, uint32_t len, struct expected *e)
{
	static uint8_t before[2 * 4096];
	bool backward = dst > src && dst < src + len;

	for (uint32_t i = 0; i < len; i++)
		before[i] = *byte_at(q, src + i);
	for (uint32_t i = 0; i < len; i++, e->progress++) {
		uint32_t k = backward ? len - 1 - i : i;
		const struct slot *from = slot_at(q, src + k), *to = slot_at(q, dst + k);

		if (stops(e, translate(from, job, ACCESS_READ), ACCESS_READ, src + k) ||
		    stops(e, translate(to, job, ACCESS_WRITE), ACCESS_WRITE, dst + k) ||
		    stops(e, access_fault(from, job, ACCESS_READ), ACCESS_READ, src + k) ||
		    stops(e, access_fault(to, job, ACCESS_WRITE), ACCESS_WRITE, dst + k))
			return;
		*byte_at(q, dst + k) = before[k];
	}
}

static void predict_fill(unsigned q, bool job, uint64_t dst, uint64_t pattern, uint32_t size, uint32_t len,
			 struct expected *e)
{
	uint8_t p[128];

	if (stops(e, access_fault(slot_at(q, pattern), job, ACCESS_READ), ACCESS_READ, pattern))
		return;
	memcpy(p, byte_at(q, pattern), size);
	for (uint32_t i = 0; i < len; i++, e->progress++) {
		if (stops(e, access_fault(slot_at(q, dst + i), job, ACCESS_WRITE), ACCESS_WRITE, dst + i))
			return;
		*byte_at(q, dst + i) = p[i % size];
	}
}

static void predict_kernel(unsigned q, bool job, enum board_kernel k, uint64_t first, uint64_t second, struct expected *e)
{
	uint64_t place = k == KERNEL_LOAD ? second : first, word = second;
	enum access a = k == KERNEL_ATOMIC ? ACCESS_ATOMIC : ACCESS_WRITE;

	if (k == KERNEL_LOAD && stops(e, access_fault(slot_at(q, first), job, ACCESS_READ), ACCESS_READ, first)) {
		e->unit = UNIT_CU;
		e->address = job ? 0 : e->address; /* not told */
		return;
	}
	if (k == KERNEL_LOAD)
		memcpy(&word, byte_at(q, first), 8);
	if (stops(e, access_fault(slot_at(q, place), job, a), a, place)) {
		e->unit = UNIT_CU;
		e->address = job ? 0 : e->address; /* not told */
		return;
	}
	if (k == KERNEL_ATOMIC) {
		memcpy(&word, byte_at(q, place), 8);
		word += second;
	}
	memcpy(byte_at(q, place), &word, 8);
}

/* ---- what queues do ---- */

/* Whether no page of memory stands in two of these slots. */
static bool apart(unsigned q, uint64_t a, uint64_t b, uint32_t len)
{
	unsigned list[4] = { (unsigned)((a - SLOT_VA(0)) / 4096), (unsigned)((a + len - 1 - SLOT_VA(0)) / 4096),
			     (unsigned)((b - SLOT_VA(0)) / 4096), (unsigned)((b + len - 1 - SLOT_VA(0)) / 4096) };

	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < i; k++)
			if (list[i] != list[k] && slots[q][list[i]].phys == slots[q][list[k]].phys)
				return false;
	return true;
}

static union packet command(unsigned q, unsigned n, bool job, struct expected *e)
{
	uint64_t a = SLOT_VA(below(SLOTS - 1)) + below(4096), b = SLOT_VA(below(SLOTS - 1)) + below(4096);
	uint32_t len = 1 + (uint32_t)below(chance(50) ? 64 : 4096), size = 1u << below(8);
	union packet p;

	*e = (struct expected){ .fault = FAULT_NONE };
	switch (below(3)) {
	case 0:
		if (!apart(q, a, b, len))
			break;
		predict_copy(q, job, a, b, len, e);
		copies++;
		partial += e->fault && e->progress;
		return packet_copy_1d(a, b, len);
	case 1:
		b &= ~(uint64_t)(size - 1);
		len = (len + size - 1) & ~(size - 1);
		predict_fill(q, job, a, b, size, len, e);
		return (union packet){ .fill = { .head.type = PACKET_CODE_fill, .pattern = b, .dst = a, .width = len,
						 .height = 1, .depth = 1, .pattern_size = size } };
	}
	enum board_kernel k = KERNEL_STORE + (enum board_kernel)below(3);
	uint64_t second = k == KERNEL_LOAD ? b & ~7ull : splitmix64(&state_of_random);

	args(q * COMMANDS + n)[0] = a & ~7ull;
	args(q * COMMANDS + n)[1] = second;
	predict_kernel(q, job, k, a & ~7ull, second, e);
	p = launch(k, q * COMMANDS + n);
	return p;
}

static void queue_fill(unsigned q)
{
	counts[q] = 1 + (unsigned)below(COMMANDS);
	for (unsigned n = 0; n < counts[q]; n++) {
		bool job = chance(30);
		union packet p = command(q, n, job, &expected[q][n]);

		put(q, index_of[q] + n, p, PACKET_END | PACKET_IRQ | (job ? PACKET_PROTECTED : 0), q * COMMANDS + n);
	}
}

static void command_check(unsigned q, unsigned n)
{
	const struct completion *c = record(q * COMMANDS + n);
	const struct expected *e = &expected[q][n];
	const struct fault_record *f = (struct fault_record *)(memory + FAULTS * 4096);

	assert_int_equal(c->done, 1);
	if (c->status != -(int)e->fault)
		fail_msg("round %" PRIu64 ", queue %u, command %u: %d, not %d (%s of %#" PRIx64 ")", round_number, q, n,
			 c->status, -(int)e->fault, e->access == ACCESS_READ ? "read" : "write", e->address);
	faults_of[e->fault]++;
	if (!e->fault)
		return;
	refused += e->fault == FAULT_PROTECTED;
	for (unsigned i = 0; i < boot()->fault_count; i++, f++) {
		if (f->queue != q || f->packet != index_of[q] + n)
			continue;
		assert_int_equal(f->code, e->fault);
		assert_int_equal(f->address, e->address);
		assert_int_equal(f->access, e->access);
		assert_int_equal(f->asid, asid(q));
		if (e->unit == UNIT_DMA) {
			assert_in_range(f->unit, UNIT_DMA, UNIT_DMA + 1);
			assert_int_equal(f->progress, e->progress);
		} else {
			assert_int_equal(f->unit, e->unit);
		}
		return;
	}
	fail_msg("round %" PRIu64 ", queue %u, command %u: no fault record", round_number, q, n);
}

static void system_check(void)
{
	for (unsigned i = KIND; i < PHYS; i++)
		if (memcmp(system_at(i), bytes[i], 4096))
			fail_msg("round %" PRIu64 ": system page %u is not what was written", round_number, i - KIND);
}

static void observe(const union packet *p)
{
	put(OBSERVER, observed++, *p, PACKET_END | PACKET_IRQ, QUEUES * COMMANDS);
	bell(OBSERVER, observed);
	settle();
	assert_int_equal(record(QUEUES * COMMANDS)->done, 1);
	assert_int_equal(record(QUEUES * COMMANDS)->status, 0);
}

/* DRAM that is not protected, through a queue of the host's own. */
static void dram_check(void)
{
	for (unsigned i = 0; i < KIND; i++) {
		union packet p = packet_copy_1d(VA(SCRATCH), DRAM_VA(i), 4096);

		if (is_protected[i])
			continue;
		observe(&p);
		if (memcmp(memory + SCRATCH * 4096, bytes[i], 4096))
			fail_msg("round %" PRIu64 ": DRAM page %u is not what was written", round_number, i);
	}
}

/* ---- what the host does ---- */

static void slot_change(unsigned q, unsigned i)
{
	struct slot *s = &slots[q][i];
	unsigned kind = chance(50) ? 0 : KIND;

	s->bits = BOARD_PTE & ~(uint64_t)PTE_X;
	if (chance(25)) {
		s->phys = kind + QUEUES * OWN + (unsigned)below(SHARED);
		s->bits &= ~PTE_W;
	} else {
		s->phys = kind + q * OWN + (unsigned)below(OWN);
	}
	if (chance(8))
		s->bits = 0;
	if (chance(8))
		s->bits &= ~PTE_W;
	if (chance(3)) /* no right to read: to execute alone */
		s->bits = (s->bits & ~(PTE_R | PTE_W)) | PTE_X;
	if (chance(10))
		s->bits |= PTE_PROTECTED;
	if (!(s->bits & PTE_V))
		s->bits = 0;
	board_map(asid(q), SLOT_VA(i), phys_pa(s->phys), s->bits);
}

static void invalidate(unsigned q, unsigned slot)
{
	unsigned scope = (unsigned)below(3);

	bus_write64(bus, REG_HOST_TLB_INV_ADDR, SLOT_VA(slot) + below(4096));
	bus_write32(bus, REG_HOST_TLB_INV, scope << REG_HOST_TLB_INV_SCOPE_LSB | asid(q));
}

static void region_change(void)
{
	unsigned n = (unsigned)below(8), first = (unsigned)below(KIND), end = first + 1 + (unsigned)below(8);

	base[n] = limit[n] = 0;
	if (chance(60)) {
		base[n] = DRAM_PA(first);
		limit[n] = DRAM_PA(end);
	}
	bus_write64(bus, REG_HOST_PROT_BASE + 8 * n, base[n] + below(4096));
	bus_write64(bus, REG_HOST_PROT_LIMIT + 8 * n, limit[n] + below(4096));
	bus_read64(bus, REG_HOST_PROT_LIMIT + 8 * n); /* waits until what is protected no more has been cleared */
	for (unsigned i = 0; i < KIND; i++) {
		bool was = is_protected[i];

		is_protected[i] = false;
		for (unsigned k = 0; k < 8; k++)
			is_protected[i] |= DRAM_PA(i) >= base[k] && DRAM_PA(i) < limit[k];
		if (was && !is_protected[i])
			memset(bytes[i], 0, 4096);
	}
}

static void host_acts(void)
{
	for (unsigned i = 0; i < 3; i++) {
		unsigned q = (unsigned)below(QUEUES), slot = (unsigned)below(SLOTS);

		slot_change(q, slot);
		invalidate(q, slot);
	}
	if (chance(15))
		region_change();
	if (chance(20)) {
		unpinned = chance(50) ? PHYS : KIND + (unsigned)below(KIND);
		board_unpin(unpinned == PHYS ? HOLES : SYSTEM_FIRST + unpinned - KIND);
	}
	for (unsigned i = 0; i < 4; i++) { /* writes memory itself */
		unsigned phys = KIND + (unsigned)below(KIND), at = (unsigned)below(512) * 8;
		uint64_t v = splitmix64(&state_of_random);

		memcpy(system_at(phys) + at, &v, 8);
		memcpy(bytes[phys] + at, &v, 8);
	}
}

/* ---- the run ---- */

static void begin(void)
{
	assert_int_equal(board_setup(NULL), 0);
	memset(is_protected, 0, sizeof is_protected);
	memset(base, 0, sizeof base);
	memset(limit, 0, sizeof limit);
	memset(index_of, 0, sizeof index_of);
	observed = refused = 0;
	unpinned = PHYS;
	for (unsigned i = 0; i < KIND; i++)
		board_map(1, DRAM_VA(i), DRAM_PA(i), BOARD_PTE);
	queue_up(OBSERVER, 2, 0);
	for (unsigned i = 0; i < PHYS; i++) {
		for (unsigned k = 0; k < 4096; k++)
			bytes[i][k] = (uint8_t)splitmix64(&state_of_random);
		if (i >= KIND) {
			memcpy(system_at(i), bytes[i], 4096);
			continue;
		}
		memcpy(memory + SCRATCH * 4096, bytes[i], 4096);
		union packet p = packet_copy_1d(DRAM_VA(i), VA(SCRATCH), 4096);
		observe(&p);
	}
	for (unsigned q = 0; q < QUEUES; q++) {
		board_map(asid(q), VA(CODE), PA(CODE), BOARD_PTE);
		board_map(asid(q), VA(ARGS), PA(ARGS), BOARD_PTE);
		for (unsigned i = 0; i < SLOTS; i++)
			slot_change(q, i);
		desc_fill(q, q % 3);
		desc(q)->asid = asid(q);
		map(q, desc_pa(q));
		settle();
		assert_int_equal(state_of(q), QUEUE_IDLE);
	}
}

static unsigned rounds;

static void run_rounds(unsigned count)
{
	begin();
	for (round_number = 1; round_number <= count; round_number++) {
		uint64_t written = boot()->faults_written, faults = 0;

		for (unsigned q = 0; q < QUEUES; q++)
			queue_fill(q);
		for (unsigned q = 0; q < QUEUES; q++)
			bell(q, index_of[q] + counts[q]);
		settle();
		for (unsigned q = 0; q < QUEUES; q++) {
			for (unsigned n = 0; n < counts[q]; n++) {
				command_check(q, n);
				faults += expected[q][n].fault != FAULT_NONE;
			}
			index_of[q] += counts[q];
		}
		assert_int_equal(boot()->faults_written - written, faults);
		assert_int_equal(bus_read64(bus, REG_HOST_CNT_PROT_FAULTS), refused);
		system_check();
		if (round_number % 100 == 0)
			dram_check();
		host_acts();
	}
	dram_check();
}

static void several_queues(void **state)
{
	(void)state;
	state_of_random = seed;
	run_rounds(rounds);
	printf("# %" PRIu64 " commands went well, %" PRIu64 " copies, %" PRIu64 " cut short; faults:", faults_of[0], copies,
	       partial);
	for (int f = 1; f < 32; f++)
		if (faults_of[f])
			printf(" %s %" PRIu64, fault_name(f), faults_of[f]);
	printf("\n");
	static const enum fault reached[] = { FAULT_NONE, FAULT_PAGE_NOT_PRESENT, FAULT_PAGE_READ, FAULT_PAGE_WRITE,
					      FAULT_BUS_ERROR, FAULT_PROTECTED };
	for (unsigned i = 0; i < sizeof reached / sizeof reached[0]; i++)
		assert_true(faults_of[reached[i]]);
	assert_true(partial);
}

/* The same seed gives the same cycles. */
static void repeats(void **state)
{
	uint64_t end[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		state_of_random = seed + 1;
		run_rounds(100);
		end[i] = bus_cycle(bus);
	}
	assert_int_equal(end[0], end[1]);
}

int main(int argc, char **argv)
{
	if (!board_init(argv[0]))
		return 1;
	seed = seed_take(argc, argv);
	rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : check_long() ? 60000 : 12000; /* of some 18 commands */
	const struct CMUnitTest tests[] = { cmocka_unit_test(several_queues), cmocka_unit_test(repeats) };
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
