#define _GNU_SOURCE
#include "runtime/kmd/profile.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/fork.h"
#include "base/limit.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A phase of a thread below another. Its own thread alone writes it. */
struct phase_node {
	struct phase_node *parent, *child[PHASES];
	enum phase phase;
	struct thread *thread;
	uint64_t ns, calls;
	char *line; /* where the file has them: DIGITS, blank, DIGITS; NULL: it has not */
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

/* PID.host: a line for each phase of each thread, calls and nanoseconds as numbers of DIGITS digits. The file is mapped, and each thread
 * writes its numbers as they change: so it is complete however the process ends. */
enum { DIGITS = 20, PIECE = 256 << 10, STACK_MAX = 512, NAMES = 1000 };
static struct {
	char *path; /* NULL: none, or this is the child of a fork */
	ino_t inode;
	char *piece; /* the last one that is mapped */
	size_t begin, used; /* the piece in the file; bytes of lines in the piece */
	int error; /* why it is not complete */
} file;

/* The child has the mapping, but no part in its parent's file. */
static void profile_forked(void) { file.path = NULL; }
AFTER_FORK(profile_forked)

static _Thread_local struct {
	struct phase_node *now;
	uint64_t since;
} here;

/* ---- the file; lock held ---- */

/* Opened each time: the application may close any descriptor, and have a file of its own by that number. */
static int file_open(void)
{
	struct stat st;
	int fd = open(file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || (!fstat(fd, &st) && st.st_ino == file.inode))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

/* Empty lines up to where a piece ends: they are none. False with errno. */
static bool fill_write(int fd, size_t begin, size_t bytes)
{
	char lines[STACK_MAX + 2 * DIGITS + 3]; /* as long as a line can be, for which there was no room */
	memset(lines, '\n', sizeof lines);
	return bytes <= sizeof lines && pwrite(fd, lines, bytes, (off_t)begin) == (ssize_t)bytes;
}

/* The text behind what there is, with room for it on the disk: a store must not find that there is none. The file grows with it in one
 * step: a program that dies meanwhile leaves whole lines. Returns where it is mapped, or NULL with errno. */
static char *text_add(const char *text, size_t bytes)
{
	struct limit_file_size hold;
	int fd = file_open(), error = 0;
	if (fd < 0)
		return NULL;
	limit_file_size_hold(&hold);
	const bool full = !file.piece || file.used + bytes > PIECE;
	const size_t begin = !full || !file.piece ? file.begin : file.begin + PIECE, used = full ? 0 : file.used;
	char *piece = file.piece;
	if (full && fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)begin, PIECE) && errno != EOPNOTSUPP && errno != ENOSYS)
		error = errno;
	if (!error && full && (piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)begin)) == MAP_FAILED)
		error = errno;
	if (!error && full && file.piece && !fill_write(fd, begin - (PIECE - file.used), PIECE - file.used))
		error = errno;
	if (!error && pwrite(fd, text, bytes, (off_t)(begin + used)) != (ssize_t)bytes)
		error = errno ? errno : ENOSPC;
	limit_file_size_let(&hold);
	close(fd);
	errno = error;
	if (error)
		return NULL;
	file.piece = piece;
	file.begin = begin;
	file.used = used + bytes;
	return piece + used;
}

static void stack_name(const struct phase_node *n, char *text, size_t size)
{
	static const char *const keys[PHASES] = {
#define PHASE(name, key, doc) [PHASE_##name] = key,
#include "runtime/kmd/profile.def"
#undef PHASE
	};
	size_t used;
	if (n->parent && n->parent->parent)
		stack_name(n->parent, text, size);
	else if (n->thread->number)
		snprintf(text, size, "thread %u (%s)", n->thread->number, n->thread->name);
	else
		snprintf(text, size, "main");
	used = strlen(text);
	snprintf(text + used, size - used, ";%s", keys[n->phase]);
}

