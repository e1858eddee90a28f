/* What has come out, for people (Markdown), for programs (JSON), and for CI servers (JUnit). */
#define _GNU_SOURCE
#include "tools/conformance.h"
#include "tools/galena.h"
#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- reasons ---- */
void reasons_read(struct report *r, const char *path)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "r");
	if (!f)
		exit(fail(EXIT_FAILED, "conformance: cannot read %s: %s", path, strerror(errno)));
	for (unsigned number = 1; getline(&line, &size, f) > 0; number++) {
		char *rest = line, *module = strsep(&rest, "\t\n"), *subtest = strsep(&rest, "\t\n"), *why = strsep(&rest, "\t\n");
		if (!*module || *module == '#')
			continue;
		if (!subtest || !*subtest || !why || !*why)
			exit(fail(EXIT_FAILED, "conformance: %s:%u: a line is MODULE, SUB-TEST and REASON with a tab between, the first two may be patterns",
				  path, number));
		r->reasons = checked(realloc(r->reasons, (r->num_reasons + 1) * sizeof *r->reasons));
		r->reasons[r->num_reasons++] = (struct reason){
			checked(strdup(module)), checked(strdup(subtest)), text_clean(checked(strdup(why))), false,
		};
	}
	free(line);
	fclose(f);
}

void reasons_free(struct report *r)
{
	for (unsigned i = 0; i < r->num_reasons; i++) {
		free(r->reasons[i].module);
		free(r->reasons[i].subtest);
		free(r->reasons[i].text);
	}
	free(r->reasons);
}

/* The first that names a sub-test that did not pass; NULL for none. */
static const char *reason_of(struct report *r, const struct module *m, const struct result *result)
{
	for (unsigned i = 0; i < r->num_reasons && result->verdict != PASSED; i++)
		if (!fnmatch(r->reasons[i].module, m->name, 0) && !fnmatch(r->reasons[i].subtest, result->name, 0)) {
			r->reasons[i].used = true;
			return r->reasons[i].text;
		}
	return NULL;
}

double report_count(const struct plan *plan, const struct module *m, unsigned count[NUM_VERDICTS])
{
	double seconds = 0;
	memset(count, 0, NUM_VERDICTS * sizeof *count);
	for (unsigned i = 0; i < plan->num_jobs; i++) {
		const struct job *job = &plan->jobs[i];
		if (!job->done || (m && job->module != m))
			continue;
		seconds += job->seconds;
		for (unsigned k = 0; k < job->num_results; k++)
			count[job->results[k].verdict]++;
	}
	return seconds;
}

static unsigned jobs_left(const struct plan *plan, const struct module *m)
{
	unsigned n = 0;
	for (unsigned i = 0; i < plan->num_jobs; i++)
		n += !plan->jobs[i].done && (!m || plan->jobs[i].module == m);
	return n;
}

/* ---- Markdown ---- */
/* Text in a table, where a bar would be a column and other signs would be marks. */
static void cell_print(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (strchr("|\\`*<[", *s))
			fputc('\\', f);
		fputc(*s, f);
	}
}

static void row_print(FILE *f, const char *name, const unsigned count[NUM_VERDICTS], double seconds)
{
	fputs("| ", f);
	cell_print(f, name);
	fputs(" |", f);
	for (int v = 0; v < NUM_VERDICTS; v++)
		fprintf(f, " %u |", count[v]);
	fprintf(f, " %.1f |\n", seconds);
}

