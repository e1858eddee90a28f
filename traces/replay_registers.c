#include "traces/replay_registers.h"
#include "abi/device_config.h"
#include "abi/registers.h"
#include <stdio.h>
#include <string.h>

static const struct row {
	const char *bank, *name, *reset;
	uint32_t offset, bytes;
} rows[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { #bank, #name, #reset, offset, (bits) / 8 * (count) },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
};

static const uint32_t bits[] = { REG_HOST_IRQ_STATUS, REG_HOST_HOST_WOKEN };
static const uint32_t progress[] = { REG_HOST_STATUS, REG_HOST_FW_STATE, REG_HOST_QUEUE_STATE, REG_HOST_QUEUE_CTRL, REG_HOST_HOST_WAIT, REG_HOST_PROT_BASE, REG_HOST_PROT_LIMIT };

static bool among(const uint32_t *offsets, size_t count, const struct row *r)
{
	while (count && offsets[count - 1] != r->offset)
		count--;
	return count;
}

enum register_class register_class(uint32_t offset)
{
	const struct row *r = rows;
	const size_t n = sizeof rows / sizeof *rows;
	while (r < rows + n && (strcmp(r->bank, "HOST") || offset - r->offset >= r->bytes))
		r++;
	if (r == rows + n)
		return REGISTER_SAME;
	if (r->offset == REG_HOST_CYCLE || !strncmp(r->name, "CNT_", 4) || !strncmp(r->reset, "CONFIG(", 7))
		return REGISTER_FREE;
	if (among(bits, sizeof bits / sizeof *bits, r))
		return REGISTER_BITS;
	return among(progress, sizeof progress / sizeof *progress, r) ? REGISTER_PROGRESS : REGISTER_SAME;
}

/* What software sees of a device, beside its times. */
#define SEEN(x) x(num_cu) x(warps_per_cu) x(lanes) x(lds_bytes) x(max_wg_size) x(dram_mib) x(clock_mhz) x(line_bytes) x(coherent)

const char *replay_config_refused(const char *recorded, const char *config)
{
	static _Thread_local char text[512];
	struct device_config then, now;
	char error[300];
	if (device_config_parse(recorded, &then, error, sizeof error) || device_config_parse(config, &now, error, sizeof error)) {
		snprintf(text, sizeof text, "trace: %s", error);
		return text;
	}
#define COMPARE(name)                                                                                                                      \
	if (then.name != now.name) {                                                                                                       \
		snprintf(text, sizeof text,                                                                                                \
			 "trace: it was recorded with " #name "=%u and cannot be replayed with " #name "=%u, which software sees: "        \
			 "record the program on that configuration",                                                                      \
			 then.name, now.name);                                                                                             \
		return text;                                                                                                               \
	}
	SEEN(COMPARE)
	return NULL;
}
