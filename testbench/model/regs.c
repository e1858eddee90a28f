/* The register engine against the table that it is built from: every row is checked by its own
 * access type, so a new register is tested as soon as it is in the table. */
#include "model/regs.h"
#include "abi/device_config.h"
#include "abi_hash.h"
#include "testbench/model/fixture.h"

struct hits {
	unsigned reads, writes, index;
	uint64_t value;
};
static struct hits hits;

struct device {
	uint64_t value;
};

static uint64_t hook_read(struct device *d, unsigned index)
{
	hits.reads++;
	hits.index = index;
	return d->value;
}

static void hook_write(struct device *d, unsigned index, uint64_t value)
{
	(void)d;
	hits.writes++;
	hits.index = index;
	hits.value = value;
}

static struct reg_hook hooks[REG_NUM_IDS];
static struct device device;

static int setup(void **state)
{
	memset(hooks, 0, sizeof(hooks));
	hits = (struct hits){ 0 };
	*state = regs_create(hooks, &device, device_config_find("mini"), 3);
	assert_non_null(*state);
	return 0;
}

static int teardown(void **state)
{
	regs_destroy(*state);
	return 0;
}

static uint64_t rd(struct regs *r, const struct reg_row *row, unsigned e)
{
	return regs_read(r, REG_MASTER_HOST, row->bank, row->offset + e * row->bits / 8, row->bits / 8);
}

static void wr(struct regs *r, const struct reg_row *row, unsigned e, uint64_t v)
{
	regs_write(r, row->bank, row->offset + e * row->bits / 8, row->bits / 8, v);
}

/* Bits of a row whose access is this one. */
static uint64_t bits_of(const struct reg_row *row, uint64_t mask, enum reg_access access)
{
	uint64_t own = 0, same = mask;
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc)
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)                                         \
	if (REG_ACCESS_##sw != REG_ACCESS_SAME && row == &reg_rows[REG_ID_##bank##_##reg]) {       \
		same &= ~(uint64_t)REG_##bank##_##reg##_##name;                                    \
		own |= REG_ACCESS_##sw == access ? (uint64_t)REG_##bank##_##reg##_##name : 0;      \
	}
#include "abi/registers.def"
#undef REG
#undef FIELD
	return own | (row->access == access ? same : 0);
}

static void element_check(struct regs *r, enum reg_id id, unsigned e)
{
	const struct reg_row *row = &reg_rows[id];
	const uint64_t mask = regs_mask(r, id), reset = regs_reset_value(r, id);
	const uint64_t rw = bits_of(row, mask, REG_ACCESS_RW), set = bits_of(row, mask, REG_ACCESS_RW1S),
		       clear = bits_of(row, mask, REG_ACCESS_RW1C), hidden = bits_of(row, mask, REG_ACCESS_WO),
		       constant = bits_of(row, mask, REG_ACCESS_RO);

	assert_int_equal(rw | set | clear | hidden | constant, mask);
	assert_int_equal(rd(r, row, e), reset & ~hidden);
	wr(r, row, e, UINT64_MAX);
	assert_int_equal(rd(r, row, e), rw | set | (reset & constant));
	wr(r, row, e, 0);
	assert_int_equal(rd(r, row, e), set | (reset & constant));
	if (row->access == REG_ACCESS_RO)
		return;
	regs_set(r, id, e, mask);
	assert_int_equal(rd(r, row, e), mask & ~hidden);
	wr(r, row, e, 1);
	assert_int_equal(rd(r, row, e), (mask & (set | clear | constant) & ~(clear & 1)) | (rw & 1));
	wr(r, row, e, UINT64_MAX);
	assert_int_equal(rd(r, row, e), rw | set | constant);
}

