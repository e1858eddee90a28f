#include "testbench/examples/board.h"
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { ASID = 1, RECORDS = 32 };
#define LIMIT 100000000ull

uint32_t board_get32(struct board *b, uint32_t offset) { return galena_device_read32(b->device, offset); }
uint64_t board_get64(struct board *b, uint32_t offset) { return galena_device_read64(b->device, offset); }
void board_put32(struct board *b, uint32_t offset, uint32_t value) { galena_device_write32(b->device, offset, value); }
void board_put64(struct board *b, uint32_t offset, uint64_t value) { galena_device_write64(b->device, offset, value); }

static void *memory(struct board *b, size_t size, uint64_t *pa)
{
	void *host = galena_device_alloc(b->device, size, 0, pa);
	assert_non_null(host);
	return host;
}

static void firmware_load(struct board *b)
{
	size_t count = 0, size = 0;
	GElf_Ehdr eh;
	elf_version(EV_CURRENT);
	int fd = open(galena_firmware_path(), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const char *image = elf_rawfile(elf, &size);
	assert_non_null(image);
	assert_non_null(gelf_getehdr(elf, &eh));
	assert_int_equal(elf_getphdrnum(elf, &count), 0);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;
		gelf_getphdr(elf, (int)i, &ph);
		if (ph.p_type != PT_LOAD)
			continue;
		board_put32(b, GALENA_REG_TCM_ADDR, (uint32_t)ph.p_paddr);
		for (uint64_t at = 0; at < ph.p_filesz; at += 8) {
			uint64_t word = 0, left = ph.p_filesz - at;
			memcpy(&word, image + ph.p_offset + at, left < 8 ? left : 8);
			board_put64(b, GALENA_REG_TCM_DATA, word);
		}
	}
	board_put64(b, GALENA_REG_CP_ENTRY, eh.e_entry);
	elf_end(elf);
	close(fd);
}

void board_boot(struct board *b, uint64_t watchdog)
{
	uint64_t boot_pa, log_pa, faults_pa;
	firmware_load(b);
	b->boot = memory(b, GALENA_PAGE_SIZE, &boot_pa);
	memory(b, GALENA_PAGE_SIZE, &log_pa);
	b->faults = memory(b, GALENA_PAGE_SIZE, &faults_pa);
	b->faults_seen = 0;
	*b->boot = (struct galena_boot_params){
		.version = GALENA_FW_INTERFACE_VERSION, .log = log_pa, .log_size = 4096,
		.fault_count = RECORDS, .faults = faults_pa, .watchdog = watchdog,
	};
	board_put64(b, GALENA_REG_FW_BOOT, boot_pa);
	board_put32(b, GALENA_REG_IRQ_ENABLE, GALENA_REG_IRQ_ENABLE_MASK & ~GALENA_REG_IRQ_STATUS_LOG);
	board_put32(b, GALENA_REG_CTRL, GALENA_REG_CTRL_CP_RUN);
	while (!board_get32(b, GALENA_REG_FW_STATE))
		assert_int_equal(board_serve(b, LIMIT), GALENA_WAIT_IRQ);
	assert_int_equal(board_get32(b, GALENA_REG_FW_STATE), GALENA_FW_READY);
	board_put64(b, GALENA_REG_CTX_TABLE, b->table_pa);
}

void board_map(struct board *b, uint64_t va, uint64_t pa, uint64_t rights)
{
	unsigned table = 1;
	for (int level = GALENA_PT_LEVELS - 1; level > 0; level--) {
		uint64_t *pte = &b->table[table][GALENA_PT_INDEX(va, level)];
		if (!*pte) {
			assert_true(b->tables < BOARD_TABLES);
			*pte = galena_pte_make(b->table_pa + b->tables++ * GALENA_PAGE_SIZE, GALENA_PTE_V);
		}
		table = (unsigned)((galena_pte_address(*pte) - b->table_pa) / GALENA_PAGE_SIZE);
	}
	b->table[table][GALENA_PT_INDEX(va, 0)] =
		galena_pte_make(pa, GALENA_PTE_V | GALENA_PTE_U | GALENA_PTE_A | GALENA_PTE_D | rights);
}

void *board_page(struct board *b, uint64_t va, uint64_t rights, uint64_t *pa)
{
	uint64_t ignored;
	void *host = memory(b, GALENA_PAGE_SIZE, pa ? pa : &ignored);
	board_map(b, va, pa ? *pa : ignored, rights);
	return host;
}

void board_queue_map(struct board *b, unsigned n, uint32_t flags)
{
	b->queue[n].desc->flags = flags;
	board_put64(b, GALENA_REG_QUEUE_DESC(n), b->queue[n].desc_pa);
}

static void queue_create(struct board *b, unsigned n)
{
	struct board_queue *q = &b->queue[n];
	uint64_t ring_pa;
	q->ring = memory(b, BOARD_RING * sizeof *q->ring, &ring_pa);
	char *page = memory(b, GALENA_PAGE_SIZE, &q->desc_pa);
	q->desc = (struct galena_queue_desc *)page;
	q->timeline = (uint64_t *)(page + 128);
	q->timeline_pa = q->desc_pa + 128;
	q->records = (struct galena_completion *)(page + 256);
	q->records_pa = q->desc_pa + 256;
	*q->desc = (struct galena_queue_desc){ .ring = ring_pa, .ring_size = BOARD_RING, .priority = 1,
					       .timeline = q->timeline_pa, .asid = ASID };
	board_queue_map(b, n, 0);
}

