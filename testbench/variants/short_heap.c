/* In place of icd/heap.c: the library's own allocations are counted, and fail on request; so do its mappings. */
#include "testbench/variants/short_heap.h"
#include "icd/heap.h"
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *__real_mmap(void *, size_t, int, int, int, off_t);
void *__wrap_mmap(void *, size_t, int, int, int, off_t);

static __thread struct { enum short_mode mode; unsigned left, failed; } now; /* left: until the one that fails */
static atomic_long live;

void short_heap_fail(enum short_mode mode, unsigned nth)
{
	now.mode = mode;
	now.left = nth;
	now.failed = 0;
}
unsigned short_heap_failed(void) { return now.failed; }
long short_heap_live(void) { return live; }

static bool fails(void)
{
	if (now.mode == SHORT_NEVER || (now.left && --now.left) || (now.mode == SHORT_ONCE && now.failed))
		return false;
	now.failed++;
	return true;
}

static void *counted(void *p)
{
	live += p != NULL;
	return p;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : counted(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : counted(__real_calloc(n, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : counted(__real_aligned_alloc(alignment, size)); }

void *__wrap_realloc(void *p, size_t size)
{
	if (fails())
		return NULL;
	void *q = __real_realloc(p, size);
	live += q && !p;
	return q;
}

void __wrap_free(void *p)
{
	live -= p != NULL;
	__real_free(p);
}

char *__wrap_strdup(const char *s)
{
	char *copy = __wrap_malloc(strlen(s) + 1);
	return copy ? strcpy(copy, s) : NULL;
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

void *__wrap_mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
	if (!fails())
		return __real_mmap(at, size, rights, flags, fd, offset);
	errno = ENOMEM;
	return MAP_FAILED;
}
