#include "abi/bus.h"
#include "abi/environment.h"
#include "abi/registers.h"
#include "tools/galena.h"
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
	{ "env", 'e', NULL, 0, "list the environment variables that the kit reads", 0 },
	{ "config", 'c', "NAME", 0, "configuration: full, mini", 0 },
	{ "registers", 'r', NULL, 0, "every register with its value after reset", 0 },
	{ 0 },
};

struct arguments { bool env, registers; const char *config; };

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'e': a->env = true; return 0;
	case 'r': a->registers = true; return 0;
	case 'c':
		a->config = arg;
		if (environment_wrong("GALENA_CONFIG", arg) || !*arg)
			argp_error(state, "--config=%s: %s", arg, *arg ? environment_wrong("GALENA_CONFIG", arg) : "needs a value");
		return 0;
	case ARGP_KEY_ARG: argp_error(state, "unexpected argument '%s'", arg); return EINVAL;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static void environment_print(void)
{
	static const struct { const char *name, *def, *doc; } list[] = {
#define ENV(name, def, values, doc) { name, def, doc },
#include "abi/environment.def"
#undef ENV
	};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		const char *set = getenv(list[i].name);
		printf("%-20s %s%s%s%s\n", list[i].name, list[i].doc, *list[i].def ? " [" : "", list[i].def,
		       *list[i].def ? "]" : "");
		if (set)
			printf("%-20s   is set to '%s'\n", "", set);
	}
}

static void registers_print(struct bus *b)
{
	static const struct { const char *bank, *name, *access, *doc; uint32_t offset; int bits, count; } list[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { #bank, #name, #sw, doc, offset, bits, count },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		if (strcmp(list[i].bank, "HOST"))
			continue;
		uint64_t v = list[i].bits == 64 ? bus_read64(b, list[i].offset) : bus_read32(b, list[i].offset);
		printf("%04x %-16s %-4s %*s%0*" PRIx64 "  %s%s\n", list[i].offset, list[i].name, list[i].access,
		       16 - list[i].bits / 4, "", list[i].bits / 4, v, list[i].doc,
		       list[i].count > 1 ? " (first of an array)" : "");
	}
}

int command_info(int argc, char **argv)
{
	static const struct argp argp = { options, option_parse, NULL,
		"Shows what the device is, as its own registers say.", NULL, NULL, NULL };
	struct arguments a = { .config = environment_value("GALENA_CONFIG") };
	const char *error = NULL;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (a.env) {
		environment_print();
		return EXIT_OK;
	}
	struct bus_params p = { .device = environment_value("GALENA_DEVICE"), .config = a.config }; /* identification needs no memory */
	struct bus *b = bus_open(&p, &error);
	if (!b)
		return fail(EXIT_FAILED, "%s", error);
	if (a.registers)
		registers_print(b);
	else
		printf("device            %s, configuration %s, register interface %u.%u\n"
		       "compute units     %u, each %u warps of %u lanes\n"
		       "local memory      %u bytes a compute unit\n"
		       "largest group     %u work-items\n"
		       "device memory     %" PRIu64 " MiB\n"
		       "L2 cache          %u bytes, lines of %u\n"
		       "clock             %u MHz\n"
		       "contract          %016" PRIx64 "\n",
		       p.device, a.config, bus_read32(b, REG_HOST_VERSION) >> 16, bus_read32(b, REG_HOST_VERSION) & 0xffff,
		       bus_read32(b, REG_HOST_NUM_CU), bus_read32(b, REG_HOST_WARPS_PER_CU),
		       bus_read32(b, REG_HOST_LANES), bus_read32(b, REG_HOST_LDS_BYTES),
		       bus_read32(b, REG_HOST_MAX_WG_SIZE), bus_read64(b, REG_HOST_DRAM_SIZE) >> 20,
		       bus_read32(b, REG_HOST_L2_BYTES), bus_read32(b, REG_HOST_LINE_BYTES),
		       bus_read32(b, REG_HOST_CLOCK_MHZ), bus_read64(b, REG_HOST_ABI_HASH));
	bus_close(b);
	return EXIT_OK;
}
