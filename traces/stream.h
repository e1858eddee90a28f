/* What the files of this folder have in common: a header of 32 bytes that says what the file is and
 * which contract it belongs to, then zstd frames with checksums. Their contents, joined, are the
 * records; integers in them are LEB128. A complete file ends in a record that holds the number of
 * the records before it and the hash of their bytes. */
#ifndef GALENA_TRACES_STREAM_H
#define GALENA_TRACES_STREAM_H
#include <stddef.h>
#include <stdint.h>

struct stream_header {
	char magic[8];
	uint32_t version;
	uint32_t reserved;
	uint64_t abi_hash;
	uint64_t reserved2;
};
_Static_assert(sizeof(struct stream_header) == 32, "stream header");

/* A kind of file. */
struct stream_kind {
	const char *magic; /* 8 letters */
	uint32_t version;
	const char *name;  /* "bus trace", for messages */
};
/* The magic of a file, or "" when it cannot be read; text has room for 9. */
const char *stream_magic(const char *path, char *text);

/* ---- writing: one thread; at most one frame is held in memory ---- */
struct stream_writer;
/* path NULL: hash only. NULL with *error (one line, the thread's until its next error). */
struct stream_writer *stream_writer_open(const char *path, const struct stream_kind *, const char **error);
void stream_put(struct stream_writer *, const void *data, size_t len);
/* The same of bytes that do not count for the hash. */
void stream_put_beside(struct stream_writer *, const void *data, size_t len);
/* Hash of everything put so far. */
uint64_t stream_writer_hash(struct stream_writer *);
/* 0, or -1 with errno when the file could not be written in full. */
int stream_writer_close(struct stream_writer *);
/* The same behind the last record, which is of this kind: the number of records before it, how the program ended (program_end.h),
 * their hash. */
int stream_writer_end(struct stream_writer *, unsigned kind, uint64_t records, uint64_t how);
/* An integer; returns where the next one goes. At most 10 bytes. */
uint8_t *stream_varint(uint8_t *p, uint64_t v);
/* The same for a text with its length in front, of which at most size - 1 bytes count; NULL is an empty one. */
uint8_t *stream_text(uint8_t *p, const char *, size_t size);

/* ---- reading: everything is checked, memory is bounded ---- */
struct stream_reader;
struct stream_reader *stream_reader_open(const char *path, const struct stream_kind *, const char **error);
/* 0; -1 when the file is damaged or has ended. What is got counts for the hash once it is
 * committed, so that the last record can be told from those before it. get: any length, counted at
 * once with what is pending. */
int stream_byte(struct stream_reader *, uint8_t *);
int stream_integer(struct stream_reader *, uint64_t *);
int stream_string(struct stream_reader *, char *out, size_t size);
int stream_get(struct stream_reader *, void *dst, size_t len);
/* Bytes that were put beside the hash. */
int stream_get_beside(struct stream_reader *, void *dst, size_t len);
/* What is pending does not count for the hash. */
void stream_beside(struct stream_reader *);
/* The rest of the last record. -1 also when the number or the hash is not that of the records before it. */
int stream_end_get(struct stream_reader *, uint64_t records, uint64_t *how, uint64_t *hash);
/* What to say of a file that is damaged or ends early: the thread's, until its next message. */
const char *stream_damaged(uint64_t records);
void stream_commit(struct stream_reader *);
uint64_t stream_reader_hash(const struct stream_reader *); /* of what is committed */
/* How much of the file has been read, 0 to 1. */
double stream_progress(const struct stream_reader *);
void stream_reader_close(struct stream_reader *);

#endif
