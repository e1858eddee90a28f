/* What debug builds assert of compute units: whatever a kernel fetches, loads, stores or does by atomics is charged, and each charge
 * that is left out stops the program. The parts of the model that access or charge are those of a debug build. */
#ifndef GALENA_DEBUG
#define GALENA_DEBUG
#endif
#define _GNU_SOURCE
/* the charges of the model come by here */
#define charges_pay charges_pay_all
#include "model/mem/charges.c"
#undef charges_pay
#include "model/mem/cache.h"
#include "testbench/model/kernel.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

void charges_pay(uint64_t pa, uint64_t bytes, uint32_t line_bytes, bool write);

enum { SYSTEM_PAGE = 4096, TRIALS = 24, NONE_LEFT_OUT = -1 };
static const uint64_t system_va = 0x2200000000;

/* Charges for which a compute unit has waited: how many there were, and the number of the one that is left out. */
static struct { unsigned reads, writes; int left_out; bool faulted; } *seen;

static unsigned wait_of_units(unsigned kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < num_waiting; i++)
		n += waiting[i].unit >= UNIT_CU && waiting[i].kind == kind;
	return n;
}

void charges_pay(uint64_t pa, uint64_t bytes, uint32_t line_bytes, bool write)
{
	static struct waiting before[MOST];
	const unsigned n = num_waiting, kind = write ? WRITES : READS, waited = wait_of_units(kind);

	memcpy(before, waiting, n * sizeof(*before));
	charges_pay_all(pa, bytes, line_bytes, write);
	if (wait_of_units(kind) == waited)
		return;
	const int number = (int)(seen->reads + seen->writes);
	write ? seen->writes++ : seen->reads++;
	if (number != seen->left_out)
		return;
	memcpy(waiting, before, n * sizeof(*before));
	num_waiting = n;
}

static void prepare(struct bench *b)
{
	rig_map(b->r, system_va, SYSTEM_BASE, SYSTEM_PAGE, PTE_R | PTE_W);
	b->arg[1] = system_va;
	b->r->mem.charged = true;
	if (b->r->cache)
		cache_charge(b->r->cache, b->r->l2);
}

/* Runs a kernel and, at last, lets the time of all units go on. Whether the program was stopped. */
static bool stopped(struct bench *b, uint64_t entry, int left_out)
{
	const struct rig_range range = { .global = { 256 }, .local = { 16 }, .private_bytes = 64, .kernarg = arg_va };
	int status;

	seen->reads = seen->writes = 0;
	seen->left_out = left_out;
	const pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (left_out != NONE_LEFT_OUT && !freopen("/dev/null", "w", stderr))
			_exit(2);
		signal(SIGABRT, SIG_DFL);
		seen->faulted = rig_run(b->r, entry, &range)->faulted;
		for (unsigned unit = 0; unit < UNITS; unit++)
			charges_by(unit, UINT64_MAX);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		assert_int_equal(WTERMSIG(status), SIGABRT);
	else
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFSIGNALED(status);
}

