/* The state of a run: a file with a line of JSON for the settings and one a job, written when the job is done, so that a run
 * that is cut off at any moment can go on. */
#define _GNU_SOURCE
#include "tools/conformance.h"
#include "tools/galena.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct state { FILE *file; char *path; };

void results_clear(struct job *job)
{
	for (unsigned i = 0; i < job->num_results; i++) {
		free(job->results[i].name);
		free(job->results[i].message);
	}
	job->num_results = 0;
}

static int verdict_of(const char *name)
{
	for (int v = 0; name && v < NUM_VERDICTS; v++)
		if (!strcmp(verdict_names[v], name))
			return v;
	return -1;
}

static void line_write(struct state *s, json_t *line)
{
	if (!line || json_dumpf(line, s->file, JSON_COMPACT) || fputc('\n', s->file) == EOF || fflush(s->file))
		exit(fail(EXIT_FAILED, "conformance: cannot write %s: %s", s->path, strerror(errno)));
	json_decref(line);
}

void state_add(struct state *s, const struct job *job)
{
	json_t *results = json_array();
	for (unsigned i = 0; i < job->num_results; i++) {
		const struct result *r = &job->results[i];
		json_array_append_new(results, json_pack("{s:s, s:s, s:s?}", "name", r->name, "verdict", verdict_names[r->verdict], "message", r->message));
	}
	line_write(s, json_pack("{s:s, s:f, s:o}", "job", job->key, "seconds", job->seconds, "results", results));
}

/* Gives a job what a line says of it; a line that says nothing whole is as if it were not there. */
static void job_take(struct job *job, const json_t *line)
{
	const json_t *results = json_object_get(line, "results"), *r;
	size_t i;
	job->done = json_array_size(results) > 0;
	job->seconds = json_number_value(json_object_get(line, "seconds"));
	results_clear(job);
	job->results = checked(realloc(job->results, (json_array_size(results) + 1) * sizeof *job->results));
	json_array_foreach(results, i, r) {
		const char *name = json_string_value(json_object_get(r, "name")), *message = json_string_value(json_object_get(r, "message"));
		int v = verdict_of(json_string_value(json_object_get(r, "verdict")));
		if (!name || v < 0) {
			job->done = false;
			break;
		}
		job->results[job->num_results++] = (struct result){
			checked(strdup(name)), (enum verdict)v, message ? checked(strdup(message)) : NULL,
		};
	}
	if (!job->done)
		results_clear(job);
}

/* The number of lines taken; ends the program when the settings differ. */
static void state_read(const char *path, const char *settings, struct plan *plan)
{
	char *text_line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "r");
	for (unsigned number = 0; f && getline(&text_line, &size, f) > 0; number++) {
		json_t *line = json_loads(text_line, 0, NULL);
		const char *was = json_string_value(json_object_get(line, "settings")), *key = json_string_value(json_object_get(line, "job"));
		if (number == 0 && (!was || strcmp(was, settings)))
			exit(fail(EXIT_USAGE, "conformance: %s is of a run with other settings (%s; now %s); --fresh throws it away, another --output keeps it",
				  path, was ? was : "none that can be read", settings));
		for (unsigned i = 0; key && i < plan->num_jobs; i++)
			if (!strcmp(plan->jobs[i].key, key))
				job_take(&plan->jobs[i], line);
		json_decref(line);
	}
	if (f)
		fclose(f);
	free(text_line);
}

struct state *state_open(const char *output, const char *settings, bool fresh, bool retry, struct plan *plan)
{
	struct state *s = checked(calloc(1, sizeof *s));
	s->path = text("%s/state.jsonl", output);
	if (!fresh && !access(s->path, F_OK))
		state_read(s->path, settings, plan);
	for (unsigned i = 0; i < plan->num_jobs; i++) {
		struct job *job = &plan->jobs[i];
		bool again = false;
		for (unsigned k = 0; retry && k < job->num_results; k++)
			if (!verdict_good(job->results[k].verdict))
				again = true;
		if (again) {
			results_clear(job);
			job->done = false;
		}
	}
	bool there = !fresh && !access(s->path, F_OK);
	s->file = fopen(s->path, there ? "a" : "w");
	if (!s->file)
		exit(fail(EXIT_FAILED, "conformance: cannot write %s: %s", s->path, strerror(errno)));
	if (there) /* the last line may be cut off */
		fputc('\n', s->file);
	else
		line_write(s, json_pack("{s:s}", "settings", settings));
	return s;
}

void state_close(struct state *s)
{
	fclose(s->file);
	free(s->path);
	free(s);
}
