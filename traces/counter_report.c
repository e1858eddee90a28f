#include "traces/counter_report.h"
#include "base/text.h"
#include <inttypes.h>
#include <string.h>

static const struct { const char *name; uint32_t offset; } registers[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { #bank "_" #name, offset },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
};
enum { NUM_REGISTERS = sizeof registers / sizeof registers[0] };
#define IS_COUNTER(i) (!strncmp(registers[i].name, "HOST_CNT_", 9))
#define COUNTER_NAME(i) (registers[i].name + 9)

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void table_print(FILE *f, const struct counter_row *rows, uint32_t count)
{
	size_t width = 6;
	uint64_t total = 0;
	for (uint32_t i = 0; i < count; i++) {
		total += rows[i].cycles;
		if (strlen(rows[i].name) > width)
			width = strlen(rows[i].name);
	}
	fprintf(f, "  %-*s %8s %14s %6s %14s %12s %12s %6s %12s %6s %14s %10s %10s %12s\n", (int)width, "kernel", "calls", "cycles",
		"time", "lane-instrs", "warp-instrs", "L1 hits", "rate", "L2 hits", "rate", "DRAM bytes", "TLB L1", "TLB L2",
		"LDS conflicts");
	for (uint32_t i = 0; i < count; i++) {
		const struct counter_row *r = &rows[i];
		const struct counter_values *v = r->values;
		uint64_t l1 = COUNTER_VALUE(v, L1_HIT), l2 = COUNTER_VALUE(v, L2_HIT);
		fprintf(f,
			"  %-*s %8" PRIu64 " %14" PRIu64 " %5.1f%% %14" PRIu64 " %12" PRIu64 " %12" PRIu64 " %5.1f%% %12" PRIu64
			" %5.1f%% %14" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12" PRIu64 "\n",
			(int)width, r->name, r->calls, r->cycles, percent(r->cycles, total), COUNTER_VALUE(v, LANE_INSNS),
			COUNTER_VALUE(v, WARP_INSNS), l1, percent(l1, l1 + COUNTER_VALUE(v, L1_MISS)), l2,
			percent(l2, l2 + COUNTER_VALUE(v, L2_MISS)), COUNTER_VALUE(v, DRAM_READ) + COUNTER_VALUE(v, DRAM_WRITE),
			COUNTER_VALUE(v, TLB_L1_MISS), COUNTER_VALUE(v, TLB_L2_MISS), COUNTER_VALUE(v, LDS_CONFLICTS));
	}
}

static void text_print(FILE *f, unsigned device, uint64_t cycles, const struct counter_values *v)
{
	fprintf(f,
		"device %u\n"
		"  device cycles       %" PRIu64 "\n"
		"  kernels             %" PRIu64 "\n"
		"  lane-instructions   %" PRIu64 "\n"
		"  warp-instructions   %" PRIu64 "\n"
		"  DMA bytes           %" PRIu64 "\n"
		"  DRAM bytes          %" PRIu64 " read, %" PRIu64 " written\n"
		"  system bytes        %" PRIu64 " read, %" PRIu64 " written\n"
		"  TLB misses          %" PRIu64 " (L1), %" PRIu64 " (L2)\n"
		"  firmware instrs     %" PRIu64 "\n"
		"  faults              %" PRIu64 "\n",
		device, cycles, COUNTER_VALUE(v, DISPATCHES), COUNTER_VALUE(v, LANE_INSNS), COUNTER_VALUE(v, WARP_INSNS),
		COUNTER_VALUE(v, DMA_BYTES), COUNTER_VALUE(v, DRAM_READ), COUNTER_VALUE(v, DRAM_WRITE), COUNTER_VALUE(v, SYS_READ),
		COUNTER_VALUE(v, SYS_WRITE), COUNTER_VALUE(v, TLB_L1_MISS), COUNTER_VALUE(v, TLB_L2_MISS), COUNTER_VALUE(v, CP_INSNS),
		COUNTER_VALUE(v, FAULTS));
}

static void values_print(FILE *f, const struct counter_values *v)
{
	const char *comma = "";
	fputs("\"counters\": {", f);
	for (int i = 0; i < NUM_REGISTERS; i++)
		if (IS_COUNTER(i)) {
			fprintf(f, "%s\"%s\": %" PRIu64, comma, COUNTER_NAME(i), v->of[COUNTER_AT(registers[i].offset)]);
			comma = ", ";
		}
	fputs("}", f);
}

static void json_print(FILE *f, unsigned device, uint64_t cycles, const struct counter_values *v, const struct counter_row *rows,
		       uint32_t count)
{
	fprintf(f, "  {\"device\": %u, \"cycles\": %" PRIu64 ", ", device, cycles);
	values_print(f, v);
	fputs(",\n   \"kernels\": [", f);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", f);
		text_json(f, rows[i].name);
		fprintf(f, ", \"calls\": %" PRIu64 ", \"cycles\": %" PRIu64 ", ", rows[i].calls, rows[i].cycles);
		values_print(f, rows[i].values);
		fputs("}", f);
	}
	fputs("]}", f);
}

bool counter_report_json(const char *name)
{
	const size_t len = strlen(name);
	return len > 5 && !strcmp(name + len - 5, ".json");
}

void counter_report_begin(struct counter_report *r)
{
	if (r->json)
		fputs("[\n", r->file);
}

void counter_report_device(struct counter_report *r, unsigned device, uint64_t cycles, const struct counter_values *v,
			   const struct counter_row *rows, uint32_t num_rows)
{
	if (r->json) {
		fputs(r->devices++ ? ",\n" : "", r->file);
		json_print(r->file, device, cycles, v, rows, num_rows);
	} else if (COUNTER_VALUE(v, DISPATCHES) || COUNTER_VALUE(v, DMA_BYTES)) {
		text_print(r->file, device, cycles, v);
		if (num_rows)
			table_print(r->file, rows, num_rows);
	}
}

void counter_report_end(struct counter_report *r)
{
	if (r->json)
		fputs("\n]\n", r->file);
}
