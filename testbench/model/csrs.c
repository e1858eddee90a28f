/* CSRs of lanes: which there are, how wide they read, and rounding modes that are none; and what of a dispatch packet nothing looks at. */
#include "testbench/model/kernel.h"

/* ---- numbers ---- */

static bool there(unsigned number)
{
	switch (number) {
#define CSR(name, number, per_lane, doc) case number:
#include "abi/csr.def"
#undef CSR
	case 0x001: case 0x002: case 0x003: case 0xc00: case 0xc02:
		return true;
	}
	return false;
}

/* Each number there is reads, each other one is illegal. */
static void every_number(void **state)
{
	enum { NUMBERS = 4096, STRIDE = 8 };

	(void)state;
	for (unsigned setup = 2; setup < 4; setup++) {
		struct bench b = open_bench(setup);
		static uint32_t words[2 * NUMBERS];
		uint64_t entry;

		for (unsigned i = 0; i < NUMBERS; i++) {
			words[2 * i] = i << 20 | 2 << 12 | 5 << 7 | 0x73; /* csrrs t0, number, x0 */
			words[2 * i + 1] = 0x0000100b;
		}
		entry = rig_load(b.r, words, 2 * NUMBERS);
		for (unsigned i = 0; i < NUMBERS; i++) {
			struct rig_range range = { .global = { 1 }, .local = { 1 } };
			const struct rig_end *e = rig_run(b.r, entry + STRIDE * i, &range);

			if (e->faulted == there(i))
				fail_msg("CSR %#x", i);
			if (e->faulted) {
				assert_int_equal(e->fault.code, FAULT_ILLEGAL_INSN);
				assert_int_equal(e->fault.pc, entry + STRIDE * i);
			}
		}
		rig_destroy(b.r);
	}
}

/* ---- values ---- */

/* All 64 bits of the register are written: what was there before is gone, and wide values are whole. */
static void sixty_four_bits(void **state)
{
	static const unsigned numbers[] = {
#define CSR(name, number, per_lane, doc) number,
#include "abi/csr.def"
#undef CSR
		0x001, 0x002, 0x003, 0xc00, 0xc02,
	};
	enum { N = sizeof(numbers) / sizeof(*numbers) };

	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		char text[4096] = "csrr a0, 0xcc9\n ld a1, 0(a0)\n", *p = text + strlen(text);

		b.r->now = 5ull << 40;
		for (unsigned i = 0; i < N; i++)
			p += sprintf(p, "li t0, -1\n csrr t0, %#x\n sd t0, %u(a1)\n", numbers[i], 8 * i);
		sprintf(p, EXIT);
		run_well(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		for (unsigned i = 0; i < N; i++) {
			uint64_t value = ((uint64_t *)b.out)[i];

			if (numbers[i] == CSR_kernarg)
				assert_int_equal(value, arg_va);
			else if (numbers[i] == 0xc00)
				assert_in_range(value, 5ull << 40, (5ull << 40) + 100000);
			else
				assert_in_range(value, 0, 4096);
		}
		rig_destroy(b.r);
	}
}

/* A work-group never changes its unit. */
static void one_unit_for_ever(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);

		memset(b.out, 0xff, 4096);
		/* s3: all bits in which readings differed */
		run_well(&b, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n csrr s2, 0xccd\n li s3, 0\n li t1, 3000\n 1: csrr t2, 0xccd\n xor t2, t2, s2\n or s3, s3, t2\n"
			     "andi t3, t1, 63\n bnez t3, 2f\n lw t4, 0(a1)\n add t4, t4, t4\n" BARRIER "2: addi t1, t1, -1\n bnez t1, 1b\n sw s3, 0(a1)\n" EXIT,
			 (struct rig_range){ .global = { 160 }, .local = { 8 } });
		for (unsigned i = 0; i < 160; i++)
			assert_int_equal(b.out[i], 0);
		rig_destroy(b.r);
	}
}

/* ---- rounding modes ---- */