static void test_every_row(void **state)
{
	struct regs *r = *state;

	for (unsigned i = 0; i < REG_NUM_IDS; i++) {
		uint64_t mask = regs_mask(r, (enum reg_id)i);

		assert_true(reg_rows[i].bits == 32 || reg_rows[i].bits == 64);
		assert_true(reg_rows[i].bits == 64 || mask <= UINT32_MAX);
		for (unsigned e = 0; e < reg_rows[i].count; e++)
			element_check(r, (enum reg_id)i, e);
	}
	regs_reset(r);
	for (unsigned i = 0; i < REG_NUM_IDS; i++)
		assert_int_equal(regs_get(r, (enum reg_id)i, 0), regs_reset_value(r, (enum reg_id)i));
}

/* What is said of a configuration comes from it. */
static void test_reset_values(void **state)
{
	struct regs *r = *state, *other;
	struct device_config config = *device_config_find("mini");

	assert_int_equal(regs_reset_value(r, REG_ID_HOST_ABI_HASH), GALENA_ABI_HASH);
	assert_int_equal(regs_reset_value(r, REG_ID_HOST_DEVICE_INDEX), 3);
	assert_int_equal(regs_reset_value(r, REG_ID_HOST_VERSION), 0x10000);
	assert_int_equal(regs_reset_value(r, REG_ID_HOST_LANES), config.lanes);
	assert_int_equal(regs_reset_value(r, REG_ID_HOST_FEATURES), REG_HOST_FEATURES_COHERENT | REG_HOST_FEATURES_MEDIA);
	assert_int_equal(regs_reset_value(r, REG_ID_HOST_INJECT_UNIT), 0xffff);
	config.coherent = 0;
	config.dram_mib = 65536;
	other = regs_create(hooks, &device, &config, 0);
	assert_non_null(other);
	assert_int_equal(regs_reset_value(other, REG_ID_HOST_FEATURES), REG_HOST_FEATURES_MEDIA);
	assert_int_equal(regs_reset_value(other, REG_ID_HOST_DRAM_SIZE), 65536ull << 20);
	regs_destroy(other);
}

/* No two registers share a word. */
static void test_rows_do_not_overlap(void **state)
{
	static uint8_t used[REG_NUM_BANKS][REG_BANK_SIZE / 4];

	(void)state;
	for (unsigned i = 0; i < REG_NUM_IDS; i++) {
		const struct reg_row *row = &reg_rows[i];

		assert_int_equal(row->offset % (row->bits / 8), 0);
		for (unsigned w = 0; w < row->count * row->bits / 32; w++) {
			if (used[row->bank][row->offset / 4 + w])
				fail_msg("%s overlaps another register", row->name);
			used[row->bank][row->offset / 4 + w] = 1;
		}
	}
}

static void test_halves(void **state)
{
	struct regs *r = *state;

	hooks[REG_ID_HOST_CP_ENTRY].write = hook_write;
	regs_write(r, REG_BANK_HOST, REG_HOST_CP_ENTRY, 4, 0x11111111);
	assert_int_equal(hits.writes, 0); /* takes effect with the high half */
	assert_int_equal(regs_get(r, REG_ID_HOST_CP_ENTRY, 0), 0);
	regs_write(r, REG_BANK_HOST, REG_HOST_CP_ENTRY + 4, 4, 0x22222222);
	assert_int_equal(hits.writes, 1);
	assert_int_equal(hits.value, 0x2222222211111111);
	assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, REG_HOST_CP_ENTRY + 4, 4), 0x22222222);
	/* a read in halves shows one moment, for each master its own */
	hooks[REG_ID_HOST_CYCLE].read = hook_read;
	device.value = 0x1ffffffff;
	assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, REG_HOST_CYCLE, 4), 0xffffffff);
	device.value = 0x200000000;
	assert_int_equal(regs_read(r, REG_MASTER_CP, REG_BANK_HOST, REG_HOST_CYCLE + 4, 4), 2);
	assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, REG_HOST_CYCLE + 4, 4), 1);
	assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, REG_HOST_CYCLE + 4, 4), 2);
	/* 64 bits over two 32-bit registers are two accesses */
	regs_write(r, REG_BANK_HOST, REG_HOST_FW_STATE, 8, 0x500000004);
	assert_int_equal(regs_get(r, REG_ID_HOST_FW_STATE, 0), 4);
	assert_int_equal(regs_get(r, REG_ID_HOST_FW_VERSION, 0), 5);
	assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, REG_HOST_FW_STATE, 8), 0x500000004);
}