#define OUT "ld a1, 0(a0)\n"
#define SYSTEM "ld a1, 8(a0)\n"
#define WORD "sh2add a2, s0, a1\n"           /* one beside the other */
#define APART "slli t0, s0, 8\n add a2, a1, t0\n" /* each in a line of its own */
#define PRIVATE "li a2, 6\n slli a2, a2, 44\n"
#define LOADS "lw t1, 0(a2)\n lw t2, 0(a2)\n ld t3, 1(a2)\n add t1, t1, t3\n lw t2, 0(a2)\n"
#define ATOMICS "li t1, 1\n amoadd.w t2, t1, (a2)\n lr.d t3, (a3)\n sc.d t3, t1, (a3)\n amoswap.d t2, t1, (a3)\n"
#define FOURTH_FAULTS "addi t1, s1, -3\n seqz t1, t1\n slli t1, t1, 36\n add a2, a2, t1\n"
static const struct {
	const char *name, *text;
	unsigned reads, writes; /* charges, at least */
	bool faults;
} kernels[] = {
	{ "instructions alone", ITEM "mul t1, s0, s0\n" EXIT, 1, 0, false },
	{ "loads of lines that are there", ITEM OUT "lw t1, 0(a1)\n lw t1, 0(a1)\n lw t1, 4(a1)\n" EXIT, 2, 0, false },
	{ "loads side by side", ITEM OUT WORD LOADS EXIT, 2, 0, false },
	{ "loads apart", ITEM OUT APART LOADS EXIT, 8, 0, false },
	{ "stores side by side", ITEM OUT WORD "sw s0, 0(a2)\n sb s0, 1(a2)\n" EXIT, 1, 2, false },
	{ "stores apart", ITEM OUT APART "sd s0, 63(a2)\n" EXIT, 1, 4, false },
	{ "atomics", ITEM OUT WORD "sh3add a3, s0, a1\n" ATOMICS EXIT, 3, 3, false },
	{ "atomics apart", ITEM OUT APART "mv a3, a2\n" ATOMICS EXIT, 12, 12, false },
	{ "private memory", ITEM PRIVATE "sd s0, 6(a2)\n ld t1, 6(a2)\n lw t1, 8(a2)\n amoadd.w t2, t1, (a2)\n" EXIT, 2, 2, false },
	{ "private memory apart", ITEM PRIVATE "andi t0, s0, 3\n sh3add a2, t0, a2\n sw s0, 2(a2)\n lw t1, 2(a2)\n amoadd.d t2, t1, (a2)\n" EXIT, 2, 2, false },
	{ "system memory", ITEM SYSTEM WORD LOADS "sw s0, 4(a2)\n" EXIT, 2, 1, false },
	{ "stores in system memory", ITEM SYSTEM WORD "sw s0, 1536(a2)\n" EXIT, 1, 1, false },
	{ "atomics in system memory", ITEM SYSTEM WORD "sh3add a3, s0, a1\n" ATOMICS EXIT, 2, 2, false },
	/* what lanes below have accessed is not charged, all else is */
	{ "a load that faults", ITEM OUT APART FOURTH_FAULTS "lw t1, 0(a2)\n" EXIT, 2, 0, true },
	{ "a store that faults", ITEM OUT APART "sw t1, 0(a2)\n" FOURTH_FAULTS "sw t1, 4(a2)\n" EXIT, 2, 4, true },
	{ "an atomic that faults", ITEM OUT APART "sw t1, 0(a2)\n" FOURTH_FAULTS "amoadd.w t1, t1, (a2)\n" EXIT, 2, 4, true },
};
enum { KERNELS = sizeof(kernels) / sizeof(*kernels) };

static void each_kernel(const char *config)
{
	struct bench b = bench_of(rig_create(config, BUS_TIMED, SIMD_PORTABLE, false));

	prepare(&b);
	for (unsigned k = 0; k < KERNELS; k++) {
		const uint64_t entry = rig_load_text(b.r, kernels[k].text);
		/* what a cache of system memory takes is not written yet, and an access that finds its line is none to memory: its
		 * charge may stand for the one that was left out */
		const bool cached = b.r->cache && strstr(kernels[k].name, "system");

		if (stopped(&b, entry, NONE_LEFT_OUT))
			fail_msg("%s, %s: something is not charged", config, kernels[k].name);
		if (seen->faulted != kernels[k].faults)
			fail_msg("%s, %s: %s", config, kernels[k].name, seen->faulted ? "a fault" : "no fault");
		if (seen->reads < kernels[k].reads || (seen->writes < kernels[k].writes && !cached))
			fail_msg("%s, %s: %u reads and %u writes are charged", config, kernels[k].name, seen->reads, seen->writes);
		const unsigned charges = seen->reads + seen->writes, step = charges / TRIALS + 1;
		for (unsigned i = k % step; i < charges && !cached; i += step)
			if (!stopped(&b, entry, (int)i))
				fail_msg("%s, %s: charge %u of %u is left out, and nothing happens", config, kernels[k].name, i, charges);
	}
	rig_destroy(b.r);
}

static void an_exact_device(void **state)
{
	(void)state;
	each_kernel("mini");
}

static void an_l1_with_data(void **state)
{
	(void)state;
	each_kernel("mini,l1_data=1");
}

static void views_of_the_l2(void **state)
{
	(void)state;
	each_kernel("full");
}

static void a_device_that_is_not_coherent(void **state)
{
	(void)state;
	each_kernel("mini,coherent=0");
	each_kernel("full,coherent=0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_device),
		cmocka_unit_test(an_l1_with_data),
		cmocka_unit_test(views_of_the_l2),
		cmocka_unit_test(a_device_that_is_not_coherent),
	};

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 1;
	unsetenv("GALENA_SIMD");
	setenv("GALENA_HOST_THREADS", "1", 1); /* all accesses are this thread's */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
