/* Kernels through the driver: launches, private memory, faults that name the work-item, the
 * watchdog, and how much a launch costs. The kernels are instructions written out. */
#define _GNU_SOURCE
#include "testbench/driver/fixture.h"
#include "abi/address_map.h"
#include "abi/registers.h"
#include <time.h>

/* ---- a little assembler: rd, rs are register numbers; a0 is 10 ---- */
enum { ZERO = 0, SP = 2, T0 = 5, A0 = 10, A1, A2, A3, A4, A5 };
#define CSRR(rd, csr) ((uint32_t)(csr) << 20 | 2u << 12 | (rd) << 7 | 0x73)
#define LOAD(f3, rd, rs, imm) ((uint32_t)((imm) & 0xfff) << 20 | (rs) << 15 | (f3) << 12 | (rd) << 7 | 0x03)
#define STORE(f3, rs2, rs1, imm)                                                                   \
	(((uint32_t)((imm) & 0xfff) >> 5) << 25 | (rs2) << 20 | (rs1) << 15 | (f3) << 12 | ((imm) & 31) << 7 | 0x23)
#define LD(rd, rs, imm) LOAD(3u, rd, rs, imm)
#define LW(rd, rs, imm) LOAD(2u, rd, rs, imm)
#define SD(rs2, rs1, imm) STORE(3u, rs2, rs1, imm)
#define SW(rs2, rs1, imm) STORE(2u, rs2, rs1, imm)
#define ADD(rd, rs1, rs2) ((rs2) << 20 | (rs1) << 15 | (rd) << 7 | 0x33u)
#define MUL(rd, rs1, rs2) (1u << 25 | (rs2) << 20 | (rs1) << 15 | (rd) << 7 | 0x33u)
#define ADDI(rd, rs, imm) ((uint32_t)((imm) & 0xfff) << 20 | (rs) << 15 | (rd) << 7 | 0x13)
#define SLLI(rd, rs, n) ((uint32_t)(n) << 20 | (rs) << 15 | 1u << 12 | (rd) << 7 | 0x13)
#define JUMP_SELF 0x0000006fu
#define EXIT 0x0000100bu
enum { STRIDE_8 = 3, STRIDE_4 = 2 };

/* The work-item's global id into a2; the argument block is at a0. */
#define GLOBAL_ID                                                                                  \
	CSRR(A0, CSR_kernarg), CSRR(A2, CSR_local_id_x), CSRR(A3, CSR_group_id_x), LW(A4, A0, 56), \
		MUL(A3, A3, A4), ADD(A2, A2, A3)

/* out[id] = 3 * id, kept in private memory on the way */
static const uint32_t triple[] = {
	GLOBAL_ID, ADD(A4, A2, A2), ADD(A4, A4, A2), SD(A4, SP, -8), ADDI(A4, ZERO, 0), LD(A1, A0, 128),
	SLLI(A3, A2, STRIDE_4), ADD(A1, A1, A3), LD(A4, SP, -8), SW(A4, A1, 0), EXIT,
};
/* fills n doublewords of private memory with the id, adds them up again, out[id] = the sum */
static const uint32_t stack_user[] = {
	GLOBAL_ID,
	LD(A5, A0, 136), ADD(A4, SP, ZERO),                                   /* n */
	ADDI(A4, A4, -8), SD(A2, A4, 0), ADDI(A5, A5, -1), 0xfe079ae3,        /* bnez a5, -12 */
	LD(A5, A0, 136), ADDI(T0, ZERO, 0), ADD(A4, SP, ZERO),
	ADDI(A4, A4, -8), LD(A3, A4, 0), ADD(T0, T0, A3), ADDI(A5, A5, -1), 0xfe0798e3, /* bnez a5, -16 */
	LD(A1, A0, 128), SLLI(A3, A2, STRIDE_8), ADD(A1, A1, A3), SD(T0, A1, 0), EXIT,
};
static const uint32_t exits[] = { EXIT };
static const uint32_t hangs[] = { JUMP_SELF };
static const uint32_t breaks[] = { 0x00100073 };
/* reads above its private memory, which has no bytes */
static const uint32_t overflows[] = { LD(A0, SP, 0), EXIT };

