/* Drivers, a firmware and devices with a fault in them that break the rules on the bus: each in a process
 * of its own, with GALENA_CHECK. The report has the rule, the cycle, the packet and the address, and the
 * process, which succeeds otherwise, exits with 3. Beside each stands what is right, of which nothing is
 * told. */
#include "testbench/driver/inside.h"
#include "runtime/kmd/fence.h"
#include "testbench/driver/common.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The programs give back only what their rule is about. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static char report_path[] = "/tmp/galena-check-XXXXXX";
static char report[1 << 16];

/* What a child tells its parent about what it has done. */
struct facts {
	uint64_t cycle;          /* UINT64_MAX: not known to it */
	uint64_t from, to;       /* or between these */
	uint64_t packet, address;
};
static struct facts *facts; /* a file that both have mapped */
static char facts_path[] = "/tmp/galena-facts-XXXXXX";
static const char *self;

/* ---- the child's side ---- */
static struct umd *d;
static struct umd_space *space;
static struct umd_queue *queue;

static void child_open(void)
{
	d = open_driver();
	assert_int_equal(umd_space_create(d, &space), 0);
	assert_int_equal(umd_queue_create(space, 0, 1, &queue), 0);
}

static void child_close(void)
{
	umd_queue_release(queue);
	umd_space_release(space);
	umd_close(d);
}

static struct bus *bus(void) { return driver_of_process()->devices[0].bus; }

static int copy(uint64_t dst, uint64_t src, uint32_t bytes)
{
	union packet p = packet_copy_1d(dst, src, bytes);
	umd_sync(d);
	facts->packet = inside_queue(queue)->write; /* the ring index that it will have */
	facts->from = bus_cycle(bus());
	int status = run(queue, &p, 1);
	facts->to = bus_cycle(bus());
	return status;
}

/* ---- what the children do ---- */
static void ring_doorbell(struct driver *drv, void *arg)
{
	(void)drv;
	bus_write64(bus(), (uint32_t)(REG_HOST_DOORBELL + 8 * inside_queue(queue)->slot), *(uint64_t *)arg);
	facts->cycle = bus_cycle(bus());
	facts->address = queue_block_desc(inside_queue(queue)->block);
	facts->packet = inside_queue(queue)->write - 1;
}

static void bell_beyond_the_ring(void)
{
	union packet nop = packet_nop();
	assert_int_equal(run(queue, &nop, 1), 0);
	uint64_t index = inside_queue(queue)->write + RING_PACKETS + 1;
	inside_call(d, ring_doorbell, &index);
}

static void bell_backwards(void)
{
	union packet nop = packet_nop();
	for (int i = 0; i < 3; i++)
		assert_int_equal(run(queue, &nop, 1), 0);
	uint64_t index = inside_queue(queue)->write - 2;
	inside_call(d, ring_doorbell, &index);
}

static void transfer(bool over)
{
	struct umd_bo *from = make_bo(space, 0, 3 * 4096, 0), *to = make_bo(space, 0, 5000, 0);
	assert_int_equal(copy(umd_bo_address(to), umd_bo_address(from), over ? 5064 : 5000), 0);
	facts->address = umd_bo_address(to);
}
static void transfer_over_the_end(void) { transfer(true); }
static void transfer_to_the_end(void) { transfer(false); }

struct change { struct umd_bo *bo; struct umd_bo *other; bool invalidate; };
/* The physical address of its first page. */
static uint64_t first_pa(const struct umd_bo *bo) { return pin_pa(pin_list_ranges(&inside_bo(bo)->pin)->number); }
static uint64_t other_pa(void *ctx, uint64_t offset) { return first_pa(ctx) + offset; }
/* A page-table entry changes: to another page, or to none. */
static void entry_change(struct driver *drv, void *arg)
{
	const struct change *c = arg;
	(void)drv;
	if (c->other)
		pagetable_map(inside_vm(space), inside_bo(c->bo)->va, 4096, false, other_pa, c->other, PTE_V | PTE_R | PTE_W | PTE_U | PTE_A | PTE_D);
	else
		pagetable_unmap(inside_vm(space), inside_bo(c->bo)->va, 4096, false);
	if (c->invalidate) {
		bus_write64(bus(), REG_HOST_TLB_INV_ADDR, inside_bo(c->bo)->va);
		bus_write32(bus(), REG_HOST_TLB_INV, 2u << REG_HOST_TLB_INV_SCOPE_LSB | inside_vm(space)->asid);
	}
}

