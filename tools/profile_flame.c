/* Flame graphs: folded stacks, one a line, and the picture of them. */
#define _GNU_SOURCE
#include "base/hash.h"
#include "tools/galena.h"
#include "tools/profile.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- folded stacks ---- */

/* A frame's name must not end it. */
static void frame_print(FILE *f, const char *name)
{
	for (; *name; name++)
		putc(*name == ';' || *name == '\n' ? ',' : *name, f);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* "STACK NUMBER" lines, equal stacks added up, in the order of the alphabet. */
static void folded_print(FILE *f, char *text)
{
	ARRAY(char *) lines = { 0 };
	for (char *line; (line = strsep(&text, "\n"));)
		if (*line && strcmp(strrchr(line, ' '), " 0"))
			*array_add(&lines) = line;
	if (lines.count)
		qsort(lines.at, lines.count, sizeof *lines.at, by_text);
	for (size_t i = 0; i < lines.count;) {
		size_t n = (size_t)(strrchr(lines.at[i], ' ') - lines.at[i]);
		uint64_t sum = 0;
		const char *first = lines.at[i];
		for (; i < lines.count && !strncmp(lines.at[i], first, n) && strrchr(lines.at[i], ' ') == lines.at[i] + n; i++)
			sum += strtoull(lines.at[i] + n, NULL, 10);
		fprintf(f, "%.*s %" PRIu64 "\n", (int)n, first, sum);
	}
	free(lines.at);
}

/* KERNEL, functions from the outermost in with the lines that call them, line, what the cycles were spent on. */
static void row_stacks(FILE *f, const struct profile *p, const struct profile_row *r)
{
	const char *kernel = p->kernels.at[r->kernel].name;
	const struct profile_site *s = r->site >= 0 ? &p->sites.at[r->site] : NULL;
	for (unsigned w = 0; w < PROFILE_WAITS; w++) {
		uint64_t n = r->counts.of[PROFILE_CU + w];
		if (!n)
			continue;
		frame_print(f, kernel);
		for (unsigned i = s ? s->num_frames : 0; i-- > 0;) {
			const struct profile_frame *frame = &s->frames[i];
			if (i + 1 < s->num_frames || strcmp(frame->function, kernel)) {
				putc(';', f);
				frame_print(f, frame->function);
			}
			if (frame->file) {
				putc(';', f);
				frame_print(f, frame->file);
				fprintf(f, ":%u", frame->line);
			}
		}
		fprintf(f, ";%s %" PRIu64 "\n", profile_wait_key((enum profile_wait)w), n);
	}
}

void profile_device_stacks(const struct profile *p, FILE *f)
{
	for (size_t i = 0; i < p->rows.count; i++)
		row_stacks(f, p, &p->rows.at[i]);
}

/* Is it in a device, and not just while that is opened or closed? */
static bool runs_kernels(const char *stack)
{
	const char *last = strrchr(stack, ';');
	return last && !strcmp(last, ";device") && !strstr(stack, ";open;") && !strstr(stack, ";close;");
}

/* Time inside of devices is split as the devices' own clocks say: kernels, what else the compute units take, DMA
 * engines, firmware. */
void profile_host_stacks(const struct profile *p, FILE *f)
{
	uint64_t all = 0, compute = 0;
	struct part { const char *name; uint64_t ns; } *parts = profile_alloc((p->kernels.count + NUM_HOST_BLOCKS) * sizeof *parts);
	size_t num_parts = 0;
	for (size_t i = 0; i < p->phases.count; i++)
		all += runs_kernels(p->phases.at[i].stack) ? p->phases.at[i].ns : 0;
	for (size_t i = 0; i < p->kernels.count; i++) {
		parts[num_parts++] = (struct part){ p->kernels.at[i].name, p->kernels.at[i].host_ns };
		compute += p->kernels.at[i].host_ns;
	}
	struct part *blocks = &parts[num_parts]; /* the first of them is the compute units */
	for (unsigned b = 0; b < NUM_HOST_BLOCKS; b++) {
		parts[num_parts++].name = profile_host_blocks[b];
		for (size_t i = 0; i < p->devices.count; i++)
			blocks[b].ns += p->devices.at[i].host_ns[b];
	}
	blocks->ns -= compute < blocks->ns ? compute : blocks->ns;
	for (size_t i = 0; i < p->phases.count; i++) {
		const struct profile_phase *h = &p->phases.at[i];
		if (!runs_kernels(h->stack) || !all) {
			fprintf(f, "%s %" PRIu64 "\n", h->stack, h->ns / 1000);
			continue;
		}
		uint64_t left = h->ns;
		for (size_t k = 0; k < num_parts; k++) {
			uint64_t n = (uint64_t)((double)h->ns * (double)parts[k].ns / (double)all);
			n = n < left ? n : left;
			left -= n;
			fprintf(f, "%s;", h->stack);
			if (k < p->kernels.count)
				fputs("compute;", f);
			frame_print(f, parts[k].name);
			fprintf(f, " %" PRIu64 "\n", n / 1000);
		}
		fprintf(f, "%s %" PRIu64 "\n", h->stack, left / 1000);
	}
	free(parts);
}

void profile_folded(const struct profile *p, void (*stacks)(const struct profile *, FILE *), FILE *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = checked(open_memstream(&text, &size));
	stacks(p, f);
	fclose(f);
	folded_print(out, text);
	free(text);
}

/* ---- the picture ---- */

struct node {
	char *name;
	uint64_t total; /* with what is below */
	struct node *child, **tail, *next;
};

static struct node *node_child(struct node *n, const char *name, size_t length)
{
	for (struct node *c = n->child; c; c = c->next)
		if (strlen(c->name) == length && !strncmp(c->name, name, length))
			return c;
	struct node *c = profile_alloc(sizeof *c);
	c->name = text("%.*s", (int)length, name);
	if (!n->tail)
		n->tail = &n->child;
	*n->tail = c;
	n->tail = &c->next;
	return c;
}

static void node_free(struct node *n)
{
	for (struct node *c = n->child, *next; c; c = next) {
		next = c->next;
		node_free(c);
		free(c->name);
		free(c);
	}
}

static unsigned depth_of(const struct node *n)
{
	unsigned depth = 0;
	for (const struct node *c = n->child; c; c = c->next) {
		unsigned d = depth_of(c);
		depth = d > depth ? d : depth;
	}
	return depth + 1;
}

static void node_add(struct node *root, const char *stack, size_t length, uint64_t n)
{
	struct node *at = root;
	at->total += n;
	for (size_t i = 0; i <= length;) {
		size_t end = i;
		while (end < length && stack[end] != ';')
			end++;
		at = node_child(at, stack + i, end - i);
		at->total += n;
		i = end + 1;
	}
}

/* At most so many characters; those beyond ASCII as question marks. */
static void label_print(FILE *f, const char *text, size_t length)
{
	for (size_t i = 0; text[i] && i < length; i++) {
		const unsigned char c = (unsigned char)text[i];
		xml_print(f, (const char[]){ c < 0x20 ? ' ' : c < 0x7f ? (char)c : '?', 0 });
	}
}

enum { WIDTH = 1200, ROW = 18, TOP = 44, MARGIN = 10, LETTER = 7 };

/* What a frame is: what cycles were spent on has a colour of its own, names have one of a few. */
static const struct { const char *name, *colour; } known[] = {
	{ "issue", "#7cc576" },	 { "memory", "#e4604e" },   { "local", "#f0a04b" },  { "math", "#f6d55c" },
	{ "branch", "#b39ddb" }, { "barrier", "#5c8dd6" },  { "start", "#b0b0b0" },  { "slot", "#d7ccc8" },
	{ "compute", "#7cc576" }, { "dma", "#f0a04b" },	    { "media", "#5c8dd6" },    { "firmware", "#f6d55c" }, { "sleep", "#d7d7d7" },
	{ "build", "#b39ddb" },	 { "application", "#b0b0b0" },
};

static const char *colour_of(const char *name)
{
	static const char *const others[] = { "#f4c7a1", "#f2d6b3", "#efbf8f", "#f7dcc4", "#eccfa0" };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name))
			return known[i].colour;
	return others[hash64(name, strlen(name)) % (sizeof others / sizeof *others)];
}

