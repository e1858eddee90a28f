/* Reads what devices (model/profile/profile_file.c says how) and the runtime (runtime/kmd/profile.c) have left. */
#define _GNU_SOURCE
#include "tools/profile.h"
#include "abi/address_map.h"
#include "tools/galena.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

void *profile_alloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *array_grow(void *at, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return at;
	*room = *room ? *room * 2 : 16;
	char *bigger = checked(realloc(at, *room * size));
	memset(bigger + count * size, 0, (*room - count) * size);
	return bigger;
}

/* ---- counts ---- */

static const char *const count_keys[] = {
#define PROFILE_COUNT(name, key, doc) key,
#define PROFILE_WAIT(name, key, doc)
#include "abi/profile.def"
#undef PROFILE_COUNT
#undef PROFILE_WAIT
#define PROFILE_COUNT(name, key, doc)
#define PROFILE_WAIT(name, key, doc) "cu_" key,
#include "abi/profile.def"
#undef PROFILE_WAIT
#define PROFILE_WAIT(name, key, doc) "warp_" key,
#include "abi/profile.def"
#undef PROFILE_COUNT
#undef PROFILE_WAIT
};
_Static_assert(sizeof count_keys / sizeof *count_keys == PROFILE_COUNTS, "names of the counts");

const char *profile_key(unsigned count) { return count_keys[count]; }
const char *profile_wait_key(enum profile_wait w) { return count_keys[PROFILE_CU + w] + 3; }

static uint64_t waits(const struct profile_counts *c, unsigned first)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < PROFILE_WAITS; i++)
		n += c->of[first + i];
	return n;
}

uint64_t profile_cu_cycles(const struct profile_counts *c) { return waits(c, PROFILE_CU); }
uint64_t profile_warp_cycles(const struct profile_counts *c) { return waits(c, PROFILE_WARP); }

void profile_counts_add(struct profile_counts *to, const struct profile_counts *c)
{
	for (unsigned i = 0; i < PROFILE_COUNTS; i++)
		to->of[i] += c->of[i];
}

uint64_t profile_counter(const struct profile_device *d, const char *name)
{
	for (unsigned i = 0; i < d->num_counters; i++)
		if (!strcmp(d->counters[i].name, name))
			return d->counters[i].value;
	return 0;
}

/* ---- a device's file ---- */
const char *const profile_host_blocks[NUM_HOST_BLOCKS] = { "compute", "dma", "media", "firmware" };


struct page { uint64_t va, base; int object; };
struct kernel { unsigned number; int object; uint64_t base; }; /* number: in the profile */
struct reader {
	struct profile *p;
	struct profile_device *device;
	unsigned place[PROFILE_COUNTS + 64]; /* of the n-th number in the profile's counts */
	unsigned num_places;
	ARRAY(struct page) pages;            /* by number */
	ARRAY(char *) page_lines;            /* matched when the kernel that runs there is known */
	ARRAY(struct kernel) kernels;
};

static uint64_t number(char **rest)
{
	char *word = strsep(rest, " ");
	return word ? strtoull(word, NULL, 0) : 0;
}

static void counts_read(const struct reader *r, char *rest, struct profile_counts *out)
{
	memset(out, 0, sizeof *out);
	for (unsigned i = 0; rest && i < r->num_places; i++) {
		uint64_t n = number(&rest);
		if (r->place[i] < PROFILE_COUNTS)
			out->of[r->place[i]] = n;
	}
}

/* Looks a page up by its content; prefer: the object whose code is known to run there. */
static void page_read(struct reader *r, const char *line, int prefer, struct page *out)
{
	enum { WORDS = 1024 };
	uint32_t words[WORDS] = { 0 };
	char *copy = text("%s", line), *rest = copy, *word;
	size_t n = 0;
	out->va = number(&rest);
	while (n < WORDS && (word = strsep(&rest, " ")))
		words[n++] = (uint32_t)strtoul(word, NULL, 16);
	out->object = profile_object_find(r->p, words, WORDS, out->va, prefer, &out->base);
	free(copy);
}

static unsigned kernel_named(struct profile *p, char *name)
{
	for (unsigned i = 0; i < p->kernels.count; i++)
		if (!strcmp(p->kernels.at[i].name, name)) {
			free(name);
			return i;
		}
	array_add(&p->kernels)->name = name;
	return (unsigned)p->kernels.count - 1;
}

static char *kernel_name(const struct profile *p, int page, int object, uint64_t entry, uint64_t base)
{
	if (page == -2)
		return text("(protected jobs)");
	for (size_t i = 0; object >= 0 && i < kernel_object_num_kernels(p->objects.at[object].object); i++) {
		const struct note_kernel *k = kernel_object_kernel(p->objects.at[object].object, i);
		if (k->entry == entry - base)
			return text("%s", kernel_object_string(p->objects.at[object].object, k->name));
	}
	return text("0x%llx", (unsigned long long)entry);
}

