/* The software TLB of the compute units: rows, gathers, scatters and atomics over memory that is mapped at
 * random (runs of every length, holes, pages without rights, system memory, 2 MiB pages, neighbours that lie
 * elsewhere), remapped between the launches, against what the page tables say lane by lane. Every
 * engine that the host has, with and without timing. Usage: soft_tlb [seed]. */
#include "model/mmu/mmu.h"
#include "model/prot/protection.h"
#include "testbench/model/fixture.h"
#include "testbench/model/rig.h"
#include "testbench/skip.h"

enum { PAGE = 4096, PAGES = 1536, LANES = 32, LAUNCHES = 60, ROUNDS = 4 };
static const uint64_t space_va = 0x2000000000, huge_va = 0x2000000000 + (2 << 20), arg_va = 0x3000000000, out_va = 0x3100000000;

/* What a page of the region is; host NULL: not there. */
struct place {
	uint8_t *host;
	bool write;
};

struct world {
	struct rig *r;
	struct place page[PAGES];
	/* what the mappings' memory has to hold: DRAM, and system memory */
	uint8_t expected[PAGES * PAGE], expected_system[RIG_SYSTEM_PAGES * PAGE];
	uint64_t dram; /* PAGES pages of it for the mappings */
	uint64_t *arg, *out;
};

enum kind { LOAD_ROW, LOAD_STRIDED, GATHER, SCATTER, STORE_ROW, STORE_STRIDED, AMOADD, KINDS };
static const struct { const char *text; unsigned size, step; bool store; } kinds[KINDS] = {
	[LOAD_ROW] = { "lw a4, 0(a2)", 4, 4, false },      [LOAD_STRIDED] = { "lw a4, 0(a2)", 4, 16, false },
	[GATHER] = { "ld a4, 0(a2)", 8, 0, false },        [SCATTER] = { "sd a5, 0(a2)", 8, 0, true },
	[STORE_ROW] = { "sw a5, 0(a2)", 4, 4, true },      [STORE_STRIDED] = { "sh a5, 0(a2)", 2, 12, true },
	[AMOADD] = { "amoadd.d a4, a5, (a2)", 8, 0, true },
};

/* a2: the lane's address; a5: what it stores; a4: what it loads, written to out. */
static uint64_t kernel_load(struct rig *r, enum kind kind)
{
	char text[512];
	snprintf(text, sizeof(text),
		 "csrr a0, 0xcc9\n csrr a1, 0xcc0\n ld a2, 0(a0)\n li a3, %u\n mul a3, a1, a3\n add a2, a2, a3\n"
		 "%s addi a5, a1, 1000\n li a4, 0\n %s\n ld a6, 8(a0)\n sh3add a6, a1, a6\n sd a4, 0(a6)\n"
		 ".insn i 0x0b, 1, x0, x0, 0\n",
		 kinds[kind].step, kinds[kind].step ? "" : "sh3add a2, a1, a0\n ld a2, 16(a2)\n", kinds[kind].text);
	return rig_load_text(r, text);
}

static void page_set(struct world *w, unsigned page, uint64_t pa, bool write)
{
	rig_map(w->r, space_va + page * (uint64_t)PAGE, pa, PAGE, PTE_R | (write ? PTE_W : 0));
	w->page[page] = (struct place){ rig_host(w->r, pa), write };
}

/* Maps the region anew: pieces that go on from each other or not. */
static void region_map(struct world *w)
{
	for (unsigned at = 0; at < PAGES;) {
		unsigned n = 1 + (unsigned)random_below(random_below(2) ? 4 : 200), what = (unsigned)random_below(10);
		uint64_t first = random_below(2) ? at : random_below(PAGES), system = random_below(RIG_SYSTEM_PAGES);
		for (unsigned i = 0; i < n && at < PAGES; i++, at++) {
			uint64_t pa = w->dram + (first + i) % PAGES * PAGE;
			if (what == 0) {
				rig_unmap(w->r, space_va + at * (uint64_t)PAGE);
				w->page[at] = (struct place){ 0 };
			} else if (what == 1) {
				page_set(w, at, SYSTEM_BASE + (system + i) % RIG_SYSTEM_PAGES * PAGE, true);
			} else {
				page_set(w, at, pa, what != 2);
			}
		}
	}
	mmu_invalidate(w->r->mmu, MMU_ALL, 0, 0);
}