struct drawing {
	const struct profile *p;
	FILE *f;
	uint64_t total;
	unsigned height;
	const char *unit;
};

/* FILE:LINE as a frame of the profile, for its text. */
static const char *text_of(const struct profile *p, const char *name)
{
	const char *colon = strrchr(name, ':');
	if (!colon)
		return "";
	struct profile_frame frame = { NULL, text("%.*s", (int)(colon - name), name), (unsigned)strtoul(colon + 1, NULL, 10) };
	const char *text = profile_line_text(p, &frame);
	free(frame.file);
	return text;
}

static void node_draw(const struct drawing *d, const struct node *n, uint64_t from, unsigned level)
{
	double scale = (double)(WIDTH - 2 * MARGIN) / (double)d->total, x = MARGIN + (double)from * scale, w = (double)n->total * scale;
	double y = d->height - MARGIN - (level + 1.0) * ROW;
	const char *text = text_of(d->p, n->name);
	if (w < 0.05) /* too narrow to see */
		return;
	char *label = *text ? text("%s  %s", strrchr(n->name, ':') + 1, text) : text("%s", n->name);
	fprintf(d->f, "<g class=\"f\" data-x=\"%.3f\" data-w=\"%.3f\" data-label=\"", x, w);
	label_print(d->f, label, SIZE_MAX);
	fputs("\"><title>", d->f);
	label_print(d->f, n->name, SIZE_MAX);
	fprintf(d->f, ": %" PRIu64 " %s, %.1f %%", n->total, d->unit, 100.0 * (double)n->total / (double)d->total);
	if (*text) {
		fputs("&#10;", d->f);
		label_print(d->f, text, SIZE_MAX);
	}
	fprintf(d->f, "</title><rect x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", x, y, w, ROW - 1, colour_of(n->name));
	if (w > 3 * LETTER) {
		fprintf(d->f, "<text x=\"%.1f\" y=\"%.0f\">", x + 3, y + ROW - 5);
		label_print(d->f, label, (size_t)((w - 6) / LETTER));
		fputs("</text>", d->f);
	}
	free(label);
	fputs("</g>\n", d->f);
	for (const struct node *c = n->child; c; c = c->next) {
		node_draw(d, c, from, level + 1);
		from += c->total;
	}
}

