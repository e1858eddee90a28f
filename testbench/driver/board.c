#define _GNU_SOURCE
#include "testbench/driver/board.h"
#include "testbench/model/encode.h"
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct bus *bus;
uint8_t *memory;
const char *board_config = "mini";
struct event_sink *board_observer;
static uint64_t generation;
static uint64_t gone = HOLES; /* a page that was pinned, and is not now */
static uint8_t *image;
static unsigned tables_used;

/* ---- the host's memory ---- */
static bool there(uint64_t address, size_t len)
{
	return address <= HOLES * 4096ul && len <= HOLES * 4096ul - address &&
	       !(address >> 12 <= gone && (address + len - 1) >> 12 >= gone);
}

void board_unpin(unsigned page)
{
	gone = page;
	generation++;
}

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	(void)ctx;
	if (!there(address, len))
		return -1;
	memcpy(dst, memory + address, len);
	return 0;
}

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	(void)ctx;
	if (!there(address, len))
		return -1;
	memcpy(memory + address, src, len);
	return 0;
}

static void *memory_page(void *ctx, uint64_t number, bool write)
{
	(void)ctx;
	(void)write;
	return number < HOLES && number != gone ? memory + number * 4096 : NULL;
}

struct boot_params *boot(void) { return (void *)(memory + BOOT * 4096); }
struct queue_desc *desc(unsigned n) { return (void *)(memory + DESCS * 4096 + 128 * n); }
uint64_t desc_pa(unsigned n) { return PA(DESCS) + 128 * n; }
union packet *ring(unsigned n) { return (void *)(memory + (RINGS + 4 * n) * 4096); }
struct completion *record(unsigned i) { return (void *)(memory + RECORDS * 4096 + 32 * i); }
uint64_t record_pa(unsigned i) { return PA(RECORDS) + 32 * i; }
uint64_t *payload(unsigned i) { return (void *)(memory + PAYLOADS * 4096 + 8 * i); }
uint64_t payload_pa(unsigned i) { return PA(PAYLOADS) + 8 * i; }
uint64_t *args(unsigned pair) { return (uint64_t *)(memory + ARGS * 4096) + 2 * pair; }

struct fault_record *last_fault(void)
{
	return (struct fault_record *)(memory + FAULTS * 4096) + (boot()->faults_written - 1) % boot()->fault_count;
}

static uint64_t *table(uint64_t pa) { return (uint64_t *)(memory + (pa - SYSTEM_BASE)); }

static uint64_t table_new(void)
{
	uint64_t page = TABLES + tables_used++;
	assert_true(page < HOLES);
	memset(memory + page * 4096, 0, 4096);
	return PA(page);
}

void board_map(uint16_t asid, uint64_t va, uint64_t pa, uint64_t pte)
{
	uint64_t *contexts = table(PA(CONTEXTS));
	if (!contexts[asid])
		contexts[asid] = table_new() | 1;
	uint64_t at = contexts[asid] & ~1ull;
	for (unsigned level = PT_LEVELS - 1; level; level--) {
		uint64_t *entry = &table(at)[PT_INDEX(va, level)];
		if (!(*entry & PTE_V))
			*entry = pte_make(table_new(), PTE_V);
		at = pte_address(*entry);
	}
	table(at)[PT_INDEX(va, 0)] = pte_make(pa, pte);
}

/* ---- kernels ---- */
static void kernels_write(void)
{
	enum { EXIT = 0x100b };
	uint32_t *k = (uint32_t *)(memory + CODE * 4096);
	k[KERNEL_EXIT * 16] = EXIT;
	k[KERNEL_SPIN * 16] = enc_jal(0, 0);
	uint32_t *s = &k[KERNEL_STORE * 16];
	*s++ = enc_csrrs(A0, CSR_kernarg, 0);
	*s++ = enc_ld(A1, A0, 0);
	*s++ = enc_ld(A2, A0, 8);
	*s++ = enc_sd(A2, A1, 0);
	*s = EXIT;
	s = &k[KERNEL_LOAD * 16];
	*s++ = enc_csrrs(A0, CSR_kernarg, 0);
	*s++ = enc_ld(A1, A0, 0);
	*s++ = enc_ld(A2, A0, 8);
	*s++ = enc_ld(A3, A1, 0);
	*s++ = enc_sd(A3, A2, 0);
	*s = EXIT;
	s = &k[KERNEL_ATOMIC * 16];
	*s++ = enc_csrrs(A0, CSR_kernarg, 0);
	*s++ = enc_ld(A1, A0, 0);
	*s++ = enc_ld(A2, A0, 8);
	*s++ = enc_amo(0, 3, A3, A1, A2);
	*s = EXIT;
	s = &k[KERNEL_COMPARE * 16];
	*s++ = enc_csrrs(A0, CSR_kernarg, 0);
	*s++ = enc_ld(A1, A0, 0);
	*s++ = enc_ld(A2, A0, 8);
	*s++ = enc_ld(A3, A1, 0);
	*s++ = enc_b(0, A3, A2, 8);
	*s++ = ENC_EBREAK;
	*s = EXIT;
}