static void table_change(bool remap, bool invalidate)
{
	struct umd_bo *from = make_bo(space, 0, 4096, 0), *to = make_bo(space, 0, 4096, 0), *other = make_bo(space, 0, 4096, 0);
	struct change c = { from, remap ? other : NULL, invalidate };
	strcpy(umd_bo_cpu(from), "old");
	strcpy(umd_bo_cpu(other), "new");
	assert_int_equal(copy(umd_bo_address(to), umd_bo_address(from), 64), 0);
	inside_call(d, entry_change, &c);
	int status = copy(umd_bo_address(to), umd_bo_address(from), 64);
	assert_int_equal(status, remap || !invalidate ? 0 : -FAULT_PAGE_NOT_PRESENT);
	assert_string_equal(umd_bo_cpu(to), remap && invalidate ? "new" : "old");
	facts->address = umd_bo_address(from);
}
static void unmap_without_invalidation(void) { table_change(false, false); }
static void remap_without_invalidation(void) { table_change(true, false); }
static void remap_with_invalidation(void) { table_change(true, true); }
static void unmap_with_invalidation(void) { table_change(false, true); }

static void unpin(struct driver *drv, void *arg)
{
	struct umd_bo *bo = arg;
	const struct pin_range page = { .number = pin_list_ranges(&inside_bo(bo)->pin)->number, .count = 1 };
	pins_apply(drv, inside_bo(bo)->host, &(struct pin_list){ .count = 1, .one = page });
}
static void unpinned_under_a_mapping(void)
{
	struct umd_bo *from = make_bo(space, 0, 4096, 0), *to = make_bo(space, 0, 4096, 0);
	assert_int_equal(copy(umd_bo_address(to), umd_bo_address(from), 64), 0);
	inside_call(d, unpin, from);
	assert_int_equal(copy(umd_bo_address(to), umd_bo_address(from), 64), -FAULT_BUS_ERROR);
	facts->address = first_pa(from);
}

static void use_after_release(void)
{
	struct umd_bo *from = make_bo(space, 0, 4096, 0), *to = make_bo(space, 0, 4096, 0);
	uint64_t address = umd_bo_address(from);
	assert_int_equal(copy(umd_bo_address(to), address, 64), 0);
	umd_bo_release(from);
	umd_sync(d);
	assert_int_equal(copy(umd_bo_address(to), address, 64), -FAULT_PAGE_NOT_PRESENT);
	facts->address = address;
}

static void queue_in_another_space(void)
{
	struct umd_space *other;
	assert_int_equal(umd_space_create(d, &other), 0);
	struct umd_bo *mine[2] = { make_bo(space, 0, 4096, 0), make_bo(space, 0, 4096, 0) };
	struct umd_bo *theirs[2] = { make_bo(other, 0, 4096, 0), make_bo(other, 0, 4096, 0) };
	for (int i = 0; i < 2; i++)
		assert_int_equal(umd_bo_address(mine[i]), umd_bo_address(theirs[i]));
	strcpy(umd_bo_cpu(theirs[0]), "theirs");
	umd_sync(d);
	inside_queue(queue)->desc->asid = inside_vm(other)->asid;
	assert_int_equal(copy(umd_bo_address(mine[1]), umd_bo_address(mine[0]), 64), 0);
	assert_string_equal(umd_bo_cpu(theirs[1]), "theirs");
	facts->address = umd_bo_address(mine[0]);
}