struct board *board_open(const char *config, uint64_t watchdog)
{
	static const uint32_t square[] = {
		0xcc3022f3, 0xcc602373, 0xcc0023f3, 0x026282b3, 0x007282b3, 0x00229293, 0xcc902e73, 0x080e3e83,
		0x088e3f03, 0x005e8eb3, 0x005f0f33, 0x000eaf83, 0x03ff8fb3, 0x001f8f93, 0x01ff2023, 0x0000100b,
	};
	const struct galena_device_options options = { .config = config, .speed = "timed" };
	const char *error = NULL;
	struct board *b = calloc(1, sizeof *b);
	b->device = galena_device_open(&options, &error);
	if (!b->device)
		fail_msg("%s", error);
	assert_int_equal(board_get32(b, GALENA_REG_ID), 0x414e4c47);
	board_put32(b, GALENA_REG_CTRL, GALENA_REG_CTRL_RESET);
	b->table = memory(b, BOARD_TABLES * GALENA_PAGE_SIZE, &b->table_pa);
	b->table[0][ASID] = (b->table_pa + GALENA_PAGE_SIZE) | 1;
	b->tables = 2;
	board_boot(b, watchdog);
	for (unsigned n = 0; n < BOARD_QUEUES; n++)
		queue_create(b, n);
	memcpy(board_page(b, BOARD_VA_CODE, GALENA_PTE_R | GALENA_PTE_X, NULL), square, sizeof square);
	b->args = board_page(b, BOARD_VA_ARGS, GALENA_PTE_R, NULL);
	b->in = board_page(b, BOARD_VA_IN, GALENA_PTE_R | GALENA_PTE_W, &b->in_pa);
	b->out = board_page(b, BOARD_VA_OUT, GALENA_PTE_R | GALENA_PTE_W, &b->out_pa);
	for (uint32_t i = 0; i < BOARD_ITEMS; i++)
		b->in[i] = i;
	return b;
}

void board_close(struct board *b)
{
	galena_device_close(b->device);
	free(b);
}

/* ---- commands ---- */
uint64_t board_submit(struct board *b, unsigned queue, const union galena_packet *packets, unsigned count)
{
	struct board_queue *q = &b->queue[queue];
	unsigned slot = (unsigned)(q->commands % BOARD_RING);
	q->records[slot] = (struct galena_completion){ 0 };
	for (unsigned i = 0; i < count; i++) {
		union galena_packet *p = &q->ring[q->written++ % BOARD_RING];
		*p = packets[i];
		if (i + 1 == count) {
			p->head.flags |= GALENA_PACKET_FLAG_END | GALENA_PACKET_FLAG_IRQ;
			p->head.completion = q->records_pa + slot * sizeof *q->records;
		}
	}
	board_put64(b, GALENA_REG_DOORBELL(queue), q->written);
	return ++q->commands;
}

enum galena_wait board_serve(struct board *b, uint64_t limit)
{
	enum galena_wait why = galena_device_wait(b->device, limit);
	uint32_t pending = board_get32(b, GALENA_REG_IRQ_STATUS);
	board_put32(b, GALENA_REG_IRQ_STATUS, pending);
	b->seen |= pending;
	return why;
}

bool board_ended(const struct board *b, unsigned queue, uint64_t command)
{
	const volatile struct galena_completion *r = &b->queue[queue].records[(command - 1) % BOARD_RING];
	return r->done;
}

int32_t board_finish(struct board *b, unsigned queue, uint64_t command)
{
	while (!board_ended(b, queue, command))
		assert_int_equal(board_serve(b, LIMIT), GALENA_WAIT_IRQ);
	return b->queue[queue].records[(command - 1) % BOARD_RING].status;
}

void board_control(struct board *b, unsigned queue, uint32_t request)
{
	board_put32(b, GALENA_REG_QUEUE_CTRL(queue), request);
	while (board_get32(b, GALENA_REG_QUEUE_CTRL(queue)))
		assert_int_equal(board_serve(b, LIMIT), GALENA_WAIT_IRQ);
}

const struct galena_fault_record *board_fault(struct board *b)
{
	if (b->faults_seen >= *(volatile uint64_t *)&b->boot->faults_written)
		return NULL;
	return &b->faults[b->faults_seen++ % RECORDS];
}

/* ---- packets ---- */
union galena_packet board_kernel(struct board *b, uint64_t out)
{
	struct { struct galena_kernarg_header header; uint64_t in, out; } args = {
		.header = { .work_dim = 1, .global_size = { BOARD_ITEMS, 1, 1 }, .local_size = { 16, 1, 1 },
			    .num_groups = { BOARD_ITEMS / 16, 1, 1 } },
		.in = BOARD_VA_IN,
		.out = out,
	};
	uint64_t offset = b->args_used++ % (GALENA_PAGE_SIZE / 256) * 256; /* those on their way keep theirs */
	memcpy(b->args + offset, &args, sizeof args);
	return (union galena_packet){ .dispatch = { .head.type = GALENA_PACKET_DISPATCH, .entry = BOARD_VA_CODE,
						    .kernarg = BOARD_VA_ARGS + offset, .global_size = { BOARD_ITEMS, 1, 1 },
						    .local_size = { 16, 1, 1 } } };
}

union galena_packet board_copy(uint64_t src, uint64_t dst, uint32_t bytes)
{
	return (union galena_packet){ .copy = { .head.type = GALENA_PACKET_COPY, .src = src, .dst = dst, .width = bytes,
						.height = 1, .depth = 1 } };
}
