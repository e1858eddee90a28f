/* The format of blobs (ix_format.h). */
#include "runtime/openvx/ix_format.h"
#include "base/hash.h"
#include "runtime/openvx/object.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const section_names[IX_SECTIONS] = {
	[IX_REFS] = "references", [IX_STRUCTS] = "types",   [IX_KERNELS] = "kernels",
	[IX_PROGRAMS] = "programs", [IX_OBJECTS] = "objects", [IX_GRAPHS] = "graphs",
};

/* The host has the least significant byte first, too. */
static void store(vx_uint8 *to, vx_uint64 value, size_t size) { memcpy(to, &value, size); }

static vx_uint64 load(const vx_uint8 *from, size_t size)
{
	vx_uint64 value = 0;
	memcpy(&value, from, size);
	return value;
}

/* ---- writing ---- */
void *ix_put_room(struct ix_writer *w, size_t size)
{
	if (w->failed || size > PTRDIFF_MAX / 4 - w->size) {
		w->failed = true;
		return NULL;
	}
	if (w->size + size > w->room) {
		const size_t room = 2 * (w->size + size);
		vx_uint8 *grown = realloc(w->bytes, room);
		if (!grown) {
			w->failed = true;
			return NULL;
		}
		w->bytes = grown;
		w->room = room;
	}
	void *at = w->bytes + w->size;
	w->size += size;
	return at;
}

void ix_begin(struct ix_writer *w)
{
	*w = (struct ix_writer){0};
	ix_put_room(w, IX_HEADER);
}

void ix_section(struct ix_writer *w, enum ix_section section) { w->begins[section] = w->size; }

void ix_put_bytes(struct ix_writer *w, const void *bytes, size_t size)
{
	void *at = ix_put_room(w, size);
	if (at && size)
		memcpy(at, bytes, size);
}

void ix_put_u8(struct ix_writer *w, vx_uint8 value) { ix_put_bytes(w, &value, sizeof value); }
void ix_put_u32(struct ix_writer *w, vx_uint32 value) { ix_put_bytes(w, &value, sizeof value); }
void ix_put_u64(struct ix_writer *w, vx_uint64 value) { ix_put_bytes(w, &value, sizeof value); }

void ix_put_text(struct ix_writer *w, const char *text)
{
	const size_t length = strlen(text);
	ix_put_bytes(w, &length, 2);
	ix_put_bytes(w, text, length);
}

bool ix_finish(struct ix_writer *w)
{
	if (w->failed) {
		free(w->bytes);
		*w = (struct ix_writer){.failed = true};
		return false;
	}
	vx_uint8 *header = w->bytes;
	for (unsigned i = 0; i < IX_SECTIONS; i++) {
		const size_t end = i + 1 < IX_SECTIONS ? w->begins[i + 1] : w->size, length = end - w->begins[i];
		store(header + IX_AT_SECTIONS + i * 16, length, 8);
		store(header + IX_AT_SECTIONS + i * 16 + 8, hash64(w->bytes + w->begins[i], length), 8);
	}
	store(header, IX_MAGIC, 4);
	store(header + IX_AT_VERSION, IX_VERSION, 4);
	store(header + IX_AT_LENGTH, w->size, 8);
	store(header + IX_AT_CHECKSUM, hash64(header + IX_AT_SECTIONS, IX_HEADER - IX_AT_SECTIONS), 8);
	return true;
}

/* ---- reading: the header ---- */
static const char function[] = "vxImportObjectsFromMemory";

static vx_status check_header(struct _vx_context *c, const vx_uint8 *bytes, size_t length)
{
	if (length < IX_HEADER)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "%s: %zu bytes are less than the %d of a header: not an export, or cut off",
			    function, length, IX_HEADER);
	const vx_uint32 magic = (vx_uint32)load(bytes, 4), version = (vx_uint32)load(bytes + IX_AT_VERSION, 4);
	if (magic != IX_MAGIC)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "%s: byte 0: 0x%08x, where an export begins with 0x%08x: not an export",
			    function, magic, IX_MAGIC);
	if (version != IX_VERSION)
		return fail(c, VX_ERROR_NOT_COMPATIBLE, "%s: byte %d: an export of version %u, where %d is known: export it anew", function,
			    IX_AT_VERSION, version, IX_VERSION);
	const vx_uint64 said = load(bytes + IX_AT_LENGTH, 8);
	if (said != length)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "%s: byte %d: an export of %llu bytes, where %zu are given: cut off, or damaged",
			    function, IX_AT_LENGTH, (unsigned long long)said, length);
	const vx_uint64 sum = load(bytes + IX_AT_CHECKSUM, 8);
	const vx_uint64 is = hash64(bytes + IX_AT_SECTIONS, IX_HEADER - IX_AT_SECTIONS);
	if (sum != is)
		return fail(c, VX_ERROR_INVALID_PARAMETERS,
			    "%s: bytes %d to %d: the header is damaged: its checksum is %016llx, where %016llx was written", function,
			    IX_AT_CHECKSUM, IX_HEADER, (unsigned long long)is, (unsigned long long)sum);
	return VX_SUCCESS;
}

