/* Fuzzes the reader of event files: stream.h says what an input is. */
#define _GNU_SOURCE
#include "testbench/fuzz/fuzz.h"
#include "testbench/fuzz/stream.h"
#include "traces/event_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	const char *error = NULL;
	struct event_record record;
	int fd = stream_input(data, size, &event_file_kind, path), status = 0;
	if (fd < 0)
		return 0;
	struct event_reader *r = event_reader_open(path, &error);
	volatile size_t sum = 0;
	while (r && (status = event_reader_next(r, &record, &error)) == 1) {
		stream_require(record.device < EVENT_FILE_DEVICES, "a record of no device");
		if (record.opened)
			sum += strlen(record.name) + strlen(record.config);
		else
			stream_require(record.event.kind && record.event.kind < EVENT_KINDS, "an event of no kind");
	}
	stream_require((r && !status) || (error && *error && !strchr(error, '\n')), "refused without a message of one line");
	if (r) {
		stream_require(event_reader_progress(r) >= 0 && event_reader_progress(r) <= 1, "progress beyond the file");
		event_reader_close(r);
	}
	close(fd);
	return 0;
}
