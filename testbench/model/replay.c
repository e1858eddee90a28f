/* Page faults that wait: the warp stands, the page comes, the instruction runs again, and nothing that
 * it did the first time is done twice. Usage: replay [seed] */
#include "testbench/random.h"
#include "testbench/model/kernel.h"

static const uint64_t data_va = 0x2400000000;
enum { PAGES = 8, PAGE = 4096 };

struct paged { struct bench b; uint64_t pa; uint8_t *data; };

/* PAGES pages at data_va, not mapped yet. */
static struct paged open_paged(unsigned setup)
{
	struct paged p = { .b = open_bench(setup) };
	p.pa = rig_dram(p.b.r, PAGES * PAGE);
	p.data = rig_host(p.b.r, p.pa);
	p.b.arg[1] = data_va;
	return p;
}

static void map_page(struct paged *p, uint64_t va)
{
	va &= ~(uint64_t)(PAGE - 1);
	assert_in_range(va, data_va, data_va + PAGES * PAGE - 1);
	rig_map(p->b.r, va, p->pa + (va - data_va), PAGE, PTE_R | PTE_W);
}

static void start(struct bench *b, unsigned slot, uint64_t entry, struct rig_range range)
{
	range.kernarg = arg_va;
	range.replay = true;
	assert_int_equal(rig_start(b->r, slot, entry, &range), FAULT_NONE);
}

/* Runs until the dispatch stands at a fault, and everything with it; false when it has ended. */
static bool next_stall(struct bench *b, unsigned slot)
{
	const struct rig_end *e = &b->r->ends[slot];
	unsigned before = e->stalls;
	assert_true(rig_finish(b->r, 1 << 24)); /* it does not spin while it stands */
	if (e->ended) {
		assert_int_equal(e->stalls, before);
		return false;
	}
	assert_int_equal(e->stalls, before + 1); /* the first fault alone is reported */
	assert_true(e->stalled <= b->r->now);
	return true;
}

static void replay(struct bench *b, unsigned slot)
{
	b->r->now += 1000; /* the driver took its time */
	compute_replay(b->r->compute, &(struct compute_replay){ slot }, b->r->now);
}

/* Maps what is missing, a page at a time, until the dispatch has ended. Returns the number of faults. */
static unsigned run_paged(struct paged *p, const char *text, struct rig_range range)
{
	unsigned n = 0;
	start(&p->b, 0, rig_load_text(p->b.r, text), range);
	for (; next_stall(&p->b, 0); n++) {
		assert_true(n < 2 * PAGES);
		map_page(p, p->b.r->ends[0].stall.address);
		if (n & 1)
			compute_flush_code(p->b.r->compute, p->b.r->now);
		replay(&p->b, 0);
	}
	if (p->b.r->ends[0].faulted)
		fail_msg("fault %s at %#llx", fault_name(p->b.r->ends[0].fault.code),
			 (unsigned long long)p->b.r->ends[0].fault.address);
	return n;
}

/* Every lane reads one page and writes another; every page is missing. */
static void missing_pages_are_waited_for(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		uint32_t *words = (uint32_t *)p.data;
		for (uint32_t i = 0; i < 4096; i++)
			words[i] = i * 5;
		unsigned n = run_paged(&p, ITEM "ld a1, 8(a0)\n sh2add a1, s0, a1\n lw t0, 0(a1)\n addi t0, t0, 1\n lui t1, 4\n add a1, a1, t1\n"
						"sw t0, 0(a1)\n" EXIT,
				       (struct rig_range){ .global = { 4096 }, .local = { 16 } });
		assert_in_range(n, 5, PAGES);
		for (uint32_t i = 0; i < 4096; i++)
			assert_int_equal(words[4096 + i], i * 5 + 1);
		rig_destroy(p.b.r);
	}
}

