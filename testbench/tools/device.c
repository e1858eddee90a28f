/* galena/device.h: memory by pins, registers, time, names, errors. A program of a
 * few words on the command processor, which loads from a physical address, tells what the device sees. */
#define _GNU_SOURCE
#include <galena/contract.h>
#include <galena/device.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

static const struct galena_device_options small = { .config = "mini", .speed = "timed", .index = 3 };

static int open_small(void **state)
{
	const char *error = NULL;
	*state = galena_device_open(&small, &error);
	if (!*state)
		print_error("%s\n", error);
	return *state ? 0 : -1;
}

static int close_small(void **state)
{
	galena_device_close(*state);
	return 0;
}

/* What the command processor sees when it reads (or writes) a physical address: t0 = FW_BOOT's value, the
 * access, FW_VERSION = its low word, FW_STATE = 1. True if it got that far, false if it crashed. */
static bool cp_access(struct galena_device *d, uint64_t address, bool write, uint32_t *value)
{
	const uint32_t program[] = {
		0x10000537,                        /* lui a0, 0x10000: the host bank */
		0x07853283,                        /* ld t0, 0x78(a0): FW_BOOT */
		write ? 0x0062a023 : 0x0002a303,   /* sw t1, 0(t0) : lw t1, 0(t0) */
		0x08652223,                        /* sw t1, 0x84(a0): FW_VERSION */
		0x00100393,                        /* li t2, 1 */
		0x08752023,                        /* sw t2, 0x80(a0): FW_STATE */
		0x10500073,                        /* wfi */
		0xffdff06f,                        /* j -4 */
	};
	galena_device_write32(d, GALENA_REG_CTRL, GALENA_REG_CTRL_RESET);
	galena_device_write32(d, GALENA_REG_TCM_ADDR, 0);
	for (unsigned i = 0; i < sizeof program / 8; i++) {
		uint64_t word;
		memcpy(&word, program + 2 * i, 8);
		galena_device_write64(d, GALENA_REG_TCM_DATA, word);
	}
	galena_device_write64(d, GALENA_REG_FW_BOOT, address);
	galena_device_write64(d, GALENA_REG_CP_ENTRY, 0);
	galena_device_write32(d, GALENA_REG_IRQ_ENABLE, GALENA_REG_IRQ_STATUS_CRASH);
	galena_device_write32(d, GALENA_REG_CTRL, GALENA_REG_CTRL_CP_RUN);
	enum galena_wait why = galena_device_wait(d, 100000);
	if (value)
		*value = galena_device_read32(d, GALENA_REG_FW_VERSION);
	bool done = galena_device_read32(d, GALENA_REG_FW_STATE) == 1;
	assert_int_equal(why, done ? GALENA_WAIT_IDLE : GALENA_WAIT_IRQ);
	return done;
}

static void test_registers(void **state)
{
	struct galena_device *d = *state;
	assert_int_equal(galena_device_read32(d, GALENA_REG_ID), 0x414e4c47);
	assert_int_equal(galena_device_read32(d, GALENA_REG_NUM_CU), 1);
	assert_int_equal(galena_device_read32(d, GALENA_REG_DEVICE_INDEX), 3);
	galena_device_write64(d, GALENA_REG_CP_ENTRY, 0x123456789abcdef0);
	assert_int_equal(galena_device_read64(d, GALENA_REG_CP_ENTRY), 0x123456789abcdef0);
	assert_int_equal(galena_device_read32(d, GALENA_REG_CP_ENTRY), 0x9abcdef0);
	assert_int_equal(galena_device_read32(d, GALENA_REG_CP_ENTRY + 4), 0x12345678);
	assert_int_equal(galena_device_read32(d, 0xfff0), 0);
}

static void test_time(void **state)
{
	struct galena_device *d = *state;
	uint64_t before = galena_device_cycle(d);
	galena_device_read32(d, GALENA_REG_ID);
	assert_int_equal(galena_device_cycle(d) - before, 100); /* mmio_read_cycles */
	assert_int_equal(galena_device_wait(d, 1000), GALENA_WAIT_IDLE);
}

static void test_pins(void **state)
{
	struct galena_device *d = *state;
	static uint32_t words[4096] __attribute__((aligned(4096)));
	uint64_t first, second, inside;
	uint32_t value;
	words[0] = 0x11111111;
	words[3 * 1024] = 0x33333333;
	assert_int_equal(galena_device_pin(d, words, sizeof words, 0, &first), 0);
	assert_int_equal(first, GALENA_SYSTEM_BASE); /* the lowest number there is */
	assert_true(cp_access(d, first, false, &value));
	assert_int_equal(value, 0x11111111);
	assert_true(cp_access(d, first + 3 * GALENA_PAGE_SIZE, false, &value)); /* one row of pages */
	assert_int_equal(value, 0x33333333);
	assert_true(cp_access(d, first, true, NULL));
	assert_int_not_equal(words[0], 0x11111111);

	/* again, with an offset and read-only: numbers of its own */
	words[1025] = 0x55555555;
	assert_int_equal(galena_device_pin(d, &words[1025], 4, GALENA_PIN_READ_ONLY, &inside), 0);
	assert_int_equal(inside, first + 4 * GALENA_PAGE_SIZE + 4);
	assert_true(cp_access(d, inside, false, &value));
	assert_int_equal(value, 0x55555555);
	assert_false(cp_access(d, inside, true, NULL));
	assert_int_equal(words[1025], 0x55555555);

	assert_int_equal(galena_device_unpin(d, first), 0);
	assert_false(cp_access(d, first, false, NULL));
	assert_false(cp_access(d, first + 3 * GALENA_PAGE_SIZE, false, NULL));
	assert_true(cp_access(d, inside, false, NULL)); /* the other pin stands */
	assert_int_equal(galena_device_unpin(d, first), GALENA_INVALID);
	assert_int_equal(galena_device_pin(d, words, 1, 0, &second), 0);
	assert_int_equal(second, first); /* the lowest free number again */
	assert_int_equal(galena_device_unpin(d, second), 0);
	assert_int_equal(galena_device_unpin(d, inside), 0);
}

