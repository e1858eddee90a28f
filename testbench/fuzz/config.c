/* Fuzzes configuration specifications: a specification, or a file of parameters behind a '/'. What
 * is accepted is described by device_config_format so that it comes back the same, and a device of
 * it opens. */
#define _GNU_SOURCE
#include "abi/bus.h"
#include "abi/device_config.h"
#include "testbench/fuzz/fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int no_memory(void *ctx, uint64_t address, void *dst, size_t len) { (void)ctx; (void)address; (void)dst; (void)len; return -1; }
static int no_memory_write(void *ctx, uint64_t address, const void *src, size_t len) { (void)ctx; (void)address; (void)src; (void)len; return -1; }
static void *no_page(void *ctx, uint64_t number, bool write) { (void)ctx; (void)number; (void)write; return NULL; }

static void check(const struct device_config *c)
{
	static const volatile uint64_t generation;
	char spec[1024], error[512];
	struct device_config again;
	const char *why;
	device_config_format(c, spec, sizeof(spec));
	if (device_config_parse(spec, &again, error, sizeof(error))) {
		fprintf(stderr, "fuzz: '%s' is not read back: %s\n", spec, error);
		abort();
	}
	again.name = c->name;
	if (memcmp(&again, c, sizeof(again))) {
		fprintf(stderr, "fuzz: '%s' is another configuration\n", spec);
		abort();
	}
	struct bus_params p = { .device = "model", .config = spec, .speed = BUS_FUNCTIONAL,
				.memory = { .read = no_memory, .write = no_memory_write, .page = no_page, .generation = &generation } };
	struct bus *bus = bus_open(&p, &why);
	if (!bus) {
		fprintf(stderr, "fuzz: a device of '%s' does not open: %s\n", spec, why);
		abort();
	}
	bus_wait_irq(bus, 1000);
	bus_close(bus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char spec[4200], path[64], error[256];
	struct device_config c;
	int fd = -1;
	if (size && data[0] == '/') {
		fd = memfd_create("config", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
			abort();
		snprintf(spec, sizeof(spec), "%s", path);
	} else {
		size_t n = size < sizeof(spec) - 1 ? size : sizeof(spec) - 1;
		memcpy(spec, data, n);
		spec[n] = '\0';
		for (size_t i = 0; i < n; i++) /* files of the machine are no part of the input */
			if (spec[i] == '/' || spec[i] == '.')
				spec[i] = '_';
	}
	memset(&c, 0, sizeof(c));
	memset(error, 'x', sizeof(error));
	if (!device_config_parse(spec, &c, error, sizeof(error)))
		check(&c);
	else if (!memchr(error, '\0', sizeof(error)) || strchr(error, '\n')) {
		fprintf(stderr, "fuzz: '%s' gives no message of one line\n", spec);
		abort();
	}
	if (fd >= 0)
		close(fd);
	return 0;
}
