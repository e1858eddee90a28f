#include "model/cp/cp.h"
#include "model/cp/cp_decode.h"
#include "abi/constants.h"
#include "abi/events.h"
#include <stdlib.h>
#include <string.h>

enum { TCM_BYTES = 0x40000, TCM_LINE_SHIFT = 8 };

/* Cycles beyond the instruction's own, timed speed. */
enum { MMIO_LOAD_CYCLES = 4, TAKEN_BRANCH_CYCLES = 1, DIVIDE_CYCLES = 20 };

enum trap_cause {
	TRAP_FETCH_FAULT = 1,
	TRAP_ILLEGAL = 2,
	TRAP_BREAKPOINT = 3,
	TRAP_LOAD_MISALIGNED = 4,
	TRAP_LOAD_FAULT = 5,
	TRAP_STORE_MISALIGNED = 6,
	TRAP_STORE_FAULT = 7,
	TRAP_ECALL_M = 11,
	TRAP_STALL = 0xfe, /* none: the instruction has done nothing and begins anew at cp->cycle */
	TRAP_NONE = 0xff,
};
#define TRAP_EXTERNAL_IRQ (1ull << 63 | 11)

#define MSTATUS_MIE (1ull << 3)
#define MSTATUS_MPIE (1ull << 7)
#define MSTATUS_MPP (3ull << 11) /* machine mode, always */
#define MI_EXTERNAL (1ull << 11)
#define MI_ALL (1ull << 3 | 1ull << 7 | 1ull << 11)

struct cp {
	/* registers */
	uint64_t x[CP_SINK + 1];
	uint64_t pc;
	uint64_t mstatus, mie, mtvec, mscratch, mepc, mcause, mtval;
	uint64_t cycle, cycle_offset; /* mcycle = cycle + cycle_offset */
	uint64_t instret, instret_offset;
	/* supplied by the environment */
	struct cp_params env;
	bool timed;
	bool irq; /* machine external interrupt line */
	/* private */
	enum cp_state state;
	bool attention; /* look at yield, irq, state before the next instruction */
	bool yield;
	bool reserved;  /* LR reservation: address, size, and the value seen */
	uint8_t reserved_bytes;
	uint64_t reserved_address, reserved_value;
	uint32_t reserved_version; /* of a line outside the local memory */
	uint64_t stored[CP_STORE_BUFFER]; /* when the memory port has taken the last stores, of which `oldest` is the first */
	unsigned oldest;
	uint64_t drained; /* when it has taken all */
	uint64_t waits_until; /* cycle in which the last instruction that waited begins */
	uint64_t trap_instret; /* instret when the last trap was taken; UINT64_MAX: none yet */
	struct cp_crash crash;
	uint8_t *tcm;
	struct cp_insn *code; /* decoded, one per halfword of the TCM */
	uint8_t code_lines[TCM_BYTES >> TCM_LINE_SHIFT]; /* 1: something of this line is decoded */
};

/* ---- life ---- */

static void state_set(struct cp *cp, enum cp_state state)
{
	if (cp->state == state)
		return;
	cp->state = state;
	cp->attention = true;
	EVENT_SEND(cp->env.mem->events, .cycle = cp->cycle, .kind = EVENT_CP_STATE, .unit = UNIT_CP,
		   .queue = EVENT_NO_QUEUE, .a = state, .b = cp->pc);
}

struct cp *cp_create(const struct cp_params *p)
{
	struct cp *cp = calloc(1, sizeof(*cp));

	if (!cp)
		return NULL;
	cp->env = *p;
	cp->timed = p->speed == BUS_TIMED;
	cp->tcm = calloc(1, TCM_BYTES);
	cp->code = calloc(TCM_BYTES / 2, sizeof(*cp->code));
	if (!cp->tcm || !cp->code) {
		cp_destroy(cp);
		return NULL;
	}
	return cp;
}

void cp_destroy(struct cp *cp)
{
	if (!cp)
		return;
	free(cp->tcm);
	free(cp->code);
	free(cp);
}

static void start(struct cp *cp, uint64_t entry, uint64_t now)
{
	memset(cp->x, 0, sizeof(cp->x));
	cp->pc = entry & ~1ull;
	cp->mstatus = MSTATUS_MPP;
	cp->mie = cp->mtvec = cp->mscratch = cp->mepc = cp->mcause = cp->mtval = 0;
	cp->cycle_offset = 0;
	cp->instret_offset = -cp->instret;
	cp->reserved = false;
	cp->trap_instret = UINT64_MAX;
	cp->crash = (struct cp_crash){ 0 };
	if (cp->cycle < now)
		cp->cycle = now;
	cp->attention = true;
	state_set(cp, CP_RUNNING);
}