static struct umd_bo *code, *args, *out;
static uint64_t seed;

enum { OUT_BYTES = 1 << 20 };


/* Each kernel has its place: units keep the instructions that they have fetched. */
static const struct { const uint32_t *words; size_t bytes; } kernels[] = {
	{ triple, sizeof triple }, { stack_user, sizeof stack_user }, { exits, sizeof exits },
	{ hangs, sizeof hangs },   { breaks, sizeof breaks },         { overflows, sizeof overflows },
};
enum { KERNELS = sizeof kernels / sizeof kernels[0], KERNEL_ROOM = 256 };

static uint64_t entry_of(const uint32_t *kernel)
{
	unsigned i = 0;
	while (kernels[i].words != kernel)
		i++;
	return umd_bo_address(code) + i * KERNEL_ROOM;
}

static int setup_kernels(void **state)
{
	setenv("GALENA_WATCHDOG", "2000000", 1);
	setup(state);
	code = make_bo(space, 0, 4096, KMD_BO_EXECUTE);
	args = make_bo(space, 0, 4096, 0);
	out = make_bo(space, 0, OUT_BYTES, 0);
	for (unsigned i = 0; i < KERNELS; i++)
		memcpy((uint8_t *)umd_bo_cpu(code) + i * KERNEL_ROOM, kernels[i].words, kernels[i].bytes);
	return 0;
}

static int teardown_kernels(void **state)
{
	umd_bo_release(code);
	umd_bo_release(args);
	umd_bo_release(out);
	return teardown(state);
}

/* A launch of n work-items in groups of local; the kernel's second argument is extra. */
static union packet launch(const uint32_t *kernel, uint32_t n, uint16_t local, uint32_t private_bytes,
			   uint64_t extra)
{
	struct kernarg_header *h = umd_bo_cpu(args);
	*h = (struct kernarg_header){ .work_dim = 1,
				      .global_size = { n, 1, 1 },
				      .local_size = { local, 1, 1 },
				      .num_groups = { (n + local - 1) / local, 1, 1 } };
	((uint64_t *)(h + 1))[0] = umd_bo_address(out);
	((uint64_t *)(h + 1))[1] = extra;
	return (union packet){ .dispatch = { .head.type = PACKET_CODE_dispatch,
					     .entry = entry_of(kernel),
					     .kernarg = umd_bo_address(args),
					     .global_size = { n, 1, 1 },
					     .local_size = { local, 1, 1 },
					     .private_bytes = private_bytes } };
}
#define LAUNCH(kernel, n, local, private_bytes, extra) launch(kernel, n, local, private_bytes, extra)

static int run_private(const union packet *p, uint32_t private_bytes, struct fault_record *fault)
{
	struct umd_command *c;
	struct completion done;
	assert_int_equal(umd_submit(queue, p, 1, private_bytes, NULL, NULL, &c), 0);
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(umd_command_fault(c) != NULL, done.status < 0);
	if (fault && umd_command_fault(c))
		*fault = *umd_command_fault(c);
	umd_command_release(c);
	return done.status;
}

static void triple_works(uint32_t n, uint16_t local)
{
	uint32_t *result = umd_bo_cpu(out);
	memset(result, 0xff, 4 * n + 4);
	union packet p = LAUNCH(triple, n, local, 16, 0);
	assert_int_equal(run_private(&p, 16, NULL), 0);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(result[i], 3 * i);
	assert_int_equal(result[n], 0xffffffff);
}

static void launches(void **state)
{
	(void)state;
	triple_works(1, 1);
	triple_works(1000, 64);
	triple_works(4096, 256);
	for (unsigned i = 0; i < 30; i++)
		triple_works(1 + splitmix64(&seed) % 5000, 1 + splitmix64(&seed) % 512);
}

