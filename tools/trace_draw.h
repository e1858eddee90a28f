/* `galena trace draw`: signals of a waveform as a picture. */
#ifndef GALENA_TOOLS_TRACE_DRAW_H
#define GALENA_TOOLS_TRACE_DRAW_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { DRAW_SIGNALS = 1024 }; /* rows of a picture, at most */

/* A signal, as a picture needs it: what it was before the first change, and its changes. */
struct draw_change { uint64_t cycle, value; };
struct draw_signal {
	char *name; /* scope.name */
	unsigned bits;
	uint64_t before;
	struct draw_change *changes;
	size_t num_changes, room;
};
struct draw {
	const char *title;
	uint64_t from, to; /* cycles; from < to */
	uint64_t mark;     /* a cycle with a line through all rows; UINT64_MAX: none */
	struct draw_signal *signals[DRAW_SIGNALS];
	unsigned num_signals;
};

/* trace_draw_svg.c: writes the picture to the stream, as SVG. The same bytes for the same signals. */
void draw_svg(FILE *, const struct draw *);

/* argv[0] is the verb. The exit code. */
int trace_draw(int argc, char **argv);

#endif
