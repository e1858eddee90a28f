/* Physical memory: DRAM is a memfd (or shared memory without one), reserved and never committed before it is touched; system
 * memory is reached through the bus alone, page by page. */
#define _GNU_SOURCE /* fallocate */
#include "model/mem/physmem.h"
#include "base/file.h"
#include "base/memory_file.h"
#include "model/inject.h"
#include "model/prot/protection.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int physmem_init(struct physmem *m, uint64_t dram_size, const struct bus_memory *sys)
{
	memset(m, 0, sizeof(*m));
	m->sys = *sys;
	m->dram_size = dram_size;
	/* -1 where files may not be so large (ulimit -f), a seccomp filter refuses memfd_create, or no descriptor is free */
	m->dram_fd = memory_file_sized("galena-dram", 0, dram_size);
	m->dram = mmap(NULL, dram_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | (m->dram_fd < 0 ? MAP_ANONYMOUS : 0),
		       m->dram_fd, 0);
	if (m->dram != MAP_FAILED)
		return 0;
	file_close(m->dram_fd);
	m->dram = NULL;
	m->dram_fd = -1;
	return -1;
}

void physmem_fini(struct physmem *m)
{
	if (!m->dram)
		return;
	munmap(m->dram, m->dram_size);
	if (m->dram_fd >= 0)
		close(m->dram_fd);
	m->dram = NULL;
	m->dram_fd = -1;
}

/* Words are moved as words: the host may look at a payload or an index at the same time. Where it finds a payload that was written, it finds what
 * was written before, too. */
static inline void copy_bytes(void *dst, const void *src, size_t len)
{
	if (len == 8 && !((uintptr_t)dst % 8)) {
		uint64_t word;
		memcpy(&word, src, 8);
		__atomic_store_n((uint64_t *)dst, word, __ATOMIC_RELEASE);
	} else if (len == 8)
		memcpy(dst, src, 8);
	else if (len == 4)
		memcpy(dst, src, 4);
	else
		memcpy(dst, src, len);
}

static inline bool in_window(uint64_t pa, uint64_t base, uint64_t size, size_t len)
{
	return pa >= base && pa - base < size && len <= size - (pa - base);
}

/* The page, whatever is armed. */
static uint8_t *page_at(struct physmem *m, uint64_t pa, bool write)
{
	pa &= ~(GALENA_PAGE_SIZE - 1);
	if (in_window(pa, DRAM_BASE, m->dram_size, GALENA_PAGE_SIZE))
		return m->dram + (pa - DRAM_BASE);
	if (!m->sys.observed && m->sys.page && in_window(pa, SYSTEM_BASE, SYSTEM_SIZE, GALENA_PAGE_SIZE))
		return m->sys.page(m->sys.ctx, (pa - SYSTEM_BASE) >> GALENA_PAGE_SHIFT, write);
	return NULL;
}

enum { DRAM_FAULTS = 1 << INJECT_ECC_SINGLE | 1 << INJECT_ECC_DOUBLE, SYSTEM_FAULTS = 1 << INJECT_BUS_ERROR };

uint8_t *physmem_page(struct physmem *m, uint64_t pa, bool write)
{
	if (m->inject && m->inject->armed & (pa >= SYSTEM_BASE ? SYSTEM_FAULTS : DRAM_FAULTS))
		return NULL; /* every access counts */
#ifdef GALENA_DEBUG
	if (m->charged)
		return NULL; /* so is every access */
#endif
	return page_at(m, pa, write);
}

const uint8_t *physmem_look(struct physmem *m, uint64_t pa) { return page_at(m, pa, false); }

static enum fault accessed(const struct physmem *m, uint64_t pa, size_t len, bool write, enum fault f)
{
	if (m->charged && !f)
		charges_access(pa, len, write);
	return f;
}

/* What is armed for a read of DRAM, or for an access to system memory. Outlined: nothing is, mostly. */
static __attribute__((noinline)) enum fault dram_inject(struct physmem *m, uint64_t pa)
{
	if (inject_fires(m->inject, INJECT_ECC_SINGLE, m->unit, pa, m->cycle))
		m->ecc_corrected++;
	if (!inject_fires(m->inject, INJECT_ECC_DOUBLE, m->unit, pa, m->cycle))
		return FAULT_NONE;
	m->ecc_uncorrected++;
	return FAULT_ECC;
}

static inline enum fault dram_fault(struct physmem *m, uint64_t pa)
{
	return m->inject && __builtin_expect(m->inject->armed & DRAM_FAULTS, 0) ? dram_inject(m, pa) : FAULT_NONE;
}

static inline bool system_fault(struct physmem *m, uint64_t pa)
{
	return m->inject && inject_fires(m->inject, INJECT_BUS_ERROR, m->unit, pa, m->cycle);
}