/* ---- halves ---- */

static uint64_t counted;
static uint64_t count_up(struct device *d, unsigned index)
{
	(void)d;
	return counted += 0x100000001 + index; /* both halves change with every read */
}

static uint32_t read_half(struct regs *r, enum reg_master m, uint32_t offset) { return (uint32_t)regs_read(r, m, REG_BANK_HOST, offset, 4); }

/* Which accesses replace the half that is kept, and which leave it. */
static void test_the_kept_half(void **state)
{
	struct regs *r = *state;
	const enum reg_master h = REG_MASTER_HOST;
	enum { A = REG_HOST_CYCLE, B = REG_HOST_CNT_CP_INSNS, ARRAY = REG_HOST_DOORBELL };

	hooks[REG_ID_HOST_CYCLE].read = hooks[REG_ID_HOST_CNT_CP_INSNS].read = hooks[REG_ID_HOST_DOORBELL].read = count_up;
	counted = 0;
	/* the low half of another register replaces it */
	assert_int_equal(read_half(r, h, A), 1);
	assert_int_equal(read_half(r, h, B), 2);
	assert_int_equal(read_half(r, h, A + 4), 3); /* read anew */
	assert_int_equal(read_half(r, h, B + 4), 2); /* kept, and that read did not take it */
	assert_int_equal(read_half(r, h, B + 4), 4);
	/* so does that of another element of an array */
	counted = 0;
	assert_int_equal(read_half(r, h, ARRAY), 1);
	assert_int_equal(read_half(r, h, ARRAY + 8), 3);
	assert_int_equal(read_half(r, h, ARRAY + 4), 3);
	assert_int_equal(read_half(r, h, ARRAY + 12), 2);
	/* 32-bit registers, whole reads, writes and high halves of others do not */
	counted = 0;
	read_half(r, h, A);
	read_half(r, h, REG_HOST_ID);
	regs_read(r, h, REG_BANK_HOST, B, 8);
	regs_read(r, h, REG_BANK_HOST, A, 8);
	read_half(r, h, B + 4);
	regs_write(r, REG_BANK_HOST, REG_HOST_CP_ENTRY, 4, 5);
	regs_write(r, REG_BANK_HOST, REG_HOST_CP_ENTRY + 4, 4, 5);
	regs_write(r, REG_BANK_HOST, REG_HOST_FW_BOOT, 8, 5);
	assert_int_equal(counted >> 32, 4);
	assert_int_equal(read_half(r, h, A + 4), 1);
	/* a reset drops it */
	counted = 0;
	read_half(r, h, A);
	read_half(r, REG_MASTER_CP, A);
	regs_reset(r);
	assert_int_equal(read_half(r, h, A + 4), 3);
	assert_int_equal(read_half(r, REG_MASTER_CP, A + 4), 4);
}