static void inject(struct driver *drv, void *arg)
{
	(void)drv;
	bus_write32(bus(), REG_HOST_INJECT_NTH, 1);
	bus_write64(bus(), REG_HOST_INJECT_ARG, REG_HOST_IRQ_STATUS_COMPLETE);
	bus_write32(bus(), REG_HOST_INJECT, (uint32_t)*(int *)arg);
}
static void interrupt_twice(void)
{
	union packet nop = packet_nop();
	int kind = INJECT_IRQ_DUPLICATE;
	inside_call(d, inject, &kind);
	facts->from = bus_cycle(bus());
	assert_int_equal(run(queue, &nop, 1), 0);
	facts->to = bus_cycle(bus());
	facts->address = 0;
}

/* A queue waits for what the host signals, or not. */
static void wait_for_signal(bool signalled)
{
	struct umd_sem *sem;
	struct umd_command *c;
	struct completion done;
	union packet p;
	assert_int_equal(umd_sem_create(d, 0, &sem), 0);
	umd_sem_wait_packet(sem, &p);
	umd_sync(d);
	facts->packet = inside_queue(queue)->write;
	facts->address = ((struct fence *)inside_object(sem->fence, HANDLE_FENCE))->payload.pa;
	facts->from = bus_cycle(bus());
	assert_int_equal(umd_submit(queue, &p, 1, 0, NULL, NULL, &c), 0);
	umd_flush(queue);
	umd_sync(d);
	if (signalled)
		umd_sem_signal(sem, 0);
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(done.status, 0);
	facts->to = bus_cycle(bus());
	umd_command_release(c);
	umd_sem_release(sem);
}
static void wait_with_signal(void) { wait_for_signal(true); }
static void wait_without_signal(void) { wait_for_signal(false); }
static void woken_without_signal(void)
{
	int kind = INJECT_SEM_SPURIOUS;
	inside_call(d, inject, &kind);
	wait_for_signal(false);
}

static void protect(struct driver *drv, void *arg)
{
	const struct umd_bo *bo = arg;
	(void)drv;
	bus_write64(bus(), REG_HOST_PROT_BASE, inside_bo(bo)->dram);
	bus_write64(bus(), REG_HOST_PROT_LIMIT, inside_bo(bo)->dram + 4096);
}
static void protected_copy(bool in, bool out, int expected)
{
	struct umd_bo *safe[2] = { make_bo(space, 0, 4096, KMD_BO_DRAM), make_bo(space, 0, 4096, KMD_BO_DRAM) };
	struct umd_bo *open = make_bo(space, 0, 4096, 0);
	inside_call(d, protect, safe[0]);
	union packet p = packet_copy_1d(umd_bo_address(out ? safe[0] : open), umd_bo_address(in ? safe[0] : open), 64);
	struct umd_command *c;
	struct completion done;
	umd_sync(d);
	facts->packet = inside_queue(queue)->write;
	facts->from = bus_cycle(bus());
	assert_int_equal(umd_submit(queue, &p, 1, 0, NULL, NULL, &c), 0);
	inside_command(c)->packets[0].head.flags |= out ? PACKET_PROTECTED : 0;
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(done.status, expected);
	umd_command_release(c);
	facts->to = bus_cycle(bus());
	facts->address = inside_bo(safe[0])->dram;
}
static void read_of_protected_memory(void) { protected_copy(true, false, -FAULT_PROTECTED); }
static void protected_bytes_flow_out(void)
{
	int kind = INJECT_PROT_OPEN;
	inside_call(d, inject, &kind);
	protected_copy(true, false, 0);
}
static void protected_fill(void) { protected_copy(false, true, 0); }

/* The driver puts cache packets around a command; a bad one leaves them out. */
static unsigned copy_place(struct umd_command *c, bool maintain)
{
	unsigned place = 0;
	for (unsigned i = 0; i < inside_command(c)->num_packets; i++) {
		if (inside_command(c)->packets[i].head.type == PACKET_CODE_copy)
			place = i;
		else if (!maintain && inside_command(c)->packets[i].head.type == PACKET_CODE_cache)
			inside_command(c)->packets[i].head.type = PACKET_CODE_nop;
	}
	return place;
}