/* frm of lane 2 is 5 to 7, of the others 0 to 3; lanes from `first` on run the word. */
static void rounding_modes_that_are_none(void **state)
{
	static const struct { const char *word; bool dynamic; } words[] = {
		{ ".word 0x00007053\n", true },	 /* fadd.s f0, f0, f0, dyn */
		{ ".word 0x02007053\n", true },	 /* fadd.d */
		{ ".word 0xd2037053\n", true },	 /* fcvt.d.w f0, t1: exact in every mode */
		{ ".word 0x42007053\n", true },	 /* fcvt.d.s f0, f0: exact, too */
		{ ".word 0xc0007353\n", true },	 /* fcvt.w.s t1, f0 */
		{ ".word 0x00007043\n", true },	 /* fmadd.s f0, f0, f0, f0 */
		{ ".word 0x00000053\n", false }, /* fadd.s, to nearest */
		{ ".word 0xd2030053\n", false },
		{ ".word 0x20000053\n", false }, /* fsgnj.s */
		{ ".word 0xa0002053\n", false }, /* feq.s x0, f0, f0 */
	};
	static const struct { const char *runs; bool reached; unsigned lane; } who[] = {
		{ "", true, 2 },				 /* all */
		{ "li t3, 2\n beq t0, t3, 1f\n", false, 0 },	 /* all but lane 2 */
		{ "li t3, 2\n blt t0, t3, 1f\n", true, 2 },	 /* lanes 2 and 3 */
		{ "li t3, 3\n bne t0, t3, 1f\n", false, 0 },	 /* lane 3 */
	};

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < sizeof(words) / sizeof(*words) * 4; i++) for (unsigned frm = 5; frm <= 7; frm++) {
		struct bench b = open_bench(setup);
		unsigned n = i / 4, k = i % 4;
		char text[512];

		snprintf(text, sizeof(text), "csrr t0, 0xcca\n andi t1, t0, 3\n li t2, 2\n bne t1, t2, 2f\n li t1, %u\n 2: fsrm t1\n li t1, 5\n %s %s 1:\n" EXIT, frm,
			 who[k].runs, words[n].word);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 4 }, .local = { 4 } });
		assert_int_equal(e->faulted, words[n].dynamic && who[k].reached);
		if (e->faulted) {
			assert_int_equal(e->fault.code, FAULT_ILLEGAL_INSN);
			assert_int_equal(e->fault.local_id[0], who[k].lane);
		}
		rig_destroy(b.r);
	}
}

/* ---- packets ---- */

/* Reserved words, flags and a kernarg that is no address of anything. */
static void reserved_words(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		char text[256];
		struct packet_dispatch p = { .global_size = { 4, 1, 1 }, .local_size = { 4, 1, 1 }, .kernarg = 0xdeadbeef12345677 };

		memset(&p.head, 0xff, sizeof(p.head));
		p.head.type = PACKET_CODE_dispatch;
		p.reserved1 = UINT16_MAX;
		snprintf(text, sizeof(text), "csrr a0, 0xcc9\n csrr t0, 0xcca\n li a1, %llu\n sh3add a1, t0, a1\n sd a0, 0(a1)\n" EXIT, (unsigned long long)out_va);
		p.entry = rig_load_text(b.r, text);
		assert_int_equal(rig_dispatch(b.r, &(struct compute_start){ .packet = p, .space = RIG_ASID }), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 20));
		assert_false(b.r->ends[0].faulted);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(((uint64_t *)b.out)[i], p.kernarg);
		/* an entry that is none is a fault of the kernel, not of the packet */
		p.entry = 0x8000000000000002;
		assert_int_equal(rig_dispatch(b.r, &(struct compute_start){ .packet = p, .space = RIG_ASID }), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 20));
		assert_int_equal(b.r->ends[0].fault.code, FAULT_MISALIGNED);
		assert_int_equal(b.r->ends[0].fault.access, ACCESS_EXEC);
		rig_destroy(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number),	     cmocka_unit_test(sixty_four_bits),
		cmocka_unit_test(one_unit_for_ever), cmocka_unit_test(rounding_modes_that_are_none),
		cmocka_unit_test(reserved_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
