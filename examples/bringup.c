/* A complete driver for one Galena device: from power-on to a kernel's result, then a page fault that
 * ends its command, and one that the driver resolves so that the kernel goes on. It knows the device from
 * docs/hardware.md alone and needs nothing of the kit but galena/device.h: no OpenCL, no runtime.
 *
 *   cc bringup.c $(pkg-config --cflags --libs galena-device) -lelf && ./a.out [FIRMWARE.ELF]
 */
#include <galena/contract.h>
#include <galena/device.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASID = 1, QUEUE = 0, RING_PACKETS = 16, FAULT_RECORDS = 32, TABLE_PAGES = 16, ITEMS = 64,
       QUEUE_REPLAYABLE = 1 };
#define WAIT_LIMIT 100000000ull
/* Where the driver puts things in the kernel's address space: any page of the heap window will do. */
#define VA_CODE (GALENA_VA_HEAP_BASE + 0x0000)
#define VA_ARGS (GALENA_VA_HEAP_BASE + 0x1000)
#define VA_IN (GALENA_VA_HEAP_BASE + 0x2000)
#define VA_OUT (GALENA_VA_HEAP_BASE + 0x3000)
#define VA_LATE (GALENA_VA_HEAP_BASE + 0x4000)
#define VA_COPY (GALENA_VA_HEAP_BASE + 0x5000) /* and the page after it */
#define VA_NOTHING (GALENA_VA_HEAP_BASE + 0x100000)

/* out[i] = in[i] * in[i] + 1 */
static const uint32_t kernel[] = {
	0xcc3022f3, /* csrr t0, group_id_x              */
	0xcc602373, /* csrr t1, local_size_x            */
	0xcc0023f3, /* csrr t2, local_id_x              */
	0x026282b3, /* mul  t0, t0, t1                  */
	0x007282b3, /* add  t0, t0, t2   the work-item  */
	0x00229293, /* slli t0, t0, 2                   */
	0xcc902e73, /* csrr t3, kernarg                 */
	0x080e3e83, /* ld   t4, 128(t3)  argument in    */
	0x088e3f03, /* ld   t5, 136(t3)  argument out   */
	0x005e8eb3, /* add  t4, t4, t0                  */
	0x005f0f33, /* add  t5, t5, t0                  */
	0x000eaf83, /* lw   t6, 0(t4)                   */
	0x03ff8fb3, /* mul  t6, t6, t6                  */
	0x001f8f93, /* addi t6, t6, 1                   */
	0x01ff2023, /* sw   t6, 0(t5)                   */
	0x0000100b, /* end of the work-item             */
};

struct arguments { /* what the kernel's CSR kernarg points at */
	struct galena_kernarg_header header;
	uint64_t in, out;
};

struct driver {
	struct galena_device *device;
	bool coherent; /* its caches and ours */
	struct galena_boot_params *boot;
	char *log;
	struct galena_fault_record *faults;
	uint64_t faults_seen;
	/* page tables: TABLE_PAGES tables side by side, the context table first, the root next */
	uint64_t (*table)[512];
	uint64_t table_pa;
	unsigned tables;
	/* the queue */
	struct galena_queue_desc *desc;
	uint64_t desc_pa;
	union galena_packet *ring;
	struct galena_completion *completion;
	uint64_t completion_pa, written;
	/* memory of the kernel */
	struct arguments *args;
	uint32_t *in, *out;
};

static _Noreturn void die(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fputs("bringup: ", stderr);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	exit(1);
}

/* ---- registers and memory ---- */
static uint32_t get32(struct driver *d, uint32_t reg) { return galena_device_read32(d->device, reg); }
static uint64_t get64(struct driver *d, uint32_t reg) { return galena_device_read64(d->device, reg); }
static void put32(struct driver *d, uint32_t reg, uint32_t value) { galena_device_write32(d->device, reg, value); }
static void put64(struct driver *d, uint32_t reg, uint64_t value) { galena_device_write64(d->device, reg, value); }

