#include "testbench/lockstep/kernel.h"
#include "abi/address_map.h"
#include "abi/codes.h"
#include <string.h>

enum { FEATURES = REF_MEMORY | REF_BRANCHES | REF_ZICOND | REF_ATOMICS | REF_MODES | REF_ZFHMIN | REF_CTZW | REF_SUBGROUPS };
enum { LINK = 1, ITEM = 26, COUNT = 27, TEMP = 30 };
enum { BODY_MOST = 40, TAIL = 128 /* words that the end takes */ };

static void emit(struct kernel *k, uint32_t word) { k->words[k->count++] = word; }
static void csr(struct kernel *k, unsigned rd, unsigned number) { emit(k, ref_word(OP_csrrs, rd, 0, 0, (int32_t)number)); }
static void addi(struct kernel *k, unsigned rd, unsigned rs, int32_t imm) { emit(k, ref_word(OP_addi, rd, rs, 0, imm)); }
static void add(struct kernel *k, unsigned rd, unsigned a, unsigned b) { emit(k, ref_word(OP_add, rd, a, b, 0)); }
static void shift(struct kernel *k, unsigned rd, unsigned rs, int32_t by) { emit(k, ref_word(OP_slli, rd, rs, 0, by)); }

static void body(struct kernel *k, struct ref_random *r, unsigned most)
{
	addi(k, REF_SCRATCH, 0, 0); /* it is a rounding mode */
	k->count += ref_program(r, k->words + k->count, 1 + (unsigned)ref_below(r, most), FEATURES);
}

/* rd = the base of local memory */
static void local_base(struct kernel *k, unsigned rd)
{
	addi(k, rd, 0, (int32_t)(VA_LOCAL_BASE >> 36));
	shift(k, rd, rd, 36);
}

static void begin(struct kernel *k)
{
	csr(k, TEMP, CSR_group_id_x);
	addi(k, REF_SCRATCH, 0, (int32_t)k->local);
	emit(k, ref_word(OP_mul, TEMP, TEMP, REF_SCRATCH, 0));
	csr(k, ITEM, CSR_local_id_x);
	add(k, TEMP, TEMP, ITEM);
	shift(k, TEMP, TEMP, 9);
	csr(k, REF_TABLE, CSR_kernarg);
	add(k, REF_GLOBAL, REF_TABLE, TEMP);
	addi(k, REF_GLOBAL, REF_GLOBAL, KERNEL_HEAD);
	for (unsigned reg = REF_LOW; reg < REF_HIGH; reg++)
		emit(k, ref_word(OP_ld, reg, REF_GLOBAL, 0, (int32_t)(reg - REF_LOW) * 8));
	for (unsigned reg = 0; reg < REF_FHIGH; reg++)
		emit(k, ref_word(reg & 1 ? OP_flw : OP_fld, 32 + reg, REF_GLOBAL, 0, 88 + (int32_t)reg * 8));
	addi(k, REF_GLOBAL, REF_GLOBAL, 256);
	csr(k, REF_LANE, CSR_lane_id);
	local_base(k, REF_LOCAL);
	shift(k, TEMP, ITEM, 6);
	add(k, REF_LOCAL, REF_LOCAL, TEMP);
	addi(k, REF_SP, REF_SP, -REF_AREA);
	for (int32_t i = 0; i < REF_AREA; i += 8) {
		emit(k, ref_word(OP_sd, 0, REF_SP, 0, i));
		emit(k, ref_word(OP_sd, 0, REF_LOCAL, 5, i));
	}
}

/* Each reads what another work-item of its group has written. */
static void exchange(struct kernel *k, struct ref_random *r)
{
	emit(k, ref_word(OP_barrier, 0, 0, 0, 0));
	emit(k, ref_word(OP_andi, TEMP, ITEM, 0, -4));
	shift(k, TEMP, TEMP, 6);
	local_base(k, REF_SCRATCH);
	add(k, TEMP, TEMP, REF_SCRATCH);
	for (unsigned n = 1 + (unsigned)ref_below(r, 3); n; n--)
		emit(k, ref_word(OP_ld, REF_LOW + (unsigned)ref_below(r, REF_HIGH - REF_LOW), TEMP, 0, 8 * (int32_t)ref_below(r, 8)));
	emit(k, ref_word(OP_barrier, 0, 0, 0, 0));
}

