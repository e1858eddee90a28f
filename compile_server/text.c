/* Code in huge pages. A fork inherits the page-table entries of pages that its parent has written, but not those of files. So each
 * job would take page faults on the compiler's code, and these cost as much as a small kernel's compilation (a third of a job's
 * processor time, docs/compiler.md). The server copies the large parts of its code to huge pages in the same place; a fork inherits
 * those. */
#include "compile_server/text.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)
/* A mapping with fewer huge pages stays, this file's code and the C library's among them. So does one that is larger than a
 * LARGEST_PART-th of the machine's memory. */
enum { MAX_MAPPINGS = 8, LEAST_PAGES = 4, LARGEST_PART = 32 };

static bool huge_pages_allowed(void)
{
	char text[64] = "[never]";
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	bool known = f && fgets(text, sizeof text, f);
	if (f)
		fclose(f);
	return known && !strstr(text, "[never]");
}

/* Replaces [begin, end), whole huge pages, by a copy of itself; after an error everything is as before. */
static void mapping_move(uintptr_t begin, uintptr_t end)
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
	munmap(area, size + HUGE_PAGE); /* all of it, or the rest around the copy */
}

void text_to_huge_pages(void)
{
	struct { uintptr_t begin, end; } mapping[MAX_MAPPINGS];
	unsigned n = 0;
	char line[512], rights[8];
	uintptr_t begin, end;
	FILE *maps = huge_pages_allowed() ? fopen("/proc/self/maps", "re") : NULL;
	while (maps && n < MAX_MAPPINGS && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || strcmp(rights, "r-xp") || !strchr(line, '/'))
			continue;
		begin = (begin + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
		end &= ~(HUGE_PAGE - 1);
		if (end > begin && end - begin >= LEAST_PAGES * HUGE_PAGE) {
			mapping[n].begin = begin;
			mapping[n++].end = end;
		}
	}
	if (maps)
		fclose(maps);
	while (n--)
		mapping_move(mapping[n].begin, mapping[n].end);
}
