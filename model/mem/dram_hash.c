#define _GNU_SOURCE /* SEEK_DATA */
#include "model/mem/dram_hash.h"
#include "base/log.h"
#include "base/setting.h"
#include "base/fork.h"
#include "model/engine/superblocks.h"
#include "traces/output_name.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* The devices of the process that have not ended. */
static struct entry {
	struct entry *next;
	const struct physmem *mem;
	unsigned device;
	const uint64_t *now;
	struct compute *compute;
	pid_t owner;
	uint8_t *private_pages; /* a bit a page of DRAM; NULL: none yet, or memory was short */
} *devices;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
HELD_OVER_FORK(lock, FORKS_OTHERS)

static const char *destination(void)
{
	static const char *name;
	const char *s = setting("GALENA_DRAM_HASH");
	if (!s)
		return NULL;
	return !strcmp(s, "1") ? s : name ? name : (name = output_expand(s));
}

static bool is_private(const struct entry *e, uint64_t place)
{
	uint64_t page = place / GALENA_PAGE_SIZE;
	return e->private_pages && e->private_pages[page / 8] >> page % 8 & 1;
}

/* Where the next data lies; negative: there is no more. DRAM without a file is data as a whole. */
static off_t data_from(const struct physmem *m, off_t from)
{
	if (m->dram_fd >= 0)
		return lseek(m->dram_fd, from, SEEK_DATA);
	return (uint64_t)from < m->dram_size ? from : -1;
}

/* Of the pages that hold anything but zeroes, with their place: a page of zeroes was written or was not. */
static uint64_t dram_hash(const struct entry *e, bool with_private)
{
	static const uint8_t zeroes[GALENA_PAGE_SIZE];
	const struct physmem *m = e->mem;
	XXH64_state_t *state = XXH64_createState();
	uint64_t hash;
	if (!state)
		return 0;
	XXH64_reset(state, 0);
	for (off_t from = 0, to; (from = data_from(m, from)) >= 0; from = to) {
		to = m->dram_fd < 0 ? (off_t)m->dram_size : lseek(m->dram_fd, from, SEEK_HOLE);
		for (off_t page = from; page < to; page += (off_t)GALENA_PAGE_SIZE) {
			uint64_t place = (uint64_t)page;
			if ((!with_private && is_private(e, place)) || !memcmp(m->dram + place, zeroes, GALENA_PAGE_SIZE))
				continue;
			XXH64_update(state, &place, sizeof(place));
			XXH64_update(state, m->dram + place, GALENA_PAGE_SIZE);
		}
	}
	hash = XXH64_digest(state);
	XXH64_freeState(state);
	return hash;
}

static void print(const struct entry *e)
{
	const char *to = destination();
	FILE *f = !to ? NULL : strcmp(to, "1") ? fopen(to, "ae") : stderr;
	struct superblocks *g = compute_superblocks(e->compute);
	struct superblock_counters c = g ? superblocks_counters(g) : (struct superblock_counters){ 0 };
	if (f) {
		fprintf(f, "dram hash %u %016llx at cycle %llu without private memory %016llx\n", e->device,
			(unsigned long long)dram_hash(e, true), (unsigned long long)*e->now,
			(unsigned long long)dram_hash(e, false));
		if (g)
			fprintf(f, "translated %u: %llu of %llu warp instructions\n", e->device, (unsigned long long)c.insns,
				(unsigned long long)compute_counters(e->compute)->warp_insns);
	} else if (to) {
		log_write(LOG_ALWAYS, "cannot write %s: %s", to, strerror(errno));
	}
	if (f && f != stderr)
		fclose(f);
}

static void entry_free(struct entry *e)
{
	free(e->private_pages);
	free(e);
}

static void at_exit(void)
{
	pthread_mutex_lock(&lock);
	for (struct entry *e = devices; e; e = devices) {
		devices = e->next;
		if (e->owner == getpid()) /* a child's DRAM is its parent's */
			print(e);
		entry_free(e);
	}
	pthread_mutex_unlock(&lock);
}

void dram_hash_begin(const struct physmem *m, unsigned device, const uint64_t *now, struct compute *compute)
{
	static bool registered;
	struct entry *e = destination() ? malloc(sizeof(*e)) : NULL;
	if (!e)
		return;
	pthread_mutex_lock(&lock);
	*e = (struct entry){ .next = devices, .mem = m, .device = device, .now = now, .compute = compute,
			     .owner = getpid() };
	devices = e;
	if (!registered)
		registered = !atexit(at_exit);
	pthread_mutex_unlock(&lock);
}

void dram_hash_end(const struct physmem *m)
{
	pthread_mutex_lock(&lock);
	for (struct entry **link = &devices, *e; (e = *link); link = &e->next)
		if (e->mem == m) {
			if (e->owner == getpid())
				print(e);
			*link = e->next;
			entry_free(e);
			break;
		}
	pthread_mutex_unlock(&lock);
}

bool dram_hash_asked(void) { return destination() != NULL; }

void dram_hash_private(const struct physmem *m, uint64_t pa, uint64_t bytes)
{
	uint64_t first = (pa - DRAM_BASE) / GALENA_PAGE_SIZE, all = m->dram_size / GALENA_PAGE_SIZE;
	uint64_t end = (pa - DRAM_BASE + bytes + GALENA_PAGE_SIZE - 1) / GALENA_PAGE_SIZE; /* no other data lies in what it does not fill */
	pthread_mutex_lock(&lock);
	for (struct entry *e = devices; e; e = e->next) {
		if (e->mem != m || pa < DRAM_BASE)
			continue;
		if (!e->private_pages)
			e->private_pages = calloc(1, all / 8 + 1);
		for (uint64_t page = first; e->private_pages && page < all && page < end; page++)
			e->private_pages[page / 8] |= (uint8_t)(1u << page % 8);
	}
	pthread_mutex_unlock(&lock);
}