/* A table of the sub-tests with a verdict that is good, or not; nothing when there is none. */
static void list_print(struct report *r, FILE *f, bool skipped)
{
	bool head = false;
	for (unsigned i = 0; i < r->plan->num_jobs; i++)
		for (unsigned k = 0; k < r->plan->jobs[i].num_results; k++) {
			const struct job *job = &r->plan->jobs[i];
			const struct result *result = &job->results[k];
			if (result->verdict == PASSED || (result->verdict == SKIPPED) != skipped)
				continue;
			const char *reason = reason_of(r, job->module, result);
			if (!head)
				fputs(skipped ? "\n## Skipped\n\nA sub-test skips itself when the device does not report what it is about.\n\n"
						"| module | sub-test | reason |\n| --- | --- | --- |\n"
					      : "\n## Not passed\n\n| module | sub-test | verdict | what it said | reason |\n| --- | --- | --- | --- | --- |\n", f);
			head = true;
			fputs("| ", f);
			cell_print(f, job->module->name);
			fputs(" | ", f);
			cell_print(f, result->name);
			if (!skipped) {
				fprintf(f, " | %s | ", verdict_names[result->verdict]);
				cell_print(f, result->message ? result->message : "");
			}
			fputs(" | ", f);
			cell_print(f, reason ? reason : "");
			fputs(" |\n", f);
		}
}

static void markdown_print(struct report *r, FILE *f)
{
	unsigned count[NUM_VERDICTS], left = jobs_left(r->plan, NULL);
	double seconds;
	fprintf(f, "# %s\n\n", r->title);
	for (unsigned i = 0; r->notes && r->notes[i]; i++)
		fprintf(f, "%s  \n", r->notes[i]);
	fprintf(f, "galena " GALENA_VERSION ", %s\n\n", r->settings);
	if (left)
		fprintf(f, "**%u runs are still to be made.**\n\n", left);
	fputs("| module |", f);
	for (int v = 0; v < NUM_VERDICTS; v++)
		fprintf(f, " %s |", verdict_names[v]);
	fputs(" time (s) |\n| --- |", f);
	for (int v = 0; v <= NUM_VERDICTS; v++)
		fputs(" ---: |", f);
	fputc('\n', f);
	for (unsigned i = 0; i < r->plan->num_modules; i++) {
		seconds = report_count(r->plan, &r->plan->modules[i], count);
		unsigned all = 0;
		for (int v = 0; v < NUM_VERDICTS; v++)
			all += count[v];
		if (all)
			row_print(f, r->plan->modules[i].name, count, seconds);
	}
	seconds = report_count(r->plan, NULL, count);
	row_print(f, "all", count, seconds);
	bool absent = false;
	for (unsigned i = 0; i < r->plan->num_modules; i++)
		if (r->plan->modules[i].absent) {
			fputs(absent ? ", " : "\nNot run, as there is no such program: ", f);
			cell_print(f, r->plan->modules[i].name);
			absent = true;
		}
	if (absent)
		fputs(".\n", f);
	list_print(r, f, false);
	list_print(r, f, true);
}

/* ---- JSON ---- */
static json_t *counts_json(const struct plan *plan, const struct module *m)
{
	unsigned count[NUM_VERDICTS];
	double seconds = report_count(plan, m, count);
	json_t *o = json_object();
	for (int v = 0; v < NUM_VERDICTS; v++)
		json_object_set_new(o, verdict_names[v], json_integer(count[v]));
	json_object_set_new(o, "seconds", json_real(seconds));
	json_object_set_new(o, "left", json_integer(jobs_left(plan, m)));
	return o;
}

static void json_print(struct report *r, FILE *f)
{
	json_t *modules = json_array();
	for (unsigned i = 0; i < r->plan->num_modules; i++) {
		const struct module *m = &r->plan->modules[i];
		json_t *tests = json_array();
		for (unsigned j = 0; j < r->plan->num_jobs; j++)
			for (unsigned k = 0; r->plan->jobs[j].module == m && k < r->plan->jobs[j].num_results; k++) {
				const struct result *result = &r->plan->jobs[j].results[k];
				json_array_append_new(tests, json_pack("{s:s, s:s, s:s?, s:s?, s:f, s:s}", "name", result->name, "verdict",
					verdict_names[result->verdict], "message", result->message, "reason", reason_of(r, m, result),
					"seconds", r->plan->jobs[j].seconds, "log", r->plan->jobs[j].log));
			}
		json_array_append_new(modules, json_pack("{s:s, s:b, s:o, s:o}", "name", m->name, "absent", m->absent, "counts",
							 counts_json(r->plan, m), "tests", tests));
	}
	json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:o}", "title", r->title, "version", GALENA_VERSION, "settings", r->settings,
				 "counts", counts_json(r->plan, NULL), "modules", modules);
	if (!root || json_dumpf(root, f, JSON_INDENT(1) | JSON_REAL_PRECISION(6)))
		fail(EXIT_FAILED, "conformance: results.json: out of memory, or a name that is not UTF-8");
	fputc('\n', f);
	json_decref(root);
}

