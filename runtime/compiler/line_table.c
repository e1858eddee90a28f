/* DWARF 5, 6.2: a unit is a header with directories and files, then a program that makes the rows of the table: address, file,
 * line, in sequences of ascending addresses. The rows are never stored: the program runs until the address is passed. */
#include "runtime/compiler/line_table.h"
#include <string.h>

enum form { FORM_DATA2 = 0x05, FORM_DATA4 = 0x06, FORM_DATA8 = 0x07, FORM_STRING = 0x08, FORM_BLOCK = 0x09, FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e, FORM_UDATA = 0x0f, FORM_DATA16 = 0x1e, FORM_LINE_STRP = 0x1f };
enum { CONTENT_PATH = 1, VERSION = 5, FORMATS_MAX = 8 };
enum standard { OP_EXTENDED, OP_COPY, OP_ADVANCE_PC, OP_ADVANCE_LINE, OP_SET_FILE, OP_SET_COLUMN, OP_NEGATE_STMT, OP_BASIC_BLOCK,
	OP_CONST_ADD_PC, OP_FIXED_ADVANCE_PC, OP_PROLOGUE_END, OP_EPILOGUE_BEGIN, OP_SET_ISA };
enum extended { EXT_END_SEQUENCE = 1, EXT_SET_ADDRESS = 2 };

/* Reading behind the end gives 0, and says so once. */
struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static uint64_t left(const struct cursor *c) { return (uint64_t)(c->end - c->at); }

static void skip(struct cursor *c, uint64_t n)
{
	if (n > left(c)) {
		c->bad = true;
		c->at = c->end;
		return;
	}
	c->at += n;
}

static uint64_t fixed(struct cursor *c, unsigned bytes)
{
	uint64_t v = 0;
	const uint8_t *at = c->at;
	skip(c, bytes);
	for (unsigned i = 0; i < bytes && !c->bad; i++)
		v |= (uint64_t)at[i] << 8 * i;
	return v;
}

static uint64_t leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = fixed(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		if (byte & 0x80 && !c->bad)
			continue;
		if (is_signed && byte & 0x40 && shift + 7 < 64)
			v |= ~0ull << (shift + 7);
		return v;
	}
}

struct unit {
	struct cursor program;
	struct cursor files; /* entries, of which file 0 is the first */
	uint64_t num_files;
	struct { uint64_t content, form; } formats[FORMATS_MAX];
	unsigned num_formats;
	unsigned offset_size; /* 4, or 8: the 64-bit format */
	uint8_t min_length, line_range, opcode_base;
	int8_t line_base;
	uint8_t operands[256]; /* of the standard opcodes */
	struct cursor strings;
};

/* A value of an entry; *text is set for a path that can be read. */
static void value(struct cursor *c, const struct unit *u, uint64_t form, const char **text)
{
	const char *here = (const char *)c->at;
	uint64_t at;
	switch (form) {
	case FORM_STRING: {
		const uint8_t *zero = memchr(c->at, 0, left(c));
		*text = zero ? here : NULL;
		skip(c, zero ? (uint64_t)(zero - c->at) + 1 : UINT64_MAX);
		break;
	}
	case FORM_LINE_STRP:
		at = fixed(c, u->offset_size);
		if (at < left(&u->strings) && memchr(u->strings.at + at, 0, left(&u->strings) - at))
			*text = (const char *)u->strings.at + at;
		break;
	case FORM_STRP: fixed(c, u->offset_size); break;
	case FORM_DATA1: fixed(c, 1); break;
	case FORM_DATA2: fixed(c, 2); break;
	case FORM_DATA4: fixed(c, 4); break;
	case FORM_DATA8: fixed(c, 8); break;
	case FORM_DATA16: skip(c, 16); break;
	case FORM_UDATA: leb(c, false); break;
	case FORM_BLOCK: skip(c, leb(c, false)); break;
	default: c->bad = true;
	}
}

static const char *entry(struct cursor *c, const struct unit *u)
{
	const char *path = NULL;
	for (unsigned i = 0; i < u->num_formats && !c->bad; i++) {
		const char *text = NULL;
		value(c, u, u->formats[i].form, &text);
		if (u->formats[i].content == CONTENT_PATH)
			path = text;
	}
	return path;
}

/* The formats of a table, then how many entries it has. An entry takes a byte at least, so that a count cannot hold anybody up. */
static uint64_t table_head(struct cursor *c, struct unit *u)
{
	u->num_formats = (unsigned)fixed(c, 1);
	if (u->num_formats > FORMATS_MAX) {
		c->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < u->num_formats; i++) {
		u->formats[i].content = leb(c, false);
		u->formats[i].form = leb(c, false);
	}
	uint64_t count = leb(c, false);
	c->bad |= count && (!u->num_formats || count > left(c));
	return c->bad ? 0 : count;
}