/* For `galena run --check` and --events: what has been done, in the words of galena/contract.h. */
static void note(struct driver *d, unsigned kind, uint64_t a, uint64_t b, uint64_t c)
{
	galena_device_note(d->device, &(struct galena_device_note){ kind, QUEUE, ASID, a, b, c });
}

static void *memory(struct driver *d, size_t size, uint64_t *pa)
{
	void *host = galena_device_alloc(d->device, size, 0, pa);
	if (!host)
		die("no memory");
	return host;
}

/* ---- 1. who is there ---- */
static void identify(struct driver *d)
{
	uint32_t version = get32(d, GALENA_REG_VERSION);
	if (get32(d, GALENA_REG_ID) != 0x414e4c47)
		die("no Galena device: ID reads 0x%08x", get32(d, GALENA_REG_ID));
	if (version >> 16 != 1)
		die("register interface %u.%u, not 1.x", version >> 16, version & 0xffff);
	d->coherent = get32(d, GALENA_REG_FEATURES) & GALENA_REG_FEATURES_COHERENT;
	printf("device: %u compute units of %u warps of %u lanes, %u DMA engines, %" PRIu64 " MiB, %s\n",
	       get32(d, GALENA_REG_NUM_CU), get32(d, GALENA_REG_WARPS_PER_CU), get32(d, GALENA_REG_LANES),
	       get32(d, GALENA_REG_NUM_DMA), get64(d, GALENA_REG_DRAM_SIZE) >> 20,
	       d->coherent ? "coherent" : "not coherent");
}

/* ---- 2. firmware: each segment of the ELF file into the command processor's memory ---- */
static void firmware_load(struct driver *d, const char *path)
{
	size_t count = 0, size = 0, loaded = 0;
	GElf_Ehdr eh;
	elf_version(EV_CURRENT);
	int fd = open(path, O_RDONLY);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	const char *image = elf ? elf_rawfile(elf, &size) : NULL;
	if (!image || !gelf_getehdr(elf, &eh) || eh.e_machine != EM_RISCV || elf_getphdrnum(elf, &count))
		die("%s is no RISC-V ELF file", path);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_offset > size || ph.p_filesz > size - ph.p_offset)
			die("%s is cut off", path);
		if (ph.p_type != PT_LOAD)
			continue;
		if (ph.p_paddr % 8 || ph.p_paddr > GALENA_CP_TCM_SIZE || ph.p_memsz > GALENA_CP_TCM_SIZE - ph.p_paddr)
			die("%s does not fit the command processor", path);
		put32(d, GALENA_REG_TCM_ADDR, (uint32_t)ph.p_paddr);
		for (uint64_t at = 0; at < ph.p_filesz; at += 8) {
			uint64_t word = 0, left = ph.p_filesz - at;
			memcpy(&word, image + ph.p_offset + at, left < 8 ? left : 8);
			put64(d, GALENA_REG_TCM_DATA, word);
		}
		loaded += ph.p_filesz;
	}
	put64(d, GALENA_REG_CP_ENTRY, eh.e_entry);
	elf_end(elf);
	close(fd);
	printf("firmware: %s, entry 0x%" PRIx64 "\n", loaded ? "loaded" : "empty", (uint64_t)eh.e_entry);
}

/* ---- interrupts ---- */
static void fault_print(const struct galena_fault_record *r)
{
	static const char *const access[] = { "read", "write", "execute", "atomic" };
	char unit[64];
	printf("fault %" PRIu64 ": %s (%s)\n", r->sequence, galena_fault_name(r->code), galena_fault_text(r->code));
	printf("  %s of 0x%" PRIx64 " by %s, queue %u, address space %u, packet %" PRIu64 "\n",
	       r->access < 4 ? access[r->access] : "?", r->address, galena_unit_name(r->unit, unit, sizeof unit), r->queue,
	       r->asid, r->packet);
	printf("  kernel 0x%" PRIx64 ", pc +0x%" PRIx64 ", work-group %u,%u,%u, work-item %u,%u,%u\n", r->entry,
	       r->pc - r->entry, r->group_id[0], r->group_id[1], r->group_id[2], r->local_id[0], r->local_id[1],
	       r->local_id[2]);
	if (r->progress >> 63)
		printf("  its queue stands there until it is told to go on\n");
}