static void stop(struct cp *cp, uint64_t now)
{
	if (cp->waits_until == cp->cycle) /* what waits to begin has done nothing */
		cp->cycle = now;
	if (cp->cycle < now)
		cp->cycle = now;
	state_set(cp, CP_STOPPED);
}

void cp_control(struct cp *cp, const struct cp_control *in, uint64_t now)
{
	if (in->run)
		start(cp, in->entry, now);
	else
		stop(cp, now);
}

enum cp_state cp_state(const struct cp *cp) { return cp->state; }
const struct cp_crash *cp_crash(const struct cp *cp) { return &cp->crash; }
uint64_t cp_cycle(const struct cp *cp) { return cp->cycle; }
uint64_t cp_insns(const struct cp *cp) { return cp->instret; }

void cp_registers(const struct cp *cp, struct cp_registers *r)
{
	*r = (struct cp_registers){ .pc = cp->pc, .mstatus = cp->mstatus, .mie = cp->mie, .mtvec = cp->mtvec, .mscratch = cp->mscratch, .mepc = cp->mepc,
				    .mcause = cp->mcause, .mtval = cp->mtval, .minstret = cp->instret + cp->instret_offset, .offset = cp->cycle_offset };
	memcpy(r->x, cp->x, sizeof(r->x));
}

void cp_irq(struct cp *cp, const struct cp_irq *in, uint64_t now)
{
	cp->irq = in->level;
	if (!in->level)
		return;
	cp->attention = true;
	if (cp->state == CP_WAITING) {
		if (cp->cycle < now)
			cp->cycle = now;
		state_set(cp, CP_RUNNING);
	}
}

uint64_t cp_next(const struct cp *cp) { return cp->state == CP_RUNNING ? cp->cycle : UINT64_MAX; }

void cp_yield(struct cp *cp)
{
	cp->yield = true;
	cp->attention = true;
}

/* ---- local memory ---- */

static inline bool in_tcm(uint64_t address, size_t len) { return address <= TCM_BYTES && len <= TCM_BYTES - address; }

/* Forgets what was decoded from [address, address + len) and the halfword before, where a 4-byte
 * instruction may begin. */
static void code_drop(struct cp *cp, uint64_t address, size_t len)
{
	uint64_t first = address >= 2 ? (address - 2) / 2 : 0, last = (address + len - 1) / 2;

	for (uint64_t line = first * 2 >> TCM_LINE_SHIFT; line <= last * 2 >> TCM_LINE_SHIFT; line++) {
		uint64_t from = line << TCM_LINE_SHIFT >> 1, to = from + (1 << TCM_LINE_SHIFT >> 1) - 1;

		if (!cp->code_lines[line])
			continue;
		from = from < first ? first : from;
		to = to > last ? last : to;
		memset(&cp->code[from], 0, (to - from + 1) * sizeof(*cp->code));
	}
}

static inline void tcm_stored(struct cp *cp, uint64_t address, size_t len)
{
	uint64_t first = address >> TCM_LINE_SHIFT, last = (address + len - 1) >> TCM_LINE_SHIFT;

	if (__builtin_expect(cp->code_lines[first] | cp->code_lines[last], 0))
		code_drop(cp, address, len);
}

bool cp_tcm_read(const struct cp *cp, uint64_t address, void *dst, size_t len)
{
	if (!in_tcm(address, len))
		return false;
	memcpy(dst, cp->tcm + address, len);
	return true;
}

bool cp_tcm_write(struct cp *cp, uint64_t address, const void *src, size_t len)
{
	if (!in_tcm(address, len))
		return false;
	if (!len)
		return true;
	memcpy(cp->tcm + address, src, len);
	code_drop(cp, address, len);
	return true;
}

/* ---- memory ---- */

static bool in_mmio(uint64_t address) { return address - CP_MMIO_BASE < CP_MMIO_SIZE; }

/* Stalls to a cycle that has not come. */
static bool stalls(struct cp *cp, uint64_t until)
{
	if (__builtin_expect(until <= cp->cycle, 1))
		return false;
	cp->cycle = until;
	return true;
}

