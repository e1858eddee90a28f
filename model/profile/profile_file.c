/* What a profile leaves behind when its program has ended: PID-deviceN.counts, lines of words.
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
#define _GNU_SOURCE
#include "model/profile/profile_file.h"
#include "base/log.h"
#include "model/profile/profile_data.h"
#include "base/limit.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the memory of the program, as it has left it ---- */

/* A copy of its own: what is charged at the end is charged in it. */
struct image {
	char *bytes;
	size_t size;
	const struct profile_head *head;
	uint32_t num_pieces;
};

/* What an address of the program is; NULL for none, and for what is not in the file. */
static void *at(const struct image *m, const void *pointer, size_t size)
{
	const uint64_t address = (uintptr_t)pointer;
	for (uint32_t i = 0; pointer && i < m->num_pieces; i++) {
		const uint64_t behind = address - m->head->piece[i].address, offset = m->head->piece[i].offset + behind;
		if (address >= m->head->piece[i].address && behind < m->head->piece[i].size)
			return offset <= m->size && size <= m->size - offset ? m->bytes + offset : NULL;
	}
	return NULL;
}
#define AT(m, pointer) ((__typeof__(pointer))at(m, pointer, sizeof(*(pointer))))

static bool image_map(struct image *m, int fd)
{
	struct stat st;
	if (fstat(fd, &st) || (size_t)st.st_size < sizeof(struct profile_head)) {
		errno = ENODATA;
		return false;
	}
	m->size = (size_t)st.st_size;
	m->bytes = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	m->head = (const struct profile_head *)m->bytes;
	if (m->bytes == MAP_FAILED)
		return false;
	m->num_pieces = m->head->num_pieces < PROFILE_PIECES ? m->head->num_pieces : PROFILE_PIECES;
	return true;
}

/* ---- writing ---- */