static void host_writes_between_copies(bool maintain)
{
	struct umd_bo *from = make_bo(space, 0, 4096, 0), *to = make_bo(space, 0, 4096, KMD_BO_DRAM);
	union packet p = packet_copy_1d(umd_bo_address(to), umd_bo_address(from), 64);
	struct umd_command *c;
	struct completion done;
	memset(umd_bo_cpu(from), 1, 64);
	assert_int_equal(run(queue, &p, 1), 0);
	memset(umd_bo_cpu(from), 2, 64);
	umd_sync(d);
	facts->from = bus_cycle(bus());
	assert_int_equal(umd_submit(queue, &p, 1, 0, NULL, NULL, &c), 0);
	facts->packet = inside_queue(queue)->write + copy_place(c, maintain);
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(done.status, 0);
	umd_command_release(c);
	facts->to = bus_cycle(bus());
	facts->address = first_pa(from);
}
static void stale_line(void) { host_writes_between_copies(false); }
static void maintained_line(void) { host_writes_between_copies(true); }

/* A copy of what the host has just put there, which the device does not hold: it is right by luck. */
static void fresh_copy(bool maintain)
{
	struct umd_bo *from = make_bo(space, 0, 4096, 0), *to = make_bo(space, 0, 4096, KMD_BO_DRAM);
	union packet p = packet_copy_1d(umd_bo_address(to), umd_bo_address(from), 64);
	struct umd_command *c;
	memset(umd_bo_cpu(from), 1, 64);
	umd_sync(d);
	facts->from = bus_cycle(bus());
	assert_int_equal(umd_submit(queue, &p, 1, 0, NULL, NULL, &c), 0);
	facts->packet = inside_queue(queue)->write + copy_place(c, maintain);
	assert_int_equal(umd_wait(c), 0);
	umd_command_release(c);
	facts->to = bus_cycle(bus());
	facts->address = first_pa(from);
}
static void copy_of_what_is_not_held(void) { fresh_copy(false); }
static void copy_after_maintenance(void) { fresh_copy(true); }

/* Accesses of registers by the driver. */
struct mmio { uint32_t offset; unsigned bytes; bool write; };
static void mmio_do(struct driver *drv, void *arg)
{
	const struct mmio *m = arg;
	(void)drv;
	facts->from = bus_cycle(bus());
	if (m->write && m->bytes == 8)
		bus_write64(bus(), m->offset, 0);
	else if (m->write)
		bus_write32(bus(), m->offset, 0);
	else if (m->bytes == 8)
		bus_read64(bus(), m->offset);
	else
		bus_read32(bus(), m->offset);
	facts->to = bus_cycle(bus());
	facts->address = m->offset;
}
static void mmio(uint32_t offset, unsigned bytes, bool write)
{
	struct mmio m = { offset, bytes, write };
	inside_call(d, mmio_do, &m);
}
static void read_of_no_register(void) { mmio(0x0ff0, 4, false); }
static void write_to_no_register(void) { mmio(REG_HOST_DOORBELL + 0x1000 - 8, 8, true); }
static void write_to_a_status(void) { mmio(REG_HOST_STATUS, 4, true); }
static void misaligned_read(void) { mmio(REG_HOST_CYCLE + 4, 8, false); }
static void write_too_wide(void) { mmio(REG_HOST_TCM_ADDR, 8, true); }
static void registers_in_halves(void)
{
	mmio(REG_HOST_CP_ENTRY, 4, true);
	mmio(REG_HOST_CP_ENTRY + 4, 4, true);
	mmio(REG_HOST_CYCLE, 4, false);
	mmio(REG_HOST_CYCLE + 4, 4, false);
	mmio(REG_HOST_ID, 8, false);
}

