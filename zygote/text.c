/* Code in huge pages. A fork inherits what it has written, but not where the pages of files are: each job of a zygote
 * would find the code of its compiler anew, a few pages at a time, and that takes as long as what it compiles. So the large pieces
 * of code are copied to huge pages in the same place, which it does inherit. */
#include "zygote/text.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)
/* What holds fewer huge pages is not worth it (and this file's code stays, and the C library's); what is a larger part of the memory
 * is too much. */
enum { PIECES = 8, LEAST_PAGES = 4, LARGEST_PART = 32 };

static bool huge_pages_allowed(void)
{
	char text[64] = "[never]";
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	bool known = f && fgets(text, sizeof text, f);
	if (f)
		fclose(f);
	return known && !strstr(text, "[never]");
}

/* Puts a copy of [begin, end), whole huge pages, where it was. Leaves it as it was if that cannot be done. */
static void piece_move(uintptr_t begin, uintptr_t end)
{
	size_t size = end - begin, most = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / LARGEST_PART;
	if (size > most)
		return;
	char *area = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return;
	char *copy = (char *)(((uintptr_t)area + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	if (!madvise(copy, size, MADV_HUGEPAGE)) {
		memcpy(copy, (const void *)begin, size);
		if (!mprotect(copy, size, PROT_READ | PROT_EXEC))
			mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)begin);
	}
	munmap(area, size + HUGE_PAGE); /* all of it, or what is left around the copy */
}

void text_to_huge_pages(void)
{
	struct { uintptr_t begin, end; } piece[PIECES];
	unsigned n = 0;
	char line[512], rights[8];
	uintptr_t begin, end;
	FILE *maps = huge_pages_allowed() ? fopen("/proc/self/maps", "re") : NULL;
	while (maps && n < PIECES && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || strcmp(rights, "r-xp") || !strchr(line, '/'))
			continue;
		begin = (begin + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
		end &= ~(HUGE_PAGE - 1);
		if (end > begin && end - begin >= LEAST_PAGES * HUGE_PAGE) {
			piece[n].begin = begin;
			piece[n++].end = end;
		}
	}
	if (maps)
		fclose(maps);
	while (n--)
		piece_move(piece[n].begin, piece[n].end);
}
