/* Protected memory from outside: what each master of a device with its firmware can do to it, in
 * packets, registers, records and events. A secret lies in DRAM; whether it is still there only
 * protected jobs can tell, by how they end. */
#include "testbench/driver/board.h"
#include "testbench/model/encode.h"

enum { SAFE = PACKET_PROTECTED };
/* Pages of DRAM: 256 on; the region is SECRET and the two that follow, in the middle of what is mapped. */
enum { DRAM_FIRST = 256, SECRET = DRAM_FIRST + 8, REGION_PAGES = 3, DRAM_MAPPED = 16 };
#define DRAM_PA(page) (DRAM_BASE + (uint64_t)(page) * 4096)
#define DRAM_VA(page) (VA_HEAP_BASE + 0x40000000 + (uint64_t)(page) * 4096)

static uint64_t secret = 0x5ec7e7c0ffee1234;
static uint64_t next; /* ring index of queue 0 */
static uint64_t refused;
static unsigned shown; /* events of faults that have the secret for an address: observers see them, the host does not */

static union packet kernel(enum board_kernel k, uint64_t first, uint64_t second)
{
	args(0)[0] = first;
	args(0)[1] = second;
	return launch(k, 0);
}

/* One command on queue 0; its status, as a fault code. */
static enum fault execute(union packet p, unsigned flags)
{
	put(0, next++, p, LAST | flags, 0);
	bell(0, next);
	settle();
	assert_int_equal(record(0)->done, 1);
	return (enum fault) - record(0)->status;
}

/* Whether a word of protected memory has this value. */
static bool holds(uint64_t va, uint64_t value)
{
	enum fault f = execute(kernel(KERNEL_COMPARE, va, value), SAFE);

	args(0)[1] = 0;
	assert_true(f == FAULT_NONE || f == FAULT_EBREAK);
	return !f;
}

static uint64_t counted(void) { return bus_read64(bus, REG_HOST_CNT_PROT_FAULTS); }

/* A command that the protection unit has to stop: status, record, count. */
static struct fault_record stopped(union packet p, unsigned flags, unsigned unit, enum access access, uint64_t address)
{
	struct fault_record r;
	uint64_t before = boot()->faults_written;

	assert_int_equal(execute(p, flags), FAULT_PROTECTED);
	assert_int_equal(boot()->faults_written, before + 1);
	r = *last_fault();
	assert_int_equal(r.code, FAULT_PROTECTED);
	assert_int_equal(r.unit, unit);
	assert_int_equal(r.access, access);
	assert_int_equal(r.address, address);
	assert_int_equal(r.asid, 1);
	assert_int_equal(r.queue, 0);
	assert_int_equal(counted(), ++refused);
	return r;
}

static void region(unsigned n, uint64_t base, uint64_t limit)
{
	bus_write64(bus, REG_HOST_PROT_BASE + 8 * n, base);
	bus_write64(bus, REG_HOST_PROT_LIMIT + 8 * n, limit);
}

static void protect(void) { region(0, DRAM_PA(SECRET), DRAM_PA(SECRET + REGION_PAGES)); }

/* All of DRAM that is mapped holds page numbers; then the region is set and the secret written. */
static int setup(void **state)
{
	(void)state;
	fresh();
	for (unsigned i = 0; i < DRAM_MAPPED; i++)
		board_map(1, DRAM_VA(DRAM_FIRST + i), DRAM_PA(DRAM_FIRST + i), BOARD_PTE);
	assert_int_equal(start(), FW_READY);
	next = refused = shown = 0;
	queue_up(0, 1, 0);
	for (unsigned i = 0; i < DRAM_MAPPED; i++) {
		memset(memory + DATA * 4096, 0x40 + i, 4096);
		assert_int_equal(execute(packet_copy_1d(DRAM_VA(DRAM_FIRST + i), VA(DATA), 4096), 0), FAULT_NONE);
	}
	memset(memory + DATA * 4096, 0, 4096);
	protect();
	assert_int_equal(execute(kernel(KERNEL_STORE, DRAM_VA(SECRET), secret), SAFE), FAULT_NONE);
	args(0)[1] = 0;
	assert_true(holds(DRAM_VA(SECRET), secret));
	assert_int_equal(counted(), 0);
	return 0;
}

