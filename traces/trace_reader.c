#include "traces/trace_reader.h"
#include "abi_hash.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zstd.h>

enum { MAX_DATA = 1 << 30 };

struct trace_reader {
	FILE *file;
	ZSTD_DCtx *zstd;
	XXH3_state_t *hash;
	uint64_t records, file_size, end_hash;
	bool ended;
	uint8_t *in, *out;
	size_t in_size, out_size;
	ZSTD_inBuffer ib;
	size_t out_pos, out_end; /* unread part of out */
	size_t frame_left;       /* last answer of the decompressor: 0 at the end of a frame */
	uint8_t *data;
	size_t data_size;
	uint8_t pending[64]; /* bytes of the record being read, not yet in the hash */
	size_t pending_len;
};

/* The message is the thread's, until its next one. */
static const char *message(const char *fmt, const char *path, const char *why)
{
	static _Thread_local char text[512];
	snprintf(text, sizeof text, fmt, path, why);
	return text;
}

struct trace_reader *trace_reader_open(const char *path, const char **error)
{
	struct trace_reader *r = calloc(1, sizeof *r);
	struct trace_header h;
	struct stat st;
	*error = "trace: out of memory";
	if (!r)
		return NULL;
	r->in_size = ZSTD_DStreamInSize();
	r->out_size = ZSTD_DStreamOutSize();
	r->in = malloc(r->in_size);
	r->out = malloc(r->out_size);
	r->zstd = ZSTD_createDCtx();
	r->hash = XXH3_createState();
	if (!r->in || !r->out || !r->zstd || !r->hash)
		goto err_close;
	XXH3_64bits_reset(r->hash);
	r->file = fopen(path, "rbe");
	if (!r->file || fstat(fileno(r->file), &st)) {
		*error = message("trace: cannot read %s: %s", path, strerror(errno));
		goto err_close;
	}
	r->file_size = (uint64_t)st.st_size;
	if (fread(&h, sizeof h, 1, r->file) != 1 || memcmp(h.magic, TRACE_MAGIC, sizeof h.magic)) {
		*error = message("trace: %s is not a Galena bus trace%s", path, "");
		goto err_close;
	}
	if (h.version != TRACE_VERSION) {
		*error = message("trace: %s has another format version%s; record it again with this build", path, "");
		goto err_close;
	}
	if (h.abi_hash != GALENA_ABI_HASH) {
		*error = message("trace: %s was recorded with another hardware contract (abi tables)%s; record it "
				 "again, or replay it with the build that recorded it", path, "");
		goto err_close;
	}
	*error = NULL;
	r->ib.src = r->in;
	return r;
err_close:
	trace_reader_close(r);
	return NULL;
}

void trace_reader_close(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->file)
		fclose(r->file);
	ZSTD_freeDCtx(r->zstd);
	XXH3_freeState(r->hash);
	free(r->in);
	free(r->out);
	free(r->data);
	free(r);
}

/* Returns 0, or -1 when the file is damaged or has ended. */
static int bytes_get(struct trace_reader *r, void *dst, size_t len)
{
	uint8_t *p = dst;
	while (len) {
		if (r->out_pos == r->out_end) {
			ZSTD_outBuffer ob = { r->out, r->out_size, 0 };
			if (r->ib.pos == r->ib.size) {
				r->ib.size = fread(r->in, 1, r->in_size, r->file);
				r->ib.pos = 0;
				if (!r->ib.size && !r->frame_left)
					return -1;
			}
			size_t before = r->ib.pos;
			r->frame_left = ZSTD_decompressStream(r->zstd, &ob, &r->ib);
			if (ZSTD_isError(r->frame_left) || (!ob.pos && r->ib.pos == before))
				return -1;
			r->out_pos = 0;
			r->out_end = ob.pos;
			continue;
		}
		size_t n = r->out_end - r->out_pos < len ? r->out_end - r->out_pos : len;
		memcpy(p, r->out + r->out_pos, n);
		r->out_pos += n;
		p += n;
		len -= n;
	}
	return 0;
}