/* ---- JUnit ---- */
static void attribute_print(FILE *f, const char *name, const char *value)
{
	fprintf(f, " %s=\"", name);
	xml_print(f, value);
	fputc('"', f);
}

/* JUnit knows failures (the test says so) and errors (it could not say anything). */
static const char *const junit_elements[NUM_VERDICTS] = {
	[FAILED] = "failure", [SKIPPED] = "skipped", [CRASHED] = "error", [TIMED_OUT] = "error",
};

static void case_print(struct report *r, FILE *f, const struct job *job, const struct result *result)
{
	const char *element = junit_elements[result->verdict], *reason = reason_of(r, job->module, result);
	fputs("  <testcase", f);
	attribute_print(f, "classname", job->module->name);
	attribute_print(f, "name", result->name);
	fprintf(f, " time=\"%.3f\"", job->seconds);
	if (!element) {
		fputs("/>\n", f);
		return;
	}
	fprintf(f, "><%s", element);
	if (result->message || reason) {
		char *message = text("%s%s%s", result->message ? result->message : "", result->message && reason ? "; " : "", reason ? reason : "");
		attribute_print(f, "message", message);
		free(message);
	}
	fputs("/></testcase>\n", f);
}

static void junit_print(struct report *r, FILE *f)
{
	unsigned count[NUM_VERDICTS];
	double seconds = report_count(r->plan, NULL, count);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", f);
	attribute_print(f, "name", r->title);
	fprintf(f, " tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"%.3f\">\n",
		count[PASSED] + count[FAILED] + count[SKIPPED] + count[CRASHED] + count[TIMED_OUT], count[FAILED], count[CRASHED] + count[TIMED_OUT], seconds);
	for (unsigned i = 0; i < r->plan->num_modules; i++) {
		const struct module *m = &r->plan->modules[i];
		seconds = report_count(r->plan, m, count);
		fputs(" <testsuite", f);
		attribute_print(f, "name", m->name);
		fprintf(f, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.3f\">\n",
			count[PASSED] + count[FAILED] + count[SKIPPED] + count[CRASHED] + count[TIMED_OUT], count[FAILED], count[CRASHED] + count[TIMED_OUT],
			count[SKIPPED], seconds);
		for (unsigned j = 0; j < r->plan->num_jobs; j++)
			for (unsigned k = 0; r->plan->jobs[j].module == m && k < r->plan->jobs[j].num_results; k++)
				case_print(r, f, &r->plan->jobs[j], &r->plan->jobs[j].results[k]);
		fputs(" </testsuite>\n", f);
	}
	fputs("</testsuites>\n", f);
}

bool report_write(struct report *r, const char *output)
{
	static const struct { const char *name; void (*print)(struct report *, FILE *); } files[] = {
		{ "report.md", markdown_print }, { "results.json", json_print }, { "junit.xml", junit_print },
	};
	bool good = true;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		/* at once, so that a reader finds a whole one while a run goes on */
		char *path = text("%s/%s", output, files[i].name), *fresh = text("%s.new", path);
		FILE *f = fopen(fresh, "w");
		bool written = false;
		if (f) {
			files[i].print(r, f);
			written = !ferror(f);
			written = !fclose(f) && written && !rename(fresh, path);
		}
		if (!written)
			fail(EXIT_FAILED, "conformance: cannot write %s: %s", path, strerror(errno));
		good &= written;
		free(path);
		free(fresh);
	}
	return good;
}