static void line_take(struct phase_node *n)
{
	char text[STACK_MAX + 2 * DIGITS + 3], stack[STACK_MAX];
	if (!file.path || file.error)
		return;
	stack_name(n, stack, sizeof stack);
	const int length = snprintf(text, sizeof text, "%s %0*d %0*d\n", stack, DIGITS, 0, DIGITS, 0);
	char *at = text_add(text, (size_t)length);
	if (!at) {
		file.error = errno;
		return;
	}
	n->line = at + length - 1 - 2 * DIGITS - 1;
}

static void digits_put(char *at, uint64_t value)
{
	for (char *p = at + DIGITS; value && p > at; value /= 10)
		*--p = (char)('0' + value % 10);
}

static void count(struct phase_node *n, uint64_t ns, uint64_t calls)
{
	n->ns += ns;
	n->calls += calls;
	if (!n->line || !file.path)
		return;
	digits_put(n->line, n->calls);
	digits_put(n->line + DIGITS + 1, n->ns);
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
	t->root.thread = t;
	*threads_tail = t;
	threads_tail = &t->next;
	line_take(&t->root);
	pthread_mutex_unlock(&lock);
	here.since = clock_ns();
	return &t->root;
}

/* Time since the last change belonged to the phase until now. */
static void change(struct phase_node *to)
{
	uint64_t now = clock_ns();
	count(here.now, now - here.since, 0);
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
		to->thread = before->thread;
		pthread_mutex_lock(&lock);
		line_take(to);
		pthread_mutex_unlock(&lock);
		before->child[phase] = to;
	}
	if (to != before) {
		change(to);
		count(to, 0, 1);
	}
	return before;
}

void phase_leave(struct phase_node *before) { change(before); }

/* ---- files ---- */

static void file_begin(void)
{
	struct stat st;
	char name[PATH_MAX + 64];
	int fd = -1;
	/* with a number, when the process was another program before */
	for (unsigned number = 1; number < NAMES && fd < 0 && (number == 1 || errno == EEXIST); number++) {
		snprintf(name, sizeof name, number > 1 ? "%s/%d-%u.host" : "%s/%d.host", directory, (int)owner, number);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	if (!(file.path = strdup(name)))
		file.error = ENOMEM;
	else if (fd < 0 || fstat(fd, &st))
		file.error = errno;
	else
		file.inode = st.st_ino;
	if (fd >= 0)
		close(fd);
}

void profile_open(void)
{
	const char *d = getenv("GALENA_PROFILE");
	char path[PATH_MAX]; /* a program may change its directory before the end */
	if (profile_on || !d || !*d || !(directory = strdup(realpath(d, path) ? path : d)))
		return;
	owner = getpid();
	file_begin();
	here.now = thread_root(); /* from here on its time counts */
	profile_on = here.now != NULL;
}

void profile_object(const void *data, size_t size)
{
	char path[4096];
	const struct iovec all = { .iov_base = (void *)(uintptr_t)data, .iov_len = size };
	uint64_t hash = 14695981039346656037ull;
	if (!profile_on)
		return;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
	snprintf(path, sizeof path, "%s/%016" PRIx64 ".gko", directory, hash);
	/* not through stdio, whose buffers are the application's heap: addresses would move that the bus shows */
	if (access(path, F_OK) && !file_replace(path, 0666, &all, 1))
		fprintf(stderr, "galena: cannot write %s for the profile: %s\n", path, strerror(errno));
}

void profile_close(void)
{
	if (!profile_on || owner != getpid())
		return;
	if (here.now)
		change(here.now);
	if (file.error)
		fprintf(stderr, "galena: cannot write the profile to %s: %s%s\n", file.path ? file.path : directory, strerror(file.error),
			limit_advice(file.error));
}

/* ---- the bus ---- */

struct profile_bus {
	struct bus bus;
	struct bus_ops ops; /* without what the inner bus has not */
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
		.note = profiled_note, .progress = profiled_progress, .counted = profiled_counted, .close = profiled_close,
	};
	struct profile_bus *b = profile_on && inner ? malloc(sizeof *b) : NULL;
	if (!b)
		return inner;
	*b = (struct profile_bus){ { &b->ops }, ops, inner };
	if (!inner->ops->note)
		b->ops.note = NULL;
	return &b->bus;
}