static int byte_get(struct trace_reader *r, uint8_t *b)
{
	if (r->pending_len == sizeof r->pending || bytes_get(r, b, 1))
		return -1;
	r->pending[r->pending_len++] = *b;
	return 0;
}

static int varint_get(struct trace_reader *r, uint64_t *v)
{
	uint8_t b;
	*v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (byte_get(r, &b))
			return -1;
		*v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return 0;
	}
	return -1;
}

static void pending_hash(struct trace_reader *r)
{
	XXH3_64bits_update(r->hash, r->pending, r->pending_len);
	r->pending_len = 0;
}

static int string_get(struct trace_reader *r, char *out, size_t size)
{
	uint64_t n;
	pending_hash(r);
	if (varint_get(r, &n) || n >= size)
		return -1;
	for (uint64_t i = 0; i < n; i++)
		if (byte_get(r, (uint8_t *)out + i))
			return -1;
	out[n] = 0;
	return 0;
}

static int data_get(struct trace_reader *r, struct trace_record *rec)
{
	if (rec->b > MAX_DATA)
		return -1;
	if (rec->b > r->data_size) {
		uint8_t *p = realloc(r->data, rec->b);
		if (!p)
			return -1;
		r->data = p;
		r->data_size = rec->b;
	}
	pending_hash(r);
	if (bytes_get(r, r->data, rec->b))
		return -1;
	XXH3_64bits_update(r->hash, r->data, rec->b);
	rec->data = r->data;
	return 0;
}

static int fields_get(struct trace_reader *r, struct trace_record *rec)
{
	uint8_t ok;
	switch (rec->kind) {
	case TRACE_OPEN:
		return string_get(r, rec->name, sizeof(rec->name)) || string_get(r, rec->config, sizeof(rec->config)) || varint_get(r, &rec->a) ? -1 : 0;
	case TRACE_READ32:
	case TRACE_READ64:
	case TRACE_WAIT:
		return varint_get(r, &rec->a);
	case TRACE_WRITE32:
	case TRACE_WRITE64:
	case TRACE_RETURN:
		return varint_get(r, &rec->a) || varint_get(r, &rec->b) ? -1 : 0;
	case TRACE_MEM_READ:
	case TRACE_MEM_WRITE:
		if (varint_get(r, &rec->a) || varint_get(r, &rec->b) || byte_get(r, &ok) || ok > 1)
			return -1;
		rec->ok = ok;
		return ok || rec->kind == TRACE_MEM_WRITE ? data_get(r, rec) : 0;
	case TRACE_CLOSE:
		return 0;
	default:
		return -1;
	}
}

static int damaged(struct trace_reader *r, const char **error)
{
	static _Thread_local char text[128];
	snprintf(text, sizeof text, "trace: damaged or cut off after record %llu: record it again",
		 (unsigned long long)r->records);
	*error = text;
	return -1;
}

int trace_reader_next(struct trace_reader *r, struct trace_record *rec, const char **error)
{
	uint8_t kind, device;
	if (r->ended)
		return 0;
	memset(rec, 0, sizeof *rec);
	r->pending_len = 0;
	if (byte_get(r, &kind) || byte_get(r, &device) || kind == 0 || kind >= TRACE_KINDS ||
	    device >= TRACE_MAX_DEVICES)
		return damaged(r, error);
	rec->kind = kind;
	rec->device = device;
	if (kind == TRACE_END) {
		if (varint_get(r, &rec->a) || bytes_get(r, &r->end_hash, 8) || rec->a != r->records ||
		    r->end_hash != XXH3_64bits_digest(r->hash))
			return damaged(r, error);
		r->ended = true;
		return 0;
	}
	if (fields_get(r, rec))
		return damaged(r, error);
	pending_hash(r);
	r->records++;
	return 1;
}

uint64_t trace_reader_position(const struct trace_reader *r) { return r->records; }
uint64_t trace_reader_hash(const struct trace_reader *r) { return r->end_hash; }

double trace_reader_progress(const struct trace_reader *r)
{
	long at = ftell(r->file);
	return r->file_size && at > 0 ? (double)at / (double)r->file_size : 0;
}