static enum trap_cause mmio_load(struct cp *cp, uint64_t address, unsigned bytes, uint64_t *value)
{
	if (bytes < 4 || address % bytes)
		return TRAP_LOAD_FAULT;
	if (stalls(cp, cp->drained))
		return TRAP_STALL;
	if (__builtin_expect(!cp->env.mmio_read(cp->env.ctx, (uint32_t)(address - CP_MMIO_BASE), bytes, value, &cp->cycle), 0))
		return TRAP_STALL;
	if (cp->timed)
		cp->cycle += MMIO_LOAD_CYCLES;
	return TRAP_NONE;
}

static enum trap_cause mmio_store(struct cp *cp, uint64_t address, unsigned bytes, uint64_t value)
{
	if (bytes < 4 || address % bytes)
		return TRAP_STORE_FAULT;
	if (stalls(cp, cp->drained))
		return TRAP_STALL;
	return cp->env.mmio_write(cp->env.ctx, (uint32_t)(address - CP_MMIO_BASE), bytes, value, &cp->cycle) ? TRAP_NONE : TRAP_STALL;
}

/* A store has been handed to the memory port, which takes it at this cycle. */
static void buffer_put(struct cp *cp, uint64_t taken)
{
	if (cp->drained < taken)
		cp->drained = taken;
	cp->stored[cp->oldest] = cp->drained;
	cp->oldest = (cp->oldest + 1) % CP_STORE_BUFFER;
}

static enum trap_cause load_outside(struct cp *cp, uint64_t address, unsigned bytes, uint64_t *value)
{
	*value = 0;
	if (in_mmio(address))
		return mmio_load(cp, address, bytes, value);
	if (stalls(cp, cp->drained))
		return TRAP_STALL;
	if (physmem_load(cp->env.mem, UNIT_CP, address, value, bytes, cp->cycle))
		return TRAP_LOAD_FAULT;
	if (cp->timed)
		cp->cycle = l2_access(cp->env.l2, cp->cycle, address, bytes, false);
	return TRAP_NONE;
}

static __attribute__((noinline)) enum trap_cause store_outside(struct cp *cp, uint64_t address, unsigned bytes, uint64_t value)
{
	if (in_mmio(address))
		return mmio_store(cp, address, bytes, value);
	if (stalls(cp, cp->stored[cp->oldest]))
		return TRAP_STALL;
	if (physmem_store(cp->env.mem, UNIT_CP, address, &value, bytes, cp->cycle))
		return TRAP_STORE_FAULT;
	if (cp->timed)
		buffer_put(cp, l2_access(cp->env.l2, cp->cycle, address, bytes, true));
	return TRAP_NONE;
}

/* value: zero-extended. */
static inline __attribute__((always_inline)) enum trap_cause load(struct cp *cp, uint64_t address, unsigned bytes, uint64_t *value)
{
	if (__builtin_expect(!in_tcm(address, bytes), 0))
		return load_outside(cp, address, bytes, value);
	*value = 0;
	memcpy(value, cp->tcm + address, bytes);
	return TRAP_NONE;
}

static inline __attribute__((always_inline)) enum trap_cause store(struct cp *cp, uint64_t address, unsigned bytes, uint64_t value)
{
	if (__builtin_expect(!in_tcm(address, bytes), 0))
		return store_outside(cp, address, bytes, value);
	memcpy(cp->tcm + address, &value, bytes);
	tcm_stored(cp, address, bytes);
	return TRAP_NONE;
}

static uint64_t extend(uint64_t v, unsigned bytes) { return bytes == 4 ? (uint64_t)(int64_t)(int32_t)v : v; }

static uint64_t amo_result(enum isa_op op, uint64_t old, uint64_t src, unsigned bytes)
{
	/* 32-bit operands are compared as such: sign extension keeps both orders */
	uint64_t a = extend(old, bytes), b = extend(src, bytes);

	switch (op) {
	case OP_amoadd_w: return a + b;
	case OP_amoxor_w: return a ^ b;
	case OP_amoand_w: return a & b;
	case OP_amoor_w: return a | b;
	case OP_amomin_w: return (int64_t)a < (int64_t)b ? a : b;
	case OP_amomax_w: return (int64_t)a > (int64_t)b ? a : b;
	case OP_amominu_w: return a < b ? a : b;
	case OP_amomaxu_w: return a > b ? a : b;
	default: return b; /* amoswap */
	}
}

