/* Blobs: the bytes that vxExportObjectsToMemory() makes, and vxImportObjectsFromMemory() reads.
 *
 * A header, then sections one behind the other, without gaps; integers have the least significant byte first, texts are their
 * length in 16 bits and their characters:
 *
 *   u32 magic, u32 version, u64 length of the blob, u64 checksum of what follows in the header;
 *   for each section: u64 length, u64 checksum of its bytes.
 *
 * Checksums are XXH3_64bits. The data of objects are as the device has them, which is least significant byte first, too. A
 * change of what is written changes IX_VERSION. */
#ifndef GALENA_RUNTIME_OPENVX_IX_FORMAT_H
#define GALENA_RUNTIME_OPENVX_IX_FORMAT_H
#include <VX/vx.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ix_section {
	IX_REFS,     /* the list of the export: a number of an object and a use for each */
	IX_STRUCTS,  /* types that the application has registered */
	IX_KERNELS,  /* of nodes, by name */
	IX_PROGRAMS, /* what the device runs for them */
	IX_OBJECTS,  /* numbered from 0, each behind those that it is made of */
	IX_GRAPHS,   /* what is in each graph */
	IX_SECTIONS
};
enum {
	IX_MAGIC = 0x58495647, /* "GVIX" */
	IX_VERSION = 1,
	/* where the header has what */
	IX_AT_VERSION = 4,
	IX_AT_LENGTH = 8,
	IX_AT_CHECKSUM = 16,
	IX_AT_SECTIONS = 24,
	IX_HEADER = IX_AT_SECTIONS + IX_SECTIONS * 16,
};
#define IX_NONE UINT32_MAX /* instead of a number */

/* ---- writing ---- */
struct ix_writer {
	vx_uint8 *bytes;
	size_t size, room;
	bool failed; /* no memory: what follows does nothing */
	size_t begins[IX_SECTIONS];
};
void ix_begin(struct ix_writer *);
void ix_section(struct ix_writer *, enum ix_section); /* what follows is in it; in their order */
void ix_put_u8(struct ix_writer *, vx_uint8);
void ix_put_u32(struct ix_writer *, vx_uint32);
void ix_put_u64(struct ix_writer *, vx_uint64);
void ix_put_bytes(struct ix_writer *, const void *, size_t);
void ix_put_text(struct ix_writer *, const char *);
void *ix_put_room(struct ix_writer *, size_t); /* room to be filled before anything else is put; NULL: no memory */
bool ix_finish(struct ix_writer *);            /* false: no memory. bytes are the caller's */

/* ---- reading ----
 * The first thing that is wrong is logged, with the place, and kept in status; after it everything reads as 0, NULL or "". */
struct ix_reader {
	struct _vx_context *context;
	const vx_uint8 *bytes;
	size_t at, end;
	enum ix_section section;
	struct {
		size_t begin, end;
	} sections[IX_SECTIONS];
	char where[96]; /* within the section */
	vx_status status;
};
/* Checks all but the contents of sections. */
vx_status ix_open(struct ix_reader *, struct _vx_context *, const vx_uint8 *bytes, size_t length);
void ix_enter(struct ix_reader *, enum ix_section);
vx_status ix_leave(struct ix_reader *); /* nothing is left over */
/* What is being read, for log entries. */
void ix_where(struct ix_reader *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Logs with the place; is the status. */
vx_status ix_refuse(struct ix_reader *, vx_status, const char *format, ...) __attribute__((format(printf, 3, 4)));
vx_uint8 ix_u8(struct ix_reader *);
vx_uint32 ix_u32(struct ix_reader *);
vx_uint64 ix_u64(struct ix_reader *);
const void *ix_bytes(struct ix_reader *, vx_uint64 size);
void ix_copy(struct ix_reader *, void *to, size_t size);
void ix_text(struct ix_reader *, char *text, size_t room); /* of fewer characters than there is room for, none of them 0 */
/* A number of things that follow, each of at least so many bytes: as many as there can be. */
vx_uint32 ix_count(struct ix_reader *, size_t least, const char *things);
vx_uint32 ix_below(struct ix_reader *, vx_uint32 count, const char *things); /* the number of one of so many */
#endif