/* ---- the parent's side ---- */
static int child_run(unsigned number, const char *config, const char *firmware)
{
	char text[16], path[4096];
	memset(facts, 0, sizeof *facts);
	facts->cycle = UINT64_MAX;
	assert_int_equal(truncate(report_path, 0), 0);
	fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setenv("GALENA_CHECK", report_path, 1);
		setenv("GALENA_FAIL_ON", "rule", 1); /* some provoke faults */
		setenv("GALENA_CONFIG", config, 1);
		setenv("GALENA_DEVICES", "1", 1);
		if (firmware) {
			snprintf(path, sizeof path, "%.*s%s", (int)(strrchr(self, '/') + 1 - self), self, firmware);
			setenv("GALENA_FIRMWARE", path, 1);
		}
		snprintf(text, sizeof text, "%u", number);
		execl(self, self, "--program", text, facts_path, NULL);
		_exit(127);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	FILE *f = fopen(report_path, "r");
	assert_non_null(f);
	report[fread(report, 1, sizeof report - 1, f)] = 0;
	fclose(f);
	if (!WIFEXITED(status))
		fail_msg("the child was ended by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

/* The first report of the rule, taken apart; false when there is none. */
static bool told(const char *rule, struct facts *out, bool *packet_told)
{
	char start[64];
	snprintf(start, sizeof start, "galena: check: %s: device 0 cycle ", rule);
	const char *line = strstr(report, start), *at;
	if (!line)
		return false;
	const char *end = strchr(line, '\n');
	out->cycle = strtoull(line + strlen(start), NULL, 10);
	at = strstr(line, " packet ");
	*packet_told = at && at < end;
	out->packet = *packet_told ? strtoull(at + 8, NULL, 10) : 0;
	at = strstr(line, " address ");
	out->address = at && at < end ? strtoull(at + 9, NULL, 0) : UINT64_MAX;
	return true;
}

struct program {
	const char *name;
	void (*run)(void);
	const char *config, *rule; /* NULL: nothing is broken */
	bool packet;               /* the report names one */
	const char *firmware;      /* beside this test; NULL: the kit's */
};
static const struct program programs[] = {
	{ "a bell beyond the ring", bell_beyond_the_ring, "mini", "RING_OVERRUN", true, NULL },
	{ "a bell that goes back", bell_backwards, "mini", "RING_BACKWARDS", true, NULL },
	{ "a transfer over the end of its buffer", transfer_over_the_end, "mini", "DMA_BUFFER", true, NULL },
	{ "a transfer to the end of its buffer", transfer_to_the_end, "mini", NULL, false, NULL },
	{ "unmapped, not invalidated", unmap_without_invalidation, "mini", "TLB_OLD", true, NULL },
	{ "unmapped and invalidated", unmap_with_invalidation, "mini", NULL, false, NULL },
	{ "mapped anew, not invalidated", remap_without_invalidation, "full", "TLB_OLD", true, NULL },
	{ "mapped anew and invalidated", remap_with_invalidation, "full", NULL, false, NULL },
	{ "unpinned under a mapping", unpinned_under_a_mapping, "mini", "PIN_ACCESS", true, NULL },
	{ "a buffer used after its release", use_after_release, "mini", "BUFFER_ENDED", true, NULL },
	{ "a queue in another space", queue_in_another_space, "mini", "QUEUE_SPACE", true, NULL },
	{ "an interrupt that comes twice", interrupt_twice, "mini", "IRQ_CAUSE", false, NULL },
	{ "a wait that ends without its signal", woken_without_signal, "mini", "SEM_PAYLOAD", true, NULL },
	{ "a wait that ends with it", wait_with_signal, "mini", NULL, false, NULL },
	{ "a firmware that does not wait", wait_without_signal, "mini", "SEM_SKIPPED", true, "impatient.elf" },
	{ "protected memory read by an open job", read_of_protected_memory, "mini", "PROT_ASKED", true, NULL },
	{ "protected memory that flows out", protected_bytes_flow_out, "mini", "PROT_FLOW", true, NULL },
	{ "protected memory written by a protected job", protected_fill, "mini", NULL, false, NULL },
	{ "a line that the host wrote, not invalidated", stale_line, "mini,coherent=0", "CACHE_STALE", true, NULL },
	{ "a line that the host wrote, invalidated", maintained_line, "mini,coherent=0", NULL, false, NULL },
	{ "a copy of what the device happens not to hold", copy_of_what_is_not_held, "mini,coherent=0", "HOST_DIRTY", true, NULL },
	{ "the same after maintenance", copy_after_maintenance, "mini,coherent=0", NULL, false, NULL },
	{ "the same on a coherent device", copy_of_what_is_not_held, "mini", NULL, false, NULL },
	{ "a read of no register", read_of_no_register, "mini", "MMIO_NOWHERE", false, NULL },
	{ "a write to no register", write_to_no_register, "mini", "MMIO_NOWHERE", false, NULL },
	{ "a write to a read-only register", write_to_a_status, "mini", "MMIO_READ_ONLY", false, NULL },
	{ "a misaligned read", misaligned_read, "mini", "MMIO_SIZE", false, NULL },
	{ "a write that is too wide", write_too_wide, "mini", "MMIO_SIZE", false, NULL },
	{ "registers in halves and in pairs", registers_in_halves, "mini", NULL, false, NULL },
};

static void breaks_its_rule(void **state)
{
	const struct program *p = *state;
	int status = child_run((unsigned)(p - programs), p->config, p->firmware);
	struct facts t;
	bool packet = false;
	if (!p->rule) {
		if (status || !strstr(report, ": 0 broken"))
			fail_msg("status %d, report:\n%s", status, report);
		return;
	}
	if (status != 3 || !told(p->rule, &t, &packet))
		fail_msg("%s is not told of; status %d, report:\n%s", p->rule, status, report);
	bool when = facts->cycle != UINT64_MAX ? t.cycle == facts->cycle : t.cycle >= facts->from && t.cycle <= facts->to;
	/* a report names the first bytes of what was touched: a beat, which the address lies in or follows */
	bool where = t.address == facts->address ||
		     (!strcmp(p->rule, "DMA_BUFFER") && t.address > facts->address && t.address < facts->address + 5064);
	if (!when || !where || packet != p->packet || (packet && t.packet != facts->packet))
		fail_msg("cycle %" PRIu64 " (%" PRIu64 ", %" PRIu64 " to %" PRIu64 "), packet %" PRIu64 " (%" PRIu64
			 "), address 0x%" PRIx64 " (0x%" PRIx64 "), report:\n%s", t.cycle, facts->cycle, facts->from, facts->to,
			 t.packet, facts->packet, t.address, facts->address, report);
	/* and nothing but that rule */
	for (const char *line = report; (line = strstr(line, "galena: check: ")); line++)
		if (strncmp(line + 15, "fault: ", 7) && strstr(line, " cycle ") && strstr(line, " cycle ") < strchr(line, '\n') &&
		    strncmp(line + 15, p->rule, strlen(p->rule)))
			fail_msg("more than %s is told of:\n%s", p->rule, report);
}

enum { PROGRAMS = sizeof programs / sizeof *programs };

static void facts_map(const char *path)
{
	int fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, sizeof *facts), 0);
	facts = mmap(NULL, sizeof *facts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(facts != MAP_FAILED);
	close(fd);
}

/* A child is a process that has begun anew: in it an assertion that fails ends it. */
static int child_main(const char *number, const char *path)
{
	facts_map(path);
	child_open();
	programs[strtoul(number, NULL, 10)].run();
	child_close();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--program"))
		return child_main(argv[2], argv[3]);
	self = argv[0];
	struct CMUnitTest tests[PROGRAMS];
	for (int i = 0; i < PROGRAMS; i++)
		tests[i] = (struct CMUnitTest){ programs[i].name, breaks_its_rule, NULL, NULL, (void *)&programs[i] };
	close(mkstemp(report_path));
	close(mkstemp(facts_path));
	facts_map(facts_path);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(report_path);
	unlink(facts_path);
	return failed;
}