/* What a fault report says, and rights that come later. */
static void faults_are_described(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		const struct rig_end *e = &p.b.r->ends[0];
		uint64_t entry = rig_load_text(p.b.r, ITEM "ld a1, 8(a0)\n li t1, 37\n bne s0, t1, 9f\n lw t0, 16(a1)\n addi t0, t0, 9\n"
							   "sw t0, 20(a1)\n 9:" EXIT);
		((uint32_t *)p.data)[4] = 33;
		start(&p.b, 0, entry, (struct rig_range){ .global = { 64 }, .local = { 16 } });
		assert_true(next_stall(&p.b, 0));
		assert_int_equal(e->stall.code, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(e->stall.access, ACCESS_READ);
		assert_int_equal(e->stall.address, data_va + 16);
		assert_int_equal(e->stall.pc, entry + 9 * 4);
		assert_int_equal(e->stall.group_id[0], 2);
		assert_int_equal(e->stall.local_id[0], 5);
		replay(&p.b, 0); /* nothing was done about it: the same again */
		assert_true(next_stall(&p.b, 0));
		assert_int_equal(e->stall.code, FAULT_PAGE_NOT_PRESENT);
		rig_map(p.b.r, data_va, p.pa, PAGE, PTE_R);
		replay(&p.b, 0);
		assert_true(next_stall(&p.b, 0));
		assert_int_equal(e->stall.code, FAULT_PAGE_WRITE);
		assert_int_equal(e->stall.access, ACCESS_WRITE);
		assert_int_equal(e->stall.address, data_va + 20);
		assert_int_equal(e->stall.pc, entry + 11 * 4);
		rig_unmap(p.b.r, data_va);
		map_page(&p, data_va);
		replay(&p.b, 0);
		assert_false(next_stall(&p.b, 0));
		assert_false(e->faulted);
		assert_int_equal(((uint32_t *)p.data)[5], 42);
		compute_replay(p.b.r->compute, &(struct compute_replay){ 0 }, p.b.r->now); /* free: nothing */
		/* of lr as of a dispatch that does not wait */
		start(&p.b, 1, rig_load_text(p.b.r, ITEM "ld a1, 8(a0)\n lui t0, 1\n add a1, a1, t0\n lr.w t0, (a1)\n" EXIT), (struct rig_range){ .global = { 4 }, .local = { 4 } });
		assert_true(next_stall(&p.b, 1));
		assert_int_equal(p.b.r->ends[1].stall.access, ACCESS_READ);
		map_page(&p, data_va + PAGE);
		replay(&p.b, 1);
		assert_false(next_stall(&p.b, 1));
		assert_int_equal(compute_next(p.b.r->compute), UINT64_MAX);
		rig_destroy(p.b.r);
	}
}

/* The lanes add to counters on several pages, by each kind of atomic: every one adds once. */
static void atomics_happen_once(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		unsigned n = run_paged(&p, ITEM "ld a1, 8(a0)\n andi t0, s0, 7\n slli t0, t0, 12\n add a1, a1, t0\n li t0, 1\n"
						"amoadd.w t1, t0, (a1)\n addi a2, a1, 8\n amoadd.d t1, s0, (a2)\n"
						"addi a3, a1, 16\n ld t3, 0(a3)\n 1: mv t4, t3\n add t5, t3, t0\n amocas.d t3, t5, (a3)\n bne t3, t4, 1b\n"
						"addi a3, a1, 24\n 2: lr.w t3, (a3)\n addw t4, t3, t0\n sc.w t5, t4, (a3)\n bnez t5, 2b\n" EXIT,
				       (struct rig_range){ .global = { 256 }, .local = { 16 } });
		assert_in_range(n, 2, PAGES);
		for (unsigned k = 0; k < PAGES; k++) {
			const uint64_t *c = (const uint64_t *)(p.data + k * PAGE);
			assert_int_equal(c[0], 32);
			assert_int_equal(c[1], 32 * k + 8 * 31 * 32 / 2);
			assert_int_equal(c[2], 32);
			assert_int_equal(c[3], 32);
		}
		rig_destroy(p.b.r);
	}
}