/* The page of a kernel that began before the device had any word of it: the first one that was seen there. */
static int page_of_entry(const struct reader *r, uint64_t entry)
{
	for (size_t i = 0; i < r->pages.count; i++)
		if (entry && r->pages.at[i].va == (entry & ~(GALENA_PAGE_SIZE - 1)))
			return (int)i;
	return -1;
}

static void kernel_line(struct reader *r, char *rest)
{
	struct profile *p = r->p;
	struct kernel *k = array_add(&r->kernels);
	number(&rest); /* they come in order */
	int page = (int)strtol(strsep(&rest, " "), NULL, 10);
	uint64_t entry = number(&rest);
	*k = (struct kernel){ .object = -1 };
	page = page == -1 ? page_of_entry(r, entry) : page;
	if (page >= 0 && (size_t)page < r->pages.count) {
		k->object = r->pages.at[page].object;
		k->base = r->pages.at[page].base;
	}
	k->number = kernel_named(p, kernel_name(p, page, k->object, entry, k->base));
	struct profile_kernel *out = &p->kernels.at[k->number];
	out->launches += number(&rest);
	out->failed += number(&rest);
	out->cycles += number(&rest);
	out->host_ns += number(&rest);
}

static int site_of(struct profile *p, int object, uint64_t pc)
{
	struct profile_site *s = array_add(&p->sites);
	*s = (struct profile_site){ .object = object, .pc = pc };
	return (int)p->sites.count - 1;
}

static void row_add(struct reader *r, const struct kernel *k, int site, char *rest)
{
	struct profile *p = r->p;
	struct profile_row *row = array_add(&p->rows);
	row->kernel = k ? k->number : kernel_named(p, text("(none)"));
	row->site = site;
	counts_read(r, rest, &row->counts);
	profile_counts_add(&p->kernels.at[row->kernel].counts, &row->counts);
}

static void at_line(struct reader *r, char *rest)
{
	uint64_t kernel = number(&rest), page = number(&rest), index = number(&rest);
	if (kernel >= r->kernels.count || page >= r->pages.count)
		return;
	const struct kernel *k = &r->kernels.at[kernel];
	struct page *g = &r->pages.at[page];
	if (k->object >= 0 && g->object != k->object) /* several objects have this page: it is the kernel's */
		page_read(r, r->page_lines.at[page], k->object, g);
	uint64_t pc = g->va + index * 4;
	row_add(r, k, site_of(r->p, g->object, g->object >= 0 ? pc - g->base : pc), rest);
}

static void keys_line(struct reader *r, char *rest)
{
	r->num_places = 0;
	for (char *word; (word = strsep(&rest, " ")) && r->num_places < sizeof r->place / sizeof *r->place; r->num_places++) {
		unsigned i = 0;
		while (i < PROFILE_COUNTS && strcmp(count_keys[i], word))
			i++;
		r->place[r->num_places] = i;
	}
}

static void device_line(struct reader *r, char *line)
{
	struct profile_device *d = r->device;
	char *rest = line, *word = strsep(&rest, " "), message[512];
	if (!rest)
		return;
	if (!strcmp(word, "device")) {
		d->index = (unsigned)number(&rest);
	} else if (!strcmp(word, "config")) {
		d->config_text = text("%s", rest);
		if (device_config_parse(rest, &d->config, message, sizeof message))
			memset(&d->config, 0, sizeof d->config);
	} else if (!strcmp(word, "speed")) {
		d->timed = !strcmp(rest, "timed");
		r->p->timed |= d->timed;
	} else if (!strcmp(word, "cycles")) {
		d->cycles = number(&rest);
	} else if (!strcmp(word, "counter") && d->num_counters < PROFILE_MAX_COUNTERS) {
		d->counters[d->num_counters].name = text("%s", strsep(&rest, " "));
		d->counters[d->num_counters++].value = number(&rest);
	} else if (!strcmp(word, "host")) {
		char *block = strsep(&rest, " ");
		uint64_t ns = number(&rest);
		for (unsigned b = 0; b < NUM_HOST_BLOCKS; b++)
			if (!strcmp(block, profile_host_blocks[b]))
				d->host_ns[b] = ns;
	} else if (!strcmp(word, "counts")) {
		keys_line(r, rest);
	} else if (!strcmp(word, "page")) { /* numbers come in order, but for those that are not told */
		uint64_t n = number(&rest);
		while (n < 1u << 20 && r->pages.count <= n) {
			array_add(&r->pages)->object = -1;
			array_add(&r->page_lines);
		}
		if (n < r->pages.count) {
			page_read(r, rest, -1, &r->pages.at[n]);
			r->page_lines.at[n] = text("%s", rest);
		}
	} else if (!strcmp(word, "kernel")) {
		kernel_line(r, rest);
	} else if (!strcmp(word, "at")) {
		at_line(r, rest);
	} else if (!strcmp(word, "sum")) {
		int64_t k = strtoll(strsep(&rest, " "), NULL, 10);
		row_add(r, k >= 0 && (size_t)k < r->kernels.count ? &r->kernels.at[k] : NULL, -1, rest);
	}
}