/* What a write of the high half alone has below it. */
static void test_the_held_half(void **state)
{
	struct regs *r = *state;
	enum { A = REG_HOST_CP_ENTRY, ARRAY = REG_HOST_DOORBELL };

	hooks[REG_ID_HOST_CP_ENTRY].write = hook_write;
	regs_write(r, REG_BANK_HOST, A, 8, 0x1111111122222222);
	regs_write(r, REG_BANK_HOST, A + 4, 4, 3);
	assert_int_equal(hits.value, 0x322222222);
	/* a half that is held, and then a whole write */
	regs_write(r, REG_BANK_HOST, A, 4, 0x44444444);
	regs_write(r, REG_BANK_HOST, A, 8, 0x5555555566666666);
	regs_write(r, REG_BANK_HOST, A + 4, 4, 7);
	assert_int_equal(hits.value, 0x766666666);
	/* it stays after it was used */
	regs_write(r, REG_BANK_HOST, A, 4, 0x88888888);
	regs_write(r, REG_BANK_HOST, A + 4, 4, 9);
	regs_write(r, REG_BANK_HOST, A + 4, 4, 10);
	assert_int_equal(hits.value, 0xa88888888);
	/* the device changes the register */
	regs_write(r, REG_BANK_HOST, A, 4, 0x99999999);
	regs_set(r, REG_ID_HOST_CP_ENTRY, 0, 0xaaaaaaaabbbbbbbb);
	regs_write(r, REG_BANK_HOST, A + 4, 4, 11);
	assert_int_equal(hits.value, 0xbbbbbbbbb);
	/* a reset */
	regs_write(r, REG_BANK_HOST, A, 4, 0x99999999);
	regs_reset(r);
	regs_write(r, REG_BANK_HOST, A + 4, 4, 12);
	assert_int_equal(hits.value, 0xc00000000);
	/* each element of an array has its own, and another register's does not matter */
	regs_write(r, REG_BANK_HOST, ARRAY, 4, 0x11);
	regs_write(r, REG_BANK_HOST, ARRAY + 8, 4, 0x22);
	regs_write(r, REG_BANK_HOST, A, 4, 0x33);
	regs_write(r, REG_BANK_HOST, ARRAY + 4, 4, 1);
	regs_write(r, REG_BANK_HOST, ARRAY + 12, 4, 2);
	assert_int_equal(regs_get(r, REG_ID_HOST_DOORBELL, 0), 0x100000011);
	assert_int_equal(regs_get(r, REG_ID_HOST_DOORBELL, 1), 0x200000022);
	assert_int_equal(regs_get(r, REG_ID_HOST_CP_ENTRY, 0), 0xc00000000);
}

/* 64 bits over each place at which a 32-bit register has a hole beside it. */
static void test_half_a_register(void **state)
{
	struct regs *r = *state;
	static uint8_t used[REG_NUM_BANKS][REG_BANK_SIZE / 4 + 2];
	unsigned found = 0;

	for (unsigned i = 0; i < REG_NUM_IDS; i++)
		memset(&used[reg_rows[i].bank][reg_rows[i].offset / 4], 1, reg_rows[i].count * reg_rows[i].bits / 32);
	for (unsigned i = 0; i < REG_NUM_IDS; i++) {
		const struct reg_row *row = &reg_rows[i];

		for (unsigned e = 0; row->bits == 32 && e < row->count; e++) {
			const uint32_t word = row->offset / 4 + e, at = word & ~1u;
			const unsigned shift = word & 1 ? 32 : 0;
			const uint64_t mask = row->access == REG_ACCESS_RW ? regs_mask(r, (enum reg_id)i) : 0;

			if (used[row->bank][word ^ 1])
				continue;
			found++;
			assert_int_equal(regs_read(r, REG_MASTER_HOST, row->bank, at * 4, 8), rd(r, row, e) << shift);
			regs_write(r, row->bank, at * 4, 8, 0x5a5a5a5aa5a5a5a5);
			const uint64_t half = shift ? 0x5a5a5a5a : 0xa5a5a5a5;
			if (mask)
				assert_int_equal(rd(r, row, e), half & mask);
			assert_int_equal(regs_read(r, REG_MASTER_HOST, row->bank, at * 4, 8), rd(r, row, e) << shift);
			assert_int_equal(regs_read(r, REG_MASTER_HOST, row->bank, (word ^ 1) * 4, 4), 0);
		}
	}
	assert_true(found >= 4);
}