/* LR, SC and the AMOs, on memory; registers have none. */
static enum trap_cause atomic(struct cp *cp, const struct cp_insn *d, uint64_t address)
{
	unsigned bytes = (unsigned)d->imm, rd = d->rd; /* a store to the instruction itself drops d */
	uint64_t old = 0, src = cp->x[d->rs2];
	enum trap_cause t;
	bool ok;

	if (address % bytes)
		return d->op == OP_lr_w ? TRAP_LOAD_MISALIGNED : TRAP_STORE_MISALIGNED;
	if (in_mmio(address))
		return d->op == OP_lr_w ? TRAP_LOAD_FAULT : TRAP_STORE_FAULT;
	t = load(cp, address, bytes, &old);
	if (t != TRAP_NONE)
		return d->op == OP_lr_w || t == TRAP_STALL ? t : TRAP_STORE_FAULT;
	switch (d->op) {
	case OP_lr_w:
		cp->reserved = true;
		cp->reserved_bytes = (uint8_t)bytes;
		cp->reserved_address = address;
		cp->reserved_value = old;
		if (!in_tcm(address, bytes))
			cp->reserved_version = reservations_reserve(&cp->env.mem->reservations, address);
		cp->x[rd] = extend(old, bytes);
		return TRAP_NONE;
	case OP_sc_w:
		/* writes of the host show in the value alone */
		ok = cp->reserved && cp->reserved_address == address && cp->reserved_bytes == bytes && cp->reserved_value == old &&
		     (in_tcm(address, bytes) || reservations_hold(&cp->env.mem->reservations, address, cp->reserved_version));
		cp->reserved = false;
		if (ok) {
			t = store(cp, address, bytes, src);
			if (t != TRAP_NONE)
				return t;
		}
		cp->x[rd] = !ok;
		return TRAP_NONE;
	default:
		t = store(cp, address, bytes, amo_result((enum isa_op)d->op, old, src, bytes));
		if (t == TRAP_NONE)
			cp->x[rd] = extend(old, bytes);
		return t;
	}
}

/* ---- CSRs ---- */

#define CSR_READ_ONLY 0xc00 /* these two bits set: no writes */

static bool csr_read(const struct cp *cp, unsigned csr, uint64_t *v)
{
	switch (csr) {
	case 0x300: *v = cp->mstatus; return true;
	case 0x301: *v = 2ull << 62 | 1 << 0 | 1 << 2 | 1 << 8 | 1 << 12; return true; /* RV64 A C I M */
	case 0x304: *v = cp->mie; return true;
	case 0x305: *v = cp->mtvec; return true;
	case 0x340: *v = cp->mscratch; return true;
	case 0x341: *v = cp->mepc; return true;
	case 0x342: *v = cp->mcause; return true;
	case 0x343: *v = cp->mtval; return true;
	case 0x344: *v = cp->irq ? MI_EXTERNAL : 0; return true;
	case 0xb00: case 0xc00: case 0xc01: *v = cp->cycle + cp->cycle_offset; return true;
	case 0xb02: case 0xc02: *v = cp->instret + cp->instret_offset; return true;
	case 0xf11: case 0xf12: case 0xf13: case 0xf14: case 0xf15: *v = 0; return true;
	}
	return false;
}

static void csr_write(struct cp *cp, unsigned csr, uint64_t v)
{
	switch (csr) {
	case 0x300: cp->mstatus = (v & (MSTATUS_MIE | MSTATUS_MPIE)) | MSTATUS_MPP; break;
	case 0x304: cp->mie = v & MI_ALL; break;
	case 0x305: cp->mtvec = v & ~2ull; break; /* direct or vectored */
	case 0x340: cp->mscratch = v; break;
	case 0x341: cp->mepc = v & ~1ull; break;
	case 0x342: cp->mcause = v; break;
	case 0x343: cp->mtval = v; break;
	case 0xb00: cp->cycle_offset = v - cp->cycle; break;
	/* this instruction itself retires afterwards */
	case 0xb02: cp->instret_offset = v - cp->instret - 1; break;
	}
	cp->attention = true;
}

static enum trap_cause csr_op(struct cp *cp, const struct cp_insn *d)
{
	unsigned csr = (unsigned)d->imm;
	bool immediate = d->op >= OP_csrrwi;
	bool swap = d->op == OP_csrrw || d->op == OP_csrrwi;
	uint64_t src = immediate ? d->rs1 : cp->x[d->rs1], old;

