/* The bus trace: all that crossed the bus of every device, in order.
 *
 * A file is a stream (traces/stream.h) of records. A record is a kind byte, a device byte, then
 * fields. A call is a record of its kind when it begins, the memory accesses that the device made
 * during it with the pages that they need, and a RETURN record with its result. The last record of
 * a complete file is END. Of a program that died in a call, the last call has no RETURN.
 *
 *   OPEN      string device, string config, speed
 *   READ32 READ64        offset              RETURN: value, cycle
 *   WRITE32 WRITE64      offset, value       RETURN: 0, cycle
 *   WAIT      limit                          RETURN: enum bus_wait, cycle
 *   MEM_READ  address, length, ok
 *   MEM_WRITE address, length, ok, data
 *   PAGE      address, size, delta (page_delta.h): what the host has changed in a page since the last PAGE or
 *             MEM_WRITE of it, before the device first touches the page in a call, and where a read finds that a
 *             thread of the host has stored meanwhile. The first of a page has all of its bytes
 *   READS     hash of what the device has read in the call: that died in a call, the last callXH3_64 of each MEM_READ with ok, whose seed is the
 *             hash of those before it
 *   CLOSE     -
 *   END       number of records before it, how the program ended (program_end.h), hash of their bytes
 *             (8 bytes, little endian) without those of PAGE: a page has bytes of the application beside those that
 *             the device touches, which may differ from run to run
 */
#ifndef GALENA_TRACES_TRACE_FORMAT_H
#define GALENA_TRACES_TRACE_FORMAT_H
#include "traces/stream.h"
#include <stdint.h>

#define TRACE_MAGIC "GALTRACE"
enum { TRACE_VERSION = 3, TRACE_MAX_DEVICES = 16 };
extern const struct stream_kind trace_file_kind;

enum trace_kind {
#define TRACE_RECORD(name, id, text, integers, a, b, doc) TRACE_##name = (id),
#include "abi/trace_records.def"
#undef TRACE_RECORD
	TRACE_KINDS
};

/* A record, decoded. data is valid until the next one is read. */
struct trace_record {
	enum trace_kind kind;
	unsigned device;
	uint64_t a, b;      /* the two integers of the kind, in the order above */
	int ok;             /* MEM_*: the access went through */
	const uint8_t *data; /* MEM_WRITE, PAGE: b bytes */
	char name[32], config[1024]; /* OPEN */
};

const char *trace_kind_name(enum trace_kind);

#endif