static void count(struct kernel *k, struct ref_random *r)
{
	static const uint16_t ops[KERNEL_COUNTERS] = { OP_amoadd_w, OP_amoadd_d, OP_amoxor_d, OP_amoand_d, OP_amoor_d, OP_amomax_d, OP_amominu_d, OP_amomaxu_w };
	const unsigned n = (unsigned)ref_below(r, KERNEL_COUNTERS);
	addi(k, REF_SCRATCH, REF_TABLE, 8 * (int32_t)n);
	emit(k, ref_word(ops[n], 0, REF_SCRATCH, REF_LOW + (unsigned)ref_below(r, REF_HIGH - REF_LOW), 0));
}

/* Each lane goes through it as often as its number says. */
static void loop(struct kernel *k, struct ref_random *r)
{
	emit(k, ref_word(OP_andi, COUNT, ref_below(r, 2) ? REF_LANE : ITEM, 0, 1 + 2 * (int32_t)ref_below(r, 4)));
	addi(k, COUNT, COUNT, 1);
	const unsigned head = k->count;
	body(k, r, 12);
	addi(k, COUNT, COUNT, -1);
	emit(k, ref_word(OP_bne, 0, COUNT, 0, 4 * ((int32_t)head - (int32_t)k->count)));
}

/* A function, which some lanes may call and others not. */
static void call(struct kernel *k, struct ref_random *r)
{
	const unsigned over = k->count;
	emit(k, 0);
	const unsigned function = k->count;
	body(k, r, 8);
	emit(k, ref_word(OP_jalr, 0, LINK, 0, 0));
	k->words[over] = ref_word(OP_jal, 0, 0, 0, 4 * (int32_t)(k->count - over));
	const bool some = ref_below(r, 2);
	if (some)
		emit(k, ref_word(OP_blt, 0, REF_LOW + (unsigned)ref_below(r, 11), REF_LOW + (unsigned)ref_below(r, 11), 8));
	emit(k, ref_word(OP_jal, LINK, 0, 0, 4 * ((int32_t)function - (int32_t)k->count)));
	body(k, r, 4);
}

static void end(struct kernel *k)
{
	for (unsigned reg = REF_LOW; reg < REF_HIGH; reg++)
		emit(k, ref_word(OP_sd, 0, REF_GLOBAL, reg, 64 + (int32_t)(reg - REF_LOW) * 8));
	for (unsigned reg = 0; reg < 8; reg++)
		emit(k, ref_word(OP_fsd, 0, REF_GLOBAL, 32 + reg, 152 + (int32_t)reg * 8));
	emit(k, ref_word(OP_exit_, 0, 0, 0, 0));
}

/* What a work-item finds in memory that others write depends on who came first. */
static void race(struct kernel *k, struct ref_random *r)
{
	static const uint16_t ops[] = { OP_amoadd_d, OP_amoswap_d, OP_amomax_w, OP_lr_d, OP_ld, OP_lw };
	const unsigned rd = REF_LOW + (unsigned)ref_below(r, REF_HIGH - REF_LOW), op = ops[ref_below(r, sizeof ops / sizeof *ops)];
	const bool load = op == OP_ld || op == OP_lw, reserves = op == OP_lr_d;
	addi(k, REF_SCRATCH, REF_TABLE, 8 * (int32_t)ref_below(r, KERNEL_COUNTERS));
	emit(k, ref_word(op, rd, REF_SCRATCH, load || reserves ? 0 : rd, 0));
	if (load)
		emit(k, ref_word(OP_sd, 0, REF_SCRATCH, REF_LOW, 0));
	if (reserves)
		emit(k, ref_word(OP_sc_d, REF_LOW, REF_SCRATCH, REF_LOW + 1, 0));
}

