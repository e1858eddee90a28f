/* Heaps: memory files that stand in for dma-bufs. */
#define _GNU_SOURCE /* seals */
#include "runtime/heap/listener.h"
#include "base/file.h"
#include "base/fork.h"
#include "base/hold.h"
#include "base/memory_file.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/types.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The same memory by a descriptor of that mode alone; fd is given up. */
static int reopen(int fd, int mode)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int again = open(path, mode | O_CLOEXEC), error = errno == ENOENT ? ENOSYS : errno; /* there is no /proc */
	close(fd);
	errno = error;
	return again;
}

int galena_heap_alloc(const char *heap, size_t size, unsigned flags)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), most = (size_t)sysconf(_SC_PHYS_PAGES);
	enum heap_kind kind = 0;
	char name[64];
	while (heap && kind < HEAP_KINDS && strcmp(heap, heap_names[kind]))
		kind++;
	if (kind == HEAP_KINDS) {
		errno = ENOENT;
		return -1;
	}
	if (!heap || !size || flags & ~(unsigned)GALENA_HEAP_RDONLY || (flags && kind == HEAP_PROTECTED)) {
		errno = EINVAL;
		return -1;
	}
	if ((size - 1) / page >= most) {
		errno = ENOMEM;
		return -1;
	}
	snprintf(name, sizeof name, HEAP_FILE_NAME "%s", heap_names[kind]);
	int fd = memory_file_sized(name, MFD_ALLOW_SEALING, (size + page - 1) / page * page);
	if (fd < 0 || fcntl(fd, F_ADD_SEALS, heap_seals(kind))) {
		file_close(fd);
		return -1;
	}
	/* a descriptor that cannot be read cannot be mapped either */
	return kind == HEAP_PROTECTED ? reopen(fd, O_WRONLY) : flags & GALENA_HEAP_RDONLY ? reopen(fd, O_RDONLY) : fd;
}

/* ---- caches ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { LISTENERS_MAX = 8 }; /* runtimes in a process */
static struct heap_listener *listeners[LISTENERS_MAX];
static void forked(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
AFTER_FORK(forked)

bool galena_heap_listen(struct heap_listener *l)
{
	unsigned i = 0;
	HOLDING(&lock);
	while (i < LISTENERS_MAX && listeners[i])
		i++;
	if (i < LISTENERS_MAX)
		listeners[i] = l;
	return i < LISTENERS_MAX;
}

void galena_heap_unlisten(struct heap_listener *l)
{
	HOLDING(&lock);
	for (unsigned i = 0; i < LISTENERS_MAX; i++)
		if (listeners[i] == l)
			listeners[i] = NULL;
}

/* A dma-buf of the kernel's: its exporter has caches of its own to see to. */
static int kernel_sync(int fd, unsigned flags)
{
	struct dma_buf_sync s = { (flags & GALENA_HEAP_SYNC_READ ? DMA_BUF_SYNC_READ : 0) |
				  (flags & GALENA_HEAP_SYNC_WRITE ? DMA_BUF_SYNC_WRITE : 0) |
				  (flags & GALENA_HEAP_SYNC_END ? DMA_BUF_SYNC_END : DMA_BUF_SYNC_START) };
	int result;
	while ((result = ioctl(fd, DMA_BUF_IOCTL_SYNC, &s)) && (errno == EINTR || errno == EAGAIN))
		;
	return result;
}

int galena_heap_sync(int fd, unsigned flags)
{
	const unsigned access = GALENA_HEAP_SYNC_READ | GALENA_HEAP_SYNC_WRITE;
	struct heap_buffer b;
	int error = 0;
	if (!(flags & access) || flags & ~(access | GALENA_HEAP_SYNC_END)) {
		errno = EINVAL;
		return -1;
	}
	if (heap_buffer_of(fd, &b))
		return -1;
	/* without the lock: a runtime that maintains its caches runs completions, which may release memory of a heap */
	struct heap_listener *heard[LISTENERS_MAX];
	pthread_mutex_lock(&lock);
	memcpy(heard, listeners, sizeof heard);
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < LISTENERS_MAX && !error; i++)
		error = heard[i] ? heard[i]->sync(heard[i], &b, flags) : 0;
	if (error) {
		errno = error;
		return -1;
	}
	return b.kind == HEAP_DMA_BUF ? kernel_sync(fd, flags) : 0;
}
