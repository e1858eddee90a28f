#define _GNU_SOURCE
#include "model/profile/profile_memory.h"
#include "base/limit.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 1 << 20, ALIGN = 64 };

struct profile_memory {
	char *path; /* NULL: no file */
	ino_t inode;
	struct profile_head *head;
	size_t used; /* of the last piece */
};

/* Opened each time: the application may close any descriptor, and have a file of its own by that number. */
static int file_open(const struct profile_memory *m)
{
	struct stat st;
	int fd = open(m->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || (!fstat(fd, &st) && (!m->inode || st.st_ino == m->inode)))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

/* A piece of the file that has its room on the disk: a store must not find that there is none. */
static void *piece_map(struct profile_memory *m, uint64_t offset, size_t size)
{
	struct limit_file_size hold;
	struct stat st;
	if (!m->path)
		return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = file_open(m);
	if (fd < 0)
		return MAP_FAILED;
	if (!fstat(fd, &st))
		m->inode = st.st_ino;
	limit_file_size_hold(&hold);
	int error = posix_fallocate(fd, (off_t)offset, (off_t)size);
	limit_file_size_let(&hold);
	void *at = error ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	error = error ? error : errno;
	close(fd);
	errno = error;
	return at;
}

static bool grow(struct profile_memory *m, size_t least)
{
	uint64_t offset = 0;
	size_t size = FIRST;
	const uint32_t n = m->head ? m->head->num_pieces : 0;
	if (n == PROFILE_PIECES)
		return false;
	if (n) {
		offset = m->head->piece[n - 1].offset + m->head->piece[n - 1].size;
		size = offset; /* as much again */
	}
	while (size < least)
		size *= 2;
	void *at = piece_map(m, offset, size);
	if (at == MAP_FAILED)
		return false;
	m->used = 0;
	if (!n) {
		m->head = at;
		m->used = (sizeof *m->head + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	}
	m->head->piece[n].address = (uintptr_t)at;
	m->head->piece[n].size = size;
	m->head->piece[n].offset = offset;
	m->head->num_pieces = n + 1;
	return true;
}

struct profile_memory *profile_memory_open(const char *path)
{
	struct profile_memory *m = calloc(1, sizeof *m);
	if (m && (!path || (m->path = strdup(path))) && grow(m, FIRST))
		return m;
	const int error = errno;
	if (m)
		free(m->path);
	free(m);
	errno = error;
	return NULL;
}

struct profile_head *profile_memory_head(struct profile_memory *m) { return m->head; }

void *profile_memory_take(struct profile_memory *m, size_t bytes)
{
	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (m->head->piece[m->head->num_pieces - 1].size - m->used < bytes && !grow(m, bytes))
		return NULL;
	void *at = (char *)(uintptr_t)m->head->piece[m->head->num_pieces - 1].address + m->used;
	m->used += bytes;
	return at;
}

void profile_memory_close(struct profile_memory *m)
{
	if (!m)
		return;
	const struct profile_head head = *m->head;
	for (uint32_t i = head.num_pieces; i--;)
		munmap((void *)(uintptr_t)head.piece[i].address, head.piece[i].size);
	free(m->path);
	free(m);
}