/* Private memory grows with what launches need, while earlier ones of the queue are on the device. */
static void private_memory_grows(void **state)
{
	(void)state;
	enum { N = 300 };
	uint64_t *result = umd_bo_cpu(out);
	static const uint32_t sizes[] = { 16, 64, 4096, 256, 6000, 16, 2000 };
	struct umd_command *c[7];
	struct umd_bo *kernargs[7];
	union packet p = LAUNCH(stack_user, N, 100, 16, 1);
	memset(result, 0, OUT_BYTES);
	for (unsigned i = 0; i < 7; i++) {
		uint32_t bytes = (sizes[i] + 15) & ~15u;
		struct kernarg_header *h;
		kernargs[i] = make_bo(space, 0, 4096, 0);
		h = umd_bo_cpu(kernargs[i]);
		memcpy(h, umd_bo_cpu(args), sizeof *h);
		((uint64_t *)(h + 1))[0] = umd_bo_address(out) + 8 * N * i;
		((uint64_t *)(h + 1))[1] = bytes / 8;
		p.dispatch.kernarg = umd_bo_address(kernargs[i]);
		p.dispatch.private_bytes = bytes;
		assert_int_equal(umd_submit(queue, &p, 1, bytes, NULL, NULL, &c[i]), 0);
	}
	for (unsigned i = 0; i < 7; i++) {
		struct completion done;
		assert_int_equal(umd_wait(c[i]), 0);
		assert_true(umd_command_ended(c[i], &done));
		assert_int_equal(done.status, 0);
		for (uint64_t k = 0; k < N; k++)
			assert_int_equal(result[N * i + k], k * ((sizes[i] + 15) / 16 * 2));
		umd_command_release(c[i]);
		umd_bo_release(kernargs[i]);
	}
	/* more than the device has is refused, before the device hears of it */
	assert_int_equal(umd_submit(queue, &p, 1, 8 << 20, NULL, NULL, NULL), KMD_NO_DEVICE_MEMORY);
	assert_int_equal(umd_submit(queue, &p, 1, 1u << 31, NULL, NULL, NULL), KMD_INVALID);
	triple_works(100, 10);
}