/* Lets the device run to its next interrupt and serves it; returns what was pending. */
static uint32_t serve(struct driver *d)
{
	enum galena_wait why = galena_device_wait(d->device, WAIT_LIMIT);
	if (why != GALENA_WAIT_IRQ)
		die(why == GALENA_WAIT_IDLE ? "the device waits for nothing" : "no interrupt for too long");
	uint32_t pending = get32(d, GALENA_REG_IRQ_STATUS);
	put32(d, GALENA_REG_IRQ_STATUS, pending);
	if (pending & GALENA_REG_IRQ_STATUS_CRASH)
		die("the firmware crashed: cause 0x%" PRIx64 " at 0x%" PRIx64, get64(d, GALENA_REG_CRASH_CAUSE), get64(d, GALENA_REG_CRASH_PC));
	if (pending & GALENA_REG_IRQ_STATUS_FAULT)
		while (d->faults_seen < *(volatile uint64_t *)&d->boot->faults_written)
			fault_print(&d->faults[d->faults_seen++ % FAULT_RECORDS]);
	return pending;
}

/* ---- 3. boot ---- */
static void boot(struct driver *d)
{
	uint64_t boot_pa, log_pa, faults_pa;
	uint32_t state;
	d->boot = memory(d, GALENA_PAGE_SIZE, &boot_pa);
	d->log = memory(d, GALENA_PAGE_SIZE, &log_pa);
	d->faults = memory(d, GALENA_PAGE_SIZE, &faults_pa);
	*d->boot = (struct galena_boot_params){ .version = GALENA_FW_INTERFACE_VERSION, .log = log_pa, .log_size = GALENA_PAGE_SIZE,
						.fault_count = FAULT_RECORDS, .faults = faults_pa };
	put64(d, GALENA_REG_FW_BOOT, boot_pa);
	put32(d, GALENA_REG_IRQ_ENABLE, GALENA_REG_IRQ_STATUS_COMPLETE | GALENA_REG_IRQ_STATUS_FAULT | GALENA_REG_IRQ_STATUS_BOOT |
						GALENA_REG_IRQ_STATUS_CRASH | GALENA_REG_IRQ_STATUS_QUEUE);
	put32(d, GALENA_REG_CTRL, GALENA_REG_CTRL_CP_RUN);
	while (!(state = get32(d, GALENA_REG_FW_STATE)))
		serve(d);
	if (state != GALENA_FW_READY)
		die("the firmware does not want: state %u, its interface is %u", state, get32(d, GALENA_REG_FW_VERSION));
	printf("boot: %.*s", (int)*(volatile uint64_t *)&d->boot->log_written, d->log);
}

/* ---- 4. an address space ---- */
static void space_create(struct driver *d)
{
	d->table = memory(d, TABLE_PAGES * GALENA_PAGE_SIZE, &d->table_pa);
	d->table[0][ASID] = (d->table_pa + GALENA_PAGE_SIZE) | 1; /* the context table's word: root | valid */
	d->tables = 2;
	put64(d, GALENA_REG_CTX_TABLE, d->table_pa);
}

static void map_page(struct driver *d, uint64_t va, uint64_t pa, uint64_t rights)
{
	unsigned table = 1;
	for (int level = GALENA_PT_LEVELS - 1; level > 0; level--) {
		uint64_t *pte = &d->table[table][GALENA_PT_INDEX(va, level)];
		if (!*pte) {
			if (d->tables == TABLE_PAGES)
				die("too few page tables");
			*pte = galena_pte_make(d->table_pa + d->tables++ * GALENA_PAGE_SIZE, GALENA_PTE_V);
		}
		table = (unsigned)((galena_pte_address(*pte) - d->table_pa) / GALENA_PAGE_SIZE);
	}
	rights |= GALENA_PTE_V | GALENA_PTE_U | GALENA_PTE_A | GALENA_PTE_D;
	d->table[table][GALENA_PT_INDEX(va, 0)] = galena_pte_make(pa, rights);
	note(d, GALENA_NOTE_MAP, va, pa, rights);
}

