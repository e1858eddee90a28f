#define _GNU_SOURCE
#include "traces/ring.h"
#include "base/memory_file.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CONTROL_BYTES = 4096, NAP_MS = 100, LOST_MS = 200 };

static void futex_wait(_Atomic uint32_t *word, uint32_t value, unsigned ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };
	syscall(SYS_futex, word, FUTEX_WAIT, value, ms ? &t : NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int ring_create(void)
{
	return memory_file_sized("galena-recorder", 0, CONTROL_BYTES + RING_BYTES);
}

int ring_map(struct ring *r, int fd)
{
	char *at = mmap(NULL, CONTROL_BYTES + 2 * (size_t)RING_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	r->control = (struct ring_control *)at;
	r->bytes = (uint8_t *)at + CONTROL_BYTES;
	r->head = r->tail = 0;
	if (mmap(at, CONTROL_BYTES + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED &&
	    mmap(r->bytes + RING_BYTES, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, CONTROL_BYTES) != MAP_FAILED)
		return 0;
	int e = errno;
	ring_unmap(r);
	errno = e;
	return -1;
}

void ring_unmap(struct ring *r)
{
	if (r->control)
		munmap(r->control, CONTROL_BYTES + 2 * (size_t)RING_BYTES);
	r->control = NULL;
}

/* ---- writer ---- */

/* Waits for room. false: the reader is gone. */
static bool room_wait(struct ring *r, size_t bytes)
{
	struct ring_control *c = r->control;
	for (;;) {
		uint32_t room = atomic_load(&c->room);
		atomic_store(&c->writer_waits, 1);
		r->tail = atomic_load(&c->tail);
		if (RING_BYTES - (r->head - r->tail) >= bytes) {
			atomic_store(&c->writer_waits, 0);
			return true;
		}
		uint64_t before = r->tail;
		ring_wake(r);
		futex_wait(&c->room, room, LOST_MS);
		if (atomic_load(&c->tail) == before && r->lost && r->lost(r->ctx))
			return false;
	}
}

static bool room_make(struct ring *r, size_t bytes)
{
	if (RING_BYTES - (r->head - r->tail) >= bytes)
		return true;
	r->tail = atomic_load_explicit(&r->control->tail, memory_order_acquire);
	return RING_BYTES - (r->head - r->tail) >= bytes || room_wait(r, bytes);
}

/* What was copied behind head counts from here on. The check of the reader is not ordered after it: a reader that goes to sleep at
 * this very moment is woken by a later record. */
static void commit(struct ring *r, size_t bytes)
{
	struct ring_control *c = r->control;
	r->head += bytes;
	atomic_store_explicit(&c->head, r->head, memory_order_release);
	uint32_t sleeps = atomic_load_explicit(&c->sleeps, memory_order_relaxed);
	if (sleeps == RING_NAP && r->head - r->tail > RING_BYTES / 4)
		r->tail = atomic_load_explicit(&c->tail, memory_order_acquire); /* most of it may have been read */
	if (sleeps == RING_DEEP || (sleeps == RING_NAP && r->head - r->tail > RING_BYTES / 4)) {
		atomic_store_explicit(&c->sleeps, RING_AWAKE, memory_order_relaxed); /* one call of the system, however long it takes to come */
		ring_wake(r);
	}
}

/* A record that is not small beside the ring goes through it piece by piece. */
static bool large_put(struct ring *r, const void *data, size_t length)
{
	const uint8_t *p = data;
	while (length) {
		size_t n = length < RING_BYTES / 4 ? length : RING_BYTES / 4;
		if (!room_make(r, n))
			return false;
		memcpy(r->bytes + r->head % RING_BYTES, p, n);
		commit(r, n);
		p += n;
		length -= n;
	}
	return true;
}

bool ring_put(struct ring *r, uint32_t kind, const void *first, size_t first_length, const void *second, size_t second_length)
{
	struct ring_head head = { (uint32_t)(first_length + second_length), kind };
	size_t bytes = ring_record_bytes(head.length);
	if (bytes > RING_BYTES / 2) {
		uint64_t zero = 0;
		return large_put(r, &head, sizeof head) && large_put(r, first, first_length) && large_put(r, second, second_length) &&
		       large_put(r, &zero, bytes - sizeof head - head.length);
	}
	if (!room_make(r, bytes))
		return false;
	uint8_t *p = r->bytes + r->head % RING_BYTES;
	memcpy(p, &head, sizeof head);
	if (first_length)
		memcpy(p + sizeof head, first, first_length);
	if (second_length)
		memcpy(p + sizeof head + first_length, second, second_length);
	commit(r, bytes);
	return true;
}

bool ring_request(struct ring *r, uint32_t kind, const void *data, size_t length)
{
	struct ring_control *c = r->control;
	uint32_t answers = atomic_load(&c->answers);
	if (!ring_put(r, kind, data, length, NULL, 0))
		return false;
	ring_wake(r);
	while (atomic_load(&c->answers) == answers) {
		futex_wait(&c->answers, answers, LOST_MS);
		if (atomic_load(&c->answers) == answers && r->lost && r->lost(r->ctx))
			return false;
	}
	return true;
}

/* ---- reader ---- */

size_t ring_available(const struct ring *r)
{
	uint64_t n = atomic_load_explicit(&r->control->head, memory_order_acquire) - r->tail;
	return n <= RING_BYTES ? n : 0; /* the program may write anything into its memory */
}

const uint8_t *ring_at(const struct ring *r) { return r->bytes + r->tail % RING_BYTES; }

void ring_skip(struct ring *r, size_t bytes, bool publish)
{
	r->tail += bytes;
	if (!publish)
		return;
	atomic_store(&r->control->tail, r->tail);
	/* half of the ring: fewer turns than with the least that lets it go on. The reader sleeps with an empty one only */
	if (atomic_load(&r->control->writer_waits) && ring_available(r) <= RING_BYTES / 2) {
		atomic_store(&r->control->writer_waits, 0);
		futex_wake(&r->control->room);
	}
}

void ring_reply(struct ring *r, const struct ring_answer *a)
{
	r->control->answer = *a;
	futex_wake(&r->control->answers);
}

void ring_sleep(struct ring *r, enum ring_sleep how, const _Atomic bool *gone)
{
	struct ring_control *c = r->control;
	uint32_t wake = atomic_load(&c->wake);
	atomic_store(&c->sleeps, how);
	if (!ring_available(r) && !atomic_load(gone))
		futex_wait(&c->wake, wake, how == RING_NAP ? NAP_MS : 0);
	atomic_store(&c->sleeps, RING_AWAKE);
}

void ring_wake(struct ring *r) { futex_wake(&r->control->wake); }
