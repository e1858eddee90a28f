/* Loads and stores of the command processor at every alignment, across pages and across the ends of memories. */
#include "testbench/model/cp_world.h"

#define DRAM_END (DRAM_BASE + (16ull << 20))

static const struct { unsigned load, store, bytes; bool is_signed; } sizes[] = {
	{ 0, 0, 1, true }, { 1, 1, 2, true }, { 2, 2, 4, true }, { 3, 3, 8, true }, { 4, 0, 1, false }, { 5, 1, 2, false }, { 6, 2, 4, false },
};
enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

static void memory_get(struct world *w, uint64_t pa, void *to, size_t bytes)
{
	if (pa < CP_TCM_BASE + CP_TCM_SIZE)
		assert_true(cp_tcm_read(w->cp, pa, to, bytes));
	else
		assert_int_equal(physmem_read(&w->m, pa, to, bytes), FAULT_NONE);
}

static void memory_set(struct world *w, uint64_t pa, const void *from, size_t bytes)
{
	if (pa < CP_TCM_BASE + CP_TCM_SIZE)
		assert_true(cp_tcm_write(w->cp, pa, from, bytes));
	else
		assert_int_equal(physmem_write(&w->m, pa, from, bytes), FAULT_NONE);
}

static uint64_t extended(const uint8_t *bytes, unsigned size)
{
	const unsigned shift = 64 - 8 * sizes[size].bytes;
	uint64_t v = 0;

	memcpy(&v, bytes, sizes[size].bytes);
	return sizes[size].is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

/* One load and one store at an address around which 32 bytes can be written. */
static void access_check(struct world *w, uint64_t pa, unsigned size)
{
	uint8_t before[32], after[32], seen[32];
	const uint64_t value = random_next();

	for (unsigned i = 0; i < 32; i++)
		before[i] = (uint8_t)random_next();
	memory_set(w, pa - 8, before, 32);
	memcpy(after, before, 32);
	memcpy(after + 8, &value, sizes[size].bytes);
	program_begin(w);
	put_li(w, A0, pa);
	put_li(w, A1, value);
	put(w, enc_i(0x03, sizes[size].load, A2, A0, 0));
	put(w, enc_s(sizes[size].store, A1, A0, 0));
	put(w, enc_sd(A2, S0, 0));
	program_end(w);
	memory_get(w, pa - 8, seen, 32);
	if (result(w, 0) != extended(before + 8, size) || memcmp(seen, after, 32))
		fail_msg("%u bytes at %#llx", sizes[size].bytes, (unsigned long long)pa);
}

static void test_every_alignment(void **state)
{
	struct world *w = *state;
	const uint64_t page = host_page(&w->h);

	assert_int_equal(host_page(&w->h), page + 4096);
	const uint64_t bases[] = { 0x9000, 0x9fc0, DRAM_BASE + 0x2000, DRAM_BASE + 0x2fc0, page + 0x40, page + 0xfc0 };
	for (unsigned b = 0; b < sizeof(bases) / sizeof(*bases); b++)
		for (unsigned offset = 0; offset < 80; offset++) /* over lines of 64 bytes, and over the page's end */
			for (unsigned size = 0; size < SIZES; size++)
				access_check(w, bases[b] + offset, size);
	for (unsigned size = 0; size < SIZES; size++) /* whole accesses up to the end */
		for (uint64_t end = 0; end < 2; end++) {
			const uint64_t pa = (end ? DRAM_END : CP_TCM_SIZE) - sizes[size].bytes;
			const uint64_t value = random_next();

			memory_set(w, pa, &value, sizes[size].bytes);
			program_begin(w);
			put_li(w, A0, pa);
			put(w, enc_i(0x03, sizes[size].load, A2, A0, 0));
			put(w, enc_sd(A2, S0, 0));
			program_end(w);
			assert_int_equal(result(w, 0), extended((const uint8_t *)&value, size));
		}
}

/* Executes a load or store at A0 = pa of A1 = value; true if it is an access fault there, which leaves A2 alone. */
static bool faults(struct world *w, uint64_t pa, unsigned size, bool write, uint64_t value)
{
	program_begin(w);
	put_li(w, A0, pa);
	put_li(w, A1, value);
	put(w, write ? enc_s(sizes[size].store, A1, A0, 0) : enc_i(0x03, sizes[size].load, A1, A0, 0));
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 1000);
	assert_int_equal(cp_state(w->cp), CP_CRASHED);
	if (cp_crash(w->cp)->cause == 3)
		return false;
	assert_int_equal(cp_crash(w->cp)->cause, write ? 7 : 5);
	assert_int_equal(cp_crash(w->cp)->address, pa);
	return true;
}