static bool occurs(const struct node *n, const char *name)
{
	bool found = !strcmp(n->name, name);
	for (const struct node *c = n->child; c && !found; c = c->next)
		found = occurs(c, name);
	return found;
}

/* What the colours mean, from the right. */
static void legend_draw(FILE *f, const struct node *root)
{
	int x = WIDTH - MARGIN;
	for (size_t i = sizeof known / sizeof *known; i-- > 0;) {
		if (!occurs(root, known[i].name))
			continue;
		x -= (int)strlen(known[i].name) * LETTER + 22;
		fprintf(f, "<rect x=\"%d\" y=\"29\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"38\">%s</text>\n", x, known[i].colour,
			x + 13, known[i].name);
	}
}

/* A click makes a frame as wide as the picture; one on the ground shows all again. */
static const char script[] =
	"<script><![CDATA[\n"
	"const frames = [...document.querySelectorAll('.f')], W = 1200, M = 10, L = 7;\n"
	"function zoom(x0, w0) {\n"
	"  for (const g of frames) {\n"
	"    const s = (W - 2 * M) / w0, r = g.querySelector('rect');\n"
	"    const a = Math.max(M + (g.dataset.x - x0) * s, M), b = Math.min(M + (+g.dataset.x + +g.dataset.w - x0) * s, W - M);\n"
	"    g.style.display = b - a < 0.3 ? 'none' : '';\n"
	"    r.setAttribute('x', a);\n"
	"    r.setAttribute('width', Math.max(b - a, 0));\n"
	"    let t = g.querySelector('text');\n"
	"    if (!t) {\n"
	"      t = g.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'text'));\n"
	"      t.setAttribute('y', +r.getAttribute('y') + 13);\n"
	"    }\n"
	"    t.setAttribute('x', a + 3);\n"
	"    t.textContent = b - a > 3 * L ? g.dataset.label.slice(0, (b - a - 6) / L) : '';\n"
	"  }\n"
	"}\n"
	"for (const g of frames) g.addEventListener('click', e => { e.stopPropagation(); zoom(+g.dataset.x, +g.dataset.w); });\n"
	"document.documentElement.addEventListener('click', () => zoom(M, W - 2 * M));\n"
	"]]></script>\n";

void profile_flame_draw(const struct profile *p, FILE *svg, const char *folded, const char *title, const char *unit)
{
	struct node root = { .name = "all" };
	for (const char *line = folded; *line;) {
		const char *end = strchrnul(line, '\n'), *space = memrchr(line, ' ', (size_t)(end - line));
		uint64_t n = space ? strtoull(space + 1, NULL, 10) : 0;
		if (n)
			node_add(&root, line, (size_t)(space - line), n);
		line = *end ? end + 1 : end;
	}
	struct drawing d = { p, svg, root.total, TOP + depth_of(&root) * ROW + 2 * MARGIN, unit };
	fprintf(svg,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\">\n"
		"<style>text { font: 11px monospace; fill: #222 } .f { cursor: pointer } .f:hover rect { stroke: #000; stroke-width: 0.7 }</style>\n"
		"<rect width=\"%d\" height=\"%u\" fill=\"#fffdf8\"/>\n<text x=\"%d\" y=\"22\" style=\"font-size: 14px; font-weight: bold\">",
		WIDTH, d.height, WIDTH, d.height, WIDTH, d.height, MARGIN);
	label_print(svg, title, 150);
	fprintf(svg, "</text>\n<text x=\"%d\" y=\"38\">", MARGIN);
	if (root.total)
		fprintf(svg, "%" PRIu64 " %s", root.total, unit);
	else
		fputs("nothing was counted", svg);
	fputs("</text>\n", svg);
	legend_draw(svg, &root);
	if (root.total)
		node_draw(&d, &root, 0, 0);
	fputs(script, svg);
	fputs("</svg>\n", svg);
	node_free(&root);
}