/* A fresh page that host and kernel share. */
static void *page_create(struct driver *d, uint64_t va, uint64_t rights)
{
	uint64_t pa;
	void *host = memory(d, GALENA_PAGE_SIZE, &pa);
	map_page(d, va, pa, rights);
	note(d, GALENA_NOTE_HOST_WRITE, pa, GALENA_PAGE_SIZE, 0); /* as far as copies read it: before they begin */
	return host;
}

/* ---- 5. a queue ---- */
static void queue_bind(struct driver *d, uint32_t flags)
{
	d->desc->flags = flags;
	note(d, GALENA_NOTE_QUEUE_BIND, d->desc_pa, d->desc->read_index, RING_PACKETS);
	put64(d, GALENA_REG_QUEUE_DESC(QUEUE), d->desc_pa);
}

static void queue_create(struct driver *d)
{
	uint64_t ring_pa;
	d->ring = memory(d, RING_PACKETS * sizeof *d->ring, &ring_pa);
	char *page = memory(d, GALENA_PAGE_SIZE, &d->desc_pa); /* descriptor, timeline, completion record */
	d->desc = (struct galena_queue_desc *)page;
	d->completion = (struct galena_completion *)(page + 256);
	d->completion_pa = d->desc_pa + 256;
	*d->desc = (struct galena_queue_desc){ .ring = ring_pa, .ring_size = RING_PACKETS, .priority = 1,
					       .timeline = d->desc_pa + 128, .asid = ASID };
	queue_bind(d, 0);
}

static void packet_put(struct driver *d, union galena_packet packet, bool last)
{
	if (last) {
		packet.head.flags = GALENA_PACKET_FLAG_END | GALENA_PACKET_FLAG_IRQ;
		packet.head.completion = d->completion_pa;
	}
	d->ring[d->written++ % RING_PACKETS] = packet;
}

/* Puts a packet that maintains all that the device's caches hold. */
static void maintenance_put(struct driver *d, unsigned op, bool last)
{
	packet_put(d, (union galena_packet){ .cache = { .head.type = GALENA_PACKET_CACHE, .op = op } }, last);
}

/* One command: the packet, with maintenance around it where the device is not coherent, so that it reads what
 * we wrote and we read what it wrote. */
static void submit(struct driver *d, union galena_packet packet)
{
	*d->completion = (struct galena_completion){ 0 };
	if (!d->coherent)
		maintenance_put(d, GALENA_CACHE_CLEAN | GALENA_CACHE_INVALIDATE, false);
	packet_put(d, packet, d->coherent);
	if (!d->coherent)
		maintenance_put(d, GALENA_CACHE_CLEAN, true);
	put64(d, GALENA_REG_DOORBELL(QUEUE), d->written);
}

/* Waits for its end: 0, or minus a fault code. */
static int32_t finish(struct driver *d)
{
	while (!*(volatile uint32_t *)&d->completion->done)
		serve(d);
	return d->completion->status;
}

/* A page that was missing: waits until the queue stands at its fault, maps the page, lets the queue go on. */
static void *page_mend(struct driver *d, uint64_t va)
{
	while (get32(d, GALENA_REG_QUEUE_STATE(QUEUE)) != GALENA_QUEUE_FAULTED)
		serve(d);
	void *host = page_create(d, va, GALENA_PTE_R | GALENA_PTE_W);
	put32(d, GALENA_REG_QUEUE_CTRL(QUEUE), GALENA_QUEUE_CTRL_REPLAY);
	return host;
}

/* ---- 6. the kernel ---- */
static void kernel_load(struct driver *d)
{
	memcpy(page_create(d, VA_CODE, GALENA_PTE_R | GALENA_PTE_X), kernel, sizeof kernel);
	d->args = page_create(d, VA_ARGS, GALENA_PTE_R);
	d->in = page_create(d, VA_IN, GALENA_PTE_R);
	d->out = page_create(d, VA_OUT, GALENA_PTE_R | GALENA_PTE_W);
	for (uint32_t i = 0; i < ITEMS; i++)
		d->in[i] = i;
}