static vx_status check_sections(struct ix_reader *r, size_t length)
{
	size_t at = IX_HEADER;
	for (unsigned i = 0; i < IX_SECTIONS; i++) {
		const vx_uint8 *entry = r->bytes + IX_AT_SECTIONS + i * 16;
		const vx_uint64 bytes = load(entry, 8), sum = load(entry + 8, 8);
		if (bytes > length - at)
			return fail(r->context, VX_ERROR_INVALID_PARAMETERS, "%s: %s, byte %zu: %llu bytes, where %zu are left", function,
				    section_names[i], at, (unsigned long long)bytes, length - at);
		const vx_uint64 is = hash64(r->bytes + at, (size_t)bytes);
		if (is != sum)
			return fail(r->context, VX_ERROR_INVALID_PARAMETERS,
				    "%s: %s, bytes %zu to %zu, are damaged: their checksum is %016llx, where %016llx was written", function,
				    section_names[i], at, at + (size_t)bytes, (unsigned long long)is, (unsigned long long)sum);
		r->sections[i].begin = at;
		at += (size_t)bytes;
		r->sections[i].end = at;
	}
	FAIL_IF(at != length, r->context, VX_ERROR_INVALID_PARAMETERS, "%s: byte %zu: %zu bytes belong to nothing", function, at, length - at);
	return VX_SUCCESS;
}

vx_status ix_open(struct ix_reader *r, struct _vx_context *c, const vx_uint8 *bytes, size_t length)
{
	*r = (struct ix_reader){.context = c, .bytes = bytes};
	r->status = check_header(c, bytes, length);
	if (!r->status)
		r->status = check_sections(r, length);
	return r->status;
}

/* ---- reading: what is in sections ---- */
void ix_enter(struct ix_reader *r, enum ix_section section)
{
	r->section = section;
	r->at = r->sections[section].begin;
	r->end = r->sections[section].end;
	*r->where = 0;
}

vx_status ix_leave(struct ix_reader *r)
{
	*r->where = 0;
	if (!r->status && r->at != r->end)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%zu bytes are left over", r->end - r->at);
	return r->status;
}

void ix_where(struct ix_reader *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(r->where, sizeof r->where, format, args);
	va_end(args);
}

vx_status ix_refuse(struct ix_reader *r, vx_status status, const char *format, ...)
{
	char text[512];
	va_list args;
	if (r->status)
		return r->status;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	r->status = fail(r->context, status, "%s: %s%s%s, byte %zu: %s", function, section_names[r->section], *r->where ? ", " : "", r->where,
			 r->at, text);
	return r->status;
}

const void *ix_bytes(struct ix_reader *r, vx_uint64 size)
{
	if (r->status)
		return NULL;
	if (size > r->end - r->at) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%llu bytes, where %zu are left", (unsigned long long)size, r->end - r->at);
		return NULL;
	}
	const void *found = r->bytes + r->at;
	r->at += (size_t)size;
	return found;
}

static vx_uint64 get(struct ix_reader *r, size_t size)
{
	const vx_uint8 *found = ix_bytes(r, size);
	return found ? load(found, size) : 0;
}

vx_uint8 ix_u8(struct ix_reader *r) { return (vx_uint8)get(r, 1); }
vx_uint32 ix_u32(struct ix_reader *r) { return (vx_uint32)get(r, 4); }
vx_uint64 ix_u64(struct ix_reader *r) { return get(r, 8); }

void ix_copy(struct ix_reader *r, void *to, size_t size)
{
	const void *found = ix_bytes(r, size);
	if (found)
		memcpy(to, found, size);
	else
		memset(to, 0, size);
}

void ix_text(struct ix_reader *r, char *text, size_t room)
{
	const vx_uint32 length = (vx_uint32)get(r, 2);
	*text = 0;
	if (!r->status && length >= room) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a text of %u characters, where the most are %zu", length, room - 1);
		return;
	}
	const char *found = ix_bytes(r, length);
	if (!found)
		return;
	if (memchr(found, 0, length)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a text with a character that is 0");
		return;
	}
	memcpy(text, found, length);
	text[length] = 0;
}

vx_uint32 ix_count(struct ix_reader *r, size_t least, const char *things)
{
	const vx_uint32 count = ix_u32(r);
	if (!r->status && count > (r->end - r->at) / least)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%u %s of %zu bytes at least, where %zu bytes are left", count, things, least,
			  r->end - r->at);
	return r->status ? 0 : count;
}

vx_uint32 ix_below(struct ix_reader *r, vx_uint32 count, const char *things)
{
	const vx_uint32 number = ix_u32(r);
	if (!r->status && number >= count)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "number %u of %u %s", number, count, things);
	return r->status ? 0 : number;
}