static void test_ends(void **state)
{
	struct world *w = *state;
	const uint64_t ends[] = { CP_TCM_SIZE, DRAM_END };

	for (unsigned e = 0; e < 2; e++)
		for (unsigned size = 0; size < SIZES; size++)
			for (unsigned beyond = 0; beyond <= 8; beyond++) { /* bytes of the access behind the end */
				const unsigned bytes = sizes[size].bytes;
				uint8_t before[8], seen[8];

				memset(before, 0x5a, 8);
				memory_set(w, ends[e] - 8, before, 8);
				if (beyond > bytes)
					continue;
				assert_int_equal(faults(w, ends[e] - bytes + beyond, size, false, 0), beyond != 0);
				assert_int_equal(faults(w, ends[e] - bytes + beyond, size, true, 0x5a5a5a5a5a5a5a5a + (beyond != 0)), beyond != 0);
				memory_get(w, ends[e] - 8, seen, 8);
				assert_memory_equal(seen, before, 8);
			}
	/* addresses that no memory has, also where the access wraps */
	const uint64_t none[] = { 0x50000, CP_MMIO_BASE - 1, CP_MMIO_BASE + CP_MMIO_SIZE, DRAM_BASE - 1, SYSTEM_BASE - 8, 0x10000000000,
				  UINT64_MAX, UINT64_MAX - 7 };
	for (unsigned i = 0; i < sizeof(none) / sizeof(*none); i++)
		for (unsigned size = 0; size < SIZES; size++)
			for (unsigned write = 0; write < 2; write++)
				assert_true(faults(w, none[i], size, write, 1));
}

/* Two pages side by side, each unpinned, pinned for reading, or for writing. */
static void test_across_pages(void **state)
{
	struct world *w = *state;
	enum { FIRST = 20 };
	const uint64_t boundary = SYSTEM_BASE + 4096 * (FIRST + 1);
	uint8_t *host = w->h.bytes + 4096 * (FIRST + 1);

	for (unsigned rights = 0; rights < 9; rights++)
		for (unsigned size = 0; size < SIZES; size++)
			for (unsigned first = 1; first < sizes[size].bytes; first++) { /* bytes in the first page */
				const unsigned bytes = sizes[size].bytes;
				const enum host_rights a = (enum host_rights)(rights % 3), b = (enum host_rights)(rights / 3);
				const uint64_t value = random_next();
				uint8_t expect[16];

				host_pin(&w->h, FIRST, a);
				host_pin(&w->h, FIRST + 1, b);
				for (unsigned i = 0; i < 16; i++)
					host[(int)i - 8] = expect[i] = (uint8_t)random_next();
				assert_int_equal(faults(w, boundary - first, size, false, value), a < HOST_READ || b < HOST_READ);
				assert_int_equal(faults(w, boundary - first, size, true, value), a < HOST_WRITE || b < HOST_WRITE);
				if (a == HOST_WRITE)
					memcpy(expect + 8 - first, &value, b == HOST_WRITE ? bytes : first);
				assert_memory_equal(host - 8, expect, 16);
			}
}

/* A load that faults in its second page has changed no register: model/cp_traps has the other kinds of accesses. */
static void test_a_load_across_changes_nothing(void **state)
{
	struct world *w = *state;
	const uint64_t page = host_page(&w->h);

	memset(host_at(&w->h, page), 0xee, 4096);
	program_begin(w);
	put_handler(w);
	put_li(w, A0, page + 4096 - 3);
	put_li(w, A1, 0x1234);
	put(w, enc_ld(A1, A0, 0));
	put(w, enc_csrrw(0, 0x305, 0));
	put(w, enc_sd(A1, S0, 0));
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 1000);
	assert_int_equal(result(w, 0), 5);
	assert_int_equal(result(w, 3), 0x1234);
}

/* sc reads first: where it cannot, it is a store access fault, with a reservation of another place and with none. */
static void test_sc_reads(void **state)
{
	struct world *w = *state;

	for (unsigned reserved = 0; reserved < 2; reserved++)
		for (unsigned size = 2; size < 4; size++) {
			program_begin(w);
			put_li(w, A0, SYSTEM_BASE + 0x800000);
			put_li(w, A1, 0x9000);
			put(w, reserved ? enc_amo(2, size, A2, A1, 0) : ENC_NOP);
			put(w, enc_amo(3, size, A3, A0, A2));
			put(w, ENC_EBREAK);
			cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
			cp_tick(w->cp, cp_cycle(w->cp) + 1000);
			assert_int_equal(cp_crash(w->cp)->cause, 7);
			assert_int_equal(cp_crash(w->cp)->address, SYSTEM_BASE + 0x800000);
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_alignment, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_across_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_load_across_changes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sc_reads, setup, teardown),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
