/* A heap of the library's own.
 *
 * The runtime frees on whichever thread a command happens to end, at a time that depends on the
 * machine's load. In the application's heap that would decide which address the application's next
 * malloc() gets, and memory that is pinned where it lies shows its offset in the page on the bus:
 * a single-threaded program would not have the same bus traffic on every run. So the linker takes
 * the library's own malloc(), free() and whatever else takes from a heap here (HEAP in the Makefile); what
 * the C library has allocated itself is recognised by its address and goes back to it.
 *
 * Spans of 64 KiB out of one reserved range, which is smaller where address space is limited: a span holds blocks of one size, a power of two, or is
 * part of a run of whole spans. One lock. */
#define _GNU_SOURCE
#include "icd/heap.h"
#include "base/fork.h"
#include "base/limit.h"
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { SPAN_SHIFT = 16, MIN_SHIFT = 4, MAX_SHIFT = 14, SPANS = 1 << 17, RUN = 0xff };
/* A run of up to so many spans keeps its pages when it is freed: what a command needs, the next needs too. */
enum { KEEP_SPANS = 16 };
/* Where address space is limited, it is of all that the program does: each library with a heap takes this part of it. What goes beyond
 * comes from the C library. */
enum { PART_OF_LIMIT = 64, LEAST_SPANS = 64 };
#define SPAN_BYTES ((size_t)1 << SPAN_SHIFT)
#define SMALL_BYTES ((size_t)2 << 20) /* in pages of 4 KiB; what is above may have larger ones */

/* The first word of a freed block stays as it was: an application that passes a handle of a released object to the
 * ICD loader gets as far as our check of it, for the loader finds the dispatch table still there. */
struct block {
	void *first_word;
	struct block *next;
};

static atomic_flag taken = ATOMIC_FLAG_INIT; /* the lock: held for a few instructions, many times a command */
static char *base;                          /* NULL until the first use; never given back */
static bool unusable;                       /* no range could be reserved: the C library's heap then */
static unsigned spans;                      /* of the range */
static unsigned used;                       /* spans handed out from the bottom */
static uint8_t kind[SPANS];                 /* of a span: the shift of its blocks, RUN, or 0 for free */
static uint32_t run_length[SPANS];          /* of the run that begins here, spans */
static struct block *blocks[MAX_SHIFT + 1]; /* free blocks of each size */
static char *fresh[MAX_SHIFT + 1];          /* what has never been handed out of the last span of each size; NULL: nothing */
static void hold(void)
{
	while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
		sched_yield();
}

static void let(void) { atomic_flag_clear_explicit(&taken, memory_order_release); }

__attribute__((constructor(FORKS_HEAP))) static void held_over_fork(void) { pthread_atfork(hold, let, let); }