/* The secret has come out nowhere: not in the host's memory, not in a register, not in an event. The
 * firmware's own memory is read as the host reads it. */
static int nowhere(void **state)
{
	unsigned violations = 0, faults = 0;

	(void)state;
	for (uint64_t at = 0; at < PAGES * 4096ul - 8; at++)
		if (!memcmp(memory + at, &secret, 8))
			fail_msg("the secret is in the host's memory at %#" PRIx64, at);
	for (unsigned i = 0; i < events_count(); i++) {
		const struct event *e = events_at(i);

		violations += e->kind == EVENT_VIOLATION;
		if (e->kind == EVENT_FAULT && e->a == secret)
			faults++;
		else if (e->a == secret || e->b == secret || e->c == secret)
			fail_msg("the secret is in an event: %s", event_row(e->kind)->name);
	}
	assert_int_equal(violations, refused);
	assert_int_equal(faults, shown);
	for (uint32_t offset = 0; offset < 0x2200; offset += 8)
		assert_true(bus_read64(bus, offset) != secret);
	bus_write32(bus, REG_HOST_TCM_ADDR, 0);
	for (uint32_t at = 0; at < CP_TCM_SIZE; at += 8)
		assert_true(bus_read64(bus, REG_HOST_TCM_DATA) != secret);
	return 0;
}

/* ---- compute units ---- */

static void compute_units(void **state)
{
	uint64_t in = DRAM_VA(SECRET), out = DRAM_VA(SECRET - 1), old = 0x4747474747474747;
	struct fault_record r;

	(void)state;
	/* not protected: nothing goes in or out, by load, store, atomic or fetch */
	r = stopped(kernel(KERNEL_LOAD, in, VA(DATA)), 0, UNIT_CU, ACCESS_READ, in);
	assert_int_equal(r.entry, VA(CODE) + 64 * KERNEL_LOAD);
	assert_int_equal(r.pc, VA(CODE) + 64 * KERNEL_LOAD + 12);
	assert_int_equal(*(uint64_t *)(memory + DATA * 4096), 0);
	stopped(kernel(KERNEL_STORE, in, 99), 0, UNIT_CU, ACCESS_WRITE, in);
	stopped(kernel(KERNEL_ATOMIC, in, 1), 0, UNIT_CU, ACCESS_ATOMIC, in);
	union packet p = launch(KERNEL_EXIT, 0);
	p.dispatch.entry = in + 64;
	stopped(p, 0, UNIT_CU, ACCESS_EXEC, in + 64);
	assert_true(holds(in, secret));
	/* beside the region all is as ever */
	assert_int_equal(execute(kernel(KERNEL_LOAD, out, VA(DATA)), 0), FAULT_NONE);
	assert_int_equal(*(uint64_t *)(memory + DATA * 4096), old);
	assert_int_equal(execute(kernel(KERNEL_STORE, DRAM_VA(SECRET + REGION_PAGES), 5), 0), FAULT_NONE);
	/* protected: reads anything, writes protected memory, and that alone; a record does not say where not */
	*(uint64_t *)(memory + DATA * 4096) = 77;
	assert_int_equal(execute(kernel(KERNEL_LOAD, VA(DATA), in + 4096), SAFE), FAULT_NONE);
	assert_true(holds(in + 4096, 77));
	assert_int_equal(execute(kernel(KERNEL_LOAD, in, in + 8192), SAFE), FAULT_NONE);
	assert_true(holds(in + 8192, secret));
	assert_int_equal(execute(kernel(KERNEL_ATOMIC, in + 4096, 1), SAFE), FAULT_NONE);
	assert_true(holds(in + 4096, 78));
	stopped(kernel(KERNEL_LOAD, in, VA(DATA + 1)), SAFE, UNIT_CU, ACCESS_WRITE, 0);
	stopped(kernel(KERNEL_LOAD, in, out), SAFE, UNIT_CU, ACCESS_WRITE, 0);
	stopped(kernel(KERNEL_ATOMIC, out, 1), SAFE, UNIT_CU, ACCESS_ATOMIC, 0);
	assert_true(holds(out, old));
	/* a word that lies half in the region: neither half moves */
	stopped(kernel(KERNEL_LOAD, in - 4, VA(DATA + 1)), 0, UNIT_CU, ACCESS_READ, in);
	stopped(kernel(KERNEL_STORE, in - 4, 1), 0, UNIT_CU, ACCESS_WRITE, in);
	assert_true(holds(out, old) && holds(out + 4088, old));
	assert_int_equal(*(uint64_t *)(memory + (DATA + 1) * 4096), 0);
}