static void counters_write(FILE *f, const struct image *m, const struct profile *p)
{
	static const struct { const char *name; uint32_t offset; } registers[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { #bank "_" #name, offset },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	};
	for (unsigned i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (!strncmp(registers[i].name, "HOST_CNT_", 9))
			fprintf(f, "counter %s %" PRIu64 "\n", registers[i].name + 9, m->head->counters.of[COUNTER_AT(registers[i].offset)]);
	fprintf(f, "counter firmware %" PRIu64 "\n", p->cp_busy);
	static const char *const blocks[PROFILE_BLOCKS] = { "bus", "firmware", "compute", "dma", "media" };
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

static void kernel_write(FILE *f, const struct image *m, const struct profile_kernel *k)
{
	const struct profile_code *code = AT(m, k->code);
	fprintf(f, "kernel %u %d 0x%" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", k->number,
		k->protected_job ? -2 : code ? (int)code->number : -1, k->entry, k->launches, k->failed, k->cycles, k->host_ns);
	if (counts_any(&k->sum)) {
		fprintf(f, "sum %u", k->number);
		counts_write(f, &k->sum);
	}
	for (const struct profile_place *place = AT(m, k->places); place; place = AT(m, place->next)) {
		code = AT(m, place->code);
		for (unsigned i = 0; code && i < PAGE_OPS; i++)
			if (counts_any(&place->counts[i])) {
				fprintf(f, "at %u %u %u", k->number, code->number, i);
				counts_write(f, &place->counts[i]);
			}
	}
}

/* Charges what the units' last instructions have left open, as profile_finish does in a program that comes to its end. */
static void units_finish(const struct image *m, struct profile *p)
{
	for (unsigned i = 0; p->timed && i < p->num_cus; i++) {
		struct profile_cu *pc = &p->cus[i];
		struct profile_counts *last = AT(m, pc->last);
		profile_cu_charge(pc, last, last ? last : &p->lost, PROFILE_START, pc->busy_end);
	}
}

static void profile_print(FILE *f, const struct image *m, struct profile *p)
{
	units_finish(m, p);
	fprintf(f, PROFILE_FILE_HEAD "\ndevice %u\nconfig %.*s\nspeed %s\ncycles %" PRIu64 "\n", m->head->index, PROFILE_CONFIG_BYTES,
		m->head->config, p->timed ? "timed" : "functional", m->head->cycles);
	counters_write(f, m, p);
	keys_write(f);
	for (const struct profile_code *c = AT(m, p->codes); c; c = AT(m, c->next))
		page_write(f, c);
	for (const struct profile_kernel *k = AT(m, p->kernels); k; k = AT(m, k->next))
		kernel_write(f, m, k);
	if (counts_any(&p->lost)) {
		fputs("sum -1", f);
		counts_write(f, &p->lost);
	}
}

/* ---- the process's ---- */
enum { NAMES = 1000 };
struct kept {
	struct kept *next;
	char *path; /* without the ending */
	int fd;     /* whatever becomes of the name */
};
static struct kept *first, **last = &first;

int profile_file_open(const char *path, const char **error)
{
	static char message[4096 + 160];
	const size_t length = strlen(path), ending = sizeof(PROFILE_MEMORY_ENDING) - 1;
	struct kept *k = calloc(1, sizeof(*k));
	*error = "GALENA_PROFILE: the recorder has no memory";
	if (!k || length < ending || !(k->path = strndup(path, length - ending)))
		goto err_free;
	k->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (k->fd < 0) {
		snprintf(message, sizeof(message), "GALENA_PROFILE: cannot read %.4000s: %s", path, strerror(errno));
		*error = message;
		goto err_free;
	}
	flock(k->fd, LOCK_EX | LOCK_NB); /* until the file is made: readers of the kit wait (tools/profile_read.c) */
	*error = NULL;
	*last = k;
	last = &k->next;
	return 0;
err_free:
	if (k)
		free(k->path);
	free(k);
	return -1;
}

/* Gives a whole file its name: one with a number, when the process has had this device before, or was another program that had. path is
 * what it was tried with last. */
static bool file_name(const struct kept *k, const char *part, char *path, size_t size)
{
	for (unsigned number = 1; number < NAMES; number++) {
		snprintf(path, size, number > 1 ? "%s-%u" PROFILE_FILE_ENDING : "%s" PROFILE_FILE_ENDING, k->path, number);
		if (!renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE))
			return true;
		if (errno == EINVAL || errno == ENOSYS) /* not on this file system */
			return !rename(part, path);
		if (errno != EEXIST)
			return false;
	}
	return false;
}

static bool file_write(const struct kept *k, const struct image *m, struct profile *p, char *path, size_t size)
{
	char part[4096];
	snprintf(part, sizeof(part), "%s-%d.part", k->path, (int)getpid());
	snprintf(path, size, "%s" PROFILE_FILE_ENDING, k->path);
	FILE *f = fopen(part, "we");
	if (!f)
		return false;
	profile_print(f, m, p);
	if (!(ferror(f) | fclose(f)) && file_name(k, part, path, size))
		return true;
	const int error = errno;
	unlink(part);
	errno = error;
	return false;
}

static void kept_end(struct kept *k)
{
	char path[4096] = "", live[4096];
	struct image m = { 0 };
	struct profile *p = NULL;
	struct stat own, there;
	snprintf(live, sizeof(live), "%s" PROFILE_MEMORY_ENDING, k->path);
	bool good = image_map(&m, k->fd);
	if (good && (p = AT(&m, m.head->profile)) && at(&m, m.head->profile, sizeof(*p) + p->num_cus * sizeof(p->cus[0])))
		good = file_write(k, &m, p, path, sizeof(path));
	if (!good && errno != ENODATA) /* that is a device that could not be opened */
		log_write(LOG_ALWAYS, "cannot write the profile to %s: %s%s", *path ? path : k->path, strerror(errno), limit_advice(errno));
	if (m.bytes && m.bytes != MAP_FAILED)
		munmap(m.bytes, m.size);
	if (!fstat(k->fd, &own) && !stat(live, &there) && own.st_ino == there.st_ino && own.st_dev == there.st_dev)
		unlink(live); /* not that of the program that this process has become */
	close(k->fd);
}

void profile_file_end(void)
{
	for (struct kept *k = first, *next; k; k = next) {
		next = k->next;
		kept_end(k);
		free(k->path);
		free(k);
	}
	first = NULL;
	last = &first;
}