/* Nothing of an instruction that stands at a fault can be seen, whatever form its addresses have. */
static void nothing_is_done_before_the_fault(void **state)
{
	(void)state;
	static const char *const stores[] = {
		"slli t1, t0, 2\n add a1, a1, t1\n li t2, 4096-8\n add a1, a1, t2\n sw s1, 0(a1)\n", /* side by side */
		"mul t1, t0, t0\n addi t1, t1, 1000\n slli t1, t1, 2\n add a1, a1, t1\n sw s1, 0(a1)\n", /* scattered */
		"slli t1, t0, 3\n add a1, a1, t1\n li t2, 4096-11\n add a1, a1, t2\n sd s1, 0(a1)\n", /* over the edge */
		"li t2, 4096-3\n add a1, a1, t2\n sw s1, 0(a1)\n", /* all at one address, over the edge */
		"slli t1, t0, 10\n add a1, a1, t1\n amoadd.w t1, s1, (a1)\n",
		"slli t1, t0, 10\n add a1, a1, t1\n amoswap.d t1, s1, (a1)\n",
	};
	FOR_SETUPS for (unsigned i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		struct paged p = open_paged(setup);
		unsigned lanes = p.b.r->config->lanes;
		char text[512];
		uint64_t before = compute_counters(p.b.r->compute)->lane_insns;
		snprintf(text, sizeof(text), "csrr a0, 0xcc9\n ld a1, 8(a0)\n csrr t0, 0xcca\n addi s1, t0, 1\n %s" EXIT, stores[i]);
		map_page(&p, data_va);
		start(&p.b, 0, rig_load_text(p.b.r, text), (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes } });
		if (!next_stall(&p.b, 0)) { /* four lanes do not get as far as that */
			assert_int_equal(lanes, 4);
			assert_true(i == 1 || i >= 4);
			rig_destroy(p.b.r);
			continue;
		}
		uint64_t insns = compute_counters(p.b.r->compute)->lane_insns - before;
		assert_int_equal(insns % lanes, 0);
		for (unsigned k = 0; k < PAGES * PAGE; k++)
			assert_int_equal(p.data[k], 0);
		/* in the meantime somebody else writes there: it must not come back */
		for (unsigned k = 1; k < PAGES; k++)
			map_page(&p, data_va + k * PAGE);
		replay(&p.b, 0);
		assert_false(next_stall(&p.b, 0));
		assert_false(p.b.r->ends[0].faulted);
		assert_int_equal(compute_counters(p.b.r->compute)->lane_insns - before, insns + 2 * lanes); /* it and exit */
		unsigned written = 0;
		for (unsigned k = 0; k < PAGES * PAGE; k++)
			written += p.data[k] != 0;
		assert_in_range(written, 1, lanes);
		rig_destroy(p.b.r);
	}
}

/* A load whose addresses are in its destination, and of which a part is missing. */
static void addresses_survive(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		unsigned lanes = p.b.r->config->lanes;
		uint64_t *d = (uint64_t *)p.data;
		for (unsigned i = 0; i < PAGES * PAGE / 8; i++)
			d[i] = i * 1001;
		/* addresses of every lane, from memory: neither uniform nor affine to the engine */
		for (unsigned i = 0; i < lanes; i++)
			p.b.arg[8 + i] = data_va + PAGE - 8 * (lanes / 2) + i * 8;
		unsigned n = run_paged(&p, ITEM "ld a2, 0(a0)\n sh3add t0, s0, a0\n ld t1, 64(t0)\n ld t1, 0(t1)\n sh3add a2, s0, a2\n sd t1, 0(a2)\n" EXIT,
				       (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes } });
		assert_int_equal(n, 2);
		for (unsigned i = 0; i < lanes; i++)
			assert_int_equal(((uint64_t *)p.b.out)[i], (PAGE / 8 - lanes / 2 + i) * 1001);
		rig_destroy(p.b.r);
	}
}

