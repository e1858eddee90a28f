#define _GNU_SOURCE
#include "base/file.h"
#include "base/limit.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_write_all(int fd, const void *data, size_t size, off_t at)
{
	struct limit_file_size limit;
	size_t done = 0;
	limit_file_size_hold(&limit);
	while (done < size) {
		const char *from = (const char *)data + done;
		ssize_t n = at < 0 ? write(fd, from, size - done) : pwrite(fd, from, size - done, at + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ENOSPC;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	limit_file_size_let(&limit);
	return done == size;
}

ssize_t file_read_all(int fd, void *data, size_t size, off_t at)
{
	size_t done = 0;
	while (done < size) {
		char *to = (char *)data + done;
		ssize_t n = at < 0 ? read(fd, to, size - done) : pread(fd, to, size - done, at + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

void *file_load(int fd, size_t *size, off_t at)
{
	enum { FIRST = 65536 };
	struct stat st;
	size_t room = !fstat(fd, &st) && S_ISREG(st.st_mode) ? (size_t)st.st_size + 1 : FIRST; /* the byte more finds the end */
	char *data = NULL;
	for (*size = 0;; room *= 2) {
		char *more = realloc(data, room);
		ssize_t n = more ? file_read_all(fd, more + *size, room - *size, at < 0 ? at : at + (off_t)*size) : -1;
		data = more ? more : data;
		if (n < 0)
			break;
		*size += (size_t)n;
		if (*size < room) {
			data[*size] = 0;
			return data;
		}
	}
	free(data);
	return NULL;
}

void file_close(int fd)
{
	const int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
}

void *file_load_path(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	*size = 0;
	if (fd < 0)
		return NULL;
	void *data = file_load(fd, size, FILE_POSITION);
	file_close(fd);
	return data;
}

size_t file_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? file_read_all(fd, text, size - 1, FILE_POSITION) : -1;
	file_close(fd);
	n = n < 0 ? 0 : n;
	text[n] = 0;
	return (size_t)n;
}

bool file_replace(const char *path, mode_t mode, const struct iovec *parts, int count)
{
	enum { NAMES = 1000 }; /* those of threads, and what processes of the same number left */
	char aside[PATH_MAX];
	int fd = -1;
	for (int i = 0; fd < 0 && i < NAMES; i++) {
		if (snprintf(aside, sizeof aside, "%s.%d-%d", path, (int)getpid(), i) >= (int)sizeof aside) {
			errno = ENAMETOOLONG;
			return false;
		}
		fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			return false;
	}
	if (fd < 0)
		return false;
	bool good = true;
	for (int i = 0; good && i < count; i++)
		good = file_write_all(fd, parts[i].iov_base, parts[i].iov_len, FILE_POSITION);
	if (!good)
		file_close(fd);
	else if (!close(fd) && !rename(aside, path))
		return true;
	const int error = errno;
	unlink(aside);
	errno = error;
	return false;
}

bool directory_make(const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	const size_t length = strlen(path);
	if (length >= sizeof part) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(part, path, length + 1);
	for (char *p = part + 1; p < part + length; p++)
		if (*p == '/') {
			*p = 0;
			const bool made = !mkdir(part, 0777) || errno == EEXIST;
			*p = '/';
			if (!made)
				return false;
		}
	if (!mkdir(path, 0777))
		return true;
	if (errno == EEXIST && !stat(path, &st) && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	return errno == EEXIST;
}
