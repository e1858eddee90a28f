#include "traces/stream.h"
#include "traces/program_end.h"
#include "abi_hash.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

struct stream_reader {
	FILE *file;
	ZSTD_DCtx *zstd;
	XXH3_state_t *hash;
	uint64_t file_size;
	uint8_t *in, *out;
	size_t in_size, out_size;
	ZSTD_inBuffer ib;
	size_t out_pos, out_end; /* unread part of out */
	size_t frame_left;       /* last answer of the decompressor: 0 at the end of a frame */
	uint8_t pending[256];    /* bytes got, not yet in the hash */
	size_t pending_len;
};

const char *stream_magic(const char *path, char *text)
{
	FILE *f = fopen(path, "rbe");
	memset(text, 0, 9);
	if (f && fread(text, 1, 8, f) != 8)
		text[0] = 0;
	if (f)
		fclose(f);
	return text;
}

/* The message is the thread's, until its next one. */
static const char *message(const char *fmt, const char *path, const char *what)
{
	static _Thread_local char text[512];
	snprintf(text, sizeof text, fmt, path, what);
	return text;
}

/* A recorder has a lock on its file. A recorder that completes the file of a program that has died is given the time for it; one
 * whose program still runs is not. */
static void recorder_wait(int fd)
{
	enum { STEP_US = 5000, STEPS = 400 };
	for (int i = 0; i < STEPS; i++) {
		if (!flock(fd, LOCK_SH | LOCK_NB)) {
			flock(fd, LOCK_UN);
			return;
		}
		if (errno != EWOULDBLOCK)
			return;
		usleep(STEP_US);
	}
}

struct stream_reader *stream_reader_open(const char *path, const struct stream_kind *kind, const char **error)
{
	struct stream_reader *r = calloc(1, sizeof *r);
	struct stream_header h;
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
	if (r->file)
		recorder_wait(fileno(r->file));
	if (!r->file || fstat(fileno(r->file), &st)) {
		*error = message("trace: cannot read %s: %s", path, strerror(errno));
		goto err_close;
	}
	r->file_size = (uint64_t)st.st_size;
	if (fread(&h, sizeof h, 1, r->file) != 1 || memcmp(h.magic, kind->magic, sizeof h.magic)) {
		*error = message("trace: %s is not a Galena %s", path, kind->name);
		goto err_close;
	}
	if (h.version != kind->version) {
		*error = message("trace: %s has another format version; record the %s again with this build", path,
				 kind->name);
		goto err_close;
	}
	if (h.abi_hash != GALENA_ABI_HASH) {
		*error = message("trace: %s was recorded with another hardware contract (abi tables); record the %s "
				 "again, or use the build that recorded it", path, kind->name);
		goto err_close;
	}
	*error = NULL;
	r->ib.src = r->in;
	return r;
err_close:
	stream_reader_close(r);
	return NULL;
}

void stream_reader_close(struct stream_reader *r)
{
	if (!r)
		return;
	if (r->file)
		fclose(r->file);
	ZSTD_freeDCtx(r->zstd);
	XXH3_freeState(r->hash);
	free(r->in);
	free(r->out);
	free(r);
}

/* More of the contents into out. */
static int out_fill(struct stream_reader *r)
{
	while (r->out_pos == r->out_end) {
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
	}
	return 0;
}

static int bytes_get(struct stream_reader *r, void *dst, size_t len)
{
	uint8_t *p = dst;
	while (len) {
		if (out_fill(r))
			return -1;
		size_t n = r->out_end - r->out_pos < len ? r->out_end - r->out_pos : len;
		memcpy(p, r->out + r->out_pos, n);
		r->out_pos += n;
		p += n;
		len -= n;
	}
	return 0;
}

void stream_commit(struct stream_reader *r)
{
	XXH3_64bits_update(r->hash, r->pending, r->pending_len);
	r->pending_len = 0;
}

int stream_byte(struct stream_reader *r, uint8_t *b)
{
	if (r->pending_len == sizeof r->pending)
		stream_commit(r);
	if (r->out_pos == r->out_end && out_fill(r))
		return -1;
	*b = r->pending[r->pending_len++] = r->out[r->out_pos++];
	return 0;
}

int stream_integer(struct stream_reader *r, uint64_t *v)
{
	uint8_t b;
	*v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (stream_byte(r, &b))
			return -1;
		*v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return 0;
	}
	return -1;
}

int stream_string(struct stream_reader *r, char *out, size_t size)
{
	uint64_t n;
	if (stream_integer(r, &n) || n >= size || stream_get(r, out, n))
		return -1;
	out[n] = 0;
	return 0;
}

int stream_get(struct stream_reader *r, void *dst, size_t len)
{
	stream_commit(r);
	if (bytes_get(r, dst, len))
		return -1;
	XXH3_64bits_update(r->hash, dst, len);
	return 0;
}

int stream_get_beside(struct stream_reader *r, void *dst, size_t len)
{
	return bytes_get(r, dst, len);
}

void stream_beside(struct stream_reader *r) { r->pending_len = 0; }

int stream_end_get(struct stream_reader *r, uint64_t records, uint64_t *how, uint64_t *hash)
{
	uint64_t n;
	if (stream_integer(r, &n) || stream_integer(r, how))
		return -1;
	r->pending_len = 0; /* no part of the hash */
	return bytes_get(r, hash, sizeof *hash) || n != records || !program_end_text(*how) || *hash != stream_reader_hash(r) ? -1 : 0;
}

const char *stream_damaged(uint64_t records)
{
	static _Thread_local char text[128];
	snprintf(text, sizeof text, "trace: damaged, or cut off or still being recorded after record %llu: record it again",
		 (unsigned long long)records);
	return text;
}

uint64_t stream_reader_hash(const struct stream_reader *r) { return XXH3_64bits_digest(r->hash); }

double stream_progress(const struct stream_reader *r)
{
	long at = ftell(r->file);
	return r->file_size && at > 0 ? (double)at / (double)r->file_size : 0;
}
