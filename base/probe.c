/* Whether a range of the host is there, asked of the kernel without touching what it holds: an
 * import of a bad pointer is an error, never a signal. */
#define _GNU_SOURCE
#include "base/cancel.h"
#include "base/hold.h"
#include "base/probe.h"
#include "abi/address_map.h"
#include "base/fork.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* Linux 5.14: one call faults the whole range in, or says that it cannot. */
static bool populate_supported(void)
{
	static _Atomic int known; /* 0 not asked, 1 yes, 2 no */
	if (!known) {
		void *page = mmap(NULL, GALENA_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			return false;
		known = madvise(page, GALENA_PAGE_SIZE, MADV_POPULATE_WRITE) ? 2 : 1;
		munmap(page, GALENA_PAGE_SIZE);
	}
	return known == 1;
}

/* Linux 6.11: what the kernel tells of a mapping when asked through /proc/self/maps (its struct procmap_query). */
struct map_query {
	uint64_t size, flags, address; /* ours */
	uint64_t begin, end, rights, page_size, offset, inode;
	uint32_t device[2], name_size, build_id_size;
	uint64_t name, build_id;
};
#define MAP_QUERY _IOWR('f', 17, struct map_query)
enum { MAP_READABLE = 1, MAP_WRITABLE = 2, MAP_SHARED_WITH = 8 };

/* The descriptor of this process' mappings, kept: to open it takes as long as to ask. A forked child has its own. */
static pthread_mutex_t maps_lock = PTHREAD_MUTEX_INITIALIZER;
HELD_OVER_FORK(maps_lock, FORKS_OTHERS)
static int maps_kept = -1;
static pid_t maps_owner;

static int process_maps(void)
{
	HOLDING(&maps_lock);
	if (maps_owner != getpid()) {
		if (maps_kept >= 0)
			close(maps_kept);
		maps_kept = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
		maps_owner = getpid();
	}
	const int maps = maps_kept;
	return maps;
}

void probe_open(void)
{
	populate_supported();
	process_maps();
}

/* The range lies in private anonymous mappings that may be accessed so. False also when the system cannot tell. */
static bool range_allowed(const uint8_t *first, const uint8_t *end, bool write)
{
	const uint64_t wanted = MAP_READABLE | (write ? MAP_WRITABLE : 0);
	const int maps = process_maps();
	while (maps >= 0 && first < end) {
		struct map_query q = { .size = sizeof q, .address = (uintptr_t)first };
		if (ioctl(maps, MAP_QUERY, &q) || (q.rights & (wanted | MAP_SHARED_WITH)) != wanted || q.inode)
			break;
		first = (const uint8_t *)(uintptr_t)q.end;
	}
	return maps >= 0 && first >= end;
}

bool probe_shared(const uint8_t *first_page, uint64_t pages)
{
	struct map_query q = { .size = sizeof q, .address = (uintptr_t)first_page };
	const int maps = process_maps();
	return maps >= 0 && !ioctl(maps, MAP_QUERY, &q) && q.rights & MAP_SHARED_WITH && q.end - q.address >= pages * GALENA_PAGE_SIZE;
}

/* Every page of the range is in memory. */
static bool range_resident(uint8_t *first, uint64_t pages)
{
	enum { CHUNK = 4096 };
	unsigned char in[CHUNK];
	for (uint64_t at = 0, n; at < pages; at += n) {
		unsigned char all = 1;
		n = pages - at < CHUNK ? pages - at : CHUNK;
		if (mincore(first + at * GALENA_PAGE_SIZE, n * GALENA_PAGE_SIZE, in))
			return false;
		for (uint64_t i = 0; i < n; i++)
			all &= in[i];
		if (!all)
			return false;
	}
	return true;
}

/* Two questions, whatever the size, where the kernel would otherwise look at page after page. A page that is there,
 * of a private mapping without a file behind it, can be accessed as the mapping allows. */
static bool range_ready(uint8_t *first, uint64_t pages, bool write)
{
	enum { WORTH_PAGES = 64 };
	return pages >= WORTH_PAGES && range_allowed(first, first + pages * GALENA_PAGE_SIZE, write) &&
	       range_resident(first, pages);
}

/* An atomic OR with 0, done by the kernel: a real write access that changes nothing. */
static bool writable(uint8_t *page)
{
	uint32_t word = 0;
	return syscall(SYS_futex, &word, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0L, page,
		       FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

bool probe_copy(void *dst, const void *src, size_t size)
{
	struct iovec here = { dst, size }, there = { (void *)(uintptr_t)src, size };
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool readable(uint8_t *page)
{
	uint8_t byte;
	return probe_copy(&byte, page, 1);
}

int probe_range(uint8_t *first_page, uint64_t pages, bool write)
{
	NOT_CANCELLED;
	if (pages > (UINTPTR_MAX - (uintptr_t)first_page) / GALENA_PAGE_SIZE)
		return -1;
	if (range_ready(first_page, pages, write))
		return 0;
	if (populate_supported() &&
	    !madvise(first_page, pages * GALENA_PAGE_SIZE, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ))
		return 0;
	/* an old kernel, or a mapping that cannot be populated (of a device, say) but perhaps accessed */
	for (uint64_t i = 0; i < pages; i++) {
		uint8_t *page = first_page + i * GALENA_PAGE_SIZE;
		if (!(write ? writable(page) : readable(page)))
			return -1;
	}
	return 0;
}
