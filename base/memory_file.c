#define _GNU_SOURCE /* memfd_create, O_TMPFILE */
#include "base/memory_file.h"
#include "base/file.h"
#include "base/limit.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file of this directory that never had a name, or has none any more. */
static int unnamed_file(const char *directory)
{
	char path[4096];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof path, "%s/galena-XXXXXX", directory) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC); /* not every file system has files without a name */
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int anonymous_file(const char *name)
{
	const char *const directories[] = { getenv("TMPDIR"), "/tmp", "/dev/shm" };
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd >= 0 || errno == EMFILE || errno == ENFILE)
		return fd;
	const int error = errno;
	for (size_t i = 0; fd < 0 && i < sizeof directories / sizeof *directories; i++)
		if (directories[i] && *directories[i])
			fd = unnamed_file(directories[i]);
	if (fd < 0)
		errno = error;
	return fd;
}

int descriptor_above(int low, int least)
{
	if (low < 0 || low >= least)
		return low;
	int fd = fcntl(low, F_DUPFD_CLOEXEC, least);
	const int error = errno == EINVAL ? EMFILE : errno; /* the limit is no higher than least */
	close(low);
	errno = error;
	return fd;
}

int memory_file_open(const char *name, int least) { return descriptor_above(anonymous_file(name), least); }

int memory_file_with(const char *name, int least, const void *data, size_t size)
{
	int fd = memory_file_open(name, least);
	if (fd < 0 || file_write_all(fd, data, size, 0))
		return fd;
	file_close(fd);
	return -1;
}

int memory_file_sized(const char *name, unsigned flags, size_t size)
{
	struct limit_file_size limit;
	int fd = memfd_create(name, MFD_CLOEXEC | flags);
	limit_file_size_hold(&limit);
	if (fd >= 0 && ftruncate(fd, (off_t)size)) {
		file_close(fd);
		fd = -1;
	}
	limit_file_size_let(&limit);
	return fd;
}
