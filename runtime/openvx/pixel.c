/* Launches of operations pixel by pixel (pixel.h). */
#include "runtime/openvx/pixel.h"
#include "runtime/openvx/graph.h"
#include <stdio.h>
#include <stdlib.h>

/* What kernels/pixelwise.cl calls a format. */
static const struct {
	vx_df_image format;
	const char *name;
} format_names[] = {
	{VX_DF_IMAGE_U1, "u1"},
	{VX_DF_IMAGE_U8, "u8"},
	{VX_DF_IMAGE_U16, "u16"},
	{VX_DF_IMAGE_S16, "s16"},
};

static const char *name_of(vx_df_image format)
{
	for (size_t i = 0; i < sizeof format_names / sizeof *format_names; i++)
		if (format_names[i].format == format)
			return format_names[i].name;
	return NULL;
}

bool pixel_format_known(vx_df_image format) { return name_of(format) != NULL; }

/* ---- values ---- */
/* What a work-item has of each pixel, in the order in which it gets it: pixels that are loaded, and results of operations. */
struct value {
	vx_image image;
	const struct pixel_operation *operation; /* NULL: loaded */
	unsigned of[2];                          /* the operation's inputs, as values */
};

struct chain {
	struct value values[3 * PIXEL_OPERATIONS_MAX];
	unsigned count; /* the last one is stored */
};

static unsigned value_of(struct chain *c, vx_image image)
{
	unsigned i = 0;
	while (i < c->count && c->values[i].image != image)
		i++;
	if (i == c->count)
		c->values[c->count++] = (struct value){.image = image};
	return i;
}

static void chain_make(struct chain *c, const struct pixel_operation *operations, unsigned count)
{
	c->count = 0;
	for (const struct pixel_operation *o = operations; o < operations + count; o++) {
		struct value v = {.image = o->out, .operation = o};
		for (unsigned k = 0; k < 2 && o->in[k]; k++)
			v.of[k] = value_of(c, o->in[k]);
		c->values[c->count++] = v;
	}
}

/* ---- the text ---- */
/* VALUE_n(lane) is value n as a pixel of its format; lane selects one of eight, or is empty. */
static void write_operation(FILE *f, const struct value *v, unsigned n)
{
	const struct pixel_operation *o = v->operation;
	fprintf(f, "#define VALUE_%u(lane) to_%s(%s_pixel(v%u lane, ", n, name_of(o->out->format), o->name, v->of[0]);
	if (o->in[1])
		fprintf(f, "v%u lane, ", v->of[1]);
	if (o->store)
		fprintf(f, "s%u, ", n);
	fprintf(f, "q%u), %s)\n", n, o->args.policy == VX_CONVERT_POLICY_SATURATE ? "SATURATE" : "WRAP");
}

/* In the order of arguments(). */
static void write_parameters(FILE *f, const struct chain *c)
{
	for (unsigned n = 0; n < c->count; n++) {
		const struct pixel_operation *o = c->values[n].operation;
		if (!o)
			fprintf(f, "global const uchar *p%u, plane_t d%u, ", n, n);
		if (o && o->store)
			fprintf(f, "global const uchar *s%u, ", n);
		if (o)
			fprintf(f, "pixel_args_t q%u, ", n);
	}
	fputs("global uchar *out, plane_t d", f);
}

/* Loads, operations and the store: of eight pixels from x on, or of one at i. */
static void write_body(FILE *f, const struct chain *c, bool eight)
{
	const char *type = eight ? "int8" : "int", *suffix = eight ? "8" : "", *x = eight ? "x" : "i";
	for (unsigned n = 0; n < c->count; n++) {
		fprintf(f, "\t\tconst %s v%u = ", type, n);
		if (!c->values[n].operation)
			fprintf(f, "load%s_%s(r%u, d%u.offset_bits, %s);\n", suffix, name_of(c->values[n].image->format), n, n, x);
		else
			fprintf(f, eight ? "EIGHT(VALUE_%u);\n" : "VALUE_%u();\n", n);
	}
	fprintf(f, "\t\tstore%s_%s(to, d.offset_bits, %s, v%u);\n", suffix, name_of(c->values[c->count - 1].image->format), x, c->count - 1);
}

/* A kernel that is called by its operations. A work-item does eight pixels of a row; at its ends, those of them that there are. */
static void write_kernel(FILE *f, const struct chain *c, const char *name)
{
	for (unsigned n = 0; n < c->count; n++)
		if (c->values[n].operation)
			write_operation(f, &c->values[n], n);
	fprintf(f, "kernel void %s(", name);
	write_parameters(f, c);
	fprintf(f, ")\n{\n\tconst int x = (int)get_global_id(0) * 8 - first_%s(d.offset_bits), y = (int)get_global_id(1);\n",
		name_of(c->values[c->count - 1].image->format));
	for (unsigned n = 0; n < c->count; n++)
		if (!c->values[n].operation)
			fprintf(f, "\tglobal const uchar *r%u = ROW(p%u, d%u, y);\n", n, n, n);
	fputs("\tglobal uchar *to = ROW(out, d, y);\n", f);
	fputs("\tif (x >= 0 && x + 8 <= d.width) {\n", f);
	write_body(f, c, true);
	fputs("\t\treturn;\n\t}\n\tfor (int i = max(x, 0); i < min(x + 8, d.width); i++) {\n", f);
	write_body(f, c, false);
	fputs("\t}\n}\n", f);
}

static void write_name(FILE *f, const struct chain *c)
{
	fputs("pixels", f);
	for (unsigned n = 0; n < c->count; n++)
		if (c->values[n].operation)
			fprintf(f, "_%s", c->values[n].operation->name);
}

static void choose_pixel_kernel(struct launch *l, const struct chain *c)
{
	char *name = NULL, *text = NULL;
	size_t size;
	FILE *f = open_memstream(&name, &size);
	if (f) {
		write_name(f, c);
		fclose(f);
		f = open_memstream(&text, &size);
	}
	if (f) {
		write_kernel(f, c, name);
		fclose(f);
	}
	if (text)
		choose_kernel(l, "pixelwise", "", text, name);
	else if (!l->status)
		l->status = VX_ERROR_NO_MEMORY;
	free(name);
	free(text);
}

/* ---- the launch ---- */
static void arguments(struct launch *l, const struct chain *c)
{
	for (unsigned n = 0; n < c->count; n++) {
		const struct pixel_operation *o = c->values[n].operation;
		if (!o) {
			args(l, PLANE(c->values[n].image, 0));
			continue;
		}
		if (o->store)
			args(l, READ(o->store));
		args(l, STRUCT(o->args));
	}
	args(l, PLANE(c->values[c->count - 1].image, 0));
}

vx_status launch_pixels(struct launch *l, const struct pixel_operation *operations, unsigned count)
{
	struct chain c;
	if (l->status)
		return l->status;
	chain_make(&c, operations, count);
	choose_pixel_kernel(l, &c);
	arguments(l, &c);
	const struct _vx_image *out = operations[count - 1].out;
	return launch_2d(l, (out->width + 7) / 8, out->height);
}

vx_status run_pixels(struct launch *l, const vx_reference *p)
{
	struct pixel_operation o = {0};
	l->node->kernel->vision->pixel(p, &o);
	return o.name ? launch_pixels(l, &o, 1) : VX_FAILURE;
}
