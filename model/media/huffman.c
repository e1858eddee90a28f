#include "model/media/huffman.h"
#include <limits.h>
#include <string.h>

bool huffman_make(struct huffman *h, const struct media_huffman *from)
{
	int32_t code = 0, count = 0;

	memset(h->look, 0, sizeof(h->look));
	memcpy(h->symbols, from->symbols, sizeof(h->symbols));
	for (unsigned length = 1; length <= 16; length++, code <<= 1) {
		const int32_t n = from->counts[length - 1];

		if (count + n > 256)
			return false;
		h->offset[length] = count - code;
		for (int32_t i = 0; i < n && length <= HUFFMAN_LOOK; i++)
			for (unsigned k = 0; k < 1u << (HUFFMAN_LOOK - length); k++) {
				const unsigned at = (unsigned)(code + i) << (HUFFMAN_LOOK - length) | k;

				if (at < 1u << HUFFMAN_LOOK)
					h->look[at] = (uint16_t)(length << 8 | h->symbols[count + i]);
			}
		code += n;
		count += n;
		h->last[length] = n ? code - 1 : -1;
		if (n && code >= 1 << length)
			return false;
	}
	return true;
}

/* ---- bytes ---- */

void bits_begin(struct bits *b, struct port *port, uint64_t address, uint32_t size)
{
	b->port = port;
	b->address = address;
	b->size = size;
	b->at = b->from = b->to = b->held = b->taken = 0;
	b->word = 0;
	b->marker = false;
	b->lost = FAULT_NONE;
}

/* Byte i of the stream; -1 behind its end, or when it cannot be read: whether that is a fault shows when it is needed. */
static int byte_at(struct bits *b, uint32_t i)
{
	if (i >= b->size)
		return -1;
	if (i < b->from || i >= b->to) {
		if (b->lost)
			return -1;
		const uint64_t va = b->address + i;
		const uint64_t page = GALENA_PAGE_SIZE - (va & (GALENA_PAGE_SIZE - 1)), left = b->size - i;
		const uint32_t n = (uint32_t)(left < page ? left : page);

		b->from = i;
		b->to = i + (n < STREAM_CHUNK ? n : STREAM_CHUNK);
		if (!port_read(b->port, va, b->chunk, b->to - i)) {
			b->to = i;
			b->lost = b->port->result.code;
			b->port->result.code = FAULT_NONE;
			b->port->result.address = 0;
			return -1;
		}
	}
	return b->chunk[i - b->from];
}

/* The byte behind 0xff at `at`, and behind others like it, which only fill; *behind is its place. */
static int byte_behind(struct bits *b, uint32_t *behind)
{
	int next = 0xff;

	*behind = b->at;
	while (next == 0xff)
		next = byte_at(b, ++*behind);
	return next;
}

/* Takes bytes up to a marker, while there is room for one. */
static void fill(struct bits *b)
{
	while (b->held <= 56 && !b->marker) {
		int byte = byte_at(b, b->at);
		uint32_t behind = b->at;

		if (byte == 0xff && byte_behind(b, &behind) != 0)
			byte = -1;
		if (byte < 0) {
			b->marker = true;
			return;
		}
		b->place[b->taken++ % 8] = b->at;
		b->at = behind + 1;
		b->word = b->word << 8 | (unsigned)byte;
		b->held += 8;
	}
}

/* ---- bits ---- */

/* The next n bits, 0 to 16; -1 where there are no more. */
static int bits_take(struct bits *b, unsigned n)
{
	if (!n)
		return 0;
	if (b->held < n)
		fill(b);
	if (b->held < n)
		return -1;
	b->held -= n;
	return (int)(b->word >> b->held & ((1u << n) - 1));
}

int bits_number(struct bits *b, unsigned n)
{
	const int v = bits_take(b, n);

	if (v < 0)
		return INT_MIN;
	return n && v < 1 << (n - 1) ? v - (1 << n) + 1 : v;
}

int bits_symbol(struct bits *b, const struct huffman *h)
{
	int32_t code = 0;

	if (b->held < 16)
		fill(b);
	if (b->held >= HUFFMAN_LOOK) {
		const unsigned look = h->look[b->word >> (b->held - HUFFMAN_LOOK) & ((1 << HUFFMAN_LOOK) - 1)];

		if (look) {
			b->held -= look >> 8;
			return look & 0xff;
		}
	}
	for (unsigned length = 1; length <= 16 && b->held >= length; length++) {
		code = (int32_t)(b->word >> (b->held - length) & ((1u << length) - 1));
		if (code <= h->last[length]) {
			b->held -= length;
			return h->symbols[h->offset[length] + code];
		}
	}
	return -1;
}

uint32_t bits_place(const struct bits *b) { return b->held ? b->place[(b->taken - (b->held + 7) / 8) % 8] : b->at; }

bool bits_restart(struct bits *b, unsigned number)
{
	uint32_t behind;

	if (!b->marker)
		fill(b);
	/* what is held is the rest of the byte in which the last code ended: whole bytes are more than there should be */
	if (!b->marker || b->held > 7 || byte_at(b, b->at) != 0xff)
		return false;
	if (byte_behind(b, &behind) != (int)(0xd0 + number))
		return false;
	b->at = behind + 1;
	b->held = 0;
	b->marker = false;
	return true;
}
