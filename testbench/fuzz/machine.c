#include "testbench/fuzz/machine.h"
#include "abi/address_map.h"
#include "abi/pte.h"
#include "abi/registers.h"
#include "testbench/model/encode.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the firmware has to have done by then, in cycles. */
static const uint64_t boot_limit = 2000000, work_limit = 2000000;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "machine: %s\n", what);
	abort();
}

uint64_t machine_pa(unsigned page) { return SYSTEM_BASE + (uint64_t)page * PAGE_BYTES; }
uint64_t machine_va(unsigned page) { return MACHINE_VA + (uint64_t)page * PAGE_BYTES; }

static uint8_t *page(struct machine *m, unsigned n) { return m->memory + (size_t)n * PAGE_BYTES; }

/* ---- memory as the device reaches it ---- */

static bool allowed(const struct machine *m, uint64_t address, size_t len, bool write)
{
	const uint64_t end = (uint64_t)MACHINE_PAGES * PAGE_BYTES;
	if (address > end || len > end - address)
		return false;
	for (uint64_t n = address / PAGE_BYTES; len && n <= (address + len - 1) / PAGE_BYTES; n++)
		if (m->rights[n] < 1 + write)
			return false;
	return true;
}

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct machine *m = ctx;
	if (!allowed(m, address, len, false))
		return -1;
	memcpy(dst, m->memory + address, len);
	return 0;
}

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct machine *m = ctx;
	if (!allowed(m, address, len, true))
		return -1;
	memcpy(m->memory + address, src, len);
	return 0;
}

static void *memory_page(void *ctx, uint64_t number, bool write)
{
	struct machine *m = ctx;
	return number < MACHINE_PAGES && m->rights[number] >= 1 + write ? page(m, (unsigned)number) : NULL;
}

void machine_open(struct machine *m, const char *config, enum bus_speed speed, bool observed)
{
	const char *error = NULL;
	memset(m, 0, sizeof(*m));
	m->memory = aligned_alloc(PAGE_BYTES, (size_t)MACHINE_PAGES * PAGE_BYTES);
	if (!m->memory)
		die("no memory");
	snprintf(m->config, sizeof(m->config), "%s", config);
	machine_prepare(m);
	struct bus_params params = { .device = "model", .config = m->config, .speed = speed,
				     .memory = { .ctx = m, .read = memory_read, .write = memory_write, .page = memory_page,
						 .generation = &m->generation, .observed = observed } };
	m->bus = bus_open(&params, &error);
	if (!m->bus)
		die(error);
}

void machine_close(struct machine *m)
{
	bus_close(m->bus);
	free(m->memory);
}

/* ---- contents ---- */

struct queue_desc *machine_desc(struct machine *m, unsigned queue)
{
	return (struct queue_desc *)(page(m, PAGE_QUEUES) + queue * 512);
}

struct completion *machine_completion(struct machine *m, unsigned queue)
{
	return (struct completion *)(page(m, PAGE_QUEUES) + queue * 512 + 128);
}

uint64_t machine_completion_pa(unsigned queue) { return machine_pa(PAGE_QUEUES) + queue * 512 + 128; }

static void prepare_tables(struct machine *m)
{
	uint64_t *contexts = (uint64_t *)page(m, PAGE_CONTEXTS);
	for (unsigned asid = 1; asid <= MACHINE_QUEUES; asid++)
		contexts[asid] = machine_pa(PAGE_ROOT) | 1;
	((uint64_t *)page(m, PAGE_ROOT))[PT_INDEX(MACHINE_VA, 3)] = pte_make(machine_pa(PAGE_LEVEL2), PTE_V);
	((uint64_t *)page(m, PAGE_LEVEL2))[PT_INDEX(MACHINE_VA, 2)] = pte_make(machine_pa(PAGE_LEVEL1), PTE_V);
	((uint64_t *)page(m, PAGE_LEVEL1))[PT_INDEX(MACHINE_VA, 1)] = pte_make(machine_pa(PAGE_LEVEL0), PTE_V);
	((uint64_t *)page(m, PAGE_LEVEL1))[PT_INDEX(MACHINE_DRAM_VA, 1)] = pte_make(machine_pa(PAGE_LEVEL0_DRAM), PTE_V);
	for (unsigned n = 0; n < MACHINE_PAGES; n++) {
		uint64_t bits = PTE_V | PTE_U | PTE_R | (n == PAGE_CODE ? PTE_X : PTE_W);
		((uint64_t *)page(m, PAGE_LEVEL0))[n] = pte_make(machine_pa(n), bits);
		((uint64_t *)page(m, PAGE_LEVEL0_DRAM))[n] = pte_make(DRAM_BASE + (uint64_t)n * PAGE_BYTES,
								      PTE_V | PTE_U | PTE_R | PTE_W | PTE_X);
	}
}