static void test_bad_pins(void **state)
{
	struct galena_device *d = *state;
	uint64_t pa = 42;
	static char byte;
	void *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *constant = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(galena_device_pin(d, NULL, 16, 0, &pa), GALENA_BAD_ADDRESS);
	assert_int_equal(galena_device_pin(d, gone, 16, 0, &pa), GALENA_BAD_ADDRESS);
	assert_int_equal(galena_device_pin(d, constant, 16, 0, &pa), GALENA_BAD_ADDRESS);
	assert_int_equal(galena_device_pin(d, &byte, 0, 0, &pa), GALENA_INVALID);
	assert_int_equal(galena_device_pin(d, &byte, SIZE_MAX, 0, &pa), GALENA_INVALID);
	assert_int_equal(galena_device_pin(d, &byte, 1, 0, NULL), GALENA_INVALID);
	assert_int_equal(galena_device_pin(d, &byte, 1, 8, &pa), GALENA_INVALID);
	assert_int_equal(pa, 42);
	assert_int_equal(galena_device_pin(d, constant, 16, GALENA_PIN_READ_ONLY, &pa), 0);
	assert_int_equal(pa, GALENA_SYSTEM_BASE);
	munmap(gone, 4096);
}

static void test_alloc(void **state)
{
	struct galena_device *d = *state;
	uint64_t a, b;
	uint32_t value;
	uint8_t *first = galena_device_alloc(d, 5000, 0, &a), *second = galena_device_alloc(d, 1, GALENA_PIN_READ_ONLY, &b);
	assert_non_null(first);
	assert_non_null(second);
	assert_int_equal((uintptr_t)first % 4096, 0);
	assert_int_equal(b, a + 2 * GALENA_PAGE_SIZE);
	for (unsigned i = 0; i < 8192; i++)
		assert_int_equal(first[i], 0);
	first[4096] = 7;
	assert_true(cp_access(d, a + 4096, false, &value));
	assert_int_equal(value, 7);
	assert_false(cp_access(d, b, true, NULL));
	assert_int_equal(galena_device_unpin(d, a), GALENA_INVALID); /* not what was pinned by galena_device_pin */
	galena_device_free(d, first);
	galena_device_free(d, NULL);
	assert_false(cp_access(d, a, false, NULL));
	assert_null(galena_device_alloc(d, 0, 0, &a));
	/* more than a table of page numbers starts with */
	assert_non_null(galena_device_alloc(d, 3000 * 4096, 0, &a));
	assert_true(cp_access(d, a + 2999 * 4096, false, &value));
}

static void test_errors(void **state)
{
	const char *error = NULL;
	(void)state;
	assert_null(galena_device_open(&(struct galena_device_options){ .config = "nonsense" }, &error));
	assert_non_null(strstr(error, "nonsense"));
	assert_null(galena_device_open(&(struct galena_device_options){ .device = "toaster" }, &error));
	assert_non_null(strstr(error, "toaster"));
	assert_null(galena_device_open(&(struct galena_device_options){ .speed = "slow" }, &error));
	assert_non_null(strstr(error, "slow"));
	assert_null(galena_device_open(&(struct galena_device_options){ .speed = "slow" }, NULL));
	galena_device_close(NULL);
}

static void test_names(void **state)
{
	char unit[32], little[4];
	(void)state;
	assert_string_equal(galena_fault_name(GALENA_FAULT_PAGE_WRITE), "PAGE_WRITE");
	assert_string_equal(galena_fault_text(GALENA_FAULT_PAGE_WRITE), "page is not writable");
	assert_string_equal(galena_fault_name(999), "?");
	assert_string_equal(galena_unit_name(GALENA_UNIT_CU + 2, unit, sizeof unit), "compute unit 2");
	assert_string_equal(galena_unit_name(GALENA_UNIT_DMA + 1, unit, sizeof unit), "DMA engine 1");
	assert_string_equal(galena_unit_name(GALENA_UNIT_CP, unit, sizeof unit), "command processor");
	assert_string_equal(galena_unit_name(GALENA_UNIT_CP, little, sizeof little), "com");
	assert_string_equal(galena_unit_name(7, unit, sizeof unit), "?");
	setenv("GALENA_FIRMWARE", "/else/where", 1);
	assert_string_equal(galena_firmware_path(), "/else/where");
	unsetenv("GALENA_FIRMWARE");
	assert_non_null(strstr(galena_firmware_path(), "share/galena/firmware.elf"));
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, open_small, close_small)
int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DEVICE(test_registers), WITH_DEVICE(test_time), WITH_DEVICE(test_pins), WITH_DEVICE(test_bad_pins),
		WITH_DEVICE(test_alloc), cmocka_unit_test(test_errors), cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
