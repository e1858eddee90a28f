#define _GNU_SOURCE
#include "runtime/driver/profile.h"
#include "base/keep.h"
#include "icd/limits.h"
#include "icd/forks.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A phase of a thread below another. Its own thread alone writes it. */
struct phase_node {
	struct phase_node *parent, *child[PHASES];
	enum phase phase;
	_Atomic uint64_t ns, calls; /* read by whoever closes */
};

struct thread {
	struct thread *next;
	struct phase_node root;
	unsigned number;
	char name[16]; /* as the system has it */
};

bool profile_on;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
HELD_OVER_FORK(lock, FORKS_OTHERS)
static struct thread *threads, **threads_tail = &threads;
static unsigned num_threads;
static char *directory;
static pid_t owner;

static _Thread_local struct {
	struct phase_node *now;
	uint64_t since;
} here;

static uint64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void add(_Atomic uint64_t *to, uint64_t n)
{
	atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

/* ---- threads and phases ---- */

static struct phase_node *thread_root(void)
{
	struct thread *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	pthread_getname_np(pthread_self(), t->name, sizeof t->name);
	pthread_mutex_lock(&lock);
	t->number = num_threads++;
	*threads_tail = t;
	threads_tail = &t->next;
	pthread_mutex_unlock(&lock);
	here.since = clock_ns();
	return &t->root;
}

/* Time since the last change belonged to the phase until now. */
static void change(struct phase_node *to)
{
	uint64_t now = clock_ns();
	add(&here.now->ns, now - here.since);
	here.since = now;
	here.now = to;
}

struct phase_node *phase_enter(enum phase phase)
{
	if (!here.now && !(here.now = thread_root()))
		return NULL;
	struct phase_node *before = here.now, *to = before->phase == phase ? before : before->child[phase];
	if (!to) {
		to = calloc(1, sizeof *to);
		if (!to)
			return NULL;
		to->parent = before;
		to->phase = phase;
		pthread_mutex_lock(&lock); /* whoever closes may look */
		before->child[phase] = to;
		pthread_mutex_unlock(&lock);
	}
	if (to != before) {
		change(to);
		add(&to->calls, 1);
	}
	return before;
}

void phase_leave(struct phase_node *before) { change(before); }

/* ---- files ---- */

void profile_open(void)
{
	const char *d = getenv("GALENA_PROFILE");
	char path[PATH_MAX]; /* a program may change its directory before the end */
	if (profile_on || !d || !*d || !(directory = strdup(realpath(d, path) ? path : d)))
		return;
	owner = getpid();
	here.now = thread_root(); /* from here on its time counts */
	profile_on = here.now != NULL;
}

void profile_object(const void *data, size_t size)
{
	char path[4096], part[4096];
	uint64_t hash = 14695981039346656037ull;
	if (!profile_on)
		return;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
	snprintf(path, sizeof path, "%s/%016" PRIx64 ".gko", directory, hash);
	if (!access(path, F_OK))
		return;
	snprintf(part, sizeof part, "%s/%d-%016" PRIx64 ".part", directory, (int)getpid(), hash);
	/* not through stdio, whose buffers are the application's heap: addresses would move that the bus shows */
	int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool good = fd >= 0;
	for (size_t done = 0; good && done < size;) {
		ssize_t n = write(fd, (const char *)data + done, size - done);
		good = n > 0 || (n < 0 && errno == EINTR);
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && close(fd))
		good = false;
	if (!good || rename(part, path)) {
		fprintf(stderr, "galena: cannot write %s for the profile: %s\n", path, strerror(errno));
		unlink(part);
	}
}

static void node_write(FILE *f, const struct phase_node *n, const char *stack)
{
	static const char *const keys[PHASES] = {
#define PHASE(name, key, doc) [PHASE_##name] = key,
#include "runtime/driver/profile.def"
#undef PHASE
	};
	char own[512];
	snprintf(own, sizeof own, "%s;%s", stack, keys[n->phase]);
	if (n->ns)
		fprintf(f, "%s %" PRIu64 " %" PRIu64 "\n", own, n->calls, n->ns);
	for (unsigned i = 0; i < PHASES; i++)
		if (n->child[i])
			node_write(f, n->child[i], n->parent ? own : stack);
}

/* A whole file takes the place of the one before. */
static bool file_write(char *path, size_t size)
{
	char part[4096];
	struct limit_file_size hold;
	if (here.now)
		change(here.now);
	snprintf(path, size, "%s/%d.host", directory, (int)owner);
	snprintf(part, sizeof part, "%s/%d-host.part", directory, (int)owner);
	FILE *f = fopen(part, "we");
	if (!f)
		return false;
	limit_file_size_hold(&hold);
	pthread_mutex_lock(&lock);
	for (const struct thread *t = threads; t; t = t->next) {
		char name[64];
		if (t->number)
			snprintf(name, sizeof name, "thread %u (%s)", t->number, t->name);
		else
			snprintf(name, sizeof name, "main");
		node_write(f, &t->root, name);
	}
	pthread_mutex_unlock(&lock);
	bool good = !fclose(f);
	limit_file_size_let(&hold);
	if (good)
		return !rename(part, path);
	const int error = errno;
	unlink(part);
	errno = error;
	return false;
}

void profile_close(void)
{
	char path[4096];
	if (profile_on && owner == getpid() && !file_write(path, sizeof path))
		fprintf(stderr, "galena: cannot write the profile to %s: %s%s\n", path, strerror(errno), limit_advice(errno));
}

/* Calls of a device come one after the other, of whichever thread; those of two devices, too. */
static void profile_keep(void)
{
	static struct keep keep;
	char path[4096];
	if (owner != getpid() || !keep_due(&keep, false))
		return;
	file_write(path, sizeof path); /* if it cannot be written, the end will tell */
	keep_done(&keep);
}

/* ---- the bus ---- */

struct profile_bus {
	struct bus bus;
	struct bus *inner;
};
#define INNER(b) (((struct profile_bus *)(b))->inner)

static uint32_t profiled_read32(struct bus *b, uint32_t offset)
{
	PHASE_HERE(DEVICE);
	return bus_read32(INNER(b), offset);
}

static uint64_t profiled_read64(struct bus *b, uint32_t offset)
{
	PHASE_HERE(DEVICE);
	return bus_read64(INNER(b), offset);
}

static void profiled_write32(struct bus *b, uint32_t offset, uint32_t v)
{
	PHASE_HERE(DEVICE);
	bus_write32(INNER(b), offset, v);
}

static void profiled_write64(struct bus *b, uint32_t offset, uint64_t v)
{
	PHASE_HERE(DEVICE);
	bus_write64(INNER(b), offset, v);
}

static enum bus_wait profiled_wait_irq(struct bus *b, uint64_t limit)
{
	profile_keep();
	PHASE_HERE(DEVICE);
	return bus_wait_irq(INNER(b), limit);
}

static uint64_t profiled_cycle(struct bus *b) { return bus_cycle(INNER(b)); }
static void profiled_note(struct bus *b, struct event *e) { bus_note(INNER(b), e); }
static bool profiled_progress(struct bus *b, unsigned slot, struct bus_progress *p) { return bus_progress(INNER(b), slot, p); }
static void profiled_counted(struct bus *b, const struct bus_count *c) { bus_counted(INNER(b), c); }

static void profiled_close(struct bus *b)
{
	bus_close(INNER(b));
	free(b);
}

struct bus *profile_bus(struct bus *inner)
{
	static const struct bus_ops ops = {
		.read32 = profiled_read32, .read64 = profiled_read64, .write32 = profiled_write32,
		.write64 = profiled_write64, .wait_irq = profiled_wait_irq, .cycle = profiled_cycle,
		.progress = profiled_progress, .counted = profiled_counted, .close = profiled_close,
	}, ops_with_note = {
		.read32 = profiled_read32, .read64 = profiled_read64, .write32 = profiled_write32,
		.write64 = profiled_write64, .wait_irq = profiled_wait_irq, .cycle = profiled_cycle,
		.note = profiled_note, .progress = profiled_progress, .counted = profiled_counted, .close = profiled_close,
	};
	struct profile_bus *b = profile_on && inner ? malloc(sizeof *b) : NULL;
	if (!b)
		return inner;
	*b = (struct profile_bus){ { inner->ops->note ? &ops_with_note : &ops }, inner };
	return &b->bus;
}