/* Every work-item stores its number plus 100 at its place in the first data page. */
static void prepare_kernel(struct machine *m)
{
	uint32_t *w = (uint32_t *)page(m, PAGE_CODE);
	unsigned n = enc_li(w, A0, machine_va(PAGE_DATA));
	w[n++] = enc_csrrs(A1, 0xcc0, ZERO); /* local id */
	w[n++] = enc_csrrs(A2, 0xcc3, ZERO); /* group id; groups of 4 */
	w[n++] = enc_slli(A2, A2, 2);
	w[n++] = enc_r(0x33, 0, 0, A1, A1, A2);
	w[n++] = enc_addi(A3, A1, 100);
	w[n++] = enc_slli(A1, A1, 2);
	w[n++] = enc_r(0x33, 0, 0, A0, A0, A1);
	w[n++] = enc_sw(A3, A0, 0);
	w[n++] = 0x0000100b; /* exit */
}

void machine_prepare(struct machine *m)
{
	memset(m->memory, 0, (size_t)MACHINE_PAGES * PAGE_BYTES);
	memset(m->rights, 2, sizeof(m->rights));
	memset(m->written, 0, sizeof(m->written));
	m->generation++;
	prepare_tables(m);
	prepare_kernel(m);
	*(struct boot_params *)page(m, PAGE_BOOT) = (struct boot_params){
		.version = FW_INTERFACE_VERSION, .log = machine_pa(PAGE_LOG), .log_size = PAGE_BYTES, .fault_count = 32,
		.faults = machine_pa(PAGE_FAULTS), .watchdog = 100000,
	};
	for (unsigned q = 0; q < MACHINE_QUEUES; q++)
		*machine_desc(m, q) = (struct queue_desc){
			.ring = machine_pa(PAGE_RINGS + q), .ring_size = RING_SIZE, .priority = q % 3,
			.timeline = machine_pa(PAGE_QUEUES) + q * 512 + 96, .scratch = machine_va(PAGE_SCRATCH),
			.scratch_size = 16 * PAGE_BYTES, .asid = q + 1,
			.flags = q == 3, /* replayable faults */
		};
}

/* ---- the firmware ---- */

static struct { uint8_t *bytes; size_t size; } firmware;

static void firmware_read(void)
{
	const char *given = getenv("GALENA_FIRMWARE"), *build = getenv("GALENA_BUILD");
	char path[4096];
	snprintf(path, sizeof(path), "%s/share/galena/firmware.elf", build ? build : "build");
	FILE *f = fopen(given ? given : path, "rb");
	firmware.bytes = malloc(1 << 20);
	if (!f || !firmware.bytes)
		die("no firmware: set GALENA_BUILD to the build directory");
	firmware.size = fread(firmware.bytes, 1, 1 << 20, f);
	fclose(f);
}

/* Returns its entry. The file is our own: nothing in it is checked. */
static uint64_t firmware_load(struct machine *m)
{
	if (!firmware.bytes)
		firmware_read();
	Elf64_Ehdr eh;
	memcpy(&eh, firmware.bytes, sizeof(eh));
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		Elf64_Phdr ph;
		memcpy(&ph, firmware.bytes + eh.e_phoff + i * sizeof(ph), sizeof(ph));
		if (ph.p_type != PT_LOAD)
			continue;
		bus_write32(m->bus, REG_HOST_TCM_ADDR, (uint32_t)ph.p_paddr);
		for (uint64_t at = 0; at < ph.p_filesz; at += 8) {
			uint64_t word = 0, left = ph.p_filesz - at;
			memcpy(&word, firmware.bytes + ph.p_offset + at, left < 8 ? left : 8);
			bus_write64(m->bus, REG_HOST_TCM_DATA, word);
		}
	}
	return eh.e_entry;
}

