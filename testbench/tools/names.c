/* Names in dumps: every row of the tables has its name, whatever is in none says so. */
#include "abi/events.h"
#include "abi/registers.h"
#include "tools/trace_names.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static char out[512];

static const char *of(uint64_t offset) { return register_name(out, sizeof out, offset); }
static const char *held(uint64_t offset, uint64_t value) { return register_value(out, sizeof out, offset, value); }
static const char *value(const char *type, uint64_t v) { return value_name(out, sizeof out, type, v); }

static void array_check(const char *name, uint32_t offset, uint32_t bits, uint32_t count)
{
	char wanted[64];
	for (uint32_t i = 0; i < count; i++) {
		snprintf(wanted, sizeof wanted, count > 1 ? "HOST.%s[%u]" : "HOST.%s", name, i);
		assert_string_equal(of(offset + i * bits / 8), wanted);
		strcat(wanted, "+4");
		if (bits == 64)
			assert_string_equal(of(offset + i * 8 + 4), wanted);
	}
}

static void registers_by_name(void **state)
{
	(void)state;
#define IS_HOST 1
#define IS_CP 0
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc)                                   \
	if (IS_##bank)                                                                             \
		array_check(#name, offset, bits, count);
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	assert_string_equal(of(0xfff8), "no register");
	assert_string_equal(of(1ull << 32), "no register");
	assert_string_equal(of(REG_HOST_CTRL + 2), "HOST.CTRL+2");
}

static void values_by_name(void **state)
{
	(void)state;
#define VALUES_ALL
#define VALUE(type, name, number, doc) assert_string_equal(value(#type, number), #name);
#define FLAG(type, name, number, doc) assert_string_equal(value(#type, number), #name);
#define HOLDS(reg, field, type)
#include "abi/values.def"
#undef VALUE
#undef FLAG
#undef HOLDS
#define FAULT(name, code, doc) assert_string_equal(value("fault", code), #name);
#include "abi/faults.def"
#undef FAULT
#define INJECTION(name, code, block, arg, doc) assert_string_equal(value("injection", code), #name);
#include "abi/injections.def"
#undef INJECTION
	assert_string_equal(value("packet", 2), "copy");
	assert_string_equal(value("unit", 9), "DMA1");
	assert_string_equal(value("unit", 60000), "60000");
	assert_string_equal(value("packet_flags", 0), "0");
	assert_string_equal(value("packet_flags", 3), "END|IRQ");
	assert_string_equal(value("packet_flags", 0x41), "END|0x40");
	assert_string_equal(value("packet_flags", 0x40), "0x40");
	assert_string_equal(value("fw_state", 99), "99");
	assert_string_equal(value("fault", 1ull << 40), "1099511627776");
	assert_string_equal(value("bits", 0xdf), "0xdf");
	assert_string_equal(value("register", REG_HOST_CTRL), "HOST.CTRL");
	assert_string_equal(value("IRQ_STATUS", 0x83), "0x83 [COMPLETE FAULT QUEUE]");
	assert_string_equal(value("SLOT_FLAGS", 1), "0x1 [PROTECTED]");
	assert_string_equal(value("no such type", 7), "7");
}

static void what_registers_hold(void **state)
{
	(void)state;
	assert_string_equal(held(REG_HOST_CTRL, 0), "0x0");
	assert_string_equal(held(REG_HOST_CTRL, 3), "0x3 [RESET CP_RUN]");
	assert_string_equal(held(REG_HOST_TLB_INV, 0x10005), "0x10005 [ASID=5 SCOPE=SPACE]");
	assert_string_equal(held(REG_HOST_IRQ_ENABLE, 0x3), "0x3 [MASK=0x3 [COMPLETE FAULT]]");
	assert_string_equal(held(REG_HOST_CACHE, 3), "0x3 [OP=CLEAN|INVALIDATE]");
	assert_string_equal(held(REG_HOST_FW_STATE, FW_READY), "READY");
	assert_string_equal(held(REG_HOST_FW_STATE, 77), "77");
	assert_string_equal(held(REG_HOST_QUEUE_STATE + 4 * 15, QUEUE_FAULTED), "FAULTED");
	assert_string_equal(held(REG_HOST_QUEUE_CTRL, QUEUE_CTRL_REPLAY), "REPLAY");
	assert_string_equal(held(REG_HOST_INJECT, 6), "DMA_STALL");
	assert_string_equal(held(REG_HOST_DOORBELL, 100), "0x64");
	assert_string_equal(held(0xfff8, 5), "0x5");
}

/* A register or a type that a table names exists. */
static void types_exist(void **state)
{
	(void)state;
#define VALUES_ALL
#define VALUE(type, name, number, doc)
#define FLAG(type, name, number, doc)
#define HOLDS(reg, field, type) assert_string_not_equal(value(#type, 1), "1");
#include "abi/values.def"
#undef VALUE
#undef FLAG
#undef HOLDS
	unsigned typed = 0;
	for (unsigned k = 0; k < EVENT_KINDS; k++) {
		const struct event_row *row = event_row(k);
		const char *const words[] = { row ? row->a : "", row ? row->b : "", row ? row->c : "" };
		for (unsigned i = 0; i < 3; i++) {
			const char *type = strchr(words[i], ':');
			if (!type)
				continue;
			typed++;
			if (strcmp(type, ":held"))
				assert_string_not_equal(value(type + 1, strcmp(type, ":buffer_flags") ? 1 : 0x10000), "1");
		}
	}
	assert_true(typed > 20);
}

static void short_buffers(void **state)
{
	(void)state;
	char little[6];
	assert_string_equal(register_name(little, sizeof little, REG_HOST_CTRL), "HOST.");
	assert_string_equal(register_value(little, sizeof little, REG_HOST_CTRL, 3), "0x3 [");
	assert_string_equal(value_name(little, 1, "fault", 1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_by_name), cmocka_unit_test(values_by_name), cmocka_unit_test(what_registers_hold),
		cmocka_unit_test(types_exist), cmocka_unit_test(short_buffers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