/* Code and the stack come late too. */
static void code_and_stack(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		struct rig *r = p.b.r;
		const struct rig_end *e = &r->ends[0];
		size_t words;
		uint32_t *code_words = rig_assemble(ITEM "ld s2, 0(a0)\n sh2add s2, s0, s2\n addi sp, sp, -16\n sd ra, 0(sp)\n andi t0, s0, 1\n"
						       "mv a0, s0\n beqz t0, 1f\n call far\n j 2f\n 1: call near\n 2: ld ra, 0(sp)\n sw a0, 0(s2)\n" EXIT
						       "near: addi a0, a0, 100\n ret\n .zero 4096\n far: addi a0, a0, 200\n ret\n", &words);
		uint64_t entry = 0x2d00000000, code_pa = rig_dram(r, 2 * PAGE), scratch_pa = rig_dram(r, r->scratch_size);
		assert_in_range(words, PAGE / 4, 2 * PAGE / 4);
		memcpy(rig_host(r, code_pa), code_words, words * 4);
		free(code_words);
		for (uint64_t o = 0; o < r->scratch_size; o += PAGE)
			rig_unmap(r, r->scratch + o);
		start(&p.b, 0, entry, (struct rig_range){ .global = { 40 }, .local = { 8 }, .private_bytes = 64 });
		unsigned code = 0, stack = 0;
		while (next_stall(&p.b, 0)) {
			uint64_t va = e->stall.address & ~(uint64_t)(PAGE - 1);
			if (e->stall.access == ACCESS_EXEC) {
				code++;
				assert_in_range(va, entry, entry + PAGE);
				rig_map(r, va, code_pa + (va - entry), PAGE, PTE_R | PTE_X);
			} else {
				stack++;
				assert_in_range(va, r->scratch, r->scratch + r->scratch_size - 1);
				rig_map(r, va, scratch_pa + (va - r->scratch), PAGE, PTE_R | PTE_W);
			}
			replay(&p.b, 0);
		}
		assert_false(e->faulted);
		assert_int_equal(code, 2);
		assert_true(stack >= 1);
		for (uint32_t i = 0; i < 40; i++)
			assert_int_equal(p.b.out[i], i + (i & 1 ? 200 : 100));
		rig_destroy(r);
	}
}

/* The page of the code is gone when a warp comes from one line to the next: what waited for its turn to issue was executed once, and so is
 * what stands behind it. */
static void lines_come_late(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		struct rig *r = b.r;
		size_t words;
		uint32_t *code_words = rig_assemble("csrr a0, 0xcc9\n ld a1, 0(a0)\n li a2, 1\n li t0, 3\n"
						    "j 1f\n .balign 512\n .zero 492\n 1: amoor.w t1, zero, (a1)\n beqz t1, 1b\n"
						    "mul t0, t0, t0\n mul t0, t0, t0\n mul t0, t0, t0\n"
						    "addi a2, a2, 4\n addi a2, a2, 8\n add a2, a2, t0\n sw a2, 4(a1)\n" EXIT, &words);
		const uint64_t entry = 0x2d00000000, code_pa = rig_dram(r, PAGE);
		memcpy(rig_host(r, code_pa), code_words, words * 4);
		free(code_words);
		rig_map(r, entry, code_pa, PAGE, PTE_R | PTE_X);
		start(&b, 0, entry, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		for (const uint64_t until = r->now + 20000; compute_next(r->compute) < until;)
			r->now = compute_tick(r->compute, until);
		rig_unmap(r, entry);
		b.out[0] = 1;
		unsigned stalls = 0;
		for (; next_stall(&b, 0); stalls++) {
			assert_int_equal(r->ends[0].stall.access, ACCESS_EXEC);
			rig_map(r, entry, code_pa, PAGE, PTE_R | PTE_X);
			replay(&b, 0);
		}
		assert_false(r->ends[0].faulted);
		assert_int_equal(stalls, 1);
		assert_int_equal(b.out[1], 1 + 4 + 8 + 6561);
		rig_destroy(r);
	}
}

/* While a warp stands, other work-groups, other dispatches and the rest of its work-group go on. */
static void others_go_on(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		struct rig *r = p.b.r;
		uint64_t entry = rig_load_text(r, ITEM "ld a1, 0(a0)\n ld a2, 8(a0)\n li t0, 5\n bne s0, t0, 1f\n lw t1, 0(a2)\n"
						       "1:" BARRIER "sh2add a1, s0, a1\n addi t1, s0, 1\n sw t1, 0(a1)\n" EXIT);
		uint64_t other = rig_load_text(r, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n lui t0, 1\n add a1, a1, t0\n sw s0, 0(a1)\n" EXIT);
		start(&p.b, 2, entry, (struct rig_range){ .global = { 160 }, .local = { 8 } });
		start(&p.b, 3, other, (struct rig_range){ .global = { 160 }, .local = { 8 } });
		assert_true(next_stall(&p.b, 2));
		assert_true(r->ends[3].ended);
		for (uint32_t i = 0; i < 160; i++) { /* all but the group that waits at its barrier */
			assert_int_equal(p.b.out[i], i < 8 ? 0 : i + 1);
			assert_int_equal(p.b.out[1024 + i], i);
		}
		start(&p.b, 3, other, (struct rig_range){ .global = { 64 }, .local = { 8 } });
		assert_true(rig_finish(r, 1 << 24));
		assert_true(r->ends[3].ended);
		assert_true(r->ends[3].start >= r->ends[2].stalled);
		assert_false(r->ends[2].ended);
		map_page(&p, data_va);
		replay(&p.b, 2);
		assert_false(next_stall(&p.b, 2));
		assert_false(r->ends[2].faulted);
		for (uint32_t i = 0; i < 160; i++)
			assert_int_equal(p.b.out[i], i + 1);
		rig_destroy(r);
	}
}

