/* Columns hw and effects of abi/registers.def against the blocks of the model: who is told of a write or a read, and whose value it is. */
#include "model/device.h"
#include "testbench/model/fixture.h"

static struct reg_hook hook_of(unsigned id)
{
	static const struct reg_hook *const tables[] = { device_control_hooks, device_irq_hooks, device_slot_hooks,
							 device_counter_hooks, device_inject_hooks };
	struct reg_hook found = { NULL, NULL };

	for (unsigned t = 0; t < sizeof(tables) / sizeof(*tables); t++) {
		found.read = tables[t][id].read ? tables[t][id].read : found.read;
		found.write = tables[t][id].write ? tables[t][id].write : found.write;
	}
	return found;
}

static bool hardware_reads(const struct reg_row *row)
{
	return row->hardware == REG_HARDWARE_RO || row->hardware == REG_HARDWARE_RW;
}

static bool hardware_writes(const struct reg_row *row)
{
	return row->hardware == REG_HARDWARE_WO || row->hardware == REG_HARDWARE_RW;
}

#define CHECK(truth, what)                                                                         \
	if (!(truth)) {                                                                            \
		print_error("%s: " what "\n", row->name);                                          \
		wrong++;                                                                           \
	}

static void test_blocks_do_what_rows_say(void **state)
{
	unsigned wrong = 0, told = 0, external = 0;

	(void)state;
	for (unsigned i = 0; i < REG_NUM_IDS; i++) {
		const struct reg_row *row = &reg_rows[i];
		const struct reg_hook hook = hook_of(i);
		const unsigned e = row->effects;

		told += (e & REG_EFFECT_WE) != 0;
		external += (e & REG_EFFECT_EXT) != 0;
		CHECK(!(e & REG_EFFECT_WE) || hook.write, "WE, but no block is told of writes");
		CHECK(!hook.write || hardware_reads(row), "a block is told of writes, but hw does not read");
		CHECK(!hook.read == !(e & (REG_EFFECT_EXT | REG_EFFECT_RE)), "a block answers reads where it has EXT or RE, and there alone");
		CHECK(!(e & (REG_EFFECT_HWSET | REG_EFFECT_HWCLR | REG_EFFECT_INCR | REG_EFFECT_EXT)) || hardware_writes(row),
		      "the block changes it, but hw does not write");
		CHECK(row->access != REG_ACCESS_WO || (e & REG_EFFECT_WE), "WO without WE does nothing");
		CHECK(row->access != REG_ACCESS_RO || !(e & REG_EFFECT_WE), "RO, but writes have an effect");
	}
	assert_int_equal(wrong, 0);
	assert_true(told > 20 && external > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_blocks_do_what_rows_say) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