union packet launch(enum board_kernel k, unsigned pair)
{
	return (union packet){ .dispatch = { .head.type = PACKET_CODE_dispatch, .entry = VA(CODE) + 64 * k,
					     .kernarg = VA(ARGS) + 16 * pair, .global_size = { 1, 1, 1 },
					     .local_size = { 1, 1, 1 } } };
}

/* ---- events ---- */
static struct event events[EVENTS_KEPT];
static unsigned num_events;
static uint64_t complete_before;

static void take(struct event_sink *s, const struct event *e)
{
	(void)s;
	if (e->cycle < complete_before)
		fail_msg("%s at %" PRIu64 ", after %" PRIu64 " was complete", event_row(e->kind)->text, e->cycle, complete_before);
	events[num_events++ % EVENTS_KEPT] = *e;
	if (board_observer)
		board_observer->event(board_observer, e);
}

static void take_lanes(struct event_sink *s, const struct event *e, const uint64_t *words, unsigned count)
{
	(void)s;
	board_observer->lanes(board_observer, e, words, count);
}

static void complete(struct event_sink *s, uint64_t cycle)
{
	(void)s;
	assert_true(cycle >= complete_before);
	assert_true(cycle <= bus_cycle(bus));
	complete_before = cycle;
}

unsigned events_count(void) { return num_events < EVENTS_KEPT ? num_events : EVENTS_KEPT; }

const struct event *events_at(unsigned i)
{
	return &events[(num_events - events_count() + i) % EVENTS_KEPT];
}

unsigned events_of(enum event_kind kind, unsigned queue)
{
	unsigned n = 0;
	for (unsigned i = 0; i < events_count(); i++)
		n += events_at(i)->kind == kind && (queue == EVENT_NO_QUEUE || events_at(i)->queue == queue);
	return n;
}

/* ---- the device ---- */
static void firmware_load(void)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)image;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(image + eh->e_phoff);
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		bus_write32(bus, REG_HOST_TCM_ADDR, (uint32_t)ph[i].p_paddr);
		for (uint64_t at = 0; at < ph[i].p_filesz; at += 8) {
			uint64_t word = 0;
			memcpy(&word, image + ph[i].p_offset + at, ph[i].p_filesz - at < 8 ? ph[i].p_filesz - at : 8);
			bus_write64(bus, REG_HOST_TCM_DATA, word);
		}
	}
	bus_write64(bus, REG_HOST_FW_BOOT, PA(BOOT));
	bus_write64(bus, REG_HOST_CTX_TABLE, PA(CONTEXTS));
	bus_write64(bus, REG_HOST_CP_ENTRY, eh->e_entry);
	bus_write32(bus, REG_HOST_IRQ_ENABLE, 0xff);
}

static void memory_prepare(void)
{
	tables_used = 0;
	memset(memory + CONTEXTS * 4096, 0, 4096);
	for (unsigned i = 0; i < PAGES; i++)
		board_map(1, VA(i), PA(i), BOARD_PTE);
	kernels_write();
	*boot() = (struct boot_params){ .version = FW_INTERFACE_VERSION, .log = PA(LOG), .log_size = 4096,
					.fault_count = 32, .faults = PA(FAULTS) };
}

void fresh(void)
{
	static struct event_sink sink = { .event = take, .complete = complete };
	const char *error = NULL;
	if (bus)
		bus_close(bus);
	bus = NULL;
	num_events = 0;
	complete_before = 0;
	sink.lanes = board_observer && board_observer->lanes ? take_lanes : NULL;
	gone = HOLES;
	memset(memory, 0, PAGES * 4096);
	struct bus_params params = { .device = "model", .config = board_config, .speed = BUS_TIMED, .events = &sink };
	params.memory = (struct bus_memory){ .read = memory_read, .write = memory_write, .page = memory_page,
					     .generation = &generation };
	bus = bus_open(&params, &error);
	if (!bus)
		fail_msg("bus_open: %s", error);
	memory_prepare();
	firmware_load();
}