/* More work-groups than there is room for, all of which stand; then an abort makes room. */
static void full_of_standing_warps(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		struct rig *r = p.b.r;
		uint64_t entry = rig_load_text(r, ITEM "ld a2, 8(a0)\n lw t1, 0(a2)\n" EXIT);
		uint64_t other = rig_load_text(r, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n addi s0, s0, 7\n sw s0, 0(a1)\n" EXIT);
		start(&p.b, 0, entry, (struct rig_range){ .global = { 16384 }, .local = { 16 } });
		assert_true(next_stall(&p.b, 0));
		start(&p.b, 1, other, (struct rig_range){ .global = { 160 }, .local = { 16 } });
		assert_true(rig_finish(r, 1 << 24)); /* there is no room for it, and nobody spins */
		assert_false(r->ends[1].ended);
		r->now += 5000;
		compute_abort(r->compute, &(struct compute_abort){ 0 }, r->now);
		assert_true(r->ends[0].ended);
		assert_int_equal(r->ends[0].fault.code, FAULT_ABORTED);
		assert_true(rig_finish(r, 1 << 24));
		assert_true(r->ends[1].ended);
		assert_false(r->ends[1].faulted);
		assert_true(r->ends[1].end >= r->ends[0].end);
		for (uint32_t i = 0; i < 160; i++)
			assert_int_equal(p.b.out[i], i + 7);
		rig_destroy(r);
	}
}

/* A fault of another kind ends the dispatch, also while some of it stands; without the flag any does. */
static void other_faults_end_it(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		struct rig *r = p.b.r;
		uint64_t entry = rig_load_text(r, ITEM "ld a2, 8(a0)\n li t0, 3\n beq s0, t0, 1f\n li t0, 5000\n 2: addi t0, t0, -1\n bnez t0, 2b\n"
						       "ebreak\n 1: lw t1, 0(a2)\n" EXIT);
		struct rig_range range = { .global = { 64 }, .local = { 4 } };
		start(&p.b, 0, entry, range);
		assert_true(rig_finish(r, 1 << 24));
		assert_true(r->ends[0].ended);
		assert_int_equal(r->ends[0].stalls, 1);
		assert_int_equal(r->ends[0].fault.code, FAULT_EBREAK);
		range.kernarg = arg_va;
		assert_int_equal(rig_start(r, 0, entry, &range), FAULT_NONE);
		assert_true(rig_finish(r, 1 << 24));
		assert_int_equal(r->ends[0].stalls, 0);
		assert_int_equal(r->ends[0].fault.code, FAULT_PAGE_NOT_PRESENT);
		rig_destroy(r);
	}
}

/* ---- everything at once ---- */

static uint64_t seed = 1;
static uint64_t random_below(uint64_t n)
{
	static uint64_t state;
	if (!state)
		state = seed;
	return (splitmix64(&state) >> 11) % n;
}

enum { SLOTS = 5, ITEMS = 96 };

struct work { bool running; unsigned ran, aborted; };

/* Every work-item has added one to the counter of its number in each page of the slot, once. */
static void check_ended(struct paged *p, struct work *w, unsigned slot)
{
	const struct rig_end *e = &p->b.r->ends[slot];
	if (!w->running || !e->ended)
		return;
	w->running = false;
	w->aborted += e->faulted;
	w->ran += !e->faulted;
	if (e->faulted && e->fault.code != FAULT_ABORTED)
		fail_msg("fault %s; seed %llu", fault_name(e->fault.code), (unsigned long long)seed);
	for (unsigned page = 0; page < PAGES; page++)
		for (unsigned i = 0; i < ITEMS; i++) {
			uint32_t n = ((uint32_t *)(p->data + page * PAGE))[slot * ITEMS + i];
			if (e->faulted ? n > 1 : n != 1)
				fail_msg("slot %u, page %u, item %u: %u; seed %llu", slot, page, i, n, (unsigned long long)seed);
		}
}

