/* printf of kernels: decodes the records that kernels leave in a printf buffer (struct note_printf)
 * and prints them as the host's printf would, plus what OpenCL C adds (vectors, hl) and without
 * what it leaves out (n, *, ll, L). */
#define _GNU_SOURCE
#include "runtime/opencl/printf.h"
#include "base/file.h"
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

enum length { LENGTH_NONE, LENGTH_CHAR, LENGTH_SHORT, LENGTH_INT, LENGTH_LONG };

struct conversion {
	char flags[8];
	int width, precision; /* 0, -1 when not given */
	unsigned vector;      /* elements, 1 for a scalar */
	enum length length;
	char kind;            /* 'd', 's', ... */
};

static const char *parse_number(const char *p, int *value)
{
	long n = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		n = n > 4096 ? n : n * 10 + (*p - '0'); /* a wider field is a mistake, not a request */
	*value = (int)n;
	return p;
}

/* Parses what follows a '%'. Returns the character behind it, or NULL if it is no conversion of
 * OpenCL C. */
static const char *conversion_parse(const char *p, struct conversion *c)
{
	size_t flags = 0;
	*c = (struct conversion){.precision = -1, .vector = 1};
	for (; *p && strchr("-+ #0", *p); p++)
		if (!strchr(c->flags, *p) && flags < sizeof c->flags - 1)
			c->flags[flags++] = *p;
	p = parse_number(p, &c->width);
	if (*p == '.')
		p = parse_number(p + 1, &c->precision);
	if (*p == 'v') {
		int n;
		p = parse_number(p + 1, &n);
		if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16)
			return NULL;
		c->vector = (unsigned)n;
	}
	if (p[0] == 'h' && p[1] == 'h')
		c->length = LENGTH_CHAR, p += 2;
	else if (p[0] == 'h' && p[1] == 'l')
		c->length = LENGTH_INT, p += 2;
	else if (p[0] == 'h')
		c->length = LENGTH_SHORT, p += 1;
	else if (p[0] == 'l')
		c->length = LENGTH_LONG, p += 1;
	if (!*p || !strchr("diouxXfFeEgGaAcsp", *p))
		return NULL;
	c->kind = *p;
	return p + 1;
}

static int64_t slot_signed(uint64_t slot, enum length length)
{
	switch (length) {
	case LENGTH_CHAR: return (signed char)slot;
	case LENGTH_SHORT: return (int16_t)slot;
	case LENGTH_LONG: return (int64_t)slot;
	default: return (int32_t)slot;
	}
}

static uint64_t slot_unsigned(uint64_t slot, enum length length)
{
	switch (length) {
	case LENGTH_CHAR: return (uint8_t)slot;
	case LENGTH_SHORT: return (uint16_t)slot;
	case LENGTH_LONG: return slot;
	default: return (uint32_t)slot;
	}
}

/* The string that a slot names: an offset into the program's strings. OpenCL C 6.15.14.4: only
 * literal strings are allowed, so nothing else can be there; what is not one prints as (null). */
static const char *slot_string(const struct kernel_object *program, uint64_t slot)
{
	const char *s = program && slot && slot <= UINT32_MAX ? kernel_object_string(program, (uint32_t)slot) : NULL;
	return s ? s : slot ? "(null)" : "";
}

/* ---- text on its way out ----
 *
 * Kernels end on any thread. The application's heap must not notice: what its next malloc() returns shows on the bus. So the text
 * is made here and written to the descriptor; a stream of stdio would allocate its buffer. */
struct text {
	FILE *out;
	size_t used;
	char bytes[16384];
};

static void text_flush(struct text *t)
{
	const size_t used = t->used;
	const int fd = fileno(t->out);
	t->used = 0;
	if (!used)
		return;
	fflush(t->out); /* what the application printed before comes first */
	if (fd >= 0) {
		file_write_all(fd, t->bytes, used, FILE_POSITION);
	} else { /* a stream in memory */
		fwrite(t->bytes, 1, used, t->out);
		fflush(t->out);
	}
}

static void text_put(struct text *t, const char *s, size_t n)
{
	while (n) {
		if (t->used == sizeof t->bytes)
			text_flush(t);
		const size_t room = sizeof t->bytes - t->used, part = n < room ? n : room;
		memcpy(t->bytes + t->used, s, part);
		t->used += part;
		s += part;
		n -= part;
	}
}