void kernel_random(struct kernel *k, struct ref_random *r, unsigned most_local)
{
	static void (*const pieces[])(struct kernel *, struct ref_random *) = { exchange, count, loop, call, race, race };
	const unsigned most_pieces = k->races ? 6 : 4;
	k->count = 0;
	k->local = 1 + (unsigned)ref_below(r, most_local);
	k->groups = 1 + (unsigned)ref_below(r, 6);
	begin(k);
	for (unsigned n = 2 + (unsigned)ref_below(r, 5); n; n--) {
		body(k, r, BODY_MOST);
		pieces[ref_below(r, most_pieces)](k, r);
	}
	if (ref_below(r, 3) == 0) { /* some lanes end before the others */
		emit(k, ref_word(OP_bltu, 0, REF_LOW + (unsigned)ref_below(r, 11), REF_LOW + (unsigned)ref_below(r, 11), 8));
		emit(k, ref_word(OP_exit_, 0, 0, 0, 0));
		exchange(k, r);
	}
	end(k);
}

size_t kernel_bytes(const struct kernel *k) { return KERNEL_HEAD + (size_t)k->local * k->groups * KERNEL_ITEM; }

void kernel_memory(const struct kernel *k, struct ref_random r, uint8_t *memory)
{
	memset(memory, 0, kernel_bytes(k));
	for (unsigned item = 0; item < k->local * k->groups; item++) {
		uint64_t *at = (uint64_t *)(void *)(memory + KERNEL_HEAD + (size_t)item * KERNEL_ITEM);
		for (unsigned i = 0; i < 27; i++)
			at[i] = ref_below(&r, 4) ? ref_value(&r, i >= 11) : item * 3 + i;
	}
}

/* ---- lanes that part ---- */

/* registers that bodies leave alone */
enum { VALUE = 16, TARGET = 17, DEPTH = 22, READ = 23 };
enum { PLAIN = REF_BRANCHES | REF_ZICOND | REF_CTZW | REF_SUBGROUPS, PAGE_WORDS = 1024, ROOM = 1024 /* of all pieces, with their ends of pages */ };

static unsigned low(struct ref_random *r) { return REF_LOW + (unsigned)ref_below(r, REF_HIGH - REF_LOW); }
static void plain(struct kernel *k, struct ref_random *r, unsigned most) { k->count += ref_program(r, k->words + k->count, 1 + (unsigned)ref_below(r, most), PLAIN); }
static int32_t from_here(const struct kernel *k, unsigned to) { return 4 * ((int32_t)to - (int32_t)k->count); }

/* VALUE = some bits that differ between lanes */
static void lane_value(struct kernel *k, struct ref_random *r, int32_t bits)
{
	const unsigned from = ref_below(r, 2) ? REF_LANE : ref_below(r, 2) ? ITEM : low(r);
	emit(k, ref_word(OP_srli, VALUE, from, 0, ref_below(r, 3) ? 0 : (int32_t)ref_below(r, 3)));
	emit(k, ref_word(OP_andi, VALUE, VALUE, 0, bits));
}

/* COUNT = more than `least`, in steps, at most 8 * step more */
static void lane_count(struct kernel *k, struct ref_random *r, int32_t least, int32_t step)
{
	lane_value(k, r, 7);
	addi(k, COUNT, 0, step);
	emit(k, ref_word(OP_mul, COUNT, COUNT, VALUE, 0));
	addi(k, COUNT, COUNT, least + 1);
}

/* Goes on some words before the end of a page, if there is room. */
static void to_end_of_page(struct kernel *k, struct ref_random *r)
{
	const unsigned to = (k->count / PAGE_WORDS + 1) * PAGE_WORDS - 1 - (unsigned)ref_below(r, 4);
	if (to <= k->count || to + ROOM > KERNEL_WORDS)
		return;
	emit(k, ref_word(OP_jal, ref_below(r, 4) ? 0 : DEPTH, 0, 0, from_here(k, to)));
	memset(k->words + k->count, 0, (to - k->count) * 4);
	k->count = to;
}

static void turns(struct kernel *k, struct ref_random *r, unsigned atomics)
{
	const unsigned head = k->count;
	unsigned out = 0;
	plain(k, r, 5);
	for (unsigned n = 0; n < atomics; n++)
		count(k, r);
	if (ref_below(r, 2)) { /* some leave it sooner */
		lane_value(k, r, 7);
		emit(k, ref_word(OP_add, VALUE, VALUE, COUNT, 0));
		emit(k, ref_word(OP_andi, VALUE, VALUE, 0, 63));
		out = k->count;
		emit(k, 0);
	}
	if (ref_below(r, 4) == 0)
		csr(k, READ, 0xc02);
	addi(k, COUNT, COUNT, -1);
	emit(k, ref_word(OP_bne, 0, COUNT, 0, from_here(k, head)));
	if (!out)
		return;
	plain(k, r, 3);
	k->words[out] = ref_word(OP_beq, 0, VALUE, 0, 4 * (int32_t)(k->count - out));
}