static bool device_read(struct profile *p, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t n = f ? getline(&line, &room, f) : -1;
	bool good = n > 0 && !strcmp(line, PROFILE_FILE_HEAD "\n");
	if (!good) {
		fail(EXIT_FAILED, "%s is no profile of this version", path);
	} else {
		struct reader r = { .p = p, .device = array_add(&p->devices) };
		while ((n = getline(&line, &room, f)) > 0) {
			if (line[n - 1] == '\n')
				line[n - 1] = 0;
			device_line(&r, line);
		}
		for (size_t i = 0; i < r.page_lines.count; i++)
			free(r.page_lines.at[i]);
		free(r.page_lines.at);
		free(r.pages.at);
		free(r.kernels.at);
	}
	free(line);
	if (f)
		fclose(f);
	return good;
}

/* ---- the runtime's file ---- */

static bool host_read(struct profile *p, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	if (!f) {
		fail(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
		return false;
	}
	for (ssize_t n; (n = getline(&line, &room, f)) > 0;) {
		char *last = strrchr(line, ' ');
		if (!last)
			continue;
		*last = 0;
		char *first = strrchr(line, ' ');
		if (!first)
			continue;
		*first = 0;
		const uint64_t calls = strtoull(first + 1, NULL, 10), ns = strtoull(last + 1, NULL, 10);
		if (ns) /* not of a phase that has only begun */
			*array_add(&p->phases) = (struct profile_phase){ text("%s", line), calls, ns };
	}
	free(line);
	fclose(f);
	return true;
}

void profile_free(struct profile *p)
{
	for (size_t i = 0; i < p->devices.count; i++) {
		free(p->devices.at[i].config_text);
		for (unsigned k = 0; k < p->devices.at[i].num_counters; k++)
			free(p->devices.at[i].counters[k].name);
	}
	for (size_t i = 0; i < p->kernels.count; i++)
		free(p->kernels.at[i].name);
	for (size_t i = 0; i < p->sites.count; i++) {
		for (unsigned k = 0; k < p->sites.at[i].num_frames; k++) {
			free(p->sites.at[i].frames[k].function);
			free(p->sites.at[i].frames[k].file);
		}
		free(p->sites.at[i].frames);
	}
	for (size_t i = 0; i < p->lines.count; i++)
		free(p->lines.at[i].name);
	for (size_t i = 0; i < p->objects.count; i++) {
		free(p->objects.at[i].path);
		free(p->objects.at[i].image);
		kernel_object_free(p->objects.at[i].object);
	}
	for (size_t i = 0; i < p->sources.count; i++) {
		free(p->sources.at[i].name);
		free(p->sources.at[i].text);
		free(p->sources.at[i].lines.at);
	}
	for (size_t i = 0; i < p->phases.count; i++)
		free(p->phases.at[i].stack);
	free(p->devices.at);
	free(p->kernels.at);
	free(p->sites.at);
	free(p->rows.at);
	free(p->lines.at);
	free(p->objects.at);
	free(p->sources.at);
	free(p->phases.at);
}

/* ---- the directory ---- */

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);
	return n > s && !strcmp(name + n - s, suffix);
}

/* Programs that have ended, and whose recorders are still making files of what they have left. */
static void recorders_wait(const char *directory)
{
	DIR *d = opendir(directory);
	for (struct dirent *e; d && (e = readdir(d));) {
		const pid_t pid = (pid_t)atoi(e->d_name);
		if (!ends(e->d_name, PROFILE_MEMORY_ENDING) || pid <= 0 || !kill(pid, 0) || errno != ESRCH)
			continue;
		int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		flock(fd, LOCK_SH);
		close(fd);
		if (!faccessat(dirfd(d), e->d_name, F_OK, 0))
			fail(EXIT_FAILED, "%s/%s: its recorder has ended before it: what this device counted is not known", directory, e->d_name);
	}
	if (d)
		closedir(d);
}

bool profile_read(struct profile *p, const char *directory)
{
	static const struct { const char *suffix; bool (*read)(struct profile *, const char *path); } kinds[] = {
		{ ".gko", profile_object_load }, /* first: the others speak of them */
		{ PROFILE_FILE_ENDING, device_read },
		{ ".host", host_read },
	};
	struct dirent **names;
	recorders_wait(directory);
	int n = scandir(directory, &names, NULL, versionsort);
	bool good = n >= 0;
	if (!good) {
		fail(EXIT_FAILED, "cannot read the profile in %s: %s", directory, strerror(errno));
		return false;
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int i = 0; i < n; i++)
			if (ends(names[i]->d_name, kinds[k].suffix)) {
				char *path = text("%s/%s", directory, names[i]->d_name);
				good &= kinds[k].read(p, path);
				free(path);
			}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return good;
}
