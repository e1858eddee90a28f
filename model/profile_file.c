/* What a profile leaves behind when its device is closed: PID-deviceN.counts, lines of words.
 *   galena-profile 1
 *   device N, config TEXT, speed NAME, cycles N
 *   counter NAME N        registers HOST_CNT_, and firmware: cycles in which the command processor ran
 *   host BLOCK N          nanoseconds of the host
 *   counts KEY...         what the numbers of sum and at are
 *   page P ADDRESS WORD...  code: what stands there, in hexadecimal, without the zeros at the end
 *   kernel K P ENTRY launches failed cycles host-nanoseconds   P: -1 code not known,
 *                         -2 protected jobs
 *   sum K N...            of a kernel's instructions that have no place; K is -1: of none
 *   at K P INDEX N...     the instruction INDEX * 4 behind the page's address */
#include "model/device.h"
#include "model/profile_data.h"
#include "abi/codes.h"
#include "icd/limits.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void counters_write(FILE *f, struct device *d, const struct profile *p)
{
	static const struct { const char *name; unsigned id; } registers[] = {
#define REG(bank, name, offset, bits, count, access, reset, doc) { #bank "_" #name, REG_ID_##bank##_##name },
#define FIELD(bank, reg, name, lsb, width, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	};
	for (unsigned i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (!strncmp(registers[i].name, "HOST_CNT_", 9) && d->hooks[registers[i].id].read)
			fprintf(f, "counter %s %" PRIu64 "\n", registers[i].name + 9, d->hooks[registers[i].id].read(d, 0));
	fprintf(f, "counter firmware %" PRIu64 "\n", p->cp_busy);
	static const char *const blocks[PROFILE_BLOCKS] = { "bus", "firmware", "compute", "dma" };
	for (unsigned i = 0; i < PROFILE_BLOCKS; i++)
		fprintf(f, "host %s %" PRIu64 "\n", blocks[i], p->host_ns[i]);
}

static void counts_write(FILE *f, const struct profile_counts *c)
{
	for (unsigned i = 0; i < PROFILE_COUNTS; i++)
		fprintf(f, " %" PRIu64, c->of[i]);
	putc('\n', f);
}

static bool counts_any(const struct profile_counts *c)
{
	for (unsigned i = 0; i < PROFILE_COUNTS; i++)
		if (c->of[i])
			return true;
	return false;
}

static void keys_write(FILE *f)
{
	static const char *const counts[] = {
#define PROFILE_COUNT(name, key, doc) key,
#define PROFILE_WAIT(name, key, doc)
#include "abi/profile.def"
#undef PROFILE_COUNT
#undef PROFILE_WAIT
	}, *const waits[] = {
#define PROFILE_COUNT(name, key, doc)
#define PROFILE_WAIT(name, key, doc) key,
#include "abi/profile.def"
#undef PROFILE_COUNT
#undef PROFILE_WAIT
	};
	fputs("counts", f);
	for (unsigned i = 0; i < PROFILE_CU; i++)
		fprintf(f, " %s", counts[i]);
	for (unsigned i = 0; i < PROFILE_WAITS; i++)
		fprintf(f, " cu_%s", waits[i]);
	for (unsigned i = 0; i < PROFILE_WAITS; i++)
		fprintf(f, " warp_%s", waits[i]);
	putc('\n', f);
}

static void page_write(FILE *f, const struct profile_code *c)
{
	unsigned n = PAGE_OPS;
	while (n && !c->words[n - 1])
		n--;
	fprintf(f, "page %u 0x%" PRIx64, c->number, c->va);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, " %" PRIx32, c->words[i]);
	putc('\n', f);
}

static void kernel_write(FILE *f, const struct profile_kernel *k)
{
	fprintf(f, "kernel %u %d 0x%" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", k->number,
		k->protected_job ? -2 : k->code ? (int)k->code->number : -1, k->entry, k->launches, k->failed, k->cycles, k->host_ns);
	if (counts_any(&k->sum)) {
		fprintf(f, "sum %u", k->number);
		counts_write(f, &k->sum);
	}
	for (const struct profile_place *at = k->places; at; at = at->next)
		for (unsigned i = 0; i < PAGE_OPS; i++)
			if (counts_any(&at->counts[i])) {
				fprintf(f, "at %u %u %u", k->number, at->code->number, i);
				counts_write(f, &at->counts[i]);
			}
}

/* A whole file takes the place of the one before. */
static bool file_write(const struct profile *p, struct device *d, const char *directory, char *path, size_t size)
{
	char part[4096];
	struct limit_file_size hold;
	snprintf(path, size, "%s/%d-device%u.counts", directory, (int)getpid(), d->index);
	snprintf(part, sizeof(part), "%s/%d-device%u.part", directory, (int)getpid(), d->index);
	FILE *f = fopen(part, "we");
	if (!f)
		return false;
	limit_file_size_hold(&hold);
	fprintf(f, PROFILE_FILE_HEAD "\ndevice %u\nconfig %s\nspeed %s\ncycles %" PRIu64 "\n", d->index, d->config_name,
		p->timed ? "timed" : "functional", d->now);
	counters_write(f, d, p);
	keys_write(f);
	for (const struct profile_code *c = p->codes; c; c = c->next)
		if (!c->protected_job)
			page_write(f, c);
	for (const struct profile_kernel *k = p->kernels; k; k = k->next)
		kernel_write(f, k);
	if (counts_any(&p->lost)) {
		fputs("sum -1", f);
		counts_write(f, &p->lost);
	}
	bool good = !(ferror(f) | fclose(f));
	limit_file_size_let(&hold);
	if (good)
		return !rename(part, path);
	const int error = errno;
	unlink(part);
	errno = error;
	return false;
}

void profile_write(struct profile *p, struct device *d, const char *directory)
{
	char path[4096];
	profile_finish(p);
	if (!file_write(p, d, directory, path, sizeof(path)))
		fprintf(stderr, "galena: cannot write the profile to %s: %s%s\n", path, strerror(errno), limit_advice(errno));
}

void profile_keep(struct profile *p, struct device *d, const char *directory)
{
	p->kept_of = d;
	p->kept_in = directory;
}

void profile_kept(struct profile *p)
{
	char path[4096];
	if (!file_write(p, p->kept_of, p->kept_in, path, sizeof(path)))
		p->kept_of = NULL; /* the end will tell */
}