	if (!csr_read(cp, csr, &old))
		return TRAP_ILLEGAL;
	if (swap || d->rs1) {
		if ((csr & CSR_READ_ONLY) == CSR_READ_ONLY)
			return TRAP_ILLEGAL;
		csr_write(cp, csr, swap ? src : d->op == OP_csrrs || d->op == OP_csrrsi ? old | src : old & ~src);
	}
	cp->x[d->rd] = old;
	return TRAP_NONE;
}

/* ---- traps ---- */

static void crash(struct cp *cp, uint64_t cause, uint64_t tval)
{
	cp->crash = (struct cp_crash){ .cause = cause, .pc = cp->pc, .address = tval };
	state_set(cp, CP_CRASHED);
}

void cp_fail(struct cp *cp, const struct cp_fail *in, uint64_t now)
{
	if (cp->state != CP_RUNNING && cp->state != CP_WAITING)
		return;
	if (cp->cycle < now)
		cp->cycle = now;
	crash(cp, in->cause, 0);
}

static void trap_take(struct cp *cp, uint64_t cause, uint64_t tval)
{
	bool interrupt = cause >> 63;

	if (!cp->mtvec || (!interrupt && cp->trap_instret == cp->instret)) {
		crash(cp, cause, tval);
		return;
	}
	cp->trap_instret = cp->instret;
	cp->reserved = false;
	cp->mepc = cp->pc;
	cp->mcause = cause;
	cp->mtval = tval;
	cp->mstatus = MSTATUS_MPP | (cp->mstatus & MSTATUS_MIE ? MSTATUS_MPIE : 0);
	cp->pc = cp->mtvec & ~3ull;
	if (interrupt && cp->mtvec & 1)
		cp->pc += 4 * (cause & 0x3f);
	cp->cycle++;
}

static uint32_t fetch_word(const struct cp *cp, uint64_t pc)
{
	uint32_t w = 0;

	memcpy(&w, cp->tcm + pc, pc + 4 <= TCM_BYTES ? 4 : 2);
	return w;
}

/* Exception at the current instruction, if it is one. address: of the access, for access faults. */
static void exception(struct cp *cp, enum trap_cause cause, uint64_t address)
{
	uint32_t w;

	switch (cause) {
	case TRAP_STALL:
		cp->waits_until = cp->cycle;
		return;
	case TRAP_ILLEGAL:
		w = fetch_word(cp, cp->pc);
		address = (w & 3) == 3 ? w : w & 0xffff;
		break;
	case TRAP_ECALL_M:
		address = 0;
		break;
	case TRAP_BREAKPOINT:
	case TRAP_FETCH_FAULT:
		address = cp->pc;
		break;
	default:
		break;
	}
	trap_take(cp, cause, address);
}

static const struct cp_insn *fetch_slow(struct cp *cp, uint64_t pc)
{
	struct cp_insn *d = &cp->code[pc / 2];

	*d = cp_decode(fetch_word(cp, pc));
	if (pc + d->len > TCM_BYTES) { /* its second half is not there */
		d->len = 0;
		return NULL;
	}
	/* a store to any of its bytes must find the mark; see code_drop for what it then drops */
	cp->code_lines[pc >> TCM_LINE_SHIFT] = 1;
	cp->code_lines[(pc + d->len - 1) >> TCM_LINE_SHIFT] = 1;
	return d;
}

/* Things to look at between instructions. False: stop running. An interrupt takes a cycle, which may be the last one. */
static bool attend(struct cp *cp, uint64_t until)
{
	if (cp->state != CP_RUNNING || cp->yield)
		return false;
	cp->attention = false;
	if (cp->irq && cp->mie & MI_EXTERNAL && cp->mstatus & MSTATUS_MIE)
		trap_take(cp, TRAP_EXTERNAL_IRQ, 0);
	return cp->state == CP_RUNNING && cp->cycle < until;
}

/* ---- execution ---- */

static uint64_t mul_high(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b >> 64); }

