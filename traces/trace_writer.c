#include "traces/trace_writer.h"
#include "abi_hash.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { FRAME_BYTES = 1 << 20, MAX_HEAD = 128 };

struct trace_writer {
	FILE *file; /* NULL: hash only */
	ZSTD_CCtx *zstd;
	XXH3_state_t *hash;
	uint64_t records;
	size_t used;
	int error; /* first errno of a failed write */
	uint8_t *compressed;
	size_t compressed_size;
	uint8_t frame[FRAME_BYTES];
};

const char *trace_kind_name(enum trace_kind kind)
{
	static const char *const names[TRACE_KINDS] = {
#define TRACE_RECORD(name, id, text, integers, a, b, doc) [id] = text,
#include "abi/trace_records.def"
#undef TRACE_RECORD
	};
	return kind < TRACE_KINDS && names[kind] ? names[kind] : "?";
}

static void frame_flush(struct trace_writer *w)
{
	if (!w->file || !w->used)
		return;
	size_t n = ZSTD_compress2(w->zstd, w->compressed, w->compressed_size, w->frame, w->used);
	if (!w->error && (ZSTD_isError(n) || fwrite(w->compressed, 1, n, w->file) != n))
		w->error = errno ? errno : EIO;
	w->used = 0;
}

static void bytes_put(struct trace_writer *w, const void *data, size_t len)
{
	const uint8_t *p = data;
	XXH3_64bits_update(w->hash, data, len);
	if (!w->file)
		return;
	while (len) {
		size_t n = FRAME_BYTES - w->used < len ? FRAME_BYTES - w->used : len;
		memcpy(w->frame + w->used, p, n);
		w->used += n;
		p += n;
		len -= n;
		if (w->used == FRAME_BYTES)
			frame_flush(w);
	}
}

static uint8_t *varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)v | 0x80;
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static int kind_integers(enum trace_kind kind)
{
	static const uint8_t integers[TRACE_KINDS] = {
#define TRACE_RECORD(name, id, text, count, a, b, doc) [id] = (count),
#include "abi/trace_records.def"
#undef TRACE_RECORD
	};
	return integers[kind];
}

void trace_writer_record(struct trace_writer *w, enum trace_kind kind, unsigned device, uint64_t a, uint64_t b)
{
	uint8_t head[MAX_HEAD], *p = head;
	int n = kind_integers(kind);
	*p++ = (uint8_t)kind;
	*p++ = (uint8_t)device;
	if (n > 0)
		p = varint_put(p, a);
	if (n > 1)
		p = varint_put(p, b);
	w->records++;
	bytes_put(w, head, (size_t)(p - head));
}

void trace_writer_memory(struct trace_writer *w, enum trace_kind kind, unsigned device, uint64_t address,
			 uint64_t length, int ok, const void *data)
{
	uint8_t head[MAX_HEAD], *p = head;
	*p++ = (uint8_t)kind;
	*p++ = (uint8_t)device;
	p = varint_put(p, address);
	p = varint_put(p, length);
	*p++ = (uint8_t)ok;
	w->records++;
	bytes_put(w, head, (size_t)(p - head));
	if (ok || kind == TRACE_MEM_WRITE)
		bytes_put(w, data, length);
}

static uint8_t *string_put(uint8_t *p, const char *s, size_t size)
{
	size_t n = strnlen(s, size - 1);
	p = varint_put(p, n);
	memcpy(p, s, n);
	return p + n;
}

void trace_writer_device(struct trace_writer *w, unsigned device, const char *name, const char *config,
			 unsigned speed)
{
	uint8_t head[MAX_HEAD + 32 + 1024], *p = head;
	*p++ = TRACE_OPEN;
	*p++ = (uint8_t)device;
	p = string_put(p, name, 32);
	p = string_put(p, config, 1024);
	p = varint_put(p, speed);
	w->records++;
	bytes_put(w, head, (size_t)(p - head));
}

uint64_t trace_writer_hash(const struct trace_writer *w) { return XXH3_64bits_digest(w->hash); }

static void writer_free(struct trace_writer *w)
{
	if (w->file)
		fclose(w->file);
	ZSTD_freeCCtx(w->zstd);
	XXH3_freeState(w->hash);
	free(w->compressed);
	free(w);
}

struct trace_writer *trace_writer_open(const char *path, const char **error)
{
	struct trace_writer *w = calloc(1, sizeof *w);
	*error = "trace: out of memory";
	if (!w)
		return NULL;
	w->hash = XXH3_createState();
	w->zstd = ZSTD_createCCtx();
	w->compressed_size = ZSTD_compressBound(FRAME_BYTES);
	w->compressed = malloc(w->compressed_size);
	if (!w->hash || !w->zstd || !w->compressed)
		goto err_free;
	XXH3_64bits_reset(w->hash);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, 1);
	if (path) {
		struct trace_header h = { .version = TRACE_VERSION, .abi_hash = GALENA_ABI_HASH };
		memcpy(h.magic, TRACE_MAGIC, sizeof h.magic);
		w->file = fopen(path, "wbe");
		if (!w->file || fwrite(&h, sizeof h, 1, w->file) != 1) {
			static _Thread_local char text[512];
			snprintf(text, sizeof text, "trace: cannot write %s: %s", path, strerror(errno));
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

int trace_writer_close(struct trace_writer *w)
{
	uint64_t hash = trace_writer_hash(w);
	uint64_t records = w->records;
	uint8_t head[MAX_HEAD], *p = head;
	*p++ = TRACE_END;
	*p++ = 0;
	p = varint_put(p, records);
	memcpy(p, &hash, 8);
	p += 8;
	bytes_put(w, head, (size_t)(p - head));
	frame_flush(w);
	if (w->file && fflush(w->file) && !w->error)
		w->error = errno;
	int error = w->error;
	writer_free(w);
	errno = error;
	return error ? -1 : 0;
}