static void start_slot(struct paged *p, struct work *w, unsigned slot, uint64_t entry)
{
	for (unsigned page = 0; page < PAGES; page++)
		memset(p->data + page * PAGE + slot * ITEMS * 4, 0, ITEMS * 4);
	p->b.arg[16 + slot * 2] = data_va + slot * ITEMS * 4;
	struct rig_range range = { .global = { ITEMS }, .local = { (uint16_t)(random_below(2) ? 8 : 16) }, .local_bytes = 64,
				   .kernarg = arg_va + 128 + slot * 16, .replay = true };
	assert_int_equal(rig_start(p->b.r, slot, entry, &range), FAULT_NONE);
	w->running = true;
}

/* Pages come and go, replays come too early and too late, dispatches are aborted wherever they are. */
static void pages_come_and_go(void **state)
{
	(void)state;
	unsigned ran = 0, aborted = 0;
	FOR_SETUPS {
		struct paged p = open_paged(setup);
		struct work work[SLOTS] = { 0 };
		struct rig *r = p.b.r;
		uint64_t entry = rig_load_text(r, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n li t0, 8\n li t1, 1\n lui t2, 1\n csrr t3, 0xcc0\n"
						       "li a2, 5\n slli a2, a2, 44\n sh2add a2, t3, a2\n"
						       "1: lw t4, 0(a1)\n sw t4, 0(a2)\n" BARRIER "amoadd.w zero, t1, (a1)\n" SG_SYNC
						       "add a1, a1, t2\n addi t0, t0, -1\n bnez t0, 1b\n" EXIT);
		for (unsigned step = 0; step < 1500; step++) {
			unsigned slot = (unsigned)random_below(SLOTS);
			uint64_t va = data_va + random_below(PAGES) * PAGE;
			switch (random_below(12)) {
			case 0:
			case 1:
				if (!work[slot].running)
					start_slot(&p, &work[slot], slot, entry);
				break;
			case 2:
				rig_unmap(r, va);
				break;
			case 3:
			case 4:
				map_page(&p, va);
				break;
			case 5:
				if (!random_below(8))
					compute_abort(r->compute, &(struct compute_abort){ slot }, r->now);
				break;
			case 6:
				compute_flush_code(r->compute, r->now);
				break;
			case 7:
			case 8:
				compute_replay(r->compute, &(struct compute_replay){ slot }, r->now);
				break;
			default: {
				uint64_t until = r->now + random_below(2000);
				while (compute_next(r->compute) < until)
					r->now = compute_tick(r->compute, until);
				r->now = until;
			}
			}
			for (unsigned s = 0; s < SLOTS; s++)
				check_ended(&p, &work[s], s);
		}
		for (unsigned page = 0; page < PAGES; page++)
			map_page(&p, data_va + page * PAGE);
		for (unsigned s = 0; s < SLOTS; s++)
			compute_replay(r->compute, &(struct compute_replay){ s }, r->now);
		assert_true(rig_finish(r, 1 << 26));
		for (unsigned s = 0; s < SLOTS; s++) {
			check_ended(&p, &work[s], s);
			assert_false(work[s].running);
			ran += work[s].ran;
			aborted += work[s].aborted;
		}
		rig_destroy(r);
	}
	assert_true(ran >= 4 * SLOTS && aborted >= 1);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_pages_are_waited_for),
		cmocka_unit_test(faults_are_described),
		cmocka_unit_test(atomics_happen_once),
		cmocka_unit_test(nothing_is_done_before_the_fault),
		cmocka_unit_test(addresses_survive),
		cmocka_unit_test(code_and_stack),
		cmocka_unit_test(lines_come_late),
		cmocka_unit_test(others_go_on),
		cmocka_unit_test(full_of_standing_warps),
		cmocka_unit_test(other_faults_end_it),
		cmocka_unit_test(pages_come_and_go),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