static uint64_t multiply_divide(enum isa_op op, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	int32_t wa = (int32_t)a, wb = (int32_t)b;
	bool overflow = sa == INT64_MIN && sb == -1, overflow_w = wa == INT32_MIN && wb == -1;

	switch (op) {
	case OP_mulh: return mul_high(a, b) - (sa < 0 ? b : 0) - (sb < 0 ? a : 0);
	case OP_mulhsu: return mul_high(a, b) - (sa < 0 ? b : 0);
	case OP_mulhu: return mul_high(a, b);
	case OP_div_: return !b ? UINT64_MAX : overflow ? a : (uint64_t)(sa / sb);
	case OP_divu: return !b ? UINT64_MAX : a / b;
	case OP_rem: return !b ? a : overflow ? 0 : (uint64_t)(sa % sb);
	case OP_remu: return !b ? a : a % b;
	case OP_divw: return (uint64_t)(int64_t)(!wb ? -1 : overflow_w ? wa : wa / wb);
	case OP_divuw: return (uint64_t)(int64_t)(int32_t)(!wb ? UINT32_MAX : (uint32_t)a / (uint32_t)b);
	case OP_remw: return (uint64_t)(int64_t)(!wb ? wa : overflow_w ? 0 : wa % wb);
	default: return (uint64_t)(int64_t)(int32_t)(!wb ? (uint32_t)a : (uint32_t)a % (uint32_t)b); /* REMUW */
	}
}

#define WORD(v) ((uint64_t)(int64_t)(int32_t)(v))
#define ALU(op, value)                                                                             \
	case op:                                                                                   \
		x[d->rd] = (value);                                                                \
		break;
#define BRANCH(op, taken)                                                                          \
	case op:                                                                                   \
		if (taken) {                                                                       \
			next = pc + (uint64_t)(int64_t)d->imm;                                     \
			cp->cycle += taken_cost;                                                   \
		}                                                                                  \
		break;
#define LOAD(op, bytes, type)                                                                      \
	case op:                                                                                   \
		address = a + (uint64_t)(int64_t)d->imm;                                           \
		t = load(cp, address, bytes, &value);                                              \
		if (t != TRAP_NONE)                                                                \
			goto trap;                                                                 \
		x[d->rd] = (uint64_t)(type)value;                                                  \
		break;
#define STORE(op, bytes)                                                                           \
	case op:                                                                                   \
		address = a + (uint64_t)(int64_t)d->imm;                                           \
		t = store(cp, address, bytes, b);                                                  \
		if (t != TRAP_NONE)                                                                \
			goto trap;                                                                 \
		break;

