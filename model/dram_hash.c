#define _GNU_SOURCE /* SEEK_DATA */
#include "model/dram_hash.h"
#include "model/regions.h"
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
} *devices;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *destination(void)
{
	const char *s = getenv("GALENA_DRAM_HASH");
	return s && *s && strcmp(s, "0") ? s : NULL;
}

/* Of the pages that hold anything but zeroes, with their place: a page of zeroes was written or was not. */
static uint64_t dram_hash(const struct physmem *m)
{
	static const uint8_t zeroes[GALENA_PAGE_SIZE];
	XXH64_state_t *state = XXH64_createState();
	uint64_t hash;
	if (!state)
		return 0;
	XXH64_reset(state, 0);
	for (off_t from = 0, to; (from = lseek(m->dram_fd, from, SEEK_DATA)) >= 0; from = to) {
		to = lseek(m->dram_fd, from, SEEK_HOLE);
		for (off_t page = from; page < to; page += (off_t)GALENA_PAGE_SIZE) {
			uint64_t place = (uint64_t)page;
			if (!memcmp(m->dram + place, zeroes, GALENA_PAGE_SIZE))
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
	struct regions *g = compute_regions(e->compute);
	struct region_counters c = g ? regions_counters(g) : (struct region_counters){ 0 };
	if (f) {
		fprintf(f, "dram hash %u %016llx at cycle %llu\n", e->device,
			(unsigned long long)dram_hash(e->mem), (unsigned long long)*e->now);
		if (g)
			fprintf(f, "translated %u: %llu of %llu warp instructions\n", e->device, (unsigned long long)c.insns,
				(unsigned long long)compute_counters(e->compute)->warp_insns);
	} else if (to) {
		fprintf(stderr, "galena: cannot write %s: %s\n", to, strerror(errno));
	}
	if (f && f != stderr)
		fclose(f);
}

static void at_exit(void)
{
	pthread_mutex_lock(&lock);
	for (struct entry *e = devices; e; e = devices) {
		devices = e->next;
		if (e->owner == getpid()) /* a child's DRAM is its parent's */
			print(e);
		free(e);
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
			free(e);
			break;
		}
	pthread_mutex_unlock(&lock);
}