/* Reads a header; c is the unit behind its length. False: not one that can be read. */
static bool header(struct cursor c, struct unit *u)
{
	if (fixed(&c, 2) != VERSION || fixed(&c, 1) != 8 || fixed(&c, 1) != 0)
		return false;
	uint64_t length = fixed(&c, u->offset_size);
	u->program = c;
	skip(&u->program, length);
	u->min_length = (uint8_t)fixed(&c, 1);
	skip(&c, 2); /* operations of an instruction, is_stmt */
	u->line_base = (int8_t)fixed(&c, 1);
	u->line_range = (uint8_t)fixed(&c, 1);
	u->opcode_base = (uint8_t)fixed(&c, 1);
	for (unsigned i = 1; i < u->opcode_base; i++)
		u->operands[i] = (uint8_t)fixed(&c, 1);
	for (uint64_t n = table_head(&c, u); n && !c.bad; n--) /* directories */
		entry(&c, u);
	u->num_files = table_head(&c, u);
	u->files = c;
	return !c.bad && !u->program.bad && u->line_range && u->opcode_base;
}

static const char *file_name(const struct unit *u, uint64_t number)
{
	struct cursor c = u->files;
	if (number >= u->num_files)
		return NULL;
	for (uint64_t i = 0; i < number && !c.bad; i++)
		entry(&c, u);
	const char *name = c.bad ? NULL : entry(&c, u);
	return c.bad ? NULL : name;
}

struct row {
	uint64_t address, file;
	uint32_t line;
};

/* A row of a sequence, or its end: is the address in the range of the row before it? Keeps the last that has a line. */
static bool row_ends(const struct row *next, bool *open, struct row *before, struct row *known, uint64_t address)
{
	bool found = *open && before->address <= address && address < next->address;
	if (found)
		return true;
	*open = true;
	*before = *next;
	if (next->line)
		*known = *next;
	return false;
}

/* Runs the unit's program; true with the row. */
static bool run(struct unit *u, uint64_t address, struct row *out)
{
	struct cursor c = u->program;
	const struct row first = { .file = 1, .line = 1 };
	struct row r = first, before = first, known = { 0 };
	bool open = false;
	while (left(&c) && !c.bad) {
		unsigned op = (unsigned)fixed(&c, 1);
		bool row = false, ends = false;
		if (op >= u->opcode_base) {
			op -= u->opcode_base;
			r.address += (uint64_t)(op / u->line_range) * u->min_length;
			r.line += (uint32_t)(u->line_base + (int)(op % u->line_range));
			row = true;
		} else if (op == OP_EXTENDED) {
			struct cursor all = c;
			uint64_t length = leb(&c, false);
			all = c;
			skip(&c, length);
			if (!length || c.bad)
				return false;
			switch (fixed(&all, 1)) {
			case EXT_END_SEQUENCE: row = ends = true; break;
			case EXT_SET_ADDRESS:
				if (length != 9)
					return false;
				r.address = fixed(&all, 8);
				break;
			}
		} else {
			switch (op) {
			case OP_COPY: row = true; break;
			case OP_ADVANCE_PC: r.address += leb(&c, false) * u->min_length; break;
			case OP_ADVANCE_LINE: r.line += (uint32_t)leb(&c, true); break;
			case OP_SET_FILE: r.file = leb(&c, false); break;
			case OP_CONST_ADD_PC: r.address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->min_length; break;
			case OP_FIXED_ADVANCE_PC: r.address += fixed(&c, 2); break;
			default:
				for (unsigned i = 0; i < u->operands[op]; i++)
					leb(&c, false);
			}
		}
		if (row && row_ends(&r, &open, &before, &known, address)) {
			*out = known;
			return known.line != 0;
		}
		if (ends) {
			r = first;
			known = (struct row){ 0 };
			open = false;
		}
	}
	return false;
}

bool line_table_find(const void *lines, size_t lines_size, const void *strings, size_t strings_size, uint64_t address,
		     struct line_place *out)
{
	struct cursor c = { lines, (const uint8_t *)lines + lines_size, false };
	if (!lines_size)
		return false;
	while (left(&c) && !c.bad) {
		struct unit u = { .offset_size = 4, .strings = { strings, (const uint8_t *)strings + strings_size, false } };
		uint64_t length = fixed(&c, 4);
		if (length == 0xffffffff) {
			u.offset_size = 8;
			length = fixed(&c, 8);
		}
		struct cursor unit = c;
		skip(&c, length);
		if (c.bad)
			return false;
		unit.end = c.at;
		struct row r;
		if (!header(unit, &u) || !run(&u, address, &r))
			continue;
		out->file = file_name(&u, r.file);
		out->line = r.line;
		return out->file != NULL;
	}
	return false;
}