void cp_tick(struct cp *cp, uint64_t until)
{
	uint64_t *x = cp->x;
	const unsigned taken_cost = cp->timed ? TAKEN_BRANCH_CYCLES : 0;
	uint64_t pc = cp->pc; /* the same, in a register: the next instruction waits for it */
	cp->attention = true;
	cp->yield = false;
	while (cp->cycle < until) {
		const struct cp_insn *d;
		uint64_t next, a, b, address, value;
		enum trap_cause t;
		if (__builtin_expect(cp->attention, 0)) {
			if (!attend(cp, until))
				break;
			pc = cp->pc;
		}
		t = TRAP_FETCH_FAULT;
		address = pc;
		if (__builtin_expect(pc >= TCM_BYTES, 0))
			goto trap;
		d = &cp->code[pc / 2];
		if (__builtin_expect(!d->len, 0)) {
			d = fetch_slow(cp, pc);
			if (!d)
				goto trap;
		}
		next = pc + d->len;
		a = x[d->rs1];
		b = x[d->rs2];
		switch (d->op) {
		ALU(OP_lui, (uint64_t)(int64_t)d->imm)
		ALU(OP_auipc, pc + (uint64_t)(int64_t)d->imm)
		case OP_jal:
			x[d->rd] = next;
			next = pc + (uint64_t)(int64_t)d->imm;
			cp->cycle += taken_cost;
			break;
		case OP_jalr:
			x[d->rd] = next;
			next = (a + (uint64_t)(int64_t)d->imm) & ~1ull;
			cp->cycle += taken_cost;
			break;
		BRANCH(OP_beq, a == b)
		BRANCH(OP_bne, a != b)
		BRANCH(OP_blt, (int64_t)a < (int64_t)b)
		BRANCH(OP_bge, (int64_t)a >= (int64_t)b)
		BRANCH(OP_bltu, a < b)
		BRANCH(OP_bgeu, a >= b)
		LOAD(OP_lb, 1, int8_t)
		LOAD(OP_lh, 2, int16_t)
		LOAD(OP_lw, 4, int32_t)
		LOAD(OP_ld, 8, uint64_t)
		LOAD(OP_lbu, 1, uint8_t)
		LOAD(OP_lhu, 2, uint16_t)
		LOAD(OP_lwu, 4, uint32_t)
		STORE(OP_sb, 1)
		STORE(OP_sh, 2)
		STORE(OP_sw, 4)
		STORE(OP_sd, 8)
		ALU(OP_addi, a + (uint64_t)(int64_t)d->imm)
		ALU(OP_slti, (int64_t)a < d->imm)
		ALU(OP_sltiu, a < (uint64_t)(int64_t)d->imm)
		ALU(OP_xori, a ^ (uint64_t)(int64_t)d->imm)
		ALU(OP_ori, a | (uint64_t)(int64_t)d->imm)
		ALU(OP_andi, a & (uint64_t)(int64_t)d->imm)
		ALU(OP_slli, a << d->imm)
		ALU(OP_srli, a >> d->imm)
		ALU(OP_srai, (uint64_t)((int64_t)a >> d->imm))
		ALU(OP_addiw, WORD(a + (uint64_t)(int64_t)d->imm))
		ALU(OP_slliw, WORD((uint32_t)a << d->imm))
		ALU(OP_srliw, WORD((uint32_t)a >> d->imm))
		ALU(OP_sraiw, WORD((int32_t)a >> d->imm))
		ALU(OP_add, a + b)
		ALU(OP_sub, a - b)
		ALU(OP_sll, a << (b & 63))
		ALU(OP_slt, (int64_t)a < (int64_t)b)
		ALU(OP_sltu, a < b)
		ALU(OP_xor_, a ^ b)
		ALU(OP_srl, a >> (b & 63))
		ALU(OP_sra, (uint64_t)((int64_t)a >> (b & 63)))
		ALU(OP_or_, a | b)
		ALU(OP_and_, a & b)
		ALU(OP_addw, WORD(a + b))
		ALU(OP_subw, WORD(a - b))
		ALU(OP_sllw, WORD((uint32_t)a << (b & 31)))
		ALU(OP_srlw, WORD((uint32_t)a >> (b & 31)))
		ALU(OP_sraw, WORD((int32_t)a >> (b & 31)))
		ALU(OP_mul, a * b)
		ALU(OP_mulw, WORD((uint32_t)a * (uint32_t)b))
		case OP_mulh: case OP_mulhsu: case OP_mulhu:
			x[d->rd] = multiply_divide((enum isa_op)d->op, a, b);
			break;
		case OP_div_: case OP_divu: case OP_rem: case OP_remu:
		case OP_divw: case OP_divuw: case OP_remw: case OP_remuw:
			x[d->rd] = multiply_divide((enum isa_op)d->op, a, b);
			if (cp->timed)
				cp->cycle += DIVIDE_CYCLES;
			break;
		case OP_fence: /* memory is in order; a store to code drops what was decoded from it */
			break;
		case CP_MRET:
			next = cp->mepc;
			cp->mstatus = MSTATUS_MPP | MSTATUS_MPIE | (cp->mstatus & MSTATUS_MPIE ? MSTATUS_MIE : 0);
			cp->reserved = false;
			cp->attention = true;
			break;
		case CP_WFI:
			if (!cp->irq)
				state_set(cp, CP_WAITING);
			break;
		case OP_csrrw: case OP_csrrs: case OP_csrrc: case OP_csrrwi: case OP_csrrsi: case OP_csrrci:
			t = csr_op(cp, d);
			if (t != TRAP_NONE)
				goto trap;
			break;
		case OP_lr_w: case OP_sc_w:
		case OP_amoswap_w: case OP_amoadd_w: case OP_amoxor_w: case OP_amoand_w: case OP_amoor_w:
		case OP_amomin_w: case OP_amomax_w: case OP_amominu_w: case OP_amomaxu_w:
			address = a;
			t = atomic(cp, d, address);
			if (t != TRAP_NONE)
				goto trap;
			break;
		case OP_ecall:
			t = TRAP_ECALL_M;
			goto trap;
		case OP_ebreak:
			t = TRAP_BREAKPOINT;
			goto trap;
		default:
			t = TRAP_ILLEGAL;
			goto trap;
		}
		cp->pc = pc = next;
		cp->cycle++;
		cp->instret++;
		continue;
trap:
		exception(cp, t, address);
		pc = cp->pc;
	}
	cp->yield = false;
}