/* ---- faults of protected jobs ---- */

/* Kernels of this test: they read the word that kernarg points at, and jump there; or have the work-item
 * that its bits 9:8 name end in EBREAK. */
enum { OWN = 92, JUMP = OWN * 4096, CHOOSE = JUMP + 64 };

static void own_kernels(void)
{
	uint32_t *k = (uint32_t *)(memory + JUMP);

	*k++ = enc_csrrs(10, CSR_kernarg, 0);
	*k++ = enc_ld(11, 10, 0);
	*k = enc_i(0x67, 0, 0, 11, 0); /* jr */
	k = (uint32_t *)(memory + CHOOSE);
	*k++ = enc_csrrs(10, CSR_kernarg, 0);
	*k++ = enc_ld(11, 10, 0);
	*k++ = enc_i(0x13, 5, 11, 11, 8); /* srli */
	*k++ = enc_i(0x13, 7, 11, 11, 3); /* andi */
	*k++ = enc_csrrs(12, CSR_local_id_x, 0);
	*k++ = 0x00c59463; /* bne a1, a2: over the next */
	*k++ = enc_i(0x73, 0, 0, 0, 1); /* ebreak */
	*k = 0x100b;
}

/* All that the host can read. */
enum { TCM_WORDS = 32768 };

struct view {
	uint8_t memory[PAGES * 4096];
	uint64_t registers[0x2200 / 8], tcm[TCM_WORDS];
};

static void view_take(struct view *v)
{
	memcpy(v->memory, memory, sizeof(v->memory));
	for (unsigned i = 0; i < sizeof(v->registers) / 8; i++)
		v->registers[i] = bus_read64(bus, 8 * i);
	bus_write32(bus, REG_HOST_TCM_ADDR, 0);
	assert_int_equal(TCM_WORDS * 8, CP_TCM_SIZE);
	for (unsigned i = 0; i < TCM_WORDS; i++)
		v->tcm[i] = bus_read64(bus, REG_HOST_TCM_DATA);
}

/* Protected jobs that use the secret as an address, jump there, or let it choose who faults. Nothing is
 * replayed, whatever the queue is. With another secret the host sees the same, to the cycle. */
static void faults_tell_nothing(void **state)
{
	static const uint64_t secrets[2] = { 0x5ec7e7c0ffee1234, 0x7ea5ed0ddba1b1bc };
	static const struct {
		uint64_t entry;
		enum fault code;
		enum access access;
		bool shown; /* to observers: the secret is the address */
	} jobs[] = {
		{ VA(CODE) + 64 * KERNEL_LOAD, FAULT_PAGE_NOT_PRESENT, ACCESS_READ, true },
		{ VA(CODE) + 64 * KERNEL_STORE, FAULT_PAGE_NOT_PRESENT, ACCESS_WRITE, true },
		{ VA(CODE) + 64 * KERNEL_ATOMIC, FAULT_MISALIGNED, ACCESS_ATOMIC, true },
		{ VA(0) + JUMP, FAULT_PAGE_NOT_PRESENT, ACCESS_EXEC, true },
		{ VA(0) + CHOOSE, FAULT_EBREAK, ACCESS_EXEC, false },
	};
	static struct view views[2];

	for (unsigned run = 0; run < 2; run++) {
		secret = secrets[run];
		setup(state);
		own_kernels();
		queue_up(1, 1, 1); /* replayable */
		for (unsigned i = 0; i < 2 * sizeof(jobs) / sizeof(jobs[0]); i++) {
			unsigned n = i / 2, queue = i % 2;
			uint64_t written = boot()->faults_written;
			union packet p = launch(KERNEL_EXIT, 0);
			const struct fault_record *r;

			p.dispatch.entry = jobs[n].entry;
			p.dispatch.kernarg = DRAM_VA(SECRET);
			p.dispatch.global_size[0] = p.dispatch.local_size[0] = jobs[n].shown ? 1 : 4;
			put(queue, queue ? n : next, p, LAST | SAFE, queue);
			bell(queue, queue ? n + 1 : ++next);
			settle();
			assert_int_equal(state_of(queue), QUEUE_IDLE);
			assert_int_equal(record(queue)->done, 1);
			assert_int_equal(record(queue)->status, -(int)jobs[n].code);
			assert_int_equal(boot()->faults_written, written + 1);
			r = last_fault();
			assert_int_equal(r->code, jobs[n].code);
			assert_int_equal(r->access, jobs[n].access);
			assert_int_equal(r->unit, UNIT_CU);
			assert_int_equal(r->entry, jobs[n].entry);
			assert_int_equal(r->address | r->pc | r->progress, 0);
			for (unsigned k = 0; k < 3; k++)
				assert_int_equal(r->group_id[k] | r->local_id[k], 0);
			shown += jobs[n].shown;
		}
		view_take(&views[run]);
		assert_int_equal(nowhere(state), 0);
	}
	assert_memory_equal(views[0].memory, views[1].memory, sizeof(views[0].memory));
	assert_memory_equal(views[0].registers, views[1].registers, sizeof(views[0].registers));
	assert_memory_equal(views[0].tcm, views[1].tcm, sizeof(views[0].tcm));
}