static const struct place *place_of(const struct world *w, uint64_t va)
{
	static const struct place none;
	return va - space_va < PAGES * (uint64_t)PAGE ? &w->page[(va - space_va) / PAGE] : &none;
}

static enum fault page_fault(const struct world *w, uint64_t va, bool store)
{
	const struct place *p = place_of(w, va);
	return !p->host ? FAULT_PAGE_NOT_PRESENT : store && !p->write ? FAULT_PAGE_WRITE : FAULT_NONE;
}

/* The fault of an access and its address: of one that crosses a page, a store asks for the second first. */
static enum fault expect_fault(const struct world *w, uint64_t va, unsigned size, bool store, uint64_t *bad)
{
	uint64_t last = (va + size - 1) & ~(uint64_t)(PAGE - 1), pages[2] = { va, va };
	if (last != (va & ~(uint64_t)(PAGE - 1)))
		pages[store ? 0 : 1] = last;
	for (unsigned i = 0; i < 2; i++) {
		*bad = pages[i];
		if (page_fault(w, pages[i], store))
			return page_fault(w, pages[i], store);
	}
	return FAULT_NONE;
}

/* Where the expected value of a byte of the mappings' memory is. */
static uint8_t *expected_of(struct world *w, const uint8_t *host)
{
	const uint8_t *system = w->r->system;
	if (host >= system && host < system + sizeof(w->expected_system))
		return w->expected_system + (host - system);
	return w->expected + (host - (const uint8_t *)rig_host(w->r, w->dram));
}

