/* The reference of private memory and the model's compute units: one warp, in a random warp slot, runs random loads, stores and atomics
 * at random addresses of its private memory, over backing that here and there has no page, no rights or no memory. What each lane reads,
 * all bytes of the backing, what is reported as accessed, and each fault are the same. Usage: private_model [seed [steps]]. */
#include "testbench/model/event_log.h"
#include "testbench/model/kernel.h"
#include "testbench/random.h"
#include "testbench/reference/private_address.h"

enum { BATCH = 31 }; /* steps of a dispatch: less than the atomics after which splits take turns: CU-95 */
enum { STEPS = 100000, STEPS_LONG = 1000000, LANES_MOST = 32, PAGE = 4096, BYTES_MOST = 4096, ALIGNMENT = 16, HANDLER = 16 };
enum { TABLE_AT = 0, RESULTS_AT = 512 << 10, UNIFORM_AT = 768 << 10, UNIT_WARPS = 64 };
enum { BACKING_MOST = UNIT_WARPS * LANES_MOST * BYTES_MOST, AREA_PAGES = BACKING_MOST / PAGE + 2 };
enum page_kind { FINE, READ_ONLY, MISSING, NO_MEMORY, BROKEN /* its entry is none */ };
static const uint64_t area_va = 0x19000000000, sentinel = 0x5e5e5e5e5e5e5e5e;

/* ---- instructions ---- */

enum operation { LOAD, STORE, LR, SC, ADD, SWAP, MAX, MAXU, CAS };
static const struct insn {
	const char *text; /* %s: the register of the address */
	enum operation operation;
	unsigned size;
	bool is_unsigned;
} insns[] = {
	{ "lb a5, 0(%s)", LOAD, 1, false },		{ "lbu a5, 0(%s)", LOAD, 1, true },
	{ "lh a5, 0(%s)", LOAD, 2, false },		{ "lhu a5, 0(%s)", LOAD, 2, true },
	{ "lw a5, 0(%s)", LOAD, 4, false },		{ "lwu a5, 0(%s)", LOAD, 4, true },
	{ "ld a5, 0(%s)", LOAD, 8, false },		{ "sb a2, 0(%s)", STORE, 1, false },
	{ "sh a2, 0(%s)", STORE, 2, false },		{ "sw a2, 0(%s)", STORE, 4, false },
	{ "sd a2, 0(%s)", STORE, 8, false },		{ "lr.w a5, (%s)", LR, 4, false },
	{ "lr.d a5, (%s)", LR, 8, false },		{ "sc.w a5, a2, (%s)", SC, 4, false },
	{ "sc.d a5, a2, (%s)", SC, 8, false },		{ "amoadd.w a5, a2, (%s)", ADD, 4, false },
	{ "amoadd.d a5, a2, (%s)", ADD, 8, false },	{ "amoswap.w a5, a2, (%s)", SWAP, 4, false },
	{ "amoswap.d a5, a2, (%s)", SWAP, 8, false },	{ "amomax.w a5, a2, (%s)", MAX, 4, false },
	{ "amomax.d a5, a2, (%s)", MAX, 8, false },	{ "amomaxu.w a5, a2, (%s)", MAXU, 4, false },
	{ "amomaxu.d a5, a2, (%s)", MAXU, 8, false },	{ "amocas.w a5, a2, (%s)", CAS, 4, false },
	{ "amocas.d a5, a2, (%s)", CAS, 8, false },
};
enum { INSNS = sizeof(insns) / sizeof(*insns) };

