#define _GNU_SOURCE
#include "traces/counter_file.h"
#include "base/log.h"
#include "base/limit.h"
#include "traces/counter_report.h"
#include "traces/output_name.h"
#include "traces/program_end.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
	char *name;
	uint64_t calls, cycles;
	struct counter_values values;
};
struct counted { /* a device, from its opening on */
	struct counted *next;
	unsigned index;
	uint64_t cycle;
	struct counter_values total;
	struct kernel *kernels;
	uint32_t num_kernels;
};
static struct counted *first, **last = &first; /* in the order in which they were opened */
static const char *path;                       /* NULL: standard error */
static bool short_of_memory;

int counter_file_open(const struct message_device *m, const char **error)
{
	static char message[560];
	const char *where = getenv("GALENA_COUNTERS"), *wrong = NULL;
	struct counted *c = calloc(1, sizeof *c);
	if (!c) {
		*error = "the counters: the recorder has no memory";
		return -1;
	}
	if (where && strcmp(where, "1") && !(path = output_name(where, &wrong))) {
		snprintf(message, sizeof message, "GALENA_COUNTERS: %s", wrong);
		*error = message;
		free(c);
		return -1;
	}
	c->index = m->index;
	*last = c;
	last = &c->next;
	return 0;
}

static struct counted *find(uint64_t index)
{
	struct counted *found = NULL;
	for (struct counted *c = first; c; c = c->next)
		if (c->index == index)
			found = c;
	return found;
}

void counter_file_totals(const struct message_counters *m)
{
	struct counted *c = find(m->device);
	if (!c)
		return;
	c->cycle = m->cycle;
	c->total = m->values;
}

static struct kernel *kernel_find(struct counted *c, const char *name)
{
	for (uint32_t i = 0; i < c->num_kernels; i++)
		if (!strcmp(c->kernels[i].name, name))
			return &c->kernels[i];
	struct kernel *grown = realloc(c->kernels, (c->num_kernels + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	c->kernels = grown;
	grown[c->num_kernels] = (struct kernel){ .name = strdup(name) };
	return grown[c->num_kernels].name ? &grown[c->num_kernels++] : NULL;
}

void counter_file_counted(const struct message_counted *m, const char *name)
{
	struct counted *c = find(m->device);
	struct kernel *k = c ? kernel_find(c, name) : NULL;
	if (!k) {
		short_of_memory |= c != NULL;
		return;
	}
	k->calls++;
	k->cycles += m->cycles;
	for (unsigned i = 0; i < COUNTERS_MAX; i++)
		k->values.of[i] += m->values.of[i];
}

/* ---- the report ---- */
static int by_cycles(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void device_print(struct counter_report *r, const struct counted *c)
{
	struct counter_row *rows = calloc(c->num_kernels + 1, sizeof *rows);
	short_of_memory |= !rows;
	for (uint32_t i = 0; rows && i < c->num_kernels; i++)
		rows[i] = (struct counter_row){ c->kernels[i].name, c->kernels[i].calls, c->kernels[i].cycles, &c->kernels[i].values };
	if (rows)
		qsort(rows, c->num_kernels, sizeof *rows, by_cycles);
	counter_report_device(r, c->index, c->cycle, &c->total, rows, rows ? c->num_kernels : 0);
	free(rows);
}

/* In one piece, so that no other process's report comes between. */
void counter_file_end(uint64_t how)
{
	char *text = NULL;
	size_t length = 0;
	if (!first)
		return;
	struct counter_report report = { .file = open_memstream(&text, &length), .json = path && counter_report_json(path) };
	if (!report.file)
		return;
	if (!report.json && *program_end_text(how))
		fprintf(report.file, "%s\n", program_end_text(how));
	counter_report_begin(&report);
	for (const struct counted *c = first; c; c = c->next)
		device_print(&report, c);
	counter_report_end(&report);
	short_of_memory |= fclose(report.file) != 0;
	FILE *f = path ? fopen(path, "we") : stderr;
	size_t written = f ? fwrite(text, 1, length, f) : 0;
	if (!f || (f == stderr ? fflush(f) : fclose(f)) || written < length)
		log_write(LOG_ALWAYS, "cannot write the counters to %s: %s%s", path ? path : "standard error", strerror(errno), limit_advice(errno));
	if (short_of_memory)
		log_write(LOG_ALWAYS, "the counters: the recorder had no memory: there is more than it tells");
	free(text);
	for (struct counted *c; (c = first);) {
		first = c->next;
		for (uint32_t i = 0; i < c->num_kernels; i++)
			free(c->kernels[i].name);
		free(c->kernels);
		free(c);
	}
	last = &first;
}
