#define _GNU_SOURCE /* seals, O_PATH */
#include "runtime/heap/heap_buffer.h"
#include "abi/address_map.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const heap_names[HEAP_KINDS] = { [HEAP_SYSTEM] = "system", [HEAP_CMA] = "cma", [HEAP_PROTECTED] = "protected" };

int heap_seals(enum heap_kind kind)
{
	return F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | (kind == HEAP_PROTECTED ? F_SEAL_WRITE : 0);
}

/* What the descriptor's link in /proc says. False: it is none of a dma-buf. */
static bool kind_of(int fd, enum heap_kind *kind)
{
	static const char kernels[] = "/dmabuf:";
	char path[32], link[128], begin[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(path, link, sizeof link - 1);
	link[n > 0 ? n : 0] = 0;
	*kind = HEAP_DMA_BUF;
	if (!strncmp(link, kernels, strlen(kernels)))
		return true;
	for (*kind = 0; *kind < HEAP_KINDS; ++*kind) {
		int length = snprintf(begin, sizeof begin, "/memfd:" HEAP_FILE_NAME "%s ", heap_names[*kind]);
		if (!strncmp(link, begin, (size_t)length))
			return (fcntl(fd, F_GET_SEALS) & heap_seals(*kind)) == heap_seals(*kind);
	}
	return false;
}

int heap_buffer_of(int fd, struct heap_buffer *out)
{
	struct stat st;
	enum heap_kind kind;
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fstat(fd, &st))
		return -1;
	off_t size = -1;
	if (!(flags & O_PATH) && kind_of(fd, &kind))
		size = kind == HEAP_DMA_BUF ? lseek(fd, 0, SEEK_END) : st.st_size;
	if (size <= 0 || (uint64_t)size % GALENA_PAGE_SIZE) {
		errno = ENOTTY;
		return -1;
	}
	*out = (struct heap_buffer){ .kind = kind, .device = st.st_dev, .inode = st.st_ino, .size = (uint64_t)size,
				     .writable = (flags & O_ACCMODE) != O_RDONLY };
	return 0;
}
