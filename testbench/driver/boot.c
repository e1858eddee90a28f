/* Opening: what the environment can ask for, firmware files that are not what they should be. */
#define _GNU_SOURCE
#include "testbench/driver/common.h"
#include "abi/registers.h"
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char firmware[4096]; /* the real one */
static char scratch[64];    /* a file to break */

static void opens(void **state)
{
	(void)state;
	struct umd *d = open_driver();
	assert_int_equal(umd_num_devices(d), 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct kmd_device_info *info = umd_device_info(d, i);
		assert_int_equal(info->num_cu, 4);
		assert_int_equal(info->warps_per_cu, 16);
		assert_int_equal(info->lanes, 32);
		assert_int_equal(info->dram_size, 2048ull << 20);
		assert_int_equal(umd_read_register(d, i, REG_HOST_DEVICE_INDEX, 32), i);
		assert_int_equal(umd_read_register(d, i, REG_HOST_FW_STATE, 32), FW_READY);
		assert_int_equal(umd_read_register(d, i, REG_HOST_FW_VERSION, 32), FW_INTERFACE_VERSION);
		char *log = umd_firmware_log(d, i);
		assert_non_null(strstr(log, "ready"));
		free(log);
		assert_true(umd_time(d, i) > 0);
	}
	assert_null(umd_device_info(d, 2));
	umd_close(d);
}

static void device_counts_and_configs(void **state)
{
	(void)state;
	setenv("GALENA_DEVICES", "16", 1);
	setenv("GALENA_CONFIG", "mini", 1);
	struct umd *d = open_driver();
	assert_int_equal(umd_num_devices(d), 16);
	assert_int_equal(umd_device_info(d, 15)->lanes, 4);
	umd_close(d);
	setenv("GALENA_SPEED", "functional", 1);
	setenv("GALENA_DEVICES", "1", 1);
	d = open_driver();
	assert_int_equal(umd_num_devices(d), 1);
	umd_close(d);
	unsetenv("GALENA_DEVICES");
	unsetenv("GALENA_CONFIG");
	unsetenv("GALENA_SPEED");
}

/* Opening fails, with one line that contains each of the words. */
static void refused(const char *word, const char *second)
{
	const char *error = NULL;
	assert_null(umd_open(&error));
	assert_non_null(error);
	if (!strstr(error, word) || !strstr(error, second))
		fail_msg("'%s' says nothing of '%s', '%s'", error, word, second);
	assert_null(strchr(error, '\n'));
}

static void refused_with(const char *name, const char *value, const char *word, const char *second)
{
	setenv(name, value, 1);
	refused(word, second);
	unsetenv(name);
}

static void bad_settings(void **state)
{
	(void)state;
	refused_with("GALENA_SPEED", "warp", "warp", "functional");
	refused_with("GALENA_DEVICES", "0", "GALENA_DEVICES", "16");
	refused_with("GALENA_DEVICES", "17", "GALENA_DEVICES", "16");
	refused_with("GALENA_DEVICES", "two", "two", "16");
	refused_with("GALENA_CONFIG", "huge", "huge", "full");
	refused_with("GALENA_DEVICE", "toaster", "toaster", "model");
	refused_with("GALENA_FIRMWARE", "/nonexistent/fw.elf", "/nonexistent/fw.elf", "make");
	refused_with("GALENA_FIRMWARE", "/", "/", "firmware");
}

/* The real firmware with one change, at scratch. */
static uint8_t *firmware_image(size_t *size)
{
	int fd = open(firmware, O_RDONLY);
	struct stat st;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	uint8_t *image = malloc(st.st_size);
	assert_int_equal(read(fd, image, st.st_size), st.st_size);
	close(fd);
	*size = st.st_size;
	return image;
}

static void firmware_is(const void *image, size_t size)
{
	int fd = open(scratch, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image, size), size);
	close(fd);
}

static void bad_firmware(void **state)
{
	(void)state;
	size_t size;
	uint8_t *image = firmware_image(&size);
	Elf64_Ehdr *eh = (Elf64_Ehdr *)image;
	Elf64_Phdr *ph = (Elf64_Phdr *)(image + eh->e_phoff);

	firmware_is("", 0);
	refused_with("GALENA_FIRMWARE", scratch, scratch, "not an ELF");
	firmware_is("hello, this is text", 19);
	refused_with("GALENA_FIRMWARE", scratch, scratch, "not an ELF");
	for (size_t cut = 16; cut < ph[0].p_offset + ph[0].p_filesz; cut += 509) {
		firmware_is(image, cut);
		refused_with("GALENA_FIRMWARE", scratch, scratch, "firmware");
	}
	eh->e_machine = EM_X86_64;
	firmware_is(image, size);
	refused_with("GALENA_FIRMWARE", scratch, "RISC-V", "make");
	eh->e_machine = EM_RISCV;
	eh->e_type = ET_REL;
	firmware_is(image, size);
	refused_with("GALENA_FIRMWARE", scratch, "executable", "make");
	eh->e_type = ET_EXEC;
	uint64_t pa = ph[0].p_paddr;
	ph[0].p_paddr = 0x3ffff8;
	firmware_is(image, size);
	refused_with("GALENA_FIRMWARE", scratch, "local memory", "256 KiB");
	ph[0].p_paddr = pa;
	/* code that is not code: the first instruction is illegal */
	memset(image + ph[0].p_offset, 0, 16);
	firmware_is(image, size);
	refused_with("GALENA_FIRMWARE", scratch, "crashed", "cause 2");
	/* code that sleeps for ever: wfi, and back to it */
	static const uint32_t sleeper[] = { 0x10500073, 0xffdff06f };
	memcpy(image + ph[0].p_offset, sleeper, sizeof sleeper);
	firmware_is(image, size);
	refused_with("GALENA_FIRMWARE", scratch, "did not come up", "state 0");
	/* code that spins */
	static const uint32_t spinner = 0x0000006f;
	memcpy(image + ph[0].p_offset, &spinner, sizeof spinner);
	firmware_is(image, size);
	refused_with("GALENA_FIRMWARE", scratch, "did not come up", "state 0");
	free(image);
	unlink(scratch);
}

/* Nothing that failed before stands in the way. */
static void opens_again(void **state)
{
	(void)state;
	struct umd *a = open_driver(), *b = open_driver();
	umd_close(a);
	umd_close(b);
}

int main(int argc, char **argv)
{
	(void)argc;
	char *self = realpath(argv[0], NULL);
	*strrchr(self, '/') = 0;
	snprintf(firmware, sizeof firmware, "%s/../../share/galena/firmware.elf", self);
	free(self);
	snprintf(scratch, sizeof scratch, "/tmp/galena-firmware-%d.elf", (int)getpid());
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens),
		cmocka_unit_test(device_counts_and_configs),
		cmocka_unit_test(bad_settings),
		cmocka_unit_test(bad_firmware),
		cmocka_unit_test(opens_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
