/* Fuzzes the media unit: records of jobs, tables of filters and JPEG streams of any bytes, over memory with pages that are missing, read
 * only or protected. An input begins with a sound job and says what of it is changed. Whatever it is, the job ends or can be ended, a job
 * that is malformed writes nothing, and what is not mapped stays as it is. */
#include "abi/media.h"
#include "abi/pte.h"
#include "model/media/media.h"
#include "model/mem/cache.h"
#include "model/prot/protection.h"
#include "testbench/fuzz/fuzz.h"
#include "testbench/fuzz/input.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, PAGES = 64, TABLES = PAGES /* the first of their pages */, ALL = PAGES + 8, ASID = 3, JOB = 512, FILTER = PAGE, STREAM = 2 * PAGE,
	SRC = 16 * PAGE, DST = 32 * PAGE, CHANGES = 24, CYCLES = 3000 };
#define BASE 0x1000000000ull

static uint8_t memory[ALL * PAGE];
static uint8_t rights[ALL]; /* 0 not pinned, 1 read, 2 read and write */
static uint64_t generation;

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* ---- memory ---- */

static bool allows(uint64_t address, size_t n, bool write)
{
	for (uint64_t p = address / PAGE; n && p <= (address + n - 1) / PAGE; p++)
		if (p >= ALL || rights[p] < (write ? 2 : 1))
			return false;
	return true;
}

static int memory_read(void *ctx, uint64_t address, void *to, size_t n)
{
	(void)ctx;
	if (!allows(address, n, false))
		return -1;
	memcpy(to, memory + address, n);
	return 0;
}

static int memory_write(void *ctx, uint64_t address, const void *from, size_t n)
{
	(void)ctx;
	if (!allows(address, n, true))
		return -1;
	memcpy(memory + address, from, n);
	return 0;
}

static void *memory_page(void *ctx, uint64_t page, bool write)
{
	(void)ctx;
	return allows(page * PAGE, 1, write) ? memory + page * PAGE : NULL;
}

static void table_put(unsigned table, unsigned i, uint64_t word) { memcpy(memory + (TABLES + table) * PAGE + i * 8, &word, 8); }

/* Page n of memory is at BASE + n * 4096, the first of DRAM behind them. */
static void tables_make(void)
{
	table_put(0, ASID, (SYSTEM_BASE + (TABLES + 1) * PAGE) | 1);
	for (unsigned l = 3; l; l--)
		table_put(4 - l, PT_INDEX(BASE, l), pte_make(SYSTEM_BASE + (TABLES + 5 - l) * PAGE, PTE_V));
	for (unsigned p = 0; p < 2 * PAGES; p++)
		table_put(4, PT_INDEX(BASE + p * PAGE, 0), pte_make(p < PAGES ? SYSTEM_BASE + p * PAGE : DRAM_BASE + (p - PAGES) * PAGE,
								     PTE_V | PTE_U | PTE_R | PTE_W));
}

/* ---- jobs ---- */

static void process_sound(struct media_process *j)
{
	const struct media_filter f = { BASE + FILTER, 2, 0 };
	memset(j, 0, sizeof *j);
	j->src = (struct media_surface){ 32, 16, 0, { { BASE + SRC, 32, 1, 0, 0, 8 }, { BASE + SRC + 512, 32, 2, 1, 1, 8 },
						      { BASE + SRC + 513, 32, 2, 1, 1, 8 }, { BASE + SRC + 1024, 32, 1, 0, 0, 8 } } };
	j->dst = (struct media_surface){ 24, 16, 0, { { BASE + DST, 32, 1, 0, 0, 8 }, { BASE + DST + 1024, 32, 2, 1, 1, 8 },
						      { BASE + DST + 1025, 32, 2, 1, 1, 8 } } };
	j->width = 24;
	j->height = 16;
	for (unsigned i = 0; i < 4; i++)
		j->filter_x[i >> 1][i & 1] = j->filter_y[i >> 1][i & 1] = f;
	for (unsigned i = 0; i < 3; i++)
		j->matrix[i][i] = MEDIA_WEIGHT_ONE;
	j->alpha = 200;
	for (unsigned i = 0; i < 2048; i++) {
		const int16_t entry[4] = { (int16_t)(i % 32), 0, 8192, 8192 };
		memcpy(memory + FILTER + i * 8, entry, 8);
	}
}

