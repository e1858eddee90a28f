/* It runs inside the application, and may write at any time on any thread: it must not move the
 * application's own allocations, so all that it needs comes from the heap of the library that it is
 * linked into (icd/heap.c), and nothing from stdio or from other libraries. */
#define XXH_INLINE_ALL
#define ZSTD_STATIC_LINKING_ONLY
#include "traces/stream.h"
#include "base/file.h"
#include "abi_hash.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { FRAME_BYTES = 1 << 20 };

struct stream_writer {
	int fd; /* -1: hash only */
	ZSTD_CCtx *zstd;
	XXH3_state_t *hash;
	size_t used, hashed; /* bytes of frame; up to hashed they are in the hash, or beside it */
	int error; /* first errno of a failed write */
	uint8_t *compressed;
	size_t compressed_size;
	uint8_t frame[FRAME_BYTES];
};

static void *heap_alloc(void *unused, size_t size)
{
	(void)unused;
	return malloc(size);
}

static void heap_free(void *unused, void *p)
{
	(void)unused;
	free(p);
}

/* Remembers the first error. */
static void file_write(struct stream_writer *w, const void *data, size_t len)
{
	if (!w->error && !file_write_all(w->fd, data, len, FILE_POSITION))
		w->error = errno;
}

static void frame_hash(struct stream_writer *w)
{
	XXH3_64bits_update(w->hash, w->frame + w->hashed, w->used - w->hashed);
	w->hashed = w->used;
}

static void frame_flush(struct stream_writer *w)
{
	if (!w->used)
		return;
	frame_hash(w);
	if (w->fd >= 0) {
		size_t n = ZSTD_compress2(w->zstd, w->compressed, w->compressed_size, w->frame, w->used);
		if (ZSTD_isError(n))
			w->error = w->error ? w->error : EIO;
		else
			file_write(w, w->compressed, n);
	}
	w->used = w->hashed = 0;
}

static void frame_put(struct stream_writer *w, const void *data, size_t len, bool beside)
{
	const uint8_t *p = data;
	while (len) {
		size_t n = FRAME_BYTES - w->used < len ? FRAME_BYTES - w->used : len;
		memcpy(w->frame + w->used, p, n);
		w->used += n;
		if (beside)
			w->hashed = w->used;
		p += n;
		len -= n;
		if (w->used == FRAME_BYTES)
			frame_flush(w);
	}
}

void stream_put(struct stream_writer *w, const void *data, size_t len) { frame_put(w, data, len, false); }

void stream_put_beside(struct stream_writer *w, const void *data, size_t len)
{
	frame_hash(w);
	frame_put(w, data, len, true);
}

uint8_t *stream_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)v | 0x80;
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

uint8_t *stream_text(uint8_t *p, const char *s, size_t size)
{
	size_t n = strnlen(s ? s : "", size - 1);
	p = stream_varint(p, n);
	return (uint8_t *)memcpy(p, s ? s : "", n) + n;
}

uint64_t stream_writer_hash(struct stream_writer *w)
{
	frame_flush(w);
	return XXH3_64bits_digest(w->hash);
}

static void writer_free(struct stream_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	ZSTD_freeCCtx(w->zstd);
	XXH3_freeState(w->hash);
	free(w->compressed);
	free(w);
}

struct stream_writer *stream_writer_open(const char *path, const struct stream_kind *kind, const char **error)
{
	static _Thread_local char text[512];
	struct stream_writer *w = calloc(1, sizeof *w);
	*error = "trace: out of memory";
	if (!w)
		return NULL;
	w->fd = -1;
	w->hash = XXH3_createState();
	w->zstd = ZSTD_createCCtx_advanced((ZSTD_customMem){ heap_alloc, heap_free, NULL });
	w->compressed_size = ZSTD_compressBound(FRAME_BYTES);
	w->compressed = malloc(w->compressed_size);
	if (!w->hash || !w->zstd || !w->compressed)
		goto err_free;
	XXH3_64bits_reset(w->hash);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, 1);
	if (path) {
		struct stream_header h = { .version = kind->version, .abi_hash = GALENA_ABI_HASH };
		memcpy(h.magic, kind->magic, sizeof h.magic);
		w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (w->fd >= 0)
			file_write(w, &h, sizeof h);
		if (w->fd < 0 || w->error) {
			snprintf(text, sizeof text, "trace: cannot write %s: %s", path, strerror(w->error ? w->error : errno));
			*error = text;
			goto err_free;
		}
	}
	*error = NULL;
	return w;
err_free:
	writer_free(w);
	return NULL;
}

int stream_writer_close(struct stream_writer *w)
{
	frame_flush(w);
	int error = w->error;
	writer_free(w);
	errno = error;
	return error ? -1 : 0;
}

int stream_writer_end(struct stream_writer *w, unsigned kind, uint64_t records, uint64_t how)
{
	uint64_t hash = stream_writer_hash(w);
	uint8_t bytes[32] = { (uint8_t)kind }, *p = stream_varint(stream_varint(bytes + 2, records), how);
	memcpy(p, &hash, sizeof hash);
	stream_put(w, bytes, (size_t)(p + sizeof hash - bytes));
	return stream_writer_close(w);
}