static void kernel_start(struct driver *d, uint64_t out)
{
	*d->args = (struct arguments){
		.header = { .work_dim = 1, .global_size = { ITEMS, 1, 1 }, .local_size = { 16, 1, 1 },
			    .num_groups = { ITEMS / 16, 1, 1 } },
		.in = VA_IN,
		.out = out,
	};
	submit(d, (union galena_packet){ .dispatch = { .head.type = GALENA_PACKET_DISPATCH, .entry = VA_CODE, .kernarg = VA_ARGS,
						       .global_size = { ITEMS, 1, 1 }, .local_size = { 16, 1, 1 } } });
}

/* Waits for its end, which has to be a good one, and looks at every result. */
static void kernel_check(struct driver *d, const char *what, uint32_t *out)
{
	unsigned wrong = 0;
	int32_t status = finish(d);
	if (status)
		die("%s: ended with %s", what, galena_fault_name((unsigned)-status));
	for (uint32_t i = 0; i < ITEMS; i++)
		wrong += out[i] != i * i + 1;
	printf("%s: %d work-items, %u wrong\n", what, ITEMS, wrong);
	memset(out, 0, ITEMS * sizeof *out);
	if (wrong)
		exit(1);
}

int main(int argc, char **argv)
{
	struct driver d = { 0 };
	const char *error;
	setvbuf(stdout, NULL, _IOLBF, 0);
	d.device = galena_device_open(NULL, &error);
	if (!d.device)
		die("%s", error);
	identify(&d);
	put32(&d, GALENA_REG_CTRL, GALENA_REG_CTRL_RESET);
	firmware_load(&d, argc > 1 ? argv[1] : galena_firmware_path());
	boot(&d);
	space_create(&d);
	queue_create(&d);
	kernel_load(&d);
	kernel_start(&d, VA_OUT);
	kernel_check(&d, "kernel", d.out);

	/* the same kernel, told to write where nothing is mapped */
	kernel_start(&d, VA_NOTHING);
	int32_t status = finish(&d);
	printf("faulty kernel: ended with %s\n", galena_fault_name((unsigned)-status));
	if (status != -GALENA_FAULT_PAGE_NOT_PRESENT)
		die("that was to be PAGE_NOT_PRESENT");
	kernel_start(&d, VA_OUT);
	kernel_check(&d, "next kernel", d.out);

	/* once more, where a page comes late: the queue is told that its faults can be resolved */
	queue_bind(&d, QUEUE_REPLAYABLE);
	kernel_start(&d, VA_LATE);
	kernel_check(&d, "kernel with a late page", page_mend(&d, VA_LATE));

	/* and by DMA: the input page twice, the second time to a page that comes late */
	void *copies[2] = { page_create(&d, VA_COPY, GALENA_PTE_R | GALENA_PTE_W) };
	submit(&d, (union galena_packet){ .copy = { .head.type = GALENA_PACKET_COPY, .src = VA_IN, .dst = VA_COPY,
						    .width = GALENA_PAGE_SIZE, .height = 2, .depth = 1,
						    .dst_row = GALENA_PAGE_SIZE } });
	copies[1] = page_mend(&d, VA_COPY + GALENA_PAGE_SIZE);
	if (finish(&d) || memcmp(copies[0], d.in, GALENA_PAGE_SIZE) || memcmp(copies[1], d.in, GALENA_PAGE_SIZE))
		die("the copy with a late page is wrong");
	printf("copy with a late page: 2 pages, right\n");

	printf("queue: %" PRIu64 " of %" PRIu64 " packets consumed, %" PRIu64 " faults counted\n",
	       *(volatile uint64_t *)&d.desc->read_index, d.written, get64(&d, GALENA_REG_CNT_FAULTS));
	galena_device_close(d.device);
	return 0;
}