void again(void)
{
	bus_write32(bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	memory_prepare();
	firmware_load();
}

uint32_t settle(void)
{
	uint32_t all = 0, status;
	enum bus_wait w;
	do {
		w = bus_wait_irq(bus, 10000000);
		status = bus_read32(bus, REG_HOST_IRQ_STATUS);
		bus_write32(bus, REG_HOST_IRQ_STATUS, status);
		all |= status;
	} while (w == BUS_WAIT_IRQ || status);
	return all;
}

uint32_t start(void)
{
	bus_write32(bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
	assert_true(settle() & REG_HOST_IRQ_STATUS_BOOT);
	return bus_read32(bus, REG_HOST_FW_STATE);
}

int board_setup(void **state)
{
	(void)state;
	fresh();
	assert_int_equal(start(), FW_READY);
	return 0;
}

void desc_fill(unsigned n, unsigned priority)
{
	*desc(n) = (struct queue_desc){ .ring = PA(RINGS + 4 * n), .ring_size = 256, .priority = priority,
					.timeline = payload_pa(TIMELINES + n), .asid = 1 };
}

void map(unsigned n, uint64_t pa) { bus_write64(bus, REG_HOST_QUEUE_DESC + 8 * n, pa); }
void bell(unsigned n, uint64_t write) { bus_write64(bus, REG_HOST_DOORBELL + 8 * n, write); }
uint32_t state_of(unsigned n) { return bus_read32(bus, REG_HOST_QUEUE_STATE + 4 * n); }

void queue_up(unsigned n, unsigned priority, unsigned flags)
{
	desc_fill(n, priority);
	desc(n)->flags = flags;
	*payload(TIMELINES + n) = 0;
	map(n, desc_pa(n));
	settle();
	assert_int_equal(state_of(n), QUEUE_IDLE);
}

void put(unsigned n, uint64_t index, union packet p, unsigned flags, unsigned i)
{
	p.head.flags = (uint8_t)flags;
	p.head.completion = record_pa(i);
	ring(n)[index % desc(n)->ring_size] = p;
	*record(i) = (struct completion){ 0 };
}

void signal_payload(unsigned i, uint64_t value)
{
	bus_write64(bus, REG_HOST_SEM_VALUE, value);
	bus_write64(bus, REG_HOST_SEM_SIGNAL, payload_pa(i));
}

union packet wait_for(uint64_t pa, uint64_t value, uint64_t status)
{
	return (union packet){ .sem_wait = { .head.type = PACKET_CODE_sem_wait, .semaphore = pa, .value = value,
					     .status = status } };
}

void inject(enum injection kind, uint32_t nth, uint32_t unit, uint64_t arg)
{
	bus_write32(bus, REG_HOST_INJECT_NTH, nth);
	bus_write32(bus, REG_HOST_INJECT_UNIT, unit);
	bus_write64(bus, REG_HOST_INJECT_ARG, arg);
	bus_write32(bus, REG_HOST_INJECT, kind);
}

bool board_init(const char *argv0)
{
	char path[4096], *self = realpath(argv0, NULL);
	struct stat st;
	*strrchr(self, '/') = 0;
	snprintf(path, sizeof path, "%s/../../share/galena/firmware.elf", self);
	free(self);
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "cannot open %s\n", path);
		return false;
	}
	image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	close(fd);
	return image != MAP_FAILED && memory != MAP_FAILED;
}

void board_fini(void)
{
	if (bus)
		bus_close(bus);
	bus = NULL;
}

void control(unsigned n, enum queue_ctrl request) { bus_write32(bus, REG_HOST_QUEUE_CTRL + 4 * n, request); }
uint32_t requested(unsigned n) { return bus_read32(bus, REG_HOST_QUEUE_CTRL + 4 * n); }
uint64_t timeline(unsigned n) { return *payload(TIMELINES + n); }
bool device_busy(void) { return bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_BUSY; }

void hang(unsigned n, uint64_t index, unsigned i)
{
	put(n, index, launch(KERNEL_SPIN, 0), LAST, i);
	bell(n, index + 1);
	RUN_UNTIL(device_busy());
}
