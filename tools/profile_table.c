/* What people read: tables of kernels, blocks, lines and host time, the sources with their costs, and JSON. */
#define _GNU_SOURCE
#include "tools/galena.h"
#include "tools/profile.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }
static double rate(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

/* "97.1%", or "-" when there was nothing to be had. */
static const char *hits(char *out, size_t size, uint64_t hit, uint64_t miss)
{
	if (hit + miss)
		snprintf(out, size, "%.1f%%", percent(hit, hit + miss));
	else
		snprintf(out, size, "-");
	return out;
}

static uint64_t all_cycles(const struct profile *p)
{
	uint64_t n = 0;
	for (size_t i = 0; i < p->kernels.count; i++)
		n += profile_cu_cycles(&p->kernels.at[i].counts);
	return n;
}

/* ---- kernels ---- */

/* Devices of a platform are alike: their compute units, and the warps that one can hold. */
static uint64_t units(const struct profile *p) { return p->devices.count ? p->devices.at[0].config.num_cu : 0; }
static uint64_t unit_warps(const struct profile *p)
{
	return p->devices.count && p->devices.at[0].config.warps_per_cu ? p->devices.at[0].config.warps_per_cu : 1;
}

static void kernels_print(const struct profile *p, FILE *f)
{
	int width = 6;
	uint64_t all = all_cycles(p);
	for (size_t i = 0; i < p->kernels.count; i++) {
		int n = (int)strlen(p->kernels.at[i].name);
		width = n > width ? n : width;
	}
	fprintf(f, "\nkernels: device cycles from start to end of their launches; %s\n",
		p->timed ? "what the cycles of the compute units were spent on; units without work, warps resident, caches" :
			   "instructions, as there are no cycles without timing");
	fprintf(f, "  %-*s %8s %14s", width, "kernel", "launches", "device cycles");
	if (p->timed)
		fprintf(f, " %14s", "CU cycles");
	fprintf(f, " %6s %14s %14s", "share", "warp-instrs", "lane-instrs");
	if (p->timed) {
		fprintf(f, " %6s", "IPC");
		for (unsigned w = 0; w < PROFILE_WAITS; w++)
			if (w != PROFILE_SLOT)
				fprintf(f, " %7s", profile_wait_key((enum profile_wait)w));
		fprintf(f, " %6s %6s %6s %6s %10s", "empty", "warps", "L1", "L2", "DRAM bytes");
	}
	fprintf(f, " %9s %9s %10s\n", "TLB miss", "walks", "host ms");
	for (size_t i = 0; i < p->kernels.count; i++) {
		const struct profile_kernel *k = &p->kernels.at[i];
		const uint64_t *c = k->counts.of;
		uint64_t cu = profile_cu_cycles(&k->counts);
		char l1[16], l2[16];
		fprintf(f, "  %-*s %8" PRIu64 " %14" PRIu64, width, k->name, k->launches, k->cycles);
		if (p->timed)
			fprintf(f, " %14" PRIu64, cu);
		fprintf(f, " %5.1f%% %14" PRIu64 " %14" PRIu64, percent(cu, all), c[PROFILE_INSNS], c[PROFILE_LANES]);
		if (p->timed) {
			fprintf(f, " %6.2f", rate(c[PROFILE_INSNS], cu));
			for (unsigned w = 0; w < PROFILE_WAITS; w++)
				if (w != PROFILE_SLOT)
					fprintf(f, " %6.1f%%", percent(c[PROFILE_CU + w], cu));
			uint64_t room = k->cycles * units(p);
			fprintf(f, " %5.1f%% %5.1f%% %6s %6s %10" PRIu64, percent(room > cu ? room - cu : 0, room),
				percent(profile_warp_cycles(&k->counts), cu * unit_warps(p)),
				hits(l1, sizeof l1, c[PROFILE_L1_HIT], c[PROFILE_L1_MISS]),
				hits(l2, sizeof l2, c[PROFILE_L2_HIT], c[PROFILE_L2_MISS]), c[PROFILE_DRAM_BYTES]);
		}
		fprintf(f, " %9" PRIu64 " %9" PRIu64 " %10.3f%s\n", c[PROFILE_TLB_L1_MISS], c[PROFILE_TLB_L2_MISS], (double)k->host_ns / 1e6,
			k->failed ? "  (some launches failed)" : "");
	}
}

/* ---- blocks ---- */

struct block {
	const char *name;
	uint64_t busy, units;
	char note[160];
};

enum { BLOCKS = 9 }; /* at most */

static uint64_t per(uint64_t bytes, uint32_t each) { return each ? (bytes + each - 1) / each : 0; }

static unsigned blocks_of(const struct profile_device *d, struct block out[BLOCKS])
{
	const struct device_config *c = &d->config;
#define N(name) profile_counter(d, #name)
	struct block *b = out;
	uint64_t l1 = N(L1_HIT) + N(L1_MISS), l2 = N(L2_HIT) + N(L2_MISS), rows = N(DRAM_ROW_HIT) + N(DRAM_ROW_MISS);
	if (d->timed) {
		*b = (struct block){ "compute units", N(CU_BUSY), c->num_cu, "" };
		snprintf(b++->note, sizeof b->note, "%.1f%% issuing, %" PRIu64 " work-groups", percent(N(WARP_INSNS), N(CU_BUSY)), N(WORK_GROUPS));
		*b = (struct block){ "L1 caches", l1, c->num_cu, "" };
		snprintf(b++->note, sizeof b->note, "%.1f%% hits, %" PRIu64 " cycles lost to conflicts in local memory", percent(N(L1_HIT), l1), N(LDS_CONFLICTS));
		*b = (struct block){ "L2 cache", per(l2 * c->line_bytes, c->l2_bytes_cycle), 1, "" };
		snprintf(b++->note, sizeof b->note, "%.1f%% hits", percent(N(L2_HIT), l2));
		*b = (struct block){ "DRAM", per(N(DRAM_READ) + N(DRAM_WRITE), c->dram_bytes_cycle), 1, "" };
		snprintf(b++->note, sizeof b->note, "%" PRIu64 " bytes read, %" PRIu64 " written, %.1f%% in open rows", N(DRAM_READ), N(DRAM_WRITE),
			 percent(N(DRAM_ROW_HIT), rows));
		*b = (struct block){ "host link", per(N(SYS_READ) + N(SYS_WRITE), c->sys_bytes_cycle), 1, "" };
		snprintf(b++->note, sizeof b->note, "%" PRIu64 " bytes read, %" PRIu64 " written", N(SYS_READ), N(SYS_WRITE));
	} else {
		*b = (struct block){ "compute units", N(CU_BUSY), c->num_cu, "" };
		snprintf(b++->note, sizeof b->note, "%" PRIu64 " work-groups", N(WORK_GROUPS));
	}
	*b = (struct block){ "MMU", 0, 0, "" };
	snprintf(b++->note, sizeof b->note, "%" PRIu64 " L1 TLB misses, %" PRIu64 " walks, %" PRIu64 " entries read", N(TLB_L1_MISS), N(TLB_L2_MISS), N(WALK_READS));
	*b = (struct block){ "DMA engines", N(DMA_BUSY), c->dma_engines, "" };
	snprintf(b++->note, sizeof b->note, "%" PRIu64 " bytes", N(DMA_BYTES));
	if (N(MEDIA_BUSY)) {
		*b = (struct block){ "media unit", N(MEDIA_BUSY), 1, "" };
		snprintf(b++->note, sizeof b->note, "%" PRIu64 " bytes", N(MEDIA_BYTES));
	}
	*b = (struct block){ "firmware", N(firmware), 1, "" };
	snprintf(b++->note, sizeof b->note, "%" PRIu64 " instructions", N(CP_INSNS));
#undef N
	return (unsigned)(b - out);
}

static void blocks_print(const struct profile *p, FILE *f)
{
	for (size_t i = 0; i < p->devices.count; i++) {
		const struct profile_device *d = &p->devices.at[i];
		struct block blocks[BLOCKS];
		unsigned n = blocks_of(d, blocks);
		if (!profile_counter(d, "DISPATCHES") && !profile_counter(d, "DMA_BYTES") && !profile_counter(d, "MEDIA_BUSY"))
			continue;
		fprintf(f, "\ndevice %u: %" PRIu64 " cycles, %s, configuration %s\n  %-14s %14s %9s\n", d->index, d->cycles,
			d->timed ? "timed" : "functional", d->config_text, "block", "busy cycles", "of time");
		for (unsigned b = 0; b < n; b++) {
			if (blocks[b].units)
				fprintf(f, "  %-14s %14" PRIu64 " %8.1f%%  %s\n", blocks[b].name, blocks[b].busy,
					percent(blocks[b].busy, d->cycles * blocks[b].units), blocks[b].note);
			else
				fprintf(f, "  %-14s %14s %9s  %s\n", blocks[b].name, "", "", blocks[b].note);
		}
	}
}

/* ---- lines ---- */

static enum profile_wait main_wait(const struct profile_counts *c)
{
	enum profile_wait best = PROFILE_ISSUE;
	for (unsigned w = 0; w < PROFILE_WAITS; w++)
		if (c->of[PROFILE_CU + w] > c->of[PROFILE_CU + best])
			best = (enum profile_wait)w;
	return best;
}

static void lines_print(const struct profile *p, FILE *f)
{
	enum { MOST = 20 };
	uint64_t all = all_cycles(p), sum = 0;
	int width = 4;
	size_t count = p->lines.count < MOST ? p->lines.count : MOST;
	for (size_t i = 0; i < count; i++) {
		int n = (int)strlen(p->lines.at[i].name);
		width = n > width ? n : width;
	}
	if (!count)
		return;
	fprintf(f, "\nlines: the %zu hottest of %zu%s\n  %-*s %14s %6s %6s %14s", count, p->lines.count,
		p->no_lines ? "; llvm-symbolizer, which would tell lines, did not run: install llvm-19" : "", width, "line",
		p->timed ? "CU cycles" : "warp-instrs", "share", "sum", "lane-instrs");
	fprintf(f, p->timed ? " %8s %7s  %s\n" : "%s%s  %s\n", p->timed ? "mostly" : "", p->timed ? "L1" : "", "source");
	for (size_t i = 0; i < count; i++) {
		const struct profile_line *l = &p->lines.at[i];
		uint64_t n = profile_cu_cycles(&l->counts);
		char l1[16];
		sum += n;
		fprintf(f, "  %-*s %14" PRIu64 " %5.1f%% %5.1f%% %14" PRIu64, width, l->name, n, percent(n, all), percent(sum, all),
			l->counts.of[PROFILE_LANES]);
		if (p->timed)
			fprintf(f, " %8s %7s", profile_wait_key(main_wait(&l->counts)),
				hits(l1, sizeof l1, l->counts.of[PROFILE_L1_HIT], l->counts.of[PROFILE_L1_MISS]));
		fprintf(f, "  %.90s\n", profile_line_text(p, l->frame));
	}
}

/* ---- the host ---- */

struct phase_sum { const char *name; uint64_t calls, ns; };

static int by_ns(const void *a, const void *b)
{
	const struct phase_sum *x = a, *y = b;
	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : strcmp(x->name, y->name);
}

static void host_print(const struct profile *p, FILE *f)
{
	struct phase_sum sums[64] = { 0 };
	size_t count = 0;
	uint64_t all = 0, blocks[NUM_HOST_BLOCKS] = { 0 };
	for (size_t i = 0; i < p->phases.count; i++) {
		const struct profile_phase *h = &p->phases.at[i];
		const char *name = strrchr(h->stack, ';') ? strrchr(h->stack, ';') + 1 : h->stack;
		size_t k = 0;
		while (k < count && strcmp(sums[k].name, name))
			k++;
		if (k == sizeof sums / sizeof *sums)
			continue;
		count += k == count;
		sums[k].name = name;
		sums[k].calls += h->calls;
		sums[k].ns += h->ns;
		if (strcmp(name, "sleep"))
			all += h->ns;
	}
	if (!count)
		return;
	for (size_t i = 0; i < p->devices.count; i++)
		for (unsigned b = 0; b < NUM_HOST_BLOCKS; b++)
			blocks[b] += p->devices.at[i].host_ns[b];
	qsort(sums, count, sizeof *sums, by_ns);
	fprintf(f, "\nhost: time of all threads since the first device was opened; shares without sleep\n  %-14s %12s %6s %10s\n",
		"phase", "ms", "share", "entered");
	for (size_t k = 0; k < count; k++) {
		bool sleeps = !strcmp(sums[k].name, "sleep");
		char share[16];
		snprintf(share, sizeof share, "%.1f%%", percent(sums[k].ns, all));
		fprintf(f, "  %-14s %12.3f %6s %10" PRIu64 "\n", sums[k].name, (double)sums[k].ns / 1e6, sleeps ? "" : share, sums[k].calls);
		for (unsigned b = 0; b < NUM_HOST_BLOCKS && !strcmp(sums[k].name, "device"); b++)
			fprintf(f, "    %-12s %12.3f %5.1f%%\n", profile_host_blocks[b], (double)blocks[b] / 1e6, percent(blocks[b], all));
	}
}

void profile_table_print(const struct profile *p, FILE *f)
{
	uint64_t launches = 0;
	for (size_t i = 0; i < p->kernels.count; i++)
		launches += p->kernels.at[i].launches;
	fprintf(f, "profile%s%s: %" PRIu64 " launches of %zu kernels\n", p->program ? " of " : "", p->program ? p->program : "", launches, p->kernels.count);
	if (!p->devices.count)
		fputs("no device was opened, or the program did not come to its end\n", f);
	else if (!launches)
		fputs("no kernel ran\n", f);
	if (p->kernels.count)
		kernels_print(p, f);
	blocks_print(p, f);
	lines_print(p, f);
	host_print(p, f);
}

/* ---- sources ---- */

static const struct profile_line *line_find(const struct profile *p, const char *file, unsigned line)
{
	for (size_t i = 0; i < p->lines.count; i++) {
		const struct profile_frame *l = p->lines.at[i].frame;
		if (l && l->file && l->line == line && !strcmp(l->file, file))
			return &p->lines.at[i];
	}
	return NULL;
}

void profile_listing_print(const struct profile *p, FILE *f)
{
	uint64_t all = all_cycles(p);
	for (size_t s = 0; s < p->sources.count; s++) {
		const struct profile_source *src = &p->sources.at[s];
		bool any = false;
		for (size_t i = 0; i < src->lines.count && !any; i++)
			any = line_find(p, src->name, (unsigned)i + 1) != NULL;
		if (!any)
			continue;
		fprintf(f, "%s\n%14s %6s %14s %8s\n", src->name, p->timed ? "CU cycles" : "warp-instrs", "share", "lane-instrs", p->timed ? "mostly" : "");
		for (size_t i = 0; i < src->lines.count; i++) {
			const struct profile_line *l = line_find(p, src->name, (unsigned)i + 1);
			uint64_t n = l ? profile_cu_cycles(&l->counts) : 0;
			if (l)
				fprintf(f, "%14" PRIu64 " %5.1f%% %14" PRIu64 " %8s", n, percent(n, all), l->counts.of[PROFILE_LANES],
					p->timed ? profile_wait_key(main_wait(&l->counts)) : "");
			else
				fprintf(f, "%14s %6s %14s %8s", "", "", "", "");
			fprintf(f, " %5zu  %s\n", i + 1, src->lines.at[i]);
		}
		putc('\n', f);
	}
}

/* ---- JSON ---- */

static void counts_print(FILE *f, const struct profile_counts *c)
{
	const char *comma = "";
	fputs("\"counts\": {", f);
	for (unsigned i = 0; i < PROFILE_COUNTS; i++)
		if (c->of[i]) {
			fprintf(f, "%s\"%s\": %" PRIu64, comma, profile_key(i), c->of[i]);
			comma = ", ";
		}
	putc('}', f);
}

void profile_json_print(const struct profile *p, FILE *f)
{
	fputs("{\n \"devices\": [", f);
	for (size_t i = 0; i < p->devices.count; i++) {
		const struct profile_device *d = &p->devices.at[i];
		fprintf(f, "%s\n  {\"device\": %u, \"speed\": \"%s\", \"config\": ", i ? "," : "", d->index, d->timed ? "timed" : "functional");
		text_json(f, d->config_text ? d->config_text : "");
		fprintf(f, ", \"cycles\": %" PRIu64 ",\n   \"counters\": {", d->cycles);
		for (unsigned k = 0; k < d->num_counters; k++)
			fprintf(f, "%s\"%s\": %" PRIu64, k ? ", " : "", d->counters[k].name, d->counters[k].value);
		fputs("},\n   \"host_ns\": {", f);
		for (unsigned b = 0; b < NUM_HOST_BLOCKS; b++)
			fprintf(f, "%s\"%s\": %" PRIu64, b ? ", " : "", profile_host_blocks[b], d->host_ns[b]);
		fputs("}}", f);
	}
	fputs("\n ],\n \"kernels\": [", f);
	for (size_t i = 0; i < p->kernels.count; i++) {
		const struct profile_kernel *k = &p->kernels.at[i];
		fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", f);
		text_json(f, k->name);
		fprintf(f, ", \"launches\": %" PRIu64 ", \"failed\": %" PRIu64 ", \"cycles\": %" PRIu64 ", \"host_ns\": %" PRIu64 ", ", k->launches, k->failed, k->cycles, k->host_ns);
		counts_print(f, &k->counts);
		putc('}', f);
	}
	fputs("\n ],\n \"lines\": [", f);
	for (size_t i = 0; i < p->lines.count; i++) {
		const struct profile_line *l = &p->lines.at[i];
		fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", f);
		text_json(f, l->name);
		fputs(", \"function\": ", f);
		text_json(f, l->frame ? l->frame->function : "");
		fputs(", \"text\": ", f);
		text_json(f, profile_line_text(p, l->frame));
		fputs(", ", f);
		counts_print(f, &l->counts);
		putc('}', f);
	}
	fputs("\n ],\n \"host\": [", f);
	for (size_t i = 0; i < p->phases.count; i++) {
		fputs(i ? ",\n  {\"stack\": " : "\n  {\"stack\": ", f);
		text_json(f, p->phases.at[i].stack);
		fprintf(f, ", \"calls\": %" PRIu64 ", \"ns\": %" PRIu64 "}", p->phases.at[i].calls, p->phases.at[i].ns);
	}
	fputs("\n ]\n}\n", f);
}