/* ---- DMA ---- */

static void dma(void **state)
{
	uint64_t in = DRAM_VA(SECRET), before = DRAM_VA(SECRET - 1);
	uint8_t *data = memory + DATA * 4096;
	struct fault_record r;
	union packet fill = { .fill = { .head.type = PACKET_CODE_fill, .pattern = in, .dst = VA(DATA), .width = 64,
					.height = 1, .depth = 1, .pattern_size = 8 } };

	(void)state;
	/* out */
	r = stopped(packet_copy_1d(VA(DATA), in + 8, 64), 0, UNIT_DMA, ACCESS_READ, in + 8);
	assert_int_equal(r.progress, 0);
	stopped(fill, 0, UNIT_DMA, ACCESS_READ, in);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(data[i], 0);
	/* a copy that runs into the region gets to its edge, and says so */
	r = stopped(packet_copy_1d(VA(DATA), before + 96, 8192), 0, UNIT_DMA, ACCESS_READ, in);
	assert_int_equal(r.progress, 4000);
	assert_int_equal(data[3999], 0x47);
	assert_int_equal(data[4000], 0);
	/* in */
	stopped(packet_copy_1d(in, VA(DATA + 2), 8), 0, UNIT_DMA, ACCESS_WRITE, in);
	fill.fill.pattern = VA(DATA + 2);
	fill.fill.dst = in;
	stopped(fill, 0, UNIT_DMA, ACCESS_WRITE, in);
	assert_true(holds(in, secret));
	/* protected transfers: into the region, within it, never out of it */
	*(uint64_t *)(memory + (DATA + 2) * 4096) = 0x1122334455667788;
	assert_int_equal(execute(packet_copy_1d(in + 4096, VA(DATA + 2), 8), SAFE), FAULT_NONE);
	assert_true(holds(in + 4096, 0x1122334455667788));
	assert_int_equal(execute(packet_copy_1d(in + 4096, in, 4096), SAFE), FAULT_NONE);
	assert_true(holds(in + 4096, secret));
	stopped(packet_copy_1d(VA(DATA + 3), in, 4096), SAFE, UNIT_DMA, ACCESS_WRITE, VA(DATA + 3));
	stopped(packet_copy_1d(before, in, 4096), SAFE, UNIT_DMA, ACCESS_WRITE, before);
	r = stopped(packet_copy_1d(in + 4096, in, 3 * 4096), SAFE, UNIT_DMA, ACCESS_WRITE, DRAM_VA(SECRET + 3) + 4095);
	assert_int_equal(r.progress, 0); /* it overlaps, and goes from the end */
	assert_true(holds(before, 0x4747474747474747));
	assert_int_equal(memory[(DATA + 3) * 4096], 0);
}

/* ---- semaphores, the command processor, the host ---- */