/* At most 4096 characters for a width, as many for a precision, and those of the number. */
__attribute__((format(printf, 2, 3))) static void text_format(struct text *t, const char *format, ...)
{
	enum { LONGEST = 10240 };
	va_list args;
	if (sizeof t->bytes - t->used < LONGEST)
		text_flush(t);
	va_start(args, format);
	int n = vsnprintf(t->bytes + t->used, sizeof t->bytes - t->used, format, args);
	va_end(args);
	t->used += n > 0 ? (size_t)n : 0;
}

static void text_string(struct text *t, const struct conversion *c, const char *s)
{
	const size_t n = c->precision < 0 ? strlen(s) : strnlen(s, (size_t)c->precision), width = (size_t)c->width;
	const bool left = strchr(c->flags, '-');
	if (left)
		text_put(t, s, n);
	for (size_t i = n; i < width; i++)
		text_put(t, " ", 1);
	if (!left)
		text_put(t, s, n);
}

static void print_element(struct text *out, const struct kernel_object *program, const struct conversion *c, uint64_t slot)
{
	char format[24];
	const char *length = "";
	double real;
	if (strchr("diouxX", c->kind))
		length = "j";
	snprintf(format, sizeof format, "%%%s*.*%s%c", c->flags, length, c->kind);
	switch (c->kind) {
	case 'd':
	case 'i': text_format(out, format, c->width, c->precision, (intmax_t)slot_signed(slot, c->length)); break;
	case 'o':
	case 'u':
	case 'x':
	case 'X': text_format(out, format, c->width, c->precision, (uintmax_t)slot_unsigned(slot, c->length)); break;
	case 'c': text_format(out, format, c->width, -1, (int)(unsigned char)slot); break;
	case 's': text_string(out, c, slot_string(program, slot)); break;
	case 'p': text_format(out, format, c->width, -1, (void *)(uintptr_t)slot); break;
	default:
		memcpy(&real, &slot, sizeof real);
		text_format(out, format, c->width, c->precision, real);
	}
}

static size_t print_call(struct text *out, const struct kernel_object *program, const char *format, const uint64_t *slots,
			 size_t count)
{
	size_t used = 0;
	for (const char *p = format; *p;) {
		const char *percent = strchrnul(p, '%'), *next;
		struct conversion c;
		text_put(out, p, (size_t)(percent - p));
		if (!*percent)
			break;
		if (percent[1] == '%') {
			text_put(out, "%", 1);
			p = percent + 2;
			continue;
		}
		next = conversion_parse(percent + 1, &c);
		if (!next) { /* undefined in OpenCL C: shown as it stands */
			text_put(out, "%", 1);
			p = percent + 1;
			continue;
		}
		/* 6.15.14.2: elements of a vector are printed separated by commas, each as the
		 * whole conversion says. */
		for (unsigned i = 0; i < c.vector; i++, used++) {
			if (i)
				text_put(out, ",", 1);
			print_element(out, program, &c, used < count ? slots[used] : 0);
		}
		p = next;
	}
	return used < count ? used : count;
}

void printf_buffer_init(void *memory)
{
	struct printf_buffer *head = memory;
	*head = (struct printf_buffer){.capacity = PRINTF_BUFFER_BYTES - sizeof *head};
}

size_t printf_drain(FILE *out, const struct kernel_object *program, const struct printf_buffer *buffer, size_t *lost)
{
	const uint8_t *records = (const uint8_t *)(buffer + 1);
	const uint32_t capacity = PRINTF_BUFFER_BYTES - sizeof *buffer; /* not what a stray store left in the head */
	const uint32_t asked = buffer->used, end = asked < capacity ? asked : capacity;
	uint32_t at = 0;
	size_t calls = 0;
	struct text text = {.out = out};
	while (at + 8 <= end) {
		uint32_t bytes, index;
		memcpy(&bytes, records + at, sizeof bytes);
		memcpy(&index, records + at + 4, sizeof index);
		if (bytes < 8 || bytes % 8 || bytes > end - at || index >= kernel_object_num_printfs(program))
			break;
		const struct note_printf *call = kernel_object_printf(program, index);
		const char *format = kernel_object_string(program, call->format);
		print_call(&text, program, format ? format : "", (const uint64_t *)(records + at + 8), bytes / 8 - 1);
		calls++;
		at += bytes;
	}
	if (lost)
		*lost = asked - at;
	text_flush(&text);
	return calls;
}