/* Each instruction twice, with the lane's address in a1 and with the warp's in a6; then the loop that goes from step to step. */
static void program_write(char *p)
{
	p += sprintf(p, "j 2f\n");
	for (unsigned i = 0; i < 2 * INSNS; i++) {
		p += sprintf(p, ".balign %u\n", HANDLER);
		p += sprintf(p, insns[i / 2].text, i % 2 ? "a6" : "a1");
		p += sprintf(p, "\n j 4f\n");
	}
	sprintf(p, ".balign 16\n 2:" ITEM "ld t0, 8(a0)\n sub s2, s0, t0\n ld t1, 16(a0)\n bltu s2, t1, 1f\n" EXIT
		   "1: ld s3, 24(a0)\n ld s4, 32(a0)\n ld s5, 40(a0)\n ld s6, 48(a0)\n ld s9, 56(a0)\n slli t0, s2, 5\n add s3, s3, t0\n"
		   "slli t0, s2, 3\n add s4, s4, t0\n slli s7, t1, 5\n slli s8, t1, 3\n"
		   "3: ld a1, 0(s3)\n ld a2, 8(s3)\n ld a5, 16(s3)\n ld a3, 24(s3)\n ld a6, 0(s9)\n beqz a1, 4f\n add a3, a3, s6\n jr a3\n"
		   "4: sd a5, 0(s4)\n add s3, s3, s7\n add s4, s4, s8\n addi s9, s9, 8\n addi s5, s5, -1\n bnez s5, 3b\n" EXIT);
}

struct record {
	uint64_t address, operand, expected, handler; /* address 0: the lane does not run */
};

/* ---- the world ---- */

struct world {
	struct event_log events; /* first member */
	struct bench b;
	uint64_t entry, area_pa;
	uint8_t *area;
	struct private_warp warp;
	struct record record[BATCH][LANES_MOST];
	bool replayable, observed, planted;
	/* the reference's: bytes of the backing, pages, what lanes have read and reserved, what was accessed */
	uint8_t *shadow;
	uint8_t kind[AREA_PAGES];
	uint64_t results[BATCH][LANES_MOST];
	uint32_t reserved;
	uint64_t reserved_address[LANES_MOST], reserved_value[LANES_MOST];
	uint8_t *touched[3], *seen[3]; /* times a byte was read, written, or the object of an atomic */
	const struct insn *insn;
	const struct record *lanes;
	unsigned step;
	uint64_t loaded, result, store;
	bool decided, stores;
	unsigned lane; /* that loaded and the others are of; LANES_MOST: of none */
	struct private_part part[LANES_MOST * PRIVATE_PARTS]; /* of the step; those of the lane from lane_parts on */
	unsigned parts, lane_parts;
};

static uint64_t random_state;
static uint64_t below(uint64_t n) { return splitmix64(&random_state) % n; }

/* ---- the reference's memory ---- */