static void test_hooks(void **state)
{
	struct regs *r = *state;

	hooks[REG_ID_HOST_DOORBELL] = (struct reg_hook){ .write = hook_write };
	regs_write(r, REG_BANK_HOST, REG_HOST_DOORBELL + 8 * 5, 8, 77);
	assert_int_equal(hits.index, 5);
	assert_int_equal(hits.value, 77);
	assert_int_equal(regs_get(r, REG_ID_HOST_DOORBELL, 5), 77);
	/* RW1C: the hook sees the bits that went away; reserved bits never come */
	hooks[REG_ID_HOST_IRQ_STATUS] = (struct reg_hook){ .write = hook_write };
	regs_set(r, REG_ID_HOST_IRQ_STATUS, 0, 3);
	regs_write(r, REG_BANK_HOST, REG_HOST_IRQ_STATUS, 4, 0xffffff05);
	assert_int_equal(hits.value, 1);
	assert_int_equal(regs_get(r, REG_ID_HOST_IRQ_STATUS, 0), 2);
	/* WO: only what fields cover */
	hooks[REG_ID_CP_HOST_IRQ] = (struct reg_hook){ .write = hook_write };
	regs_write(r, REG_BANK_CP, REG_CP_HOST_IRQ, 4, 0xffffffff);
	assert_int_equal(hits.value, REG_CP_HOST_IRQ_SET);
	/* RO: no hook */
	hits.writes = 0;
	hooks[REG_ID_HOST_ID] = (struct reg_hook){ .write = hook_write };
	regs_write(r, REG_BANK_HOST, REG_HOST_ID, 4, 1);
	assert_int_equal(hits.writes, 0);
}

static void test_nothing_there(void **state)
{
	struct regs *r = *state;
	static const uint32_t holes[] = { 0x5c, 0x8c, 0x0ffc, 0x3000, 0xfffc, 0x10000, 0xfffffffc };

	for (unsigned i = 0; i < sizeof(holes) / sizeof(*holes); i++) {
		regs_write(r, REG_BANK_HOST, holes[i], 4, 1);
		assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, holes[i], 4), 0);
	}
	/* unaligned, odd sizes */
	assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, REG_HOST_ID + 1, 4), 0);
	assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, REG_HOST_VERSION, 8), 0);
	assert_int_equal(regs_read(r, REG_MASTER_HOST, REG_BANK_HOST, REG_HOST_ID, 2), 0);
	regs_write(r, REG_BANK_HOST, REG_HOST_IRQ_ENABLE, 1, 0x1f);
	assert_int_equal(regs_get(r, REG_ID_HOST_IRQ_ENABLE, 0), 0);
}

/* Random accesses against an array of bytes with masks: storage never leaks into a neighbour. */
static void test_random(void **state)
{
	struct regs *r = *state;
	static uint64_t shadow[REG_NUM_IDS][128];

	for (unsigned i = 0; i < REG_NUM_IDS; i++)
		for (unsigned e = 0; e < reg_rows[i].count; e++)
			shadow[i][e] = rd(r, &reg_rows[i], e);
	for (unsigned n = 0; n < 200000; n++) {
		unsigned i = (unsigned)random_below(REG_NUM_IDS), e = (unsigned)random_below(reg_rows[i].count);
		uint64_t v = random_next();

		if (random_below(2)) {
			assert_int_equal(rd(r, &reg_rows[i], e), shadow[i][e]);
			continue;
		}
		wr(r, &reg_rows[i], e, v);
		const uint64_t mask = regs_mask(r, (enum reg_id)i), rw = bits_of(&reg_rows[i], mask, REG_ACCESS_RW);

		shadow[i][e] = (shadow[i][e] & ~rw) | (v & rw) | (v & bits_of(&reg_rows[i], mask, REG_ACCESS_RW1S));
		shadow[i][e] &= ~(v & bits_of(&reg_rows[i], mask, REG_ACCESS_RW1C));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_row, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reset_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows_do_not_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_halves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_kept_half, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_held_half, setup, teardown),
		cmocka_unit_test_setup_teardown(test_half_a_register, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hooks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
