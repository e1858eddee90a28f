/* Fuzzes the reader of bus traces. An input is the records, as they are before compression, or a
 * whole file behind a first byte of 'F'; headers and frames are put around the former here. */
#define _GNU_SOURCE
#include "abi_hash.h"
#include "testbench/fuzz/fuzz.h"
#include "traces/trace_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

static size_t pack(const uint8_t *data, size_t size, uint8_t *out, size_t room)
{
	struct trace_header h = { .version = TRACE_VERSION, .abi_hash = GALENA_ABI_HASH };
	memcpy(h.magic, TRACE_MAGIC, sizeof(h.magic));
	memcpy(out, &h, sizeof(h));
	size_t n = ZSTD_compress(out + sizeof(h), room - sizeof(h), data, size, 1);
	return ZSTD_isError(n) ? 0 : sizeof(h) + n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t file[1 << 18];
	char path[64];
	const char *error = NULL;
	struct trace_record record;
	if (!size || size > sizeof(file) / 2)
		return 0;
	size_t bytes = size - 1;
	if (data[0] == 'F')
		memcpy(file, data + 1, bytes);
	else
		bytes = pack(data + 1, bytes, file, sizeof(file));
	if (data[0] == 'F' && bytes >= sizeof(struct trace_header)) { /* the contract's hash changes; a corpus does not */
		uint64_t hash = GALENA_ABI_HASH;
		memcpy(file + offsetof(struct trace_header, abi_hash), &hash, 8);
	}
	int fd = memfd_create("trace", 0), status = 0;
	if (fd < 0 || write(fd, file, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct trace_reader *r = trace_reader_open(path, &error);
	uint64_t sum = 0;
	while (r && (status = trace_reader_next(r, &record, &error)) == 1) {
		if (record.kind >= TRACE_KINDS || record.device >= TRACE_MAX_DEVICES || !trace_kind_name(record.kind)) {
			fprintf(stderr, "fuzz: a record of kind %d of device %u\n", record.kind, record.device);
			abort();
		}
		if (record.kind == TRACE_MEM_WRITE || (record.kind == TRACE_MEM_READ && record.ok))
			for (uint64_t i = 0; i < record.b; i++)
				sum += record.data[i];
		if (record.kind == TRACE_OPEN)
			sum += strlen(record.name) + strlen(record.config);
	}
	if ((!r || status < 0) && (!error || !*error || strchr(error, '\n') == error)) {
		fprintf(stderr, "fuzz: refused without a message\n");
		abort();
	}
	if (r) {
		sum += trace_reader_position(r);
		if (trace_reader_progress(r) < 0)
			abort();
		trace_reader_close(r);
	}
	close(fd);
	return sum == 0x5eed ? 0 : 0;
}