static uint64_t sign_extend(uint64_t value, unsigned size)
{
	const unsigned shift = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static enum fault memory_look(void *of, uint64_t address, unsigned bytes, enum access access)
{
	const struct world *w = of;
	const uint64_t page = (address - area_va) / PAGE;

	(void)bytes;
	if (page >= AREA_PAGES || w->kind[page] == MISSING)
		return FAULT_PAGE_NOT_PRESENT;
	if (w->kind[page] == BROKEN)
		return FAULT_PAGE_TABLE;
	return w->kind[page] == READ_ONLY && access != ACCESS_READ ? FAULT_PAGE_WRITE : FAULT_NONE;
}

/* What the lane stores and has in its register, from what it has read. */
static void lane_decide(struct world *w)
{
	const struct record *r = &w->lanes[w->lane];
	const uint64_t old = w->insn->is_unsigned ? w->loaded : sign_extend(w->loaded, w->insn->size);
	const uint64_t x = sign_extend(r->operand, w->insn->size), bit = 1u << w->lane;

	w->decided = true;
	w->result = old;
	w->store = x;
	w->stores = true;
	switch (w->insn->operation) {
	case LOAD: w->stores = false; break;
	case STORE: w->result = r->expected; break;
	case LR:
		w->stores = false;
		w->reserved |= (uint32_t)bit;
		w->reserved_address[w->lane] = r->address;
		w->reserved_value[w->lane] = old;
		break;
	case SC:
		w->stores = w->reserved & bit && w->reserved_address[w->lane] == r->address && w->reserved_value[w->lane] == old;
		w->result = !w->stores;
		w->reserved &= (uint32_t)~bit;
		break;
	case ADD: w->store = old + x; break;
	case SWAP: break;
	case MAX: w->store = (int64_t)old > (int64_t)x ? old : x; break;
	case MAXU: w->store = old > x ? old : x; break; /* sign-extended words have the order of words */
	case CAS: w->stores = old == sign_extend(r->expected, w->insn->size); break;
	}
}

static unsigned touched_kind(const struct world *w)
{
	return w->insn->operation == LOAD || w->insn->operation == LR ? 0 : w->insn->operation == STORE ? 1 : 2;
}

/* The lane has done all its parts. */
static void lane_end(struct world *w)
{
	if (w->lane == LANES_MOST)
		return;
	if (!w->decided)
		lane_decide(w);
	w->results[w->step][w->lane] = w->result;
	w->lane_parts = w->parts;
	w->lane = LANES_MOST;
}

/* The lanes that are done have accessed this. */
static void step_touch(struct world *w)
{
	for (unsigned i = 0; i < w->lane_parts; i++)
		for (unsigned n = 0; n < w->part[i].bytes; n++)
			w->touched[touched_kind(w)][w->part[i].address + n - area_va]++;
}

static bool is_page_fault(enum fault code)
{
	return code == FAULT_PAGE_NOT_PRESENT || code == FAULT_PAGE_READ || code == FAULT_PAGE_WRITE;
}

static enum fault memory_move(void *of, unsigned lane, const struct private_part *part, enum access access)
{
	struct world *w = of;
	uint8_t *at = w->shadow + (part->address - area_va);

	if (lane != w->lane) {
		lane_end(w);
		w->lane = lane;
		w->loaded = 0;
		w->decided = false;
	}
	if (access != ACCESS_WRITE)
		memcpy((uint8_t *)&w->loaded + part->first, at, part->bytes);
	if (w->kind[(part->address - area_va) / PAGE] == NO_MEMORY)
		return FAULT_BUS_ERROR;
	if (access == ACCESS_READ || w->parts == w->lane_parts || w->insn->operation == STORE)
		w->part[w->parts++] = *part;
	if (access == ACCESS_READ)
		return FAULT_NONE;
	if (!w->decided)
		lane_decide(w);
	if (w->stores)
		memcpy(at, (const uint8_t *)&w->store + part->first, part->bytes);
	return FAULT_NONE;
}

static const struct insn *insn_of(const struct record *r) { return &insns[r->handler / HANDLER / 2]; }

/* A step of the reference; FAULT_NONE, or what stands in *fault. */
static enum fault step_expected(struct world *w, unsigned step, struct private_fault *fault)
{
	static const enum private_access kinds[] = { [LOAD] = PRIVATE_LOAD, [STORE] = PRIVATE_STORE, [LR] = PRIVATE_RESERVE };
	const struct private_memory memory = { w, memory_look, memory_move };
	uint64_t addresses[LANES_MOST];
	uint32_t mask = 0;
	enum fault code;

	w->step = step;
	w->lanes = w->record[step];
	w->insn = insn_of(&w->lanes[0]);
	w->lane = LANES_MOST;
	w->parts = w->lane_parts = 0;
	for (unsigned l = 0; l < w->warp.lanes; l++) {
		addresses[l] = w->lanes[l].address;
		mask |= (uint32_t)(addresses[l] != 0) << l;
	}
	code = private_execute(&w->warp, mask, addresses, w->insn->size, w->insn->operation <= LR ? kinds[w->insn->operation] : PRIVATE_ATOMIC,
			       w->replayable, &memory, fault);
	if (!code || w->lane != fault->lane)
		lane_end(w);
	if (!(w->replayable && is_page_fault(code))) /* it is done again */
		step_touch(w);
	if (code) /* no register was written */
		memset(w->results[step], 0x5e, sizeof(w->results[step]));
	for (unsigned l = 0; !code && l < w->warp.lanes; l++)
		if (!addresses[l])
			w->results[step][l] = w->lanes[l].expected;
	return code;
}

/* ---- random batches ---- */

static uint64_t random_offset(const struct world *w, unsigned size)
{
	const uint64_t most = w->warp.private_bytes;

	switch (below(8)) {
	case 0: return most < 8 ? below(16) : most + below(16) - 8; /* about the end */
	case 1:
	case 2: return 8 * below(3) + (below(2) ? 0 : below(8)); /* few words, for reservations that hold */
	case 3: return most > size ? below(most - size) : 0;
	default: return most > size ? below(most / size) * size : 0;
	}
}

static uint64_t shadow_at(const struct world *w, unsigned lane, uint64_t address, unsigned size)
{
	struct private_place place;
	uint64_t value = 0;

	if (!address || private_find(&w->warp, lane, address, size, PRIVATE_LOAD, &place))
		return 0;
	for (unsigned i = 0; i < place.parts; i++)
		memcpy((uint8_t *)&value + place.part[i].first, w->shadow + (place.part[i].address - area_va), place.part[i].bytes);
	return value;
}

static void random_step(struct world *w, unsigned step)
{
	const unsigned which = (unsigned)below(2 * INSNS), size = insns[which / 2].size, shape = (unsigned)below(4);
	const bool atomic = insns[which / 2].operation >= LR, range = !below(24), odd = atomic && !below(48);
	uint64_t *uniform = (uint64_t *)(void *)((uint8_t *)w->b.out + UNIFORM_AT) + step;
	uint64_t first = random_offset(w, size), most = w->warp.private_bytes;

	for (unsigned l = 0; l < w->warp.lanes; l++) {
		uint64_t o = which % 2 || !shape ? first : shape == 1 ? first + (uint64_t)l * size : random_offset(w, size);

		if (o + size > most && !range)
			o = most >= 16 ? (o & 7) + (most >= 32 && size < 8 ? 8 : 0) : 0;
		if (atomic && !odd)
			o -= o % size;
		w->record[step][l] = (struct record){
			.address = below(8) || which % 2 ? VA_PRIVATE_BASE + o : 0,
			.operand = below(4) ? splitmix64(&random_state) : below(4),
			.expected = below(2) ? splitmix64(&random_state) : sentinel,
			.handler = which * HANDLER,
		};
	}
	if (which % 2) { /* one register for all, of whom some do not run */
		*uniform = w->record[step][0].address;
		for (unsigned l = 0; l < w->warp.lanes; l++)
			w->record[step][l].address = below(8) ? *uniform : 0;
	}
	/* comparisons that may find what they expect */
	for (unsigned l = 0; l < w->warp.lanes; l++)
		if (insns[which / 2].operation == CAS && below(2))
			w->record[step][l].expected = shadow_at(w, l, w->record[step][l].address, size);
}

static uint64_t page_va(unsigned page) { return area_va + (uint64_t)page * PAGE; }

static void page_set(struct world *w, unsigned page, enum page_kind kind)
{
	struct rig *r = w->b.r;

	w->kind[page] = (uint8_t)kind;
	if (kind == MISSING)
		rig_unmap(r, page_va(page));
	else if (kind == NO_MEMORY)
		rig_map(r, page_va(page), SYSTEM_BASE + (RIG_SYSTEM_PAGES + 1) * (uint64_t)PAGE, PAGE, PTE_R | PTE_W);
	else
		rig_map(r, page_va(page), w->area_pa + (uint64_t)page * PAGE, PAGE,
			kind == READ_ONLY ? PTE_R : kind == BROKEN ? PTE_W : PTE_R | PTE_W);
	mmu_invalidate(r->mmu, MMU_PAGE, RIG_ASID, page_va(page));
}

/* Where the warp runs, over which backing. */
static void random_warp(struct world *w)
{
	const struct device_config *c = w->b.r->config;
	const unsigned sizes[] = { 16, 32, 64, 256, 1024, BYTES_MOST };

	w->warp = (struct private_warp){
		.private_bytes = below(8) ? sizes[below(6)] : (uint32_t)below(BYTES_MOST / 16 + 1) * 16,
		.lanes = c->lanes,
		.warps_per_cu = c->warps_per_cu,
		.unit = (unsigned)below(c->num_cu),
		.slot = (unsigned)below(c->warps_per_cu),
	};
	w->warp.scratch = below(32) ? area_va + (below(2) ? 0 : below(PAGE / ALIGNMENT) * ALIGNMENT) : 0;
	w->replayable = below(2);
	w->reserved = 0;
}

static uint64_t backing_first(const struct world *w) { return private_base(&w->warp) - area_va; }
static uint64_t backing_bytes(const struct world *w) { return (uint64_t)w->warp.lanes * w->warp.private_bytes; }

/* Some of the warp's pages are worse than others; first and last are those of its backing. */
static void random_pages(struct world *w, unsigned first, unsigned last)
{
	for (unsigned n = below(3) ? 0 : 1 + (unsigned)below(2); n; n--)
		page_set(w, first + (unsigned)below(last - first + 1), (enum page_kind)(READ_ONLY + below(4)));
}

/* ---- the comparison ---- */

static const char *fault_differs(const struct world *w, const struct compute_fault *seen, const struct private_fault *expected, enum fault code)
{
	if (seen->code != code)
		return "the fault";
	if (seen->address != expected->address)
		return "the address of the fault";
	if (seen->access != expected->access || seen->unit != UNIT_CU + w->warp.unit)
		return "who faults by what access";
	return seen->local_id[0] != w->warp.slot * w->warp.lanes + expected->lane ? "the lane that faults" : NULL;
}

static const char *events_differ(struct world *w)
{
	static const enum event_kind kinds[] = { EVENT_READ, EVENT_WRITE, EVENT_ATOMIC };
	const uint64_t first = w->warp.scratch ? backing_first(w) : 0, bytes = w->warp.scratch ? backing_bytes(w) : 0;
	const char *what = NULL;

	for (unsigned i = 0; i < w->events.count; i++) {
		const struct event *e = &w->events.event[i];
		const uint64_t at = e->a - area_va;

		for (unsigned k = 0; k < 3; k++)
			if (e->kind == kinds[k] && at < (uint64_t)AREA_PAGES * PAGE) {
				if (w->kind[at / PAGE] < MISSING && e->b != w->area_pa + at)
					what = "the physical address of an access";
				for (uint64_t n = 0; n < e->c; n++)
					w->seen[k][at + n]++;
			}
	}
	for (unsigned k = 0; k < 3; k++) {
		if (memcmp(w->seen[k] + first, w->touched[k] + first, bytes) != 0)
			what = "what was accessed";
		memset(w->seen[k] + first, 0, bytes);
		memset(w->touched[k] + first, 0, bytes);
	}
	w->events.count = 0;
	return what;
}

/* Runs the reference from the step on to a fault or the end, and compares it with what the device has done, which stands or has ended. */
static const char *batch_differs(struct world *w, unsigned *step, bool *stalled)
{
	const struct rig_end *e = &w->b.r->ends[0];
	const uint64_t *results = (const uint64_t *)(const void *)((uint8_t *)w->b.out + RESULTS_AT);
	struct private_fault fault = { 0 };
	enum fault code = FAULT_NONE;

	while (*step < BATCH && !(code = step_expected(w, *step, &fault)))
		++*step;
	*stalled = w->replayable && is_page_fault(code);
	if (*stalled == e->ended || (e->ended && e->faulted != (code != FAULT_NONE)))
		return "whether it stands, faults or ends";
	for (unsigned s = 0; s <= *step && s < BATCH; s++)
		if (memcmp(results + (size_t)s * w->warp.lanes, w->results[s], w->warp.lanes * sizeof(*results)) != 0)
			return "a result";
	if (w->warp.scratch && memcmp(w->area + backing_first(w), w->shadow + backing_first(w), backing_bytes(w)) != 0)
		return "the backing";
	return code ? fault_differs(w, *stalled ? &e->stall : &e->fault, &fault, code) : NULL;
}

static void batch_start(struct world *w)
{
	struct rig *r = w->b.r;
	uint8_t *out = (uint8_t *)w->b.out;
	const unsigned lanes = w->warp.lanes, items = (w->warp.slot + 1) * lanes;
	struct rig_range range = { .global = { items }, .local = { (uint16_t)items }, .private_bytes = w->warp.private_bytes, .kernarg = arg_va,
				   .units = 1u << w->warp.unit, .replay = w->replayable };

	for (unsigned s = 0; s < BATCH; s++)
		memcpy(out + TABLE_AT + (size_t)s * lanes * sizeof(struct record), w->record[s], lanes * sizeof(struct record));
	memset(out + RESULTS_AT, 0x5e, BATCH * LANES_MOST * sizeof(uint64_t));
	w->b.arg[1] = w->warp.slot * lanes;
	w->b.arg[2] = lanes;
	w->b.arg[3] = out_va + TABLE_AT;
	w->b.arg[4] = out_va + RESULTS_AT;
	w->b.arg[5] = BATCH;
	w->b.arg[6] = w->entry + HANDLER;
	w->b.arg[7] = out_va + UNIFORM_AT;
	r->scratch = w->warp.scratch + (w->planted && w->warp.scratch ? ALIGNMENT : 0);
	r->scratch_size = BACKING_MOST;
	assert_int_equal(private_dispatch(w->warp.private_bytes, r->scratch, r->scratch_size, r->config->num_cu, r->config->warps_per_cu, lanes), FAULT_NONE);
	assert_int_equal(rig_start(r, 0, w->entry, &range), FAULT_NONE);
}

/* One warp's steps; what differs, or NULL. */
static const char *batch(struct world *w)
{
	unsigned step = 0, first = 0, last = 0;
	bool stalled = false;
	const char *what;

	random_warp(w);
	if (w->warp.scratch && w->warp.private_bytes) {
		first = (unsigned)(backing_first(w) / PAGE);
		last = (unsigned)((backing_first(w) + backing_bytes(w) - 1) / PAGE);
		random_pages(w, first, last);
	}
	for (unsigned s = 0; s < BATCH; s++)
		random_step(w, s);
	w->events.count = 0;
	batch_start(w);
	do {
		assert_true(rig_finish(w->b.r, 1ull << 32));
		what = batch_differs(w, &step, &stalled);
		if (!what && stalled) { /* the page comes, and the instruction is done again */
			page_set(w, (unsigned)((w->b.r->ends[0].stall.address - area_va) / PAGE), FINE);
			compute_replay(w->b.r->compute, &(struct compute_replay){ 0 }, w->b.r->now += 1000);
		}
	} while (!what && stalled);
	if (!what && w->observed)
		what = events_differ(w);
	for (unsigned page = first; page <= last; page++)
		if (w->kind[page] != FINE)
			page_set(w, page, FINE);
	return what;
}

/* ---- runs ---- */

static struct world *world_create(const char *config, enum bus_speed speed, bool observed)
{
	static char text[1 << 14];
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	event_log_init(&w->events);
	w->observed = observed;
	w->b = bench_of(rig_create_events(config, speed, SIMD_AUTO, false, observed ? &w->events.sink : NULL));
	program_write(text);
	w->entry = rig_load_text(w->b.r, text);
	w->area_pa = rig_dram(w->b.r, (uint64_t)AREA_PAGES * PAGE);
	w->area = rig_host(w->b.r, w->area_pa);
	rig_map(w->b.r, area_va, w->area_pa, (uint64_t)AREA_PAGES * PAGE, PTE_R | PTE_W);
	w->shadow = malloc((size_t)AREA_PAGES * PAGE);
	assert_non_null(w->shadow);
	for (size_t i = 0; i < (size_t)AREA_PAGES * PAGE; i += 8)
		memcpy(w->shadow + i, &(uint64_t){ splitmix64(&random_state) }, 8);
	memcpy(w->area, w->shadow, (size_t)AREA_PAGES * PAGE);
	for (unsigned k = 0; k < 3; k++) {
		w->touched[k] = calloc(AREA_PAGES, PAGE);
		w->seen[k] = calloc(AREA_PAGES, PAGE);
		assert_true(w->touched[k] && w->seen[k]);
	}
	return w;
}

/* Steps until something differs, at least so many; returns what. */
static const char *compare(const char *config, enum bus_speed speed, bool observed, unsigned steps, bool planted)
{
	struct world *w = world_create(config, speed, observed);
	const char *what = NULL;

	w->planted = planted;
	for (unsigned done = 0; done < steps && !what; done += BATCH)
		what = batch(w);
	if (!what && memcmp(w->area, w->shadow, (size_t)AREA_PAGES * PAGE) != 0)
		what = "other bytes";
	if (what && !planted)
		print_error("%s: unit %u, slot %u, %u bytes, scratch %#llx, replayable %d, step %u: %s %s\n", config, w->warp.unit, w->warp.slot,
			    w->warp.private_bytes, (unsigned long long)w->warp.scratch, w->replayable, w->step, insn_of(&w->record[w->step][0])->text, what);
	rig_destroy(w->b.r);
	for (unsigned k = 0; k < 3; k++) {
		free(w->touched[k]);
		free(w->seen[k]);
	}
	event_log_fini(&w->events);
	free(w->shadow);
	free(w);
	return what;
}

static unsigned steps;

static void test_random_steps(void **state)
{
	static const struct {
		const char *config;
		enum bus_speed speed;
		bool observed;
	} runs[] = {
		{ "mini", BUS_TIMED, false },	     { "mini", BUS_TIMED, true },
		{ "full", BUS_FUNCTIONAL, false },   { "full", BUS_TIMED, false },
		{ "mini,lanes=8,max_wg_size=32", BUS_FUNCTIONAL, false }, { "mini,lanes=1,num_cu=2,max_wg_size=4", BUS_TIMED, true },
		{ "full", BUS_FUNCTIONAL, true },
	};
	const unsigned n = sizeof(runs) / sizeof(*runs);

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		const char *what = compare(runs[i].config, runs[i].speed, runs[i].observed, steps / n + BATCH, false);

		if (what)
			fail_msg("%s, %s: %s: not the same", runs[i].config, runs[i].speed == BUS_TIMED ? "timed" : "functional", what);
		print_message("%s, %s%s: %u steps agree\n", runs[i].config, runs[i].speed == BUS_TIMED ? "timed" : "functional",
			      runs[i].observed ? ", observed" : "", steps / n + BATCH);
	}
}

