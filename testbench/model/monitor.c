#include "testbench/model/monitor.h"
#include "abi/address_map.h"
#include "abi/registers.h"

__asm__(".section .text.start,\"ax\"\n"
	"	.globl start\n"
	"start:	li sp, 0x3ff00\n"
	"	call monitor_main\n"
	"	ebreak\n"
	"	.text\n");

#define MMIO32(o) (*(volatile uint32_t *)(CP_MMIO_BASE + (o)))
#define MMIO64(o) (*(volatile uint64_t *)(CP_MMIO_BASE + (o)))
#define CP32(name) MMIO32(REG_BANK_CP_OFFSET + REG_CP_##name)

static uint64_t random_state;

static uint64_t random_next(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dull;
}

/* Values that reach something: slot numbers, addresses of memory and of packets in it, noise. */
static uint64_t random_value(uint64_t box)
{
	uint64_t r = random_next();

	switch (r >> 8 & 7) {
	case 0: return r >> 16 & 0x1f;
	case 1: return box + (r >> 16 & 0x1ffc0);
	case 2: return DRAM_BASE + (r >> 16 & 0xffffff);
	case 3: return r >> 16 & 0x3fff8;
	case 4: return 1ull << (r >> 16 & 63);
	case 5: return SYSTEM_BASE + (r >> 16 & 0xffffff8);
	}
	return r;
}

/* A transfer or a dispatch of whatever lies in the mailbox's neighbourhood. */
static void fuzz_start(uint64_t box)
{
	uint64_t r = random_next(), slot = r >> 1 & 15, packet = box + (r >> 16 & 0x1ffc0);

	MMIO32(REG_BANK_CP_OFFSET + REG_CP_DISPATCH_ASID + 4 * slot) = r >> 40 & 7;
	if (r & 1) {
		MMIO64(REG_BANK_CP_OFFSET + REG_CP_DMA_PACKET + 8 * slot) = packet;
		CP32(DMA_START) = (uint32_t)slot;
		return;
	}
	MMIO64(REG_BANK_CP_OFFSET + REG_CP_DISPATCH_PACKET + 8 * slot) = packet;
	MMIO64(REG_BANK_CP_OFFSET + REG_CP_DISPATCH_SCRATCH + 8 * slot) = r >> 44 & 0x7fff;
	MMIO64(REG_BANK_CP_OFFSET + REG_CP_DISPATCH_SCRATCH_SIZE + 8 * slot) = r >> 48;
	CP32(DISPATCH_START) = (uint32_t)slot;
}

static void fuzz(uint64_t count, uint64_t seed, uint64_t box)
{
	random_state = seed | 1;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t r = random_next(), value = random_value(box);
		uint32_t offset = (uint32_t)(r >> 8 & 0x1ff8);

		if ((r >> 40 & 15) == 0)
			fuzz_start(box);
		if (r & 1)
			offset = REG_BANK_CP_OFFSET + (offset & 0xff8);
		else if (offset <= REG_HOST_TCM_DATA + 4 && offset >= REG_HOST_CTRL) /* keep running */
			continue;
		switch (r >> 1 & 3) {
		case 0: MMIO32(offset + (r >> 3 & 4)) = (uint32_t)value; break;
		case 1: MMIO64(offset) = value; break;
		case 2: (void)MMIO32(offset + (r >> 3 & 4)); break;
		default: (void)MMIO64(offset); break;
		}
	}
}

static void sleep_until(struct monitor_command *c)
{
	uint32_t pending;

	while (!((pending = CP32(IRQ_PENDING)) & c->value)) {
		if (pending & REG_CP_IRQ_PENDING_DOORBELL) /* level: would keep us awake */
			CP32(DOORBELL_PENDING) = ~0u;
		else
			__asm__ volatile("wfi");
	}
	c->value = pending;
}

static void serve(struct monitor_command *c, uint64_t box)
{
	switch (c->op) {
	case MONITOR_READ32: c->value = *(volatile uint32_t *)c->address; break;
	case MONITOR_READ64: c->value = *(volatile uint64_t *)c->address; break;
	case MONITOR_WRITE32: *(volatile uint32_t *)c->address = (uint32_t)c->value; break;
	case MONITOR_WRITE64: *(volatile uint64_t *)c->address = c->value; break;
	case MONITOR_SLEEP: sleep_until(c); break;
	case MONITOR_CYCLE: __asm__ volatile("csrr %0, mcycle" : "=r"(c->value)); break;
	case MONITOR_FUZZ: fuzz(c->address, c->value, box); break;
	}
}

void monitor_main(void);
void monitor_main(void)
{
	struct monitor_box *box = (struct monitor_box *)MMIO64(REG_HOST_FW_BOOT);

	for (;;) {
		while (!(CP32(DOORBELL_PENDING) >> MONITOR_BELL & 1))
			__asm__ volatile("wfi");
		CP32(DOORBELL_PENDING) = 1u << MONITOR_BELL;
		for (uint64_t i = 0; i < box->count; i++)
			serve(&box->command[i], (uint64_t)box);
		box->done++;
		CP32(HOST_IRQ) = REG_HOST_IRQ_STATUS_LOG;
	}
}