static uint64_t bytes_move(struct world *w, uint64_t va, unsigned size, bool store, uint64_t value)
{
	uint8_t b[8] = { 0 };
	memcpy(b, &value, 8);
	for (unsigned i = 0; i < size; i++) {
		uint8_t *p = expected_of(w, place_of(w, va + i)->host + (va + i) % PAGE);
		if (store)
			*p = b[i];
		else
			b[i] = *p;
	}
	memcpy(&value, b, 8);
	return size == 4 ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* Addresses: near each other mostly, so that one run often holds them all; sometimes not aligned. */
static void addresses_make(const struct world *w, enum kind kind, uint64_t *va)
{
	unsigned size = kinds[kind].size, reach = random_below(3) ? PAGE << random_below(6) : PAGES * PAGE;
	uint64_t align = kind == AMOADD || random_below(8) ? size : 1;
	uint64_t base = space_va + random_below(PAGES * (uint64_t)PAGE) / align * align;
	w->arg[0] = base;
	for (unsigned i = 0; i < LANES; i++) {
		if (!kinds[kind].step) {
			w->arg[2 + i] = base + random_below(reach) / align * align;
			if (w->arg[2 + i] >= space_va + PAGES * (uint64_t)PAGE - 8 && random_below(16))
				w->arg[2 + i] = base;
			va[i] = w->arg[2 + i];
		} else {
			va[i] = base + i * kinds[kind].step;
		}
	}
}

/* cmocka's comparison looks at each byte for itself: it is asked when they differ. */
static void check_bytes(const void *got, const void *want, size_t n)
{
	if (memcmp(got, want, n))
		assert_memory_equal(got, want, n);
}

static void launch_check(struct world *w, enum kind kind, uint64_t entry)
{
	uint64_t va[LANES], expect[LANES] = { 0 }, bad = 0;
	unsigned size = kinds[kind].size, lane = 0;
	enum fault fault = FAULT_NONE;
	struct rig_range range = { .global = { LANES, 1, 1 }, .local = { LANES, 1, 1 }, .kernarg = arg_va };

	addresses_make(w, kind, va);
	memset(w->out, 0xee, LANES * 8);
	for (; lane < LANES && !fault; lane++) {
		fault = expect_fault(w, va[lane], size, kinds[kind].store, &bad);
		if (fault)
			break;
		if (kind == AMOADD || !kinds[kind].store)
			expect[lane] = bytes_move(w, va[lane], size, false, 0);
		if (kinds[kind].store)
			bytes_move(w, va[lane], size, true, kind == AMOADD ? expect[lane] + 1000 + lane : 1000 + lane);
	}

	const struct rig_end *e = rig_run(w->r, entry, &range);
	assert_int_equal(e->faulted, fault != FAULT_NONE);
	if (fault) {
		assert_int_equal(e->fault.code, fault);
		assert_int_equal(e->fault.address, bad);
		assert_int_equal(e->fault.local_id[0], lane);
	} else {
		assert_memory_equal(w->out, expect, sizeof(expect));
	}
	check_bytes(rig_host(w->r, w->dram), w->expected, sizeof(w->expected));
	check_bytes(w->r->system, w->expected_system, sizeof(w->expected_system));
}

static void engine_check(enum compute_simd simd, const char *name, enum bus_speed speed)
{
	static struct world w;
	uint64_t entry[KINDS];

	memset(&w, 0, sizeof(w));
	w.r = rig_create("full", speed, simd, false);
	if (strcmp(compute_simd_name(w.r->compute), name)) {
		rig_destroy(w.r);
		SKIP("the host lacks this vector extension, or GALENA_SIMD forbids it");
	}

	w.dram = rig_dram(w.r, PAGES * PAGE);
	w.arg = rig_buffer(w.r, arg_va, PAGE);
	w.out = rig_buffer(w.r, out_va, PAGE);
	for (unsigned k = 0; k < KINDS; k++)
		entry[k] = kernel_load(w.r, (enum kind)k);
	uint64_t *bytes = rig_host(w.r, w.dram);
	for (unsigned i = 0; i < PAGES * PAGE / 8; i++)
		bytes[i] = random_next();
	memcpy(w.expected, bytes, sizeof(w.expected));
	memcpy(w.expected_system, w.r->system, sizeof(w.expected_system));
	w.arg[1] = out_va;
	for (unsigned round = 0; round < ROUNDS; round++) {
		region_map(&w);
		for (unsigned i = 0; i < LAUNCHES; i++) {
			enum kind kind = (enum kind)random_below(KINDS);
			launch_check(&w, kind, entry[kind]);
			if (!random_below(10)) { /* one page goes, and is dropped */
				unsigned page = (unsigned)random_below(PAGES);
				rig_unmap(w.r, space_va + page * (uint64_t)PAGE);
				w.page[page] = (struct place){ 0 };
			}
		}
	}
	rig_destroy(w.r);
}

#define ENGINE_TEST(name, simd)                                                                     \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		engine_check(simd, #name, BUS_FUNCTIONAL);                                         \
		engine_check(simd, #name, BUS_TIMED);                                              \
	}
ENGINE_TEST(portable, SIMD_PORTABLE)
ENGINE_TEST(avx2, SIMD_AVX2)
ENGINE_TEST(avx512, SIMD_AVX512)

/* ---- what a run is ---- */

static uint64_t run_of(struct rig *r, uint32_t space, uint64_t va, uint64_t *before)
{
	const struct tlb_entry *e = NULL;
	uint32_t cycles;
	uint64_t bytes = 0;

	assert_int_equal(mmu_translate(r->mmu, UNIT_CU, space, va, ACCESS_READ, 0, &e, &cycles), FAULT_NONE);
	*before = mmu_run(r->mmu, space, va, e, &bytes);
	return bytes;
}

static void test_runs(void **state)
{
	struct rig *r = rig_create("full", BUS_FUNCTIONAL, SIMD_AUTO, false);
	uint64_t pa = rig_dram(r, 40 * PAGE), va = space_va + 100 * PAGE, before, huge_pa = DRAM_BASE + (64 << 20);

	(void)state;
	rig_map(r, va, pa, 10 * PAGE, PTE_R | PTE_W);
	assert_int_equal(run_of(r, RIG_ASID, va + 3 * PAGE + 5, &before), 10 * PAGE);
	assert_int_equal(before, 3 * PAGE);
	/* another right, another place, another attribute, a hole: each ends it */
	rig_map(r, va + 6 * PAGE, pa + 6 * PAGE, PAGE, PTE_R);
	assert_int_equal(run_of(r, RIG_ASID, va + 3 * PAGE, &before), 6 * PAGE);
	rig_map(r, va + 5 * PAGE, pa + 4 * PAGE, PAGE, PTE_R | PTE_W);
	assert_int_equal(run_of(r, RIG_ASID, va + 3 * PAGE, &before), 5 * PAGE);
	rig_map(r, va + 4 * PAGE, pa + 4 * PAGE, PAGE, PTE_R | PTE_W | PTE_UNCACHED);
	assert_int_equal(run_of(r, RIG_ASID, va + 3 * PAGE, &before), 4 * PAGE);
	rig_unmap(r, va);
	assert_int_equal(run_of(r, RIG_ASID, va + 3 * PAGE, &before), 3 * PAGE);
	assert_int_equal(before, 2 * PAGE);
	/* a translation that the tables no longer say stands alone */
	rig_map(r, va + 3 * PAGE, pa + 20 * PAGE, PAGE, PTE_R | PTE_W);
	assert_int_equal(run_of(r, RIG_ASID, va + 3 * PAGE, &before), PAGE);
	assert_int_equal(before, 0);
	/* system memory; it ends with the table of 2 MiB */
	rig_map(r, huge_va - 8 * PAGE, SYSTEM_BASE, 16 * PAGE, PTE_R | PTE_W);
	assert_int_equal(run_of(r, RIG_ASID, huge_va - 2 * PAGE, &before), 8 * PAGE);
	assert_int_equal(before, 6 * PAGE);
	/* with a fault armed, every access of a page counts */
	inject_arm(&r->inject, INJECT_TLB_PARITY, 1000, INJECT_ANY_UNIT, 0, 0);
	assert_int_equal(run_of(r, RIG_ASID, huge_va - 2 * PAGE, &before), PAGE);
	inject_reset(&r->inject);

	/* a 2 MiB page; a part of it protected, and protected whole, for both kinds of jobs */
	struct prot prot;
	uint64_t table = r->root, huge = 2 << 20;
	for (unsigned level = PT_LEVELS - 1; level > 1; level--)
		table = pte_address(((uint64_t *)rig_host(r, table))[PT_INDEX(huge_va, level)]);
	((uint64_t *)rig_host(r, table))[PT_INDEX(huge_va, 1)] = pte_make(huge_pa, PTE_V | PTE_U | PTE_R | PTE_W);
	prot_init(&prot, &r->mem, NULL);
	r->mem.prot = &prot;
	mmu_invalidate(r->mmu, MMU_ALL, 0, 0);
	assert_int_equal(run_of(r, RIG_ASID, huge_va + 7 * PAGE, &before), huge);
	assert_int_equal(before, 7 * PAGE);
	assert_true(prot_region_set(&prot, 0, huge_pa + 9 * PAGE, huge_pa + 10 * PAGE, NULL, 0));
	mmu_invalidate(r->mmu, MMU_ALL, 0, 0);
	assert_int_equal(run_of(r, RIG_ASID, huge_va + 7 * PAGE, &before), PAGE);
	assert_int_equal(run_of(r, RIG_ASID | SPACE_PROTECTED, huge_va + 9 * PAGE, &before), PAGE);
	assert_true(prot_region_set(&prot, 0, huge_pa, huge_pa + huge, NULL, 0));
	mmu_invalidate(r->mmu, MMU_ALL, 0, 0);
	assert_int_equal(run_of(r, RIG_ASID | SPACE_PROTECTED, huge_va + 9 * PAGE, &before), huge);
	r->mem.prot = NULL;
	rig_destroy(r);
}

/* ---- look-ups ---- */

/* What a launch of scattered loads from the page misses in the L1 TLB after an invalidation. */
static uint64_t misses_of(struct rig *r, uint64_t entry, uint64_t *arg, uint64_t page)
{
	uint64_t before = mmu_counters(r->mmu)->l1_miss;

	for (unsigned i = 0; i < LANES; i++)
		arg[2 + i] = page + i * 72 % (PAGE - 8);
	mmu_invalidate(r->mmu, MMU_ALL, 0, 0);
	assert_false(rig_run(r, entry, &(struct rig_range){ .global = { LANES }, .local = { LANES }, .kernarg = arg_va })->faulted);
	return mmu_counters(r->mmu)->l1_miss - before;
}

/* However many lanes are in a page: it is one look-up, and none where another instruction has made it. */
static void test_one_look_up_of_a_page(void **state)
{
	(void)state;
	for (unsigned timed = 0; timed < 2; timed++) {
		struct rig *r = rig_create("full", timed ? BUS_TIMED : BUS_FUNCTIONAL, SIMD_AUTO, false);
		uint64_t *arg = rig_buffer(r, arg_va, PAGE), entry = kernel_load(r, GATHER);

		rig_buffer(r, out_va, PAGE);
		rig_buffer(r, space_va, PAGE);
		arg[0] = space_va;
		arg[1] = out_va;
		assert_int_equal(misses_of(r, entry, arg, space_va), misses_of(r, entry, arg, arg_va) + 1);
		rig_destroy(r);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_one_look_up_of_a_page),
		cmocka_unit_test(test_portable),
		cmocka_unit_test(test_avx2),
		cmocka_unit_test(test_avx512),
	};
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
