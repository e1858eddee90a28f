/* The entropy-coded bytes of a JPEG scan: bits without stuffing, Huffman codes, restart markers. */
#ifndef GALENA_MODEL_MEDIA_HUFFMAN_H
#define GALENA_MODEL_MEDIA_HUFFMAN_H
#include "abi/media.h"
#include "model/media/port.h"

enum { HUFFMAN_LOOK = 9, STREAM_CHUNK = 1024 };

struct huffman {
	int32_t last[18];     /* of the codes of each length: the last one; -1: there is none */
	int32_t offset[17];   /* index of a code's symbol, less the code */
	uint8_t symbols[256];
	uint16_t look[1 << HUFFMAN_LOOK]; /* length << 8 | symbol of the code that these bits begin with, 0: it is longer */
};
/* False when there are more codes than fit, or a code is all ones. */
bool huffman_make(struct huffman *, const struct media_huffman *);

/* Where the decoder is in the stream. */
struct bits {
	struct port *port;
	uint64_t address;      /* of the stream */
	uint32_t size, at;     /* at: the next byte that is taken */
	uint32_t from, to;     /* what of the stream is in chunk */
	uint32_t held;         /* bits in word */
	uint64_t word;         /* the lowest are the next ones */
	uint32_t place[8];     /* where the bytes in word came from: byte i of those taken so far at i % 8 */
	uint32_t taken;
	bool marker;           /* a marker, or the end of the stream, stands at `at` */
	enum fault lost;       /* of a byte that could not be read, at `from`: there is none from there on */
	uint8_t chunk[STREAM_CHUNK];
};

void bits_begin(struct bits *, struct port *, uint64_t address, uint32_t size);
/* The symbol of the next code; -1 where there is none. Bytes that cannot be read are behind the end, here and below. */
int bits_symbol(struct bits *, const struct huffman *);
/* A number of n bits as JPEG has it, n at most 16: those whose first bit is 0 are negative. INT_MIN where the stream has no more. */
int bits_number(struct bits *, unsigned n);
/* Where in the stream the next bit is. */
uint32_t bits_place(const struct bits *);
/* Drops the rest of a byte and takes the restart marker with this number, 0 to 7. False when another byte is there. */
bool bits_restart(struct bits *, unsigned number);

#endif