/* out is too small for the ids: the first one beyond it is named. */
static void faults_name_the_work_item(void **state)
{
	(void)state;
	struct fault_record r;
	union packet p = LAUNCH(triple, OUT_BYTES / 4 + 8, 64, 16, 0);
	assert_int_equal(run_private(&p, 16, &r), -FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(r.address, umd_bo_address(out) + OUT_BYTES);
	assert_int_equal(r.access, ACCESS_WRITE);
	assert_int_equal(r.group_id[0], OUT_BYTES / 4 / 64);
	assert_int_equal(r.group_id[1], 0);
	assert_int_equal(r.local_id[0], 0);
	assert_int_equal(r.entry, entry_of(triple));
	assert_int_equal(r.pc, entry_of(triple) + 4 * (sizeof triple / 4 - 2));
	assert_true(r.unit >= UNIT_CU && r.unit < UNIT_CU + 4);
	triple_works(500, 50);

	p = LAUNCH(breaks, 1, 1, 0, 0);
	assert_int_equal(run_private(&p, 0, &r), -FAULT_EBREAK);
	assert_int_equal(r.pc, entry_of(breaks));
	p = LAUNCH(overflows, 1, 1, 0, 0);
	assert_int_equal(run_private(&p, 0, &r), -FAULT_PRIVATE_RANGE);
	p = LAUNCH(exits, 1, 1, 0, 0);
	p.dispatch.entry = umd_bo_address(args); /* not executable */
	assert_int_equal(run_private(&p, 0, &r), -FAULT_PAGE_EXEC);
	p = LAUNCH(exits, 1024, 1024, 0, 0);
	assert_int_equal(run_private(&p, 0, &r), -FAULT_BAD_DISPATCH);
	assert_int_equal(r.entry, entry_of(exits));
	/* private memory that nobody gave it: no scratch can be as large as this */
	p = LAUNCH(exits, 1, 1, 1 << 20, 0);
	assert_int_equal(run_private(&p, 0, &r), -FAULT_BAD_DISPATCH);
	triple_works(500, 50);
}

static void watchdog(void **state)
{
	(void)state;
	struct fault_record r;
	struct umd_queue *other;
	assert_int_equal(umd_queue_create(space, 0, 1, &other), 0);
	for (unsigned i = 0; i < 3; i++) {
		union packet p = LAUNCH(hangs, 64, 32, 0, 0), nop = packet_nop();
		uint64_t before = umd_time(d, 0);
		struct umd_command *c;
		struct completion done;
		assert_int_equal(umd_submit(other, &nop, 1, 0, NULL, NULL, &c), 0);
		umd_flush(other);
		assert_int_equal(run_private(&p, 0, &r), -FAULT_WATCHDOG);
		assert_true(umd_time(d, 0) > before + 2000000 && umd_time(d, 0) < before + 2400000);
		assert_int_equal(umd_wait(c), 0);
		assert_true(umd_command_ended(c, &done));
		assert_int_equal(done.status, 0);
		umd_command_release(c);
		triple_works(100, 100);
	}
	umd_queue_release(other);
}

/* Two queues, launches of both on the device at once. */
static void launches_overlap(void **state)
{
	(void)state;
	enum { N = 2000 };
	struct umd_queue *other;
	struct umd_command *c[2];
	struct completion done[2];
	assert_int_equal(umd_queue_create(space, 0, 1, &other), 0);
	union packet p = LAUNCH(stack_user, N, 50, 512, 64);
	struct umd_queue *q[2] = { queue, other };
	struct umd_sem *sem;
	union packet both[2] = { [1] = p };
	assert_int_equal(umd_sem_create(d, 0, &sem), 0);
	umd_sem_wait_packet(sem, &both[0]);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(umd_submit(q[i], both, 2, 512, NULL, NULL, &c[i]), 0);
		umd_flush(q[i]);
	}
	umd_sem_signal(sem, 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(umd_wait(c[i]), 0);
		assert_true(umd_command_ended(c[i], &done[i]));
		assert_int_equal(done[i].status, 0);
		umd_command_release(c[i]);
	}
	assert_true(done[0].start < done[1].end && done[1].start < done[0].end);
	umd_sem_release(sem);
	umd_queue_release(other);
}

/* What a launch costs: instructions of the command processor, and time of the host. */
static void null_launch(void **state)
{
	(void)state;
	enum { N = 2000 };
	struct kmd_counter_values before, after;
	struct timespec a, b;
	union packet p = LAUNCH(exits, 1, 1, 0, 0);
	assert_int_equal(run(queue, &p, 1), 0);
	umd_counters(d, 0, &before);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(run(queue, &p, 1), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	umd_counters(d, 0, &after);
	assert_int_equal(after.dispatches - before.dispatches, N);
	uint64_t insns = (after.cp_insns - before.cp_insns) / N;
	uint64_t ns = ((uint64_t)(b.tv_sec - a.tv_sec) * 1000000000 + (uint64_t)b.tv_nsec - (uint64_t)a.tv_nsec) / N;
	printf("# null launch: %" PRIu64 " instructions, %" PRIu64 " cycles, %" PRIu64 " ns of the host\n", insns,
	       (after.cycles - before.cycles) / N, ns);
	assert_true(insns < 400);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches),
		cmocka_unit_test(private_memory_grows),
		cmocka_unit_test(faults_name_the_work_item),
		cmocka_unit_test(watchdog),
		cmocka_unit_test(launches_overlap),
		cmocka_unit_test(null_launch),
	};
	return cmocka_run_group_tests(tests, setup_kernels, teardown_kernels);
}