static void long_loop(struct kernel *k, struct ref_random *r)
{
	lane_count(k, r, (int32_t)ref_below(r, 4), 1 + (int32_t)ref_below(r, ref_below(r, 3) ? 30 : 500));
	turns(k, r, ref_below(r, 4) == 0);
}

static void spin(struct kernel *k, struct ref_random *r)
{
	lane_count(k, r, (int32_t)ref_below(r, 4), 4 + (int32_t)ref_below(r, 12));
	turns(k, r, 1 + (unsigned)ref_below(r, 3));
}

/* An arm of a jump of 8 words: where it goes on is the end, the next arm, or what was linked. */
static void arm(struct kernel *k, struct ref_random *r, unsigned link, unsigned end)
{
	static const uint16_t odd[] = { OP_sg_sync, OP_barrier };
	const unsigned last = k->count + 7, what = (unsigned)ref_below(r, 8);
	while (k->count < last && link == 5)
		addi(k, 0, 0, 0); /* others write x5 */
	while (k->count < last)
		k->count += ref_program(r, k->words + k->count, last - k->count, PLAIN & ~REF_BRANCHES);
	if (what < 2)
		k->words[last - 1 - ref_below(r, 3)] = ref_word(odd[what], 0, 0, 0, 0);
	if (link && what > 3)
		emit(k, ref_word(OP_jalr, 0, link, 0, 0));
	else if (what == 3)
		addi(k, 0, 0, 0);
	else
		emit(k, ref_word(OP_jal, 0, 0, 0, from_here(k, end)));
}

static void jump_each(struct kernel *k, struct ref_random *r)
{
	static const unsigned links[] = { 0, 0, LINK, 5, 6 };
	const unsigned link = links[ref_below(r, 5)], arms = 2u << ref_below(r, 2);
	lane_value(k, r, (int32_t)arms - 1);
	shift(k, VALUE, VALUE, 5);
	emit(k, ref_word(OP_auipc, TARGET, 0, 0, 0));
	add(k, TARGET, TARGET, VALUE);
	emit(k, ref_word(OP_jalr, link, TARGET, 0, 16));
	const unsigned end = k->count + 1 + 8 * arms;
	emit(k, ref_word(OP_jal, 0, 0, 0, from_here(k, end)));
	for (unsigned n = 0; n < arms; n++)
		arm(k, r, link == LINK || link == 5 ? link : 0, end);
}

/* A return or a call that has no other half. */
static void unmatched(struct kernel *k, struct ref_random *r)
{
	const unsigned link = ref_below(r, 2) ? LINK : 5;
	emit(k, ref_word(OP_auipc, link, 0, 0, 0));
	switch (ref_below(r, 4)) {
	case 0:
		emit(k, ref_word(OP_jal, link, 0, 0, 4));
		break;
	case 1: /* a call, though it goes through a link */
		emit(k, ref_word(OP_jalr, ref_below(r, 2) ? LINK : 5, link, 0, 8));
		break;
	default:
		emit(k, ref_word(OP_jalr, 0, link, 0, 8));
	}
}

static void recursion(struct kernel *k, struct ref_random *r)
{
	const unsigned over = k->count;
	emit(k, 0);
	const unsigned function = k->count;
	addi(k, REF_SP, REF_SP, -8);
	emit(k, ref_word(OP_sd, 0, REF_SP, LINK, 0));
	const unsigned leaf = k->count;
	emit(k, 0);
	addi(k, DEPTH, DEPTH, -1);
	plain(k, r, 4);
	emit(k, ref_word(OP_jal, LINK, 0, 0, from_here(k, function)));
	plain(k, r, 3);
	k->words[leaf] = ref_word(OP_beq, 0, DEPTH, 0, 4 * (int32_t)(k->count - leaf));
	emit(k, ref_word(OP_ld, LINK, REF_SP, 0, 0));
	addi(k, REF_SP, REF_SP, 8);
	emit(k, ref_word(OP_jalr, 0, LINK, 0, 0));
	k->words[over] = ref_word(OP_jal, 0, 0, 0, 4 * (int32_t)(k->count - over));
	lane_value(k, r, 15);
	addi(k, DEPTH, VALUE, 0);
	emit(k, ref_word(OP_jal, LINK, 0, 0, from_here(k, function)));
}