static void semaphores(void **state)
{
	union packet signal = { .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = DRAM_PA(SECRET), .value = 1 } };

	(void)state;
	assert_int_equal(execute(wait_for(DRAM_PA(SECRET), 1, 0), 0), FAULT_PROTECTED);
	assert_int_equal(last_fault()->unit, UNIT_SEM);
	assert_int_equal(last_fault()->address, DRAM_PA(SECRET));
	assert_int_equal(counted(), ++refused);
	assert_int_equal(execute(signal, 0), FAULT_PROTECTED);
	assert_int_equal(counted(), ++refused);
	/* PACKET_PROTECTED makes no protected job of them */
	signal.sem_signal.semaphore = DRAM_PA(SECRET) + 8;
	assert_int_equal(execute(signal, SAFE), FAULT_PROTECTED);
	assert_int_equal(counted(), ++refused);
	/* the host's */
	bus_write64(bus, REG_HOST_SEM_VALUE, 3);
	bus_write64(bus, REG_HOST_SEM_SIGNAL, DRAM_PA(SECRET));
	assert_int_equal(counted(), ++refused);
	bus_write64(bus, REG_HOST_HOST_WAIT_VALUE, 1);
	bus_write64(bus, REG_HOST_HOST_WAIT, DRAM_PA(SECRET));
	assert_int_equal(bus_read64(bus, REG_HOST_HOST_WAIT), 0);
	assert_int_equal(counted(), ++refused);
	settle();
	assert_true(holds(DRAM_VA(SECRET), secret));
	assert_true(holds(DRAM_VA(SECRET) + 8, 0x4848484848484848));
}

/* Rings, descriptors, completion records in protected memory: the firmware goes on, nothing is read or
 * written there. */
static void command_processor(void **state)
{
	uint64_t pa = DRAM_PA(SECRET), before = boot()->faults_written;

	(void)state;
	/* a descriptor, a ring: not even looked at */
	map(1, pa);
	settle();
	assert_int_equal(state_of(1), QUEUE_ERROR);
	desc_fill(2, 1);
	desc(2)->ring = pa;
	map(2, desc_pa(2));
	bell(2, 1);
	settle();
	assert_int_equal(state_of(2), QUEUE_ERROR);
	assert_int_equal(boot()->faults_written, before + 2);
	assert_int_equal(last_fault()->code, FAULT_QUEUE);
	assert_int_equal(counted(), 0);
	/* a completion record that is written, a status that is read: to the command processor there is no
	 * memory */
	union packet p = packet_nop();
	p.head.flags = LAST;
	p.head.completion = pa;
	ring(0)[next++ % desc(0)->ring_size] = p;
	bell(0, next);
	settle();
	assert_int_equal(boot()->faults_written, before + 3);
	assert_int_equal(last_fault()->code, FAULT_BUS_ERROR);
	assert_int_equal(last_fault()->address, pa);
	refused = counted();
	assert_true(refused >= 4);
	assert_int_equal(execute(wait_for(payload_pa(0), 0, pa), 0), FAULT_BUS_ERROR);
	assert_int_equal(last_fault()->address, pa);
	assert_int_equal(counted(), ++refused);
	/* all else still works, and nothing was touched */
	assert_int_equal(execute(packet_nop(), 0), FAULT_NONE);
	assert_true(holds(DRAM_VA(SECRET), secret));
	assert_true(holds(DRAM_VA(SECRET) + 24, 0x4848484848484848));
	assert_int_equal(counted(), refused);
}

/* ---- mappings and tables ---- */

static void mappings(void **state)
{
	uint64_t va = VA_HEAP_BASE + 0x7000000, *contexts = (uint64_t *)(memory + CONTEXTS * 4096), root = contexts[1];

	(void)state;
	/* PTE_PROTECTED keeps other jobs out of memory that is not protected */
	board_map(1, va, DRAM_PA(SECRET - 1), BOARD_PTE | PTE_PROTECTED);
	stopped(kernel(KERNEL_LOAD, va, VA(DATA)), 0, UNIT_CU, ACCESS_READ, va);
	stopped(packet_copy_1d(VA(DATA), va, 8), 0, UNIT_DMA, ACCESS_READ, va);
	assert_true(holds(va, 0x4747474747474747));
	stopped(kernel(KERNEL_STORE, va, 1), SAFE, UNIT_CU, ACCESS_WRITE, 0);
	/* no table lies in protected memory, whoever it is for */
	contexts[1] = DRAM_PA(SECRET) | 1;
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	assert_int_equal(execute(packet_copy_1d(VA(DATA), VA(DATA + 1), 8), 0), FAULT_PAGE_TABLE);
	assert_int_equal(execute(packet_copy_1d(VA(DATA), VA(DATA + 1), 8), SAFE), FAULT_PAGE_TABLE);
	assert_int_equal(counted(), refused += 2);
	contexts[1] = root;
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	assert_int_equal(execute(packet_copy_1d(VA(DATA), VA(DATA + 1), 8), 0), FAULT_NONE);
}

