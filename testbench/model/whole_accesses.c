/* Aligned accesses of 2, 4 and 8 bytes are one step for whoever looks at the same time: a process that shares the DRAM stores two
 * patterns in turn while a kernel loads them, and loads what a kernel stores in turn. */
#include "testbench/model/kernel.h"
#include <sys/wait.h>
#include <unistd.h>

/* Words of the DRAM that both have: the word in question, and what ends the other process. */
struct shared { uint64_t word, stop, seen; };

static const char *const loads[3] = { "lhu", "lwu", "ld" }, *const stores[3] = { "sh", "sw", "sd" };
static const uint64_t patterns[3][2] = { { 0x0123, 0xfedc }, { 0x01234567, 0xfedcba98 }, { 0x0123456789abcdef, 0xfedcba9876543210 } };

static void store(struct shared *s, unsigned size, uint64_t value)
{
	if (size == 0)
		__atomic_store_n((uint16_t *)&s->word, (uint16_t)value, __ATOMIC_RELAXED);
	else if (size == 1)
		__atomic_store_n((uint32_t *)&s->word, (uint32_t)value, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&s->word, value, __ATOMIC_RELAXED);
}

static uint64_t load(struct shared *s, unsigned size)
{
	if (size == 0)
		return __atomic_load_n((uint16_t *)&s->word, __ATOMIC_RELAXED);
	if (size == 1)
		return __atomic_load_n((uint32_t *)&s->word, __ATOMIC_RELAXED);
	return __atomic_load_n(&s->word, __ATOMIC_RELAXED);
}

/* The other process; its status is 0 if all that it has loaded was a pattern. It ends by itself when the test is gone. */
static void other_process(struct shared *s, unsigned size, bool stores_it)
{
	alarm(60);
	for (uint64_t i = 0; !__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE); i++) {
		uint64_t value;

		if (stores_it)
			store(s, size, patterns[size][i & 1]);
		else if ((value = load(s, size)) != patterns[size][0] && value != patterns[size][1])
			_exit(1);
		__atomic_store_n(&s->seen, i, __ATOMIC_RELAXED);
	}
	_exit(0);
}

static void run_beside(unsigned setup, unsigned size, bool other_stores)
{
	struct bench b = open_bench(setup);
	struct shared *s = (struct shared *)(void *)(b.out + 1024);
	char text[512];
	int status = 0;
	pid_t child;

	*s = (struct shared){ .word = patterns[size][0] };
	b.arg[1] = patterns[size][0];
	b.arg[2] = patterns[size][1];
	if (other_stores) /* out[0]: how many were neither */
		snprintf(text, sizeof(text), "csrr a0, 0xcc9\n ld a1, 0(a0)\n ld a2, 8(a0)\n ld a3, 16(a0)\n lui t0, 1\n add t0, t0, a1\n lui t1, 5\n"
			 "1: %s t2, 0(t0)\n xor t3, t2, a2\n xor t4, t2, a3\n snez t3, t3\n snez t4, t4\n and t3, t3, t4\n add t5, t5, t3\n"
			 "addi t1, t1, -1\n bnez t1, 1b\n sw t5, 0(a1)\n" EXIT, loads[size]);
	else
		snprintf(text, sizeof(text), "csrr a0, 0xcc9\n ld a1, 0(a0)\n ld a2, 8(a0)\n ld a3, 16(a0)\n lui t0, 1\n add t0, t0, a1\n lui t1, 5\n"
			 "1: %s a2, 0(t0)\n %s a3, 0(t0)\n addi t1, t1, -1\n bnez t1, 1b\n sw x0, 0(a1)\n" EXIT, stores[size], stores[size]);
	uint64_t entry = rig_load_text(b.r, text);
	child = fork();
	if (!child)
		other_process(s, size, other_stores);
	assert_true(child > 0);
	while (!__atomic_load_n(&s->seen, __ATOMIC_RELAXED)) /* it is at work */
		usleep(100);
	b.out[0] = 7;
	struct rig_range range = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va };
	assert_false(rig_run(b.r, entry, &range)->faulted);
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(b.out[0], 0);
	rig_destroy(b.r);
}

static void kernels_load_what_is_stored(void **state)
{
	(void)state;
	FOR_SETUPS for (unsigned size = 0; size < 3; size++)
		run_beside(setup, size, true);
}

static void others_load_what_a_kernel_stores(void **state)
{
	(void)state;
	FOR_SETUPS for (unsigned size = 0; size < 3; size++)
		run_beside(setup, size, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_load_what_is_stored),
		cmocka_unit_test(others_load_what_a_kernel_stores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