/* Lanes wait in two arms, at one kind of place or at two. */
static void wait_apart(struct kernel *k, struct ref_random *r)
{
	static const uint16_t ops[] = { OP_sg_sync, OP_sg_sync, OP_barrier };
	lane_value(k, r, 1 + (int32_t)ref_below(r, 3));
	const unsigned other = k->count;
	emit(k, 0);
	plain(k, r, 4);
	emit(k, ref_word(ops[ref_below(r, 3)], 0, 0, 0, 0));
	plain(k, r, 4);
	k->words[other] = ref_word(OP_beq, 0, VALUE, 0, 4 * (int32_t)(k->count - other));
	plain(k, r, 4);
	emit(k, ref_word(ops[ref_below(r, 3)], 0, 0, 0, 0));
}

static void some_end(struct kernel *k, struct ref_random *r)
{
	lane_value(k, r, 15);
	addi(k, TARGET, 0, (int32_t)ref_below(r, 16));
	emit(k, ref_word(OP_bne, 0, VALUE, TARGET, 8));
	emit(k, ref_word(OP_exit_, 0, 0, 0, 0));
}

/* Jumps that lead to the next instruction. */
static void no_way(struct kernel *k, struct ref_random *r)
{
	static const unsigned links[] = { 0, LINK, 5, DEPTH };
	for (unsigned n = 1 + (unsigned)ref_below(r, 4); n; n--) {
		if (ref_below(r, 2))
			emit(k, ref_word(ref_below(r, 2) ? OP_bltu : OP_bge, 0, low(r), low(r), 4));
		else
			emit(k, ref_word(OP_jal, links[ref_below(r, 4)], 0, 0, 4));
	}
}

static void piece_divergent(struct kernel *k, struct ref_random *r)
{
	static void (*const pieces[])(struct kernel *, struct ref_random *) = {
		long_loop, long_loop, long_loop, spin, jump_each, jump_each, unmatched, recursion, wait_apart, some_end, no_way, exchange,
	};
	pieces[ref_below(r, sizeof pieces / sizeof *pieces)](k, r);
}

static void part_ways(struct kernel *k, struct ref_random *r, unsigned most_local, bool cycle)
{
	k->count = 0;
	k->local = 1 + (unsigned)ref_below(r, most_local);
	k->groups = 1 + (unsigned)ref_below(r, 2);
	begin(k);
	for (unsigned n = 4 + (unsigned)ref_below(r, 6); n && k->count + ROOM < KERNEL_WORDS; n--) {
		const bool some = ref_below(r, 2);
		if (ref_below(r, 3) == 0)
			to_end_of_page(k, r);
		const unsigned over = k->count + 2;
		if (some) {
			lane_value(k, r, 1 + (int32_t)ref_below(r, 7));
			emit(k, 0);
		}
		plain(k, r, 6);
		piece_divergent(k, r);
		if (cycle && ref_below(r, 3) == 0)
			csr(k, READ, 0xc00);
		if (some)
			k->words[over] = ref_word(OP_beq, 0, VALUE, 0, 4 * (int32_t)(k->count - over));
	}
}

void kernel_divergent(struct kernel *k, struct ref_random *r, unsigned most_local, bool cycle)
{
	part_ways(k, r, most_local, cycle);
	end(k);
}

void kernel_misaligned(struct kernel *k, struct ref_random *r, unsigned most_local)
{
	part_ways(k, r, most_local, true);
	emit(k, ref_word(OP_andi, VALUE, REF_LANE, 0, 1));
	addi(k, TARGET, 0, 2 + 4 * (int32_t)ref_below(r, 5));
	emit(k, ref_word(OP_mul, VALUE, VALUE, TARGET, 0));
	emit(k, ref_word(OP_auipc, TARGET, 0, 0, 0));
	add(k, TARGET, TARGET, VALUE);
	emit(k, ref_word(OP_jalr, 0, TARGET, 0, 12));
	plain(k, r, 12);
	end(k);
}
