/* Fuzzes the reader of bus traces: stream.h says what an input is. */
#define _GNU_SOURCE
#include "testbench/fuzz/fuzz.h"
#include "testbench/fuzz/stream.h"
#include "traces/trace_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	const char *error = NULL;
	struct trace_record record;
	int fd = stream_input(data, size, &trace_file_kind, path), status = 0;
	if (fd < 0)
		return 0;
	struct trace_reader *r = trace_reader_open(path, &error);
	volatile uint64_t sum = 0; /* so that all bytes are read */
	while (r && (status = trace_reader_next(r, &record, &error)) == 1) {
		stream_require(record.kind < TRACE_KINDS && record.device < TRACE_MAX_DEVICES && trace_kind_name(record.kind),
			       "a record of no kind, or of no device");
		if (record.kind == TRACE_MEM_WRITE || record.kind == TRACE_PAGE)
			for (uint64_t i = 0; i < record.b; i++)
				sum += record.data[i];
		if (record.kind == TRACE_OPEN)
			sum += strlen(record.name) + strlen(record.config);
	}
	stream_require((r && !status) || (error && *error && !strchr(error, '\n')), "refused without a message of one line");
	if (r) {
		stream_require(trace_reader_progress(r) >= 0 && trace_reader_progress(r) <= 1, "progress beyond the file");
		trace_reader_close(r);
	}
	close(fd);
	return 0;
}
