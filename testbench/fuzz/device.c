/* Fuzzes a device through its bus. An input is a configuration byte and a program of host actions:
 * accesses to any register, waits, changes of memory, page tables and pins, packets with any bytes in
 * them, kernels of any instructions. Whatever they are, every call returns, registers stay readable,
 * and from reset the device works again. */
#include "abi/address_map.h"
#include "abi/pte.h"
#include "abi/registers.h"
#include "model/cu/decode.h"
#include "testbench/fuzz/fuzz.h"
#include "testbench/fuzz/machine.h"
#include "testbench/model/encode.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ACTIONS = 48, MAX_WAIT = 1 << 15 };

struct input {
	const uint8_t *at, *end;
};

static bool more(const struct input *in) { return in->at < in->end; }

static uint64_t take(struct input *in, unsigned bytes)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes && more(in); i++)
		v |= (uint64_t)*in->at++ << (8 * i);
	return v;
}

static void take_bytes(struct input *in, void *to, size_t n)
{
	size_t left = (size_t)(in->end - in->at);
	memcpy(to, in->at, n < left ? n : left);
	in->at += n < left ? n : left;
}

/* ---- registers ---- */

static const struct { uint16_t offset; uint8_t bytes, count; } registers[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { REG_##bank##_##name, (bits) / 8, (count) },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
};

/* A value of few bytes of input that may mean something: an address, a small number, all ones. */
static uint64_t take_value(struct input *in)
{
	unsigned kind = (unsigned)take(in, 1);
	switch (kind & 7) {
	case 0: return kind >> 3;
	case 1: return machine_pa((unsigned)take(in, 1)) + (kind >> 3) * 8;
	case 2: return machine_va((unsigned)take(in, 1)) + (kind >> 3) * 8;
	case 3: return DRAM_BASE + take(in, 2) * 64;
	case 4: return take(in, 4);
	case 5: return ~(uint64_t)(kind >> 3);
	case 6: return 1ull << (kind >> 3);
	default: return take(in, 8);
	}
}

/* ---- packets ---- */

static void any_packet(struct input *in, unsigned queue, union packet *p)
{
	unsigned type = (unsigned)take(in, 1), flags = (unsigned)take(in, 1);
	const unsigned code = type & 8 ? PACKET_CODE_process + (type & 1) : type & 7;
	memset(p, 0, sizeof(*p));
	switch (code) { /* a statement a field: an initializer's order would be the compiler's */
	case PACKET_CODE_dispatch:
		p->dispatch.entry = machine_va(PAGE_CODE) + (take(in, 1) & ~3ull) * 4;
		p->dispatch.kernarg = machine_va(PAGE_KERNARG);
		p->dispatch.global_size[0] = 1 + (uint32_t)take(in, 1) % 64;
		p->dispatch.global_size[1] = 1 + (flags >> 3 & 3);
		p->dispatch.global_size[2] = 1;
		p->dispatch.local_size[0] = (uint16_t)(1 + take(in, 1) % 16);
		p->dispatch.local_size[1] = p->dispatch.local_size[2] = 1;
		p->dispatch.local_bytes = (uint32_t)take(in, 1) * 16;
		p->dispatch.private_bytes = (uint32_t)(take(in, 1) & 15) * 16;
		break;
	case PACKET_CODE_copy:
		p->copy.src = take_value(in);
		p->copy.dst = take_value(in);
		p->copy.width = 1 + (uint32_t)take(in, 2);
		p->copy.height = 1 + (uint32_t)take(in, 1) % 8;
		p->copy.depth = 1 + (flags >> 3 & 3);
		p->copy.src_row = (uint32_t)take(in, 2);
		p->copy.dst_row = (uint32_t)take(in, 2);
		p->copy.src_slice = (uint32_t)take(in, 2);
		p->copy.dst_slice = (uint32_t)take(in, 2);
		break;
	case PACKET_CODE_fill:
		p->fill.pattern = take_value(in);
		p->fill.dst = take_value(in);
		p->fill.pattern_size = 1 + (uint32_t)take(in, 1) % 128;
		p->fill.height = 1 + (uint32_t)take(in, 1) % 8;
		p->fill.depth = 1 + (flags >> 3 & 3);
		p->fill.dst_row = (uint32_t)take(in, 2);
		p->fill.width = p->fill.pattern_size * (1 + (uint32_t)take(in, 1));
		break;
	case PACKET_CODE_sem_wait:
		p->sem_wait.semaphore = take_value(in);
		p->sem_wait.value = take(in, 1);
		p->sem_wait.status = flags & 8 ? take_value(in) : 0;
		p->sem_wait.mode = flags >> 4 & 1;
		break;
	case PACKET_CODE_sem_signal:
		p->sem_signal.semaphore = take_value(in);
		p->sem_signal.value = take(in, 1);
		break;
	case PACKET_CODE_tlb_invalidate:
		p->tlb_invalidate.address = take_value(in);
		p->tlb_invalidate.scope = flags >> 3 & 3;
		p->tlb_invalidate.asid = (uint32_t)take(in, 1);
		break;
	case PACKET_CODE_cache:
		p->cache.address = take_value(in);
		p->cache.size = take(in, 2);
		p->cache.op = 1 + (flags >> 3) % 3;
		break;
	case PACKET_CODE_process:
	case PACKET_CODE_jpeg:
		p->process.job = take_value(in) & ~7ull;
		break;
	}
	p->head.type = (uint8_t)code;
	p->head.flags = (uint8_t)((flags & 7) | (type & 16 ? PACKET_END | PACKET_IRQ : 0));
	p->head.completion = type & 32 ? take_value(in) : machine_completion_pa(queue);
	for (unsigned n = type >> 6; n; n--) { /* and up to three fields that are anything */
		unsigned where = (unsigned)take(in, 1);
		uint64_t value = take_value(in);
		size_t size = where & 64 ? 4 : where & 128 ? 2 : 8, at = (where & 63) / size * size;
		memcpy((uint8_t *)p + at, &value, size);
	}
}

/* ---- kernels ---- */

/* What kernels find in registers, if they are helped: a0 and a3 in the data pages, a4 and a5 in local
 * memory, a1 the work-item and a2 eight times that, fa0 and fa1 numbers. Returns the number of words. */
static unsigned kernel_prologue(uint32_t *w)
{
	unsigned n = enc_li(w, A0, machine_va(PAGE_DATA) + 2048);
	w[n++] = enc_csrrs(A1, 0xcc0, ZERO);
	w[n++] = enc_slli(A2, A1, 3);
	w[n++] = enc_r(0x33, 0, 0, A3, A0, A2);
	n += enc_li(w + n, A4, VA_LOCAL_BASE);
	w[n++] = enc_r(0x33, 0, 0, A5, A4, A2);
	w[n++] = enc_addi(SP, SP, -32);
	w[n++] = 0xd2058553; /* fcvt.d.w fa0, a1, rne */
	w[n++] = 0xd00585d3; /* fcvt.s.w fa1, a1, rne */
	return n;
}

/* A word that is an instruction, or nearly: its operation from one byte, its fields from the rest.
 * Helped, its accesses go near the addresses of the prologue and its branches a little forward. */
static uint32_t any_instruction(struct input *in, bool helped)
{
	static const uint8_t bases[8] = { A0, A3, A4, A5, SP, A0, A3, SP };
	unsigned op = (unsigned)take(in, 1);
	uint32_t bits = (uint32_t)take(in, 4);
	if (op == 0 || op >= OP_COUNT)
		return bits;
	if (helped)
		switch ((enum isa_class)isa_rows[op].class) {
		case CLASS_LOAD:
		case CLASS_STORE:
		case CLASS_ATOMIC:
			bits = (bits & ~(31u << 15)) | (uint32_t)bases[bits >> 15 & 7] << 15;
			if (isa_rows[op].class != CLASS_ATOMIC)
				bits &= 0x07ffffff; /* offsets below 128 */
			break;
		case CLASS_BRANCH:
			bits &= 0x07fffe7f;
			break;
		case CLASS_JUMP:
			bits &= op == OP_jal ? 0x07800fff : ~0u;
			break;
		default:
			break;
		}
	return (bits & ~isa_rows[op].mask) | isa_rows[op].match;
}

static void any_kernel(struct machine *m, struct input *in)
{
	uint32_t *w = (uint32_t *)(m->memory + (size_t)PAGE_CODE * PAGE_BYTES);
	unsigned shape = (unsigned)take(in, 1), at = shape & 64 ? 1000 : 0, n = 1 + (shape & 31);
	bool helped = shape & 32;
	if (helped)
		at = kernel_prologue(w);
	for (unsigned i = 0; i < n && at < 1024; i++)
		w[at++] = any_instruction(in, helped);
	if (!(shape & 128) && at < 1024)
		w[at] = 0x0000100b;
}

/* ---- actions ---- */

/* Whether the firmware may no longer be itself: then it has the right to crash. */
static bool touches_firmware(uint32_t offset)
{
	return (offset >= REG_HOST_CTRL && offset < REG_HOST_STATUS) || (offset >= REG_HOST_TCM_ADDR && offset < REG_HOST_CRASH_CAUSE) ||
	       (offset >= REG_HOST_INJECT_NTH && offset <= REG_HOST_INJECT + 4) || offset >= 0x10000;
}

static void act(struct machine *m, struct input *in, bool *firmware)
{
	unsigned action = (unsigned)take(in, 1), queue = action >> 4 & (MACHINE_QUEUES - 1), reg, n;
	uint32_t offset;
	uint64_t entry;
	union packet p;
	switch (action & 15) {
	case 0: /* any offset at all */
		offset = (uint32_t)take(in, 3);
		*firmware &= !touches_firmware(offset);
		if (action & 128)
			bus_write64(m->bus, offset, take(in, 8));
		else
			bus_write32(m->bus, offset, (uint32_t)take(in, 4));
		break;
	case 1:
		offset = (uint32_t)take(in, 3);
		if (action & 128)
			bus_read64(m->bus, offset);
		else
			bus_read32(m->bus, offset);
		break;
	case 2: /* a register, or one next to it */
	case 3:
		reg = (unsigned)take(in, 1) % (sizeof(registers) / sizeof(*registers));
		offset = registers[reg].offset + registers[reg].bytes * (registers[reg].count > 1 ? (unsigned)take(in, 1) % registers[reg].count : 0);
		*firmware &= !touches_firmware(offset);
		if (registers[reg].bytes == 8)
			bus_write64(m->bus, offset, take_value(in));
		else
			bus_write32(m->bus, offset, (uint32_t)take_value(in));
		break;
	case 4:
	case 5:
		bus_wait_irq(m->bus, take(in, 2) % MAX_WAIT);
		break;
	case 6: /* memory of the host's */
		offset = (uint32_t)take(in, 1) % MACHINE_PAGES * PAGE_BYTES;
		offset += (uint32_t)take(in, 2) % PAGE_BYTES;
		n = 1 + (action >> 4) * 4;
		if (offset + n > MACHINE_PAGES * PAGE_BYTES)
			n = MACHINE_PAGES * PAGE_BYTES - offset;
		*firmware &= offset >= PAGE_LOG * PAGE_BYTES;
		take_bytes(in, m->memory + offset, n);
		break;
	case 7: /* pins */
		n = (unsigned)take(in, 1) % MACHINE_PAGES;
		*firmware &= n > PAGE_FAULTS && n != PAGE_QUEUES;
		m->rights[n] = (uint8_t)((action >> 4) % 3);
		m->generation++;
		break;
	case 8: /* page tables */
		n = (unsigned)take(in, 1) % (2 * MACHINE_PAGES);
		offset = (n < MACHINE_PAGES ? PAGE_LEVEL0 : PAGE_LEVEL0_DRAM) * PAGE_BYTES + n % MACHINE_PAGES * 8;
		entry = take_value(in) >> 12 << PTE_PPN_LSB;
		entry |= take(in, 2);
		memcpy(m->memory + offset, &entry, 8);
		bus_write32(m->bus, REG_HOST_TLB_INV, action >> 4 & 1 ? 0 : 1u << REG_HOST_TLB_INV_SCOPE_LSB | queue);
		break;
	case 9: /* a descriptor */
		n = (unsigned)take(in, 1) % sizeof(struct queue_desc);
		take_bytes(in, (uint8_t *)machine_desc(m, queue) + n, sizeof(struct queue_desc) - n < 8 ? sizeof(struct queue_desc) - n : 8);
		machine_map_queue(m, queue);
		break;
	case 10:
		any_kernel(m, in);
		break;
	case 11:
		memset(&p, 0, sizeof(p));
		take_bytes(in, &p, PACKET_SIZE);
		machine_packet(m, queue, &p);
		machine_ring(m, queue);
		break;
	case 12: /* packets that the bell has not been rung for yet */
		any_packet(in, queue, &p);
		machine_packet(m, queue, &p);
		break;
	case 14:
		bus_write32(m->bus, REG_HOST_QUEUE_CTRL + queue * 4, (uint32_t)take(in, 1) & 7);
		break;
	case 15:
		bus_write32(m->bus, REG_HOST_IRQ_STATUS, bus_read32(m->bus, REG_HOST_IRQ_STATUS));
		break;
	default:
		any_packet(in, queue, &p);
		machine_packet(m, queue, &p);
		machine_ring(m, queue);
		bus_wait_irq(m->bus, take(in, 2) % MAX_WAIT);
		break;
	}
}

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

static void look(struct machine *m, bool firmware)
{
	static const uint32_t known = REG_HOST_STATUS_CP_RUNNING | REG_HOST_STATUS_CP_CRASHED | REG_HOST_STATUS_BUSY | REG_HOST_STATUS_LOST;
	uint64_t cycle = bus_cycle(m->bus);
	uint32_t status = bus_read32(m->bus, REG_HOST_STATUS);
	require(bus_cycle(m->bus) >= cycle, "time runs backwards");
	require(!(status & ~known), "STATUS has bits that no field covers");
	require((status & 3) != 3, "the command processor runs and has crashed");
	require(bus_read32(m->bus, REG_HOST_ID) == 0x414e4c47, "ID is not GLNA");
	require(bus_read64(m->bus, REG_HOST_CYCLE) >= cycle, "CYCLE lags behind");
	require(!firmware || !(status & REG_HOST_STATUS_CP_CRASHED), "bytes in rings and memory have crashed the firmware");
	if (firmware)
		for (unsigned q = 0; q < REG_QUEUES; q++)
			require(bus_read32(m->bus, REG_HOST_QUEUE_STATE + q * 4) <= QUEUE_FAULTED, "a queue is in no state that there is");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const configs[] = { "mini", "mini,coherent=0", "mini,num_cu=2,lanes=8,max_wg_size=32",
					       "mini,lanes=32,max_wg_size=64,warps_per_cu=2" };
	static const char *const engines[] = { "portable", "avx2", "avx512", "portable" };
	struct input in = { data, data + size };
	struct machine m;
	unsigned setup = (unsigned)take(&in, 1);
	bool booted = setup & 1, firmware = booted;
	setenv("GALENA_SIMD", engines[setup >> 6], 1);
	machine_open(&m, configs[setup >> 4 & 3], setup & 2 ? BUS_TIMED : BUS_FUNCTIONAL, setup & 4);
	if (booted) {
		require(machine_boot(&m), "the firmware does not boot");
		for (unsigned q = 0; q < (setup & 8 ? MACHINE_QUEUES : 1); q++)
			machine_map_queue(&m, q);
	}
	for (unsigned i = 0; i < MAX_ACTIONS && more(&in); i++)
		act(&m, &in, &firmware);
	bus_wait_irq(m.bus, MAX_WAIT);
	look(&m, firmware);
	const char *wrong = machine_check(&m);
	machine_close(&m); /* so that files of events and traces are whole */
	require(!wrong, wrong);
	return 0;
}
