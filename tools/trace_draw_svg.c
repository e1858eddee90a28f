/* The picture: a row a signal. One bit is a line that is low or high, more are boxes with their value in hexadecimal, as waveform
 * viewers have it. What is narrower than a pixel runs together into a bar. */
#include "tools/trace_draw.h"
#include "tools/galena.h"
#include <inttypes.h>

enum { LABELS = 220, WAVES = 1060, ROW = 22, HIGH = 14, TOP = 44, MARGIN = 10, CHAR = 7 /* width of a digit */ };

static double place(const struct draw *d, uint64_t cycle)
{
	if (cycle < d->from)
		cycle = d->from;
	if (cycle > d->to)
		cycle = d->to;
	return LABELS + (double)(cycle - d->from) * WAVES / (double)(d->to - d->from);
}

/* Steps of 1, 2 or 5 times a power of ten, some eight of them. */
static uint64_t tick_step(uint64_t cycles)
{
	uint64_t step = 1;
	for (unsigned i = 0; cycles / step > 10; i++)
		step = i % 3 == 1 ? step / 2 * 5 : step * 2;
	return step;
}

static void axis_print(FILE *f, const struct draw *d, unsigned height)
{
	const uint64_t step = tick_step(d->to - d->from);
	for (uint64_t at = d->from + (step - d->from % step) % step; at <= d->to; at += step) {
		const double x = place(d, at);
		fprintf(f, "<line class=\"tick\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%u\"/>\n", x, TOP - 8, x, height - MARGIN);
		if (x < LABELS + WAVES - 4 * CHAR)
			fprintf(f, "<text x=\"%.1f\" y=\"%d\">%" PRIu64 "</text>\n", x + 3, TOP - 10, at);
	}
}

struct row { FILE *f; const struct draw *draw; unsigned bits; double top, low; };

/* A value from one place to the next. */
static void piece_print(const struct row *r, double from, double to, uint64_t value)
{
	if (r->bits == 1) {
		const double y = value ? r->top : r->low;
		fprintf(r->f, "H%.1fV%.1fH%.1f", from, y, to);
		return;
	}
	const double slope = to - from > 4 ? 2 : (to - from) / 2;
	fprintf(r->f, "M%.1f %.1fL%.1f %.1fH%.1fL%.1f %.1fL%.1f %.1fH%.1fZ", from, (r->top + r->low) / 2, from + slope, r->top, to - slope, to,
		(r->top + r->low) / 2, to - slope, r->low, from + slope);
}

static void value_print(const struct row *r, double from, double to, uint64_t value)
{
	char text[20];
	const int room = (int)((to - from - 6) / CHAR), length = snprintf(text, sizeof text, "%" PRIx64, value);
	if (r->bits == 1 || room < (length < 4 ? length : 4))
		return;
	if (length > room) /* the low digits tell neighbours apart */
		fprintf(r->f, "<text x=\"%.1f\" y=\"%.1f\">+%s</text>\n", from + 4, r->low - 3, text + length - (room - 1));
	else
		fprintf(r->f, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", from + 4, r->low - 3, text);
}

/* Calls piece for each stretch of the row that is a pixel wide or more, and bar for each run of narrower ones. */
static void pieces(const struct row *r, const struct draw_signal *s, void (*piece)(const struct row *, double, double, uint64_t),
		   void (*bar)(const struct row *, double, double))
{
	double at = LABELS, dense = -1; /* dense: where a run of narrow ones began */
	uint64_t value = s->before;
	for (size_t i = 0; i <= s->num_changes; i++) {
		const double next = i < s->num_changes ? place(r->draw, s->changes[i].cycle) : LABELS + WAVES;
		if (next - at >= 1) {
			if (dense >= 0 && bar)
				bar(r, dense, at);
			dense = -1;
			if (piece)
				piece(r, at, next, value);
		} else if (dense < 0 && i < s->num_changes) {
			dense = at;
		}
		at = next;
		if (i < s->num_changes)
			value = s->changes[i].value;
	}
	if (dense >= 0 && bar)
		bar(r, dense, at);
}

static void bar_print(const struct row *r, double from, double to)
{
	fprintf(r->f, "<rect class=\"dense\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", from, r->top, to - from > 1 ? to - from : 1, r->low - r->top);
}

static void row_print(FILE *f, const struct draw *d, const struct draw_signal *s, unsigned number)
{
	const struct row r = { f, d, s->bits, TOP + number * ROW + 4, TOP + number * ROW + 4 + HIGH };
	fprintf(f, "<text class=\"name\" x=\"%d\" y=\"%.1f\">", LABELS - 8, r.low - 3);
	xml_print(f, s->name);
	if (s->bits > 1)
		fprintf(f, "[%u:0]", s->bits - 1);
	fputs("</text>\n<path d=\"", f);
	if (s->bits == 1)
		fprintf(f, "M%d %.1f", LABELS, s->before ? r.top : r.low);
	pieces(&r, s, piece_print, NULL);
	fputs("\"/>\n", f);
	pieces(&r, s, value_print, bar_print);
}

void draw_svg(FILE *f, const struct draw *d)
{
	const unsigned width = LABELS + WAVES + MARGIN, height = TOP + d->num_signals * ROW + MARGIN;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n"
		"<style>text { font: 11px monospace; fill: #222 } .name { text-anchor: end } .title { font-weight: bold }\n"
		"path { fill: none; stroke: #0a6b2e; stroke-width: 1 } .dense { fill: #0a6b2e }\n"
		".tick { stroke: #ccc } .mark { stroke: #c22; stroke-width: 1 } .back { fill: #fff }</style>\n"
		"<rect class=\"back\" width=\"%u\" height=\"%u\"/>\n<text class=\"title\" x=\"%d\" y=\"16\">", width, height, width, height, width,
		height, MARGIN);
	xml_print(f, d->title);
	fprintf(f, "</text>\n<text class=\"name\" x=\"%d\" y=\"%d\">cycle</text>\n", LABELS - 8, TOP - 10);
	axis_print(f, d, height);
	for (unsigned i = 0; i < d->num_signals; i++)
		row_print(f, d, d->signals[i], i);
	if (d->mark >= d->from && d->mark <= d->to)
		fprintf(f, "<line class=\"mark\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%u\"/>\n", place(d, d->mark), TOP - 8, place(d, d->mark),
			height - MARGIN);
	fputs("</svg>\n", f);
}
