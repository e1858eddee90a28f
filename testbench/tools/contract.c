/* galena/contract.h says what the abi tables say: every name of them, with the same value and shape. */
#include "abi/address_map.h"
#include "abi/media.h"
#include "abi/packets.h"
#include "abi/pte.h"
#include "abi/records.h"
#include "abi/registers.h"
#undef GALENA_PAGE_SIZE
#include <galena/contract.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void test_registers(void **state)
{
	unsigned count = 0;
	(void)state;
#define BANK_HOST(name) GALENA_REG_##name
#define BANK_CP(name) GALENA_CP_REG_##name
#define FIRST_1(x) x
#define FIRST_8(x) x(0)
#define FIRST_16(x) x(0)
#define REG(bank, name, offset, bits, number, sw, hw, effects, reset, doc)                                 \
	assert_int_equal(FIRST_##number(BANK_##bank(name)), (offset));                             \
	count++;
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)                                                    \
	assert_int_equal(BANK_##bank(reg##_##name), REG_##bank##_##reg##_##name);                  \
	assert_int_equal(BANK_##bank(reg##_##name##_LSB), (lsb));
#include "abi/registers.def"
#undef REG
#undef FIELD
	assert_true(count > 80);
	assert_int_equal(GALENA_REG_DOORBELL(3), REG_HOST_DOORBELL + 3 * 8);
	assert_int_equal(GALENA_REG_QUEUE_STATE(3), REG_HOST_QUEUE_STATE + 3 * 4);
#define CONSTANT(name, value, doc) assert_int_equal(GALENA_##name, (value));
#include "abi/constants.def"
#undef CONSTANT
	assert_int_equal(GALENA_PAGE_SIZE, 1 << PT_PAGE_SHIFT);
	assert_int_equal(GALENA_FW_BAD_PARAMS, FW_BAD_PARAMS);
	assert_int_equal(GALENA_QUEUE_FAULTED, QUEUE_FAULTED);
	assert_int_equal(GALENA_QUEUE_CTRL_REPLAY, QUEUE_CTRL_REPLAY);
}

static void test_codes(void **state)
{
	(void)state;
#define FAULT(name, code, doc) assert_int_equal(GALENA_FAULT_##name, (code));
#include "abi/faults.def"
#undef FAULT
#define UNIT(name, id, doc) assert_int_equal(GALENA_UNIT_##name, (id));
#include "abi/units.def"
#undef UNIT
#define INJECTION(name, code, block, arg, doc) assert_int_equal(GALENA_INJECT_##name, (code));
#include "abi/injections.def"
#undef INJECTION
	assert_int_equal(GALENA_ACCESS_ATOMIC, 3);
	assert_int_equal(GALENA_CSR_KERNARG, 0xcc9);
}

static void test_windows_and_entries(void **state)
{
	(void)state;
#define WINDOW(name, space, base, size, doc)                                                       \
	assert_int_equal(GALENA_##name##_BASE, (base));                                            \
	assert_int_equal(GALENA_##name##_SIZE, (size));
#include "abi/address_map.def"
#undef WINDOW
#define WORD_FIELD(word, name, lsb, width, doc)                                                    \
	assert_true(GALENA_##word##_##name == (uint64_t)word##_##name);                            \
	assert_int_equal(GALENA_##word##_##name##_LSB, (lsb));
#include "abi/words.def"
#undef WORD_FIELD
	assert_true(GALENA_PTE_PPN == 0x3ffffffffffc00 && GALENA_PTE_RESERVED == 0xffc0000000000000);
	assert_int_equal(galena_pte_make(0x8000123000, GALENA_PTE_V | GALENA_PTE_R), pte_make(0x8000123000, PTE_V | PTE_R));
	assert_int_equal(galena_pte_address(galena_pte_make(0x8000123000, 7)), 0x8000123000);
	assert_int_equal(GALENA_PT_INDEX(0x123456789000, 2), PT_INDEX(0x123456789000, 2));
}

static void test_packets(void **state)
{
	(void)state;
#define PACKET_BEGIN(name, code, doc)                                                              \
	assert_int_equal(sizeof(struct galena_packet_##name), sizeof(struct packet_##name));
#define PACKET_FIELD(name, type, field, offset, doc)                                               \
	assert_int_equal(offsetof(struct galena_packet_##name, field), (offset));
#define PACKET_ARRAY(name, type, field, count, offset, doc)                                        \
	PACKET_FIELD(name, type, field, offset, doc)                                               \
	assert_int_equal(sizeof(((struct galena_packet_##name *)0)->field), (count) * sizeof(type));
#define PACKET_END(name)
#include "abi/packets.def"
	assert_int_equal(sizeof(union galena_packet), PACKET_SIZE);
	assert_int_equal(GALENA_PACKET_TLB_INVALIDATE, PACKET_CODE_tlb_invalidate);
	assert_int_equal(GALENA_PACKET_CACHE, PACKET_CODE_cache);
	assert_int_equal(GALENA_PACKET_FLAG_PROTECTED, PACKET_PROTECTED);
	assert_int_equal(offsetof(struct galena_packet_head, completion), offsetof(struct packet_head, completion));
}

static void test_records(void **state)
{
	(void)state;
#define RECORD_BEGIN(name, size, doc) assert_int_equal(sizeof(struct galena_##name), (size));
#define RECORD_FIELD(name, type, field, offset, doc)                                               \
	assert_int_equal(offsetof(struct galena_##name, field), (offset));                         \
	assert_int_equal(sizeof(((struct galena_##name *)0)->field), sizeof(type));
#define RECORD_ARRAY(name, type, field, count, offset, doc)                                        \
	assert_int_equal(offsetof(struct galena_##name, field), (offset));
#define RECORD_END(name, size)
#include "abi/records.def"
}

static void test_media(void **state)
{
	(void)state;
#define RECORD_TABLE(name, type, field, rows, columns, offset, doc)                                \
	assert_int_equal(offsetof(struct galena_##name, field), (offset));                         \
	assert_int_equal(sizeof(((struct galena_##name *)0)->field), (rows) * (columns) * sizeof(type));
#include "abi/media.def"
	assert_int_equal(offsetof(struct galena_media_process, matrix), offsetof(struct media_process, matrix));
	assert_int_equal(offsetof(struct galena_media_jpeg, dst), offsetof(struct media_jpeg, dst));
	assert_int_equal(GALENA_MEDIA_SOURCE_ALPHA, MEDIA_SOURCE_ALPHA);
	assert_int_equal(GALENA_MEDIA_WEIGHT_ONE, MEDIA_WEIGHT_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers), cmocka_unit_test(test_codes), cmocka_unit_test(test_windows_and_entries),
		cmocka_unit_test(test_packets),	  cmocka_unit_test(test_records), cmocka_unit_test(test_media),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
