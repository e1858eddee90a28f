/* Whether a range of the host is there, asked of the kernel without touching what it holds: an
 * import of a bad pointer is an error, never a signal. */
#define _GNU_SOURCE
#include "runtime/driver/probe.h"
#include "abi/address_map.h"
#include "runtime/driver/driver.h"
#include <errno.h>
#include <linux/futex.h>
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

/* An atomic OR with 0, done by the kernel: a real write access that changes nothing. */
static bool writable(uint8_t *page)
{
	uint32_t word = 0;
	return syscall(SYS_futex, &word, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0L, page,
		       FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

static bool readable(uint8_t *page)
{
	uint8_t byte;
	struct iovec here = { &byte, 1 }, there = { page, 1 };
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

int probe_range(uint8_t *first_page, uint64_t pages, bool write)
{
	if (pages > (UINTPTR_MAX - (uintptr_t)first_page) / GALENA_PAGE_SIZE)
		return DRV_BAD_ADDRESS;
	if (populate_supported() &&
	    !madvise(first_page, pages * GALENA_PAGE_SIZE, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ))
		return 0;
	/* an old kernel, or a mapping that cannot be populated (of a device, say) but perhaps accessed */
	for (uint64_t i = 0; i < pages; i++) {
		uint8_t *page = first_page + i * GALENA_PAGE_SIZE;
		if (!(write ? writable(page) : readable(page)))
			return DRV_BAD_ADDRESS;
	}
	return 0;
}