/* Codes of a few symbols; the stream is the input's, so that nearly any bits mean something. */
static void jpeg_sound(struct media_jpeg *j)
{
	memset(j, 0, sizeof *j);
	j->stream = BASE + STREAM;
	j->stream_bytes = 2000;
	j->width = 30;
	j->height = 20;
	j->components = 3;
	for (unsigned i = 0; i < 3; i++)
		j->component[i] = (struct media_jpeg_component){ i ? 1 : 2, i ? 1 : 2, 0, i != 0, i != 0, { 0 } };
	memset(j->quant, 3, sizeof j->quant);
	for (unsigned t = 0; t < 2; t++) {
		static const uint8_t dc[] = { 0, 1, 2, 3, 4, 5, 6, 11, 9 }, ac[] = { 0x00, 0x01, 0x02, 0x11, 0xf0, 0x21, 0x03, 0x0a, 0x31 };
		const uint8_t counts[] = { 0, 2, 2, 2, 1, 1, 1 };
		memcpy(j->dc[t].counts, counts, sizeof counts);
		memcpy(j->ac[t].counts, counts, sizeof counts);
		memcpy(j->dc[t].symbols, dc, sizeof dc);
		memcpy(j->ac[t].symbols, ac, sizeof ac);
	}
	j->dst = (struct media_surface){ 30, 20, 0, { { BASE + DST, 32, 1, 0, 0, 8 }, { BASE + DST + 1024, 32, 2, 1, 1, 8 },
						      { BASE + DST + 1025, 32, 2, 1, 1, 8 } } };
}

/* An address near one of a job, a small number, a bit, or anything. */
static uint64_t take_word(void)
{
	const unsigned kind = (unsigned)take(1);
	switch (kind & 7) {
	case 0: return kind >> 3;
	case 1: return BASE + take(2);
	case 2: return BASE + take(3) % (2 * PAGES * PAGE);
	case 3: return take(2);
	case 4: return 1ull << (kind >> 3);
	case 5: return ~(uint64_t)(kind >> 3);
	default: return take(8);
	}
}

static void job_change(uint8_t *job, size_t size)
{
	for (unsigned n = (unsigned)take(1) % CHANGES; n; n--) {
		const size_t to = take(2) % size, width = (size_t)1 << take(1) % 4;
		const uint64_t word = take_word();
		memcpy(job + to, &word, to + width <= size ? width : size - to);
	}
}

/* ---- runs ---- */

struct outcome {
	unsigned count;
	struct media_result last;
};

static void on_done(void *ctx, const struct media_result *r, uint64_t cycle)
{
	struct outcome *o = ctx;
	(void)cycle;
	require(r->slot < 2, "a slot ends that has no job");
	require(r->end >= r->start, "a job ends before it starts");
	o->count++;
	o->last = *r;
}

static void job_run(struct media *m, struct outcome *o, const union packet *p, uint32_t space, unsigned slot)
{
	static uint8_t before[PAGES * PAGE];
	const uint64_t bytes = media_bytes(m);
	memcpy(before, memory, sizeof before);
	o->count = 0;
	media_start(m, &(struct media_start){ .slot = slot, .packet = *p, .space = space }, 1000);
	media_tick(m, 1000 + CYCLES);
	if (!o->count) { /* a large one */
		require(media_busy(m) == 1u << slot && media_next(m) > 1000 + CYCLES, "a job is forgotten");
		media_abort(m, &(struct media_abort){ slot }, 1000 + CYCLES);
		require(o->count == 1 && o->last.code == FAULT_ABORTED, "a job cannot be ended");
	}
	require(!media_busy(m) && media_next(m) == UINT64_MAX, "a job that has ended goes on");
	if (o->last.code == FAULT_BAD_PACKET) {
		require(!o->last.progress && media_bytes(m) == bytes, "a malformed job writes");
		require(!memcmp(before, memory, sizeof before), "a malformed job changes memory");
	}
	require(!(space & SPACE_PROTECTED) || !o->last.address, "a protected job tells an address");
	for (unsigned page = 0; page < PAGES; page++)
		require(rights[page] == 2 || !memcmp(before + page * PAGE, memory + page * PAGE, PAGE), "a page changes that is not writable");
}