/* ---- regions ---- */

/* A region holds from the write of its limit on, whatever TLBs hold; one that goes leaves nothing. */
static void regions_change(void **state)
{
	uint64_t other = DRAM_VA(DRAM_FIRST + 2), va = DRAM_VA(SECRET);
	uint8_t *data = memory + DATA * 4096;

	(void)state;
	assert_int_equal(execute(packet_copy_1d(VA(DATA), other, 4096), 0), FAULT_NONE);
	assert_int_equal(data[0], 0x42);
	region(7, DRAM_PA(DRAM_FIRST + 2), DRAM_PA(DRAM_FIRST + 3));
	stopped(packet_copy_1d(VA(DATA), other, 8), 0, UNIT_DMA, ACCESS_READ, other);
	assert_true(holds(other, 0x4242424242424242));
	/* shrinks by a page, at the end of the secret's region */
	region(0, DRAM_PA(SECRET), DRAM_PA(SECRET + 2));
	assert_int_equal(execute(packet_copy_1d(VA(DATA), va + 2 * 4096, 4096), 0), FAULT_NONE);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(data[i], 0);
	stopped(packet_copy_1d(VA(DATA), va + 4096, 8), 0, UNIT_DMA, ACCESS_READ, va + 4096);
	assert_true(holds(va, secret));
	/* goes */
	region(0, 0, 0);
	memset(data, 1, 8192);
	assert_int_equal(execute(packet_copy_1d(VA(DATA), va, 8192), 0), FAULT_NONE);
	for (unsigned i = 0; i < 8192; i++)
		assert_int_equal(data[i], 0);
	/* its neighbours are what they were */
	assert_int_equal(execute(packet_copy_1d(VA(DATA), va - 4096, 4096), 0), FAULT_NONE);
	assert_int_equal(data[4095], 0x47);
	assert_int_equal(execute(packet_copy_1d(VA(DATA), va + 3 * 4096, 4096), 0), FAULT_NONE);
	assert_int_equal(data[0], 0x4b);
}

static uint64_t base_of(unsigned n) { return bus_read64(bus, REG_HOST_PROT_BASE + 8 * n); }
static uint64_t limit_of(unsigned n) { return bus_read64(bus, REG_HOST_PROT_LIMIT + 8 * n); }

static void registers(void **state)
{
	uint64_t end = DRAM_BASE + bus_read64(bus, REG_HOST_DRAM_SIZE);

	(void)state;
	assert_int_equal(base_of(0), DRAM_PA(SECRET));
	assert_int_equal(limit_of(0), DRAM_PA(SECRET + REGION_PAGES));
	for (unsigned n = 1; n < 8; n++)
		assert_int_equal(base_of(n) | limit_of(n), 0);
	/* the base is held until the limit comes, low half first */
	bus_write64(bus, REG_HOST_PROT_BASE + 8, DRAM_PA(1) + 5);
	assert_int_equal(base_of(1), 0);
	bus_write32(bus, REG_HOST_PROT_LIMIT + 8, (uint32_t)DRAM_PA(2) + 0xfff);
	assert_int_equal(limit_of(1), 0);
	bus_write32(bus, REG_HOST_PROT_LIMIT + 12, DRAM_PA(2) >> 32);
	assert_int_equal(base_of(1), DRAM_PA(1));
	assert_int_equal(limit_of(1), DRAM_PA(2));
	/* the limit alone: the base stays */
	bus_write64(bus, REG_HOST_PROT_LIMIT + 8, UINT64_MAX);
	assert_int_equal(base_of(1), DRAM_PA(1));
	assert_int_equal(limit_of(1), end);
	region(1, PA(1), PA(2)); /* system memory is nobody's to protect */
	assert_int_equal(base_of(1) | limit_of(1), 0);
	region(1, DRAM_PA(7), DRAM_PA(7));
	assert_int_equal(base_of(1) | limit_of(1), 0);
	assert_true(holds(DRAM_VA(SECRET), secret));
}