/* System memory, page by page. */
static inline enum fault system_access(struct physmem *m, uint64_t pa, uint8_t *data, size_t len, bool write)
{
	if (!in_window(pa, SYSTEM_BASE, SYSTEM_SIZE, len) || system_fault(m, pa))
		return FAULT_BUS_ERROR;
	while (len) {
		uint64_t off = pa & (GALENA_PAGE_SIZE - 1);
		size_t n = len < GALENA_PAGE_SIZE - off ? len : GALENA_PAGE_SIZE - off;
		uint8_t *page = page_at(m, pa, write);

		if (page)
			copy_bytes(write ? page + off : data, write ? data : page + off, n);
		else if (write ? !m->sys.write || m->sys.write(m->sys.ctx, pa - SYSTEM_BASE, data, n) :
				 !m->sys.read || m->sys.read(m->sys.ctx, pa - SYSTEM_BASE, data, n))
			return FAULT_BUS_ERROR;
		data += n;
		pa += n;
		len -= n;
	}
	return FAULT_NONE;
}

enum fault physmem_read(struct physmem *m, uint64_t pa, void *dst, size_t len)
{
	if (!in_window(pa, DRAM_BASE, m->dram_size, len))
		return accessed(m, pa, len, false, system_access(m, pa, dst, len, false));
	enum fault f = dram_fault(m, pa);

	if (!f)
		copy_bytes(dst, m->dram + (pa - DRAM_BASE), len);
	return accessed(m, pa, len, false, f);
}

enum fault physmem_put(struct physmem *m, uint64_t pa, const void *src, size_t len)
{
	if (!in_window(pa, DRAM_BASE, m->dram_size, len))
		return accessed(m, pa, len, true, system_access(m, pa, (uint8_t *)src, len, true));
	copy_bytes(m->dram + (pa - DRAM_BASE), src, len);
	return accessed(m, pa, len, true, FAULT_NONE);
}

enum fault physmem_write(struct physmem *m, uint64_t pa, const void *src, size_t len)
{
	reservations_written(&m->reservations, pa, len);
	return physmem_put(m, pa, src, len);
}

enum fault physmem_exchange(struct physmem *m, uint64_t pa, void *seen, const void *desired, size_t len, bool *stored)
{
	*stored = true;
	if (in_window(pa, DRAM_BASE, m->dram_size, len))
		return physmem_put(m, pa, desired, len);
	if (!in_window(pa, SYSTEM_BASE, SYSTEM_SIZE, len) || system_fault(m, pa))
		return FAULT_BUS_ERROR;
	uint8_t *page = page_at(m, pa, true);
	int rc;
	if (page)
		rc = bus_exchange_at(page + pa % GALENA_PAGE_SIZE, seen, desired, len);
	else if (m->sys.exchange)
		rc = m->sys.exchange(m->sys.ctx, pa - SYSTEM_BASE, seen, desired, len);
	else
		rc = m->sys.write && !m->sys.write(m->sys.ctx, pa - SYSTEM_BASE, desired, len) ? 1 : -1;
	*stored = rc == 1;
	return accessed(m, pa, len, *stored, rc < 0 ? FAULT_BUS_ERROR : FAULT_NONE);
}

__attribute__((no_sanitize_address)) static void line_copy(uint64_t *dst, const volatile uint64_t *src, size_t words)
{
	for (size_t i = 0; i < words; i++)
		dst[i] = src[i];
}

enum fault physmem_read_line(struct physmem *m, uint64_t pa, void *dst, size_t len)
{
	const uint8_t *page = physmem_page(m, pa, false);

	if (!page || pa % sizeof(uint64_t) || len % sizeof(uint64_t))
		return physmem_read(m, pa, dst, len);
	line_copy(dst, (const volatile uint64_t *)(const void *)(page + (pa & (GALENA_PAGE_SIZE - 1))), len / sizeof(uint64_t));
	return FAULT_NONE;
}

enum fault physmem_load(struct physmem *m, unsigned unit, uint64_t pa, void *dst, size_t len, uint64_t cycle)
{
	enum fault f;

	if (m->prot && prot_check(m->prot, unit, false, pa, len, ACCESS_READ, cycle))
		return FAULT_PROTECTED;
	EVENT_SEND(m->events, .cycle = cycle, .kind = EVENT_READ, .unit = (uint16_t)unit, .queue = EVENT_NO_QUEUE, .b = pa,
		   .c = len);
	physmem_by(m, unit, cycle);
	f = physmem_read(m, pa, dst, len);
	if (f == FAULT_ECC && (unit == UNIT_CP || unit == UNIT_MMU))
		m->ecc_fatal++;
	return f;
}

enum fault physmem_store(struct physmem *m, unsigned unit, uint64_t pa, const void *src, size_t len, uint64_t cycle)
{
	if (m->prot && prot_check(m->prot, unit, false, pa, len, ACCESS_WRITE, cycle))
		return FAULT_PROTECTED;
	EVENT_SEND(m->events, .cycle = cycle, .kind = EVENT_WRITE, .unit = (uint16_t)unit, .queue = EVENT_NO_QUEUE, .b = pa,
		   .c = len);
	physmem_by(m, unit, cycle);
	return physmem_write(m, pa, src, len);
}

void physmem_clear(struct physmem *m, uint64_t pa, uint64_t len)
{
	uint64_t at = pa - DRAM_BASE;

	reservations_written(&m->reservations, pa, len);
	/* a hole reads as zero, and gives the memory back */
	if (m->dram_fd < 0 ? madvise(m->dram + at, len, MADV_REMOVE) :
			     fallocate(m->dram_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)len))
		memset(m->dram + at, 0, len);
}