/* Which sizes and places of the backing a dispatch may have. */
static void test_backings_are_checked(void **state)
{
	struct bench b = bench_of(rig_create("mini", BUS_FUNCTIONAL, SIMD_AUTO, false));
	const struct device_config *c = b.r->config;
	const uint64_t entry = rig_load_text(b.r, EXIT);
	unsigned good = 0;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct rig_range range = { .private_bytes = (uint32_t)(below(4) ? below(64) * 16 : below(2) ? below(1024) : (1 << 20) + 16 * below(2)) };
		const uint64_t need = (uint64_t)c->num_cu * c->warps_per_cu * c->lanes * range.private_bytes;
		enum fault expected, seen;

		b.r->scratch_size = below(4) ? need : need + below(3) - 1;
		b.r->scratch = below(4) ? area_va + (below(4) ? 0 : below(64)) : below(8) ? VA_LOCAL_BASE - need + (below(3) - 1) * 16 : below(2) ? 0 : UINT64_MAX & ~15ull;
		expected = private_dispatch(range.private_bytes, b.r->scratch, b.r->scratch_size, c->num_cu, c->warps_per_cu, c->lanes);
		seen = rig_start(b.r, 0, entry, &range);
		assert_int_equal(seen, expected);
		good += !seen;
		compute_abort(b.r->compute, &(struct compute_abort){ 0 }, b.r->now);
	}
	assert_in_range(good, 100, 1900);
	rig_destroy(b.r);
}

static void test_a_planted_difference_is_found(void **state)
{
	(void)state;
	assert_non_null(compare("mini", BUS_FUNCTIONAL, false, 100 * BATCH, true));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_steps),
		cmocka_unit_test(test_backings_are_checked),
		cmocka_unit_test(test_a_planted_difference_is_found),
	};

	random_state = seed_take(argc, argv);
	steps = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : check_long() ? STEPS_LONG : STEPS;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