static void locked(void **state)
{
	uint64_t va = DRAM_VA(SECRET);

	(void)state;
	assert_int_equal(bus_read32(bus, REG_HOST_PROT_CTRL), 0);
	bus_write32(bus, REG_HOST_PROT_CTRL, ~0u);
	assert_int_equal(bus_read32(bus, REG_HOST_PROT_CTRL), REG_HOST_PROT_CTRL_LOCK);
	bus_write32(bus, REG_HOST_PROT_CTRL, 0);
	assert_int_equal(bus_read32(bus, REG_HOST_PROT_CTRL), REG_HOST_PROT_CTRL_LOCK);
	region(0, 0, 0);
	region(3, DRAM_PA(DRAM_FIRST), DRAM_PA(DRAM_FIRST + 1));
	assert_int_equal(base_of(0), DRAM_PA(SECRET));
	assert_int_equal(base_of(3) | limit_of(3), 0);
	stopped(packet_copy_1d(VA(DATA), va, 8), 0, UNIT_DMA, ACCESS_READ, va);
	assert_true(holds(va, secret));
	assert_int_equal(execute(packet_copy_1d(VA(DATA), DRAM_VA(DRAM_FIRST), 8), 0), FAULT_NONE);
	assert_int_equal(nowhere(state), 0);
	/* reset ends it all, and leaves nothing behind */
	again();
	for (unsigned i = 0; i < DRAM_MAPPED; i++)
		board_map(1, DRAM_VA(DRAM_FIRST + i), DRAM_PA(DRAM_FIRST + i), BOARD_PTE);
	assert_int_equal(start(), FW_READY);
	assert_int_equal(bus_read32(bus, REG_HOST_PROT_CTRL), 0);
	assert_int_equal(base_of(0) | limit_of(0), 0);
	assert_int_equal(counted(), 0);
	next = 0;
	queue_up(0, 1, 0);
	memset(memory + DATA * 4096, 1, REGION_PAGES * 4096);
	assert_int_equal(execute(packet_copy_1d(VA(DATA), va, REGION_PAGES * 4096), 0), FAULT_NONE);
	for (unsigned i = 0; i < REGION_PAGES * 4096; i++)
		assert_int_equal(memory[DATA * 4096 + i], 0);
	assert_int_equal(execute(packet_copy_1d(VA(DATA), va - 4096, 8), 0), FAULT_NONE);
	assert_int_equal(memory[DATA * 4096], 0x47);
	protect();
	assert_int_equal(base_of(0), DRAM_PA(SECRET));
}

/* Two queues at once, one protected: only the one that does wrong suffers. */
static void queues(void **state)
{
	uint64_t in = DRAM_VA(SECRET);

	(void)state;
	queue_up(3, 1, 0);
	for (unsigned i = 0; i < 8; i++) {
		put(3, i, packet_copy_1d(in + 4096, in, 4096), LAST | SAFE, 8 + i);
		put(0, next + i, packet_copy_1d(VA(DATA), i & 1 ? in : DRAM_VA(SECRET - 1), 64), LAST, 16 + i);
	}
	bell(3, 8);
	bell(0, next += 8);
	settle();
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(record(8 + i)->done, 1);
		assert_int_equal(record(8 + i)->status, 0);
		assert_int_equal(record(16 + i)->done, 1);
		assert_int_equal(record(16 + i)->status, i & 1 ? -FAULT_PROTECTED : 0);
	}
	assert_int_equal(counted(), refused += 4);
	assert_true(holds(in + 4096, secret));
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(compute_units, setup, nowhere),
		cmocka_unit_test(faults_tell_nothing),
		cmocka_unit_test_setup_teardown(dma, setup, nowhere),
		cmocka_unit_test_setup_teardown(semaphores, setup, nowhere),
		cmocka_unit_test_setup_teardown(command_processor, setup, nowhere),
		cmocka_unit_test_setup_teardown(mappings, setup, nowhere),
		cmocka_unit_test_setup_teardown(regions_change, setup, nowhere),
		cmocka_unit_test_setup_teardown(queues, setup, nowhere),
		cmocka_unit_test_setup(registers, setup),
		cmocka_unit_test_setup(locked, setup),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