static bool heap_open(void)
{
	if (base || unusable)
		return base;
	void *p = MAP_FAILED;
	const uint64_t share = limit_address_space() / PART_OF_LIMIT / SPAN_BYTES;
	for (spans = share < SPANS ? (unsigned)share : SPANS; p == MAP_FAILED && spans >= LEAST_SPANS;) {
		/* one span more, so that the first can begin at a multiple of its size: blocks then do, too */
		p = mmap(NULL, (spans + 1) * SPAN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			spans /= 2;
	}
	if (p == MAP_FAILED)
		unusable = true;
	else
		base = (char *)(((uintptr_t)p + SPAN_BYTES - 1) & ~(uintptr_t)(SPAN_BYTES - 1));
	if (base) /* who needs more than that needs much more, and each fault takes as long as what the memory is for */
		madvise(base + SMALL_BYTES, spans * SPAN_BYTES - SMALL_BYTES, MADV_HUGEPAGE);
	return base;
}

static bool ours(const void *p) { return base && (const char *)p >= base && (const char *)p < base + spans * SPAN_BYTES; }

static unsigned span_of(const void *p) { return (unsigned)((size_t)((const char *)p - base) >> SPAN_SHIFT); }

/* The first n spans in a row that are free; the number of all when there are none. */
static unsigned find_spans(unsigned n)
{
	unsigned free_ = 0;
	for (unsigned i = 0; i < used; i++) {
		free_ = kind[i] ? 0 : free_ + 1;
		if (free_ == n)
			return i + 1 - n;
	}
	unsigned at = used - free_;
	return n > spans - at ? spans : at;
}

/* untouched: they were never handed out; they are zeroes then. */
static void *spans_take(unsigned n, uint8_t as, bool *untouched)
{
	unsigned at = find_spans(n);
	if (at == spans)
		return NULL;
	memset(kind + at, as, n);
	run_length[at] = n;
	*untouched = at >= used;
	if (at + n > used)
		used = at + n;
	return base + at * SPAN_BYTES;
}

static void *block_take(unsigned shift)
{
	struct block *b = blocks[shift];
	if (b) {
		blocks[shift] = b->next;
		return b;
	}
	bool untouched;
	char *p = fresh[shift] ? fresh[shift] : spans_take(1, (uint8_t)shift, &untouched);
	if (p) { /* pages of the span that were never handed out are not touched */
		char *next = p + ((size_t)1 << shift);
		fresh[shift] = (size_t)(next - base) % SPAN_BYTES ? next : NULL;
	}
	return p;
}

static unsigned shift_for(size_t size)
{
	return size <= (size_t)1 << MIN_SHIFT ? MIN_SHIFT : 64 - (unsigned)__builtin_clzll(size - 1);
}

static void *take(size_t size, bool *untouched)
{
	void *p = NULL;
	*untouched = false;
	if (size >= SPANS * SPAN_BYTES)
		return __real_malloc(size);
	hold();
	if (heap_open())
		p = size <= (size_t)1 << MAX_SHIFT ? block_take(shift_for(size)) :
						     spans_take((unsigned)((size + SPAN_BYTES - 1) >> SPAN_SHIFT), RUN, untouched);
	let();
	return p ? p : __real_malloc(size);
}

void *__wrap_malloc(size_t size)
{
	bool untouched;
	return take(size, &untouched);
}

static size_t size_of(const void *p)
{
	unsigned span = span_of(p);
	return kind[span] == RUN ? run_length[span] * SPAN_BYTES : (size_t)1 << kind[span];
}

void __wrap_free(void *p)
{
	if (!ours(p)) {
		__real_free(p);
		return;
	}
	hold();
	const unsigned span = span_of(p);
	if (kind[span] == RUN) {
		unsigned n = run_length[span];
		if (n > KEEP_SPANS)
			madvise(p, n * SPAN_BYTES, MADV_DONTNEED);
		memset(kind + span, 0, n);
	} else {
		struct block *b = p;
		b->next = blocks[kind[span]];
		blocks[kind[span]] = b;
	}
	let();
}

void *__wrap_calloc(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	bool untouched;
	void *p = take(bytes, &untouched);
	return p && !untouched ? memset(p, 0, bytes) : p;
}

void *__wrap_realloc(void *p, size_t size)
{
	if (!p)
		return __wrap_malloc(size);
	if (!ours(p))
		return __real_realloc(p, size);
	size_t old = size_of(p);
	if (size <= old && size > old / 4)
		return p;
	void *q = __wrap_malloc(size);
	if (!q)
		return NULL;
	memcpy(q, p, old < size ? old : size);
	__wrap_free(p);
	return q;
}

char *__wrap_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = __wrap_malloc(n);
	return copy ? memcpy(copy, s, n) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	if (alignment > SPAN_BYTES)
		return __real_aligned_alloc(alignment, size);
	void *p = __wrap_malloc(size > alignment ? size : alignment);
	if (!((uintptr_t)p % alignment))
		return p;
	__wrap_free(p); /* the C library's */
	return __real_aligned_alloc(alignment, size);
}

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	*text = n < 0 ? NULL : __wrap_malloc((size_t)n + 1);
	return *text ? vsnprintf(*text, (size_t)n + 1, format, args) : -1;
}
