/* What the fuzzers of traces and of event files share: the input as a file. */
#ifndef GALENA_TESTBENCH_FUZZ_STREAM_H
#define GALENA_TESTBENCH_FUZZ_STREAM_H
#include "abi_hash.h"
#include "traces/stream.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

/* Makes a file of the kind: with a first byte of 'F' the rest of the input is the file, but for the
 * contract's hash, which changes while a corpus does not; otherwise it is the records, and header and
 * frames are put around them. Returns its descriptor and its path (64 bytes); -1 when there is none. */
static inline int stream_input(const uint8_t *data, size_t size, const struct stream_kind *kind, char *path)
{
	static uint8_t file[1 << 18];
	struct stream_header h = { .version = kind->version, .abi_hash = GALENA_ABI_HASH };
	if (!size || size > sizeof(file) / 2)
		return -1;
	size_t bytes = size - 1;
	if (data[0] == 'F') {
		memcpy(file, data + 1, bytes);
		if (bytes >= sizeof(h))
			memcpy(file + offsetof(struct stream_header, abi_hash), &h.abi_hash, 8);
	} else {
		memcpy(h.magic, kind->magic, sizeof(h.magic));
		memcpy(file, &h, sizeof(h));
		size_t n = ZSTD_compress(file + sizeof(h), sizeof(file) - sizeof(h), data + 1, bytes, 1);
		if (ZSTD_isError(n))
			abort();
		bytes = sizeof(h) + n;
	}
	int fd = memfd_create("stream", 0);
	if (fd < 0 || write(fd, file, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static inline void stream_require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

#endif