/* A device of each kind, kept from input to input: making one takes longer than a job. */
struct world {
	struct device_config config;
	struct physmem mem;
	struct prot prot;
	struct l2 *l2;
	struct mmu *mmu;
	struct media *media;
	struct outcome outcome;
};

static struct world *world_get(unsigned kind)
{
	static struct world *worlds[4];
	struct world *w = worlds[kind];
	bool failed;
	if (w)
		return w;
	w = worlds[kind] = calloc(1, sizeof *w);
	require(w, "no memory");
	const enum bus_speed speed = kind & 1 ? BUS_TIMED : BUS_FUNCTIONAL;
	const struct bus_memory sys = { .read = memory_read, .write = memory_write, .page = memory_page, .generation = &generation };
	w->config = *device_config_find("mini");
	w->config.coherent = !(kind & 2);
	require(!physmem_init(&w->mem, 16 << 20, &sys), "no memory");
	prot_init(&w->prot, &w->mem, NULL);
	w->mem.prot = &w->prot;
	w->mem.cache = cache_create(&w->config, &w->mem, NULL, &failed);
	w->l2 = l2_create(&w->config, speed);
	w->mmu = mmu_create(&w->config, &w->mem, w->l2);
	w->media = media_create(&(struct media_params){ .config = &w->config, .speed = speed, .mem = &w->mem, .mmu = w->mmu, .l2 = w->l2,
							.result = on_done, .ctx = &w->outcome });
	require(!failed && w->l2 && w->mmu && w->media, "no memory");
	return w;
}

static void world_reset(struct world *w)
{
	media_reset(w->media);
	if (w->mem.cache)
		cache_reset(w->mem.cache);
	prot_reset(&w->prot, 0);
	memset(w->mem.dram, 0x33, PAGES * PAGE);
	memset(memory, 0x55, sizeof memory);
	memset(rights, 2, sizeof rights);
	tables_make();
	mmu_set_context_table(w->mmu, SYSTEM_BASE + TABLES * PAGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	at = data;
	end = data + size;
	const unsigned setup = (unsigned)take(1), pages = (unsigned)take(1);
	const bool jpeg = setup & 1;
	struct world *w = world_get(setup >> 1 & 3);
	world_reset(w);
	if (setup & 32)
		prot_region_set(&w->prot, 0, DRAM_BASE + 4 * PAGE, DRAM_BASE + 40 * PAGE, NULL, 0);
	if (jpeg)
		jpeg_sound((struct media_jpeg *)(memory + JOB));
	else
		process_sound((struct media_process *)(memory + JOB));
	job_change(memory + JOB, jpeg ? sizeof(struct media_jpeg) : sizeof(struct media_process));
	for (unsigned n = pages & 3; n; n--)
		rights[take(1) % PAGES] = (uint8_t)take(1) % 2;
	generation++;
	mmu_check_generation(w->mmu);
	union packet p = { .head.type = jpeg ? PACKET_CODE_jpeg : PACKET_CODE_process };
	p.process.job = BASE + JOB;
	if (pages >> 2 & 1)
		p.words[take(1) % 8] = take_word();
	/* what is left is the stream, or goes over tables and source */
	const uint64_t where = jpeg ? STREAM : pages >> 3 & 1 ? FILTER : SRC;
	const size_t left = (size_t)(end - at);
	if (at < end)
		memcpy(memory + where, at, left < 2 * PAGE ? left : 2 * PAGE);
	const uint32_t space = ASID | (setup & 8 ? SPACE_PROTECTED : 0);
	job_run(w->media, &w->outcome, &p, space, 0);
	if (w->mem.cache) /* what the job has written goes to memory when a line gives way, if not now */
		cache_maintain(w->mem.cache, 0, 0, CACHE_CLEAN, 0);
	job_run(w->media, &w->outcome, &p, space, 1); /* nothing is left of the one before */
	return 0;
}