bool machine_boot(struct machine *m)
{
	bus_write32(m->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	uint64_t entry = firmware_load(m), limit = bus_cycle(m->bus) + boot_limit;
	bus_write64(m->bus, REG_HOST_FW_BOOT, machine_pa(PAGE_BOOT));
	bus_write64(m->bus, REG_HOST_CTX_TABLE, machine_pa(PAGE_CONTEXTS));
	bus_write64(m->bus, REG_HOST_CP_ENTRY, entry);
	bus_write32(m->bus, REG_HOST_IRQ_ENABLE, REG_HOST_IRQ_ENABLE_MASK);
	bus_write32(m->bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
	while (bus_read32(m->bus, REG_HOST_FW_STATE) != FW_READY) {
		if (bus_cycle(m->bus) >= limit || bus_wait_irq(m->bus, limit - bus_cycle(m->bus)) != BUS_WAIT_IRQ)
			return false;
		bus_write32(m->bus, REG_HOST_IRQ_STATUS, bus_read32(m->bus, REG_HOST_IRQ_STATUS));
	}
	return true;
}

void machine_map_queue(struct machine *m, unsigned queue)
{
	bus_write64(m->bus, REG_HOST_QUEUE_DESC + queue * 8, machine_pa(PAGE_QUEUES) + queue * 512);
}

void machine_packet(struct machine *m, unsigned queue, const union packet *p)
{
	memcpy(page(m, PAGE_RINGS + queue) + m->written[queue]++ % RING_SIZE * PACKET_SIZE, p, PACKET_SIZE);
}

void machine_ring(struct machine *m, unsigned queue)
{
	bus_write64(m->bus, REG_HOST_DOORBELL + queue * 8, m->written[queue]);
}

/* ---- does it work? ---- */

const char *machine_check(struct machine *m)
{
	enum { ITEMS = 16, QUEUE = 1 };
	static char message[160];
	bus_write32(m->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET); /* before the memory is made anew: it writes no more */
	machine_prepare(m);
	if (!machine_boot(m)) {
		snprintf(message, sizeof(message), "after a reset the firmware does not boot: FW_STATE %u, STATUS %#x, IRQ %#x, cause %u",
			 bus_read32(m->bus, REG_HOST_FW_STATE), bus_read32(m->bus, REG_HOST_STATUS),
			 bus_read32(m->bus, REG_HOST_IRQ_STATUS), (unsigned)bus_read64(m->bus, REG_HOST_CRASH_CAUSE));
		return message;
	}
	machine_map_queue(m, QUEUE);
	union packet p = { .dispatch = { .head = { .type = PACKET_CODE_dispatch }, .entry = machine_va(PAGE_CODE),
					 .kernarg = machine_va(PAGE_KERNARG), .global_size = { ITEMS, 1, 1 }, .local_size = { 4, 1, 1 } } };
	machine_packet(m, QUEUE, &p);
	p = (union packet){ .copy = { .head.type = PACKET_CODE_copy, .src = machine_va(PAGE_DATA),
				      .dst = machine_va(PAGE_DATA + 1) + 100, .width = ITEMS * 4, .height = 1, .depth = 1 } };
	machine_packet(m, QUEUE, &p);
	/* to memory, where caches are not coherent */
	p = (union packet){ .cache = { .head = { .type = PACKET_CODE_cache, .flags = PACKET_END | PACKET_IRQ,
						 .completion = machine_completion_pa(QUEUE) },
				       .op = 1 } };
	machine_packet(m, QUEUE, &p);
	machine_ring(m, QUEUE);
	uint64_t limit = bus_cycle(m->bus) + work_limit;
	volatile struct completion *c = machine_completion(m, QUEUE);
	while (!c->done && bus_cycle(m->bus) < limit && bus_wait_irq(m->bus, limit - bus_cycle(m->bus)) == BUS_WAIT_IRQ)
		bus_write32(m->bus, REG_HOST_IRQ_STATUS, bus_read32(m->bus, REG_HOST_IRQ_STATUS));
	if (!c->done || c->status) {
		snprintf(message, sizeof(message), "after a reset a kernel does not run: done %u, status %d, STATUS %#x, fault code %u",
			 c->done, c->status, bus_read32(m->bus, REG_HOST_STATUS),
			 ((struct fault_record *)page(m, PAGE_FAULTS))->code);
		return message;
	}
	for (unsigned i = 0; i < ITEMS; i++) {
		uint32_t stored, copied;
		memcpy(&stored, page(m, PAGE_DATA) + i * 4, 4);
		memcpy(&copied, page(m, PAGE_DATA + 1) + 100 + i * 4, 4);
		if (stored != i + 100 || copied != i + 100) {
			snprintf(message, sizeof(message), "after a reset item %u stored %u and the copy is %u, not %u", i, stored, copied,
				 i + 100);
			return message;
		}
	}
	return NULL;
}
