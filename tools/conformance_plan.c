/* What shall be run: from a directory of programs or a list of them, and from what each program lists. */
#define _GNU_SOURCE
#include "tools/conformance.h"
#include "tools/galena.h"
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The argument by which lists say "every sub-test". */
#define EVERY_SUBTEST "all"

unsigned list_length(char *const *list)
{
	unsigned n = 0;
	while (list[n])
		n++;
	return n;
}

void list_add(char ***list, char *s)
{
	unsigned n = *list ? list_length(*list) : 0;
	*list = checked(realloc(*list, (n + 2) * sizeof **list));
	(*list)[n] = s;
	(*list)[n + 1] = NULL;
}

/* Takes the blanks at both ends away, in place. */
static char *trimmed(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	for (char *end = s + strlen(s); end > s && isspace((unsigned char)end[-1]);)
		*--end = 0;
	return s;
}

static char **words_of(const char *line)
{
	char *copy = checked(strdup(line)), *rest = copy, *word, **words = checked(calloc(1, sizeof *words));
	while ((word = strsep(&rest, " \t")))
		if (*word)
			list_add(&words, checked(strdup(word)));
	free(copy);
	return words;
}

static void words_free(char **words)
{
	for (unsigned i = 0; words[i]; i++)
		free(words[i]);
	free(words);
}

/* ---- modules ---- */
static void module_add(struct plan *plan, const char *name, const char *program, char **args)
{
	char *clean = text_clean(checked(strdup(name))), *unique = checked(strdup(clean));
	for (unsigned i = 0, n = 1; i < plan->num_modules; i++)
		if (!strcmp(plan->modules[i].name, unique)) {
			free(unique);
			unique = text("%s %u", clean, ++n);
			i = ~0u; /* from the start */
		}
	free(clean);
	plan->modules = checked(realloc(plan->modules, (plan->num_modules + 1) * sizeof *plan->modules));
	plan->modules[plan->num_modules++] = (struct module){
		.name = unique, .program = checked(strdup(program)), .selected = args, .absent = access(program, X_OK) != 0,
	};
}

static char **found;
static const char *found_glob;

static int program_find(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	if (type == FTW_F && S_ISREG(st->st_mode) && (st->st_mode & 0111) && !fnmatch(found_glob, path + ftw->base, 0))
		list_add(&found, checked(strdup(path)));
	return 0;
}

static int string_compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void directory_read(struct plan *plan, const char *path, const char *glob)
{
	size_t prefix = strcspn(glob, "*?["); /* what all names begin with tells nothing */
	found = NULL;
	found_glob = glob;
	nftw(path, program_find, 16, FTW_PHYS);
	if (!found)
		exit(fail(EXIT_USAGE, "conformance: no executable %s below %s; --programs sets another pattern", glob, path));
	qsort(found, list_length(found), sizeof *found, string_compare);
	for (unsigned i = 0; found[i]; i++) {
		const char *name = strrchr(found[i], '/') + 1;
		module_add(plan, strlen(name) > prefix ? name + prefix : name, found[i], checked(calloc(1, sizeof(char *))));
	}
	words_free(found);
}

/* A line is NAME PROGRAM ARG..., or NAME,PROGRAM ARG... where names have blanks, or TYPE,NAME,PROGRAM ARG... where it is for
 * one type of device. */
static void line_take(struct plan *plan, char *line, const char *base, const char *type, const char *path, unsigned number)
{
	char *name = line, *command, *comma = strchr(line, ',');
	static const char type_prefix[] = "CL_DEVICE_TYPE_";
	if (comma) {
		*comma = 0;
		command = comma + 1;
		comma = strchr(command, ',');
		if (comma && !strncmp(trimmed(name), type_prefix, sizeof type_prefix - 1)) {
			if (strcasecmp(trimmed(name) + sizeof type_prefix - 1, type)) {
				plan->other_type++;
				return;
			}
			name = command;
			*comma = 0;
			command = comma + 1;
		}
	} else {
		command = line + strcspn(line, " \t");
		if (*command)
			*command++ = 0;
	}
	char **words = words_of(command);
	if (!*trimmed(name) || !words[0])
		exit(fail(EXIT_FAILED, "conformance: %s:%u: a line is NAME PROGRAM [ARG...] or NAME,PROGRAM [ARG...]", path, number));
	char *program = words[0][0] == '/' ? checked(strdup(words[0])) : text("%s/%s", base, words[0]);
	char **args = checked(calloc(1, sizeof *args));
	for (unsigned i = 1; words[i]; i++)
		list_add(&args, checked(strdup(words[i])));
	module_add(plan, trimmed(name), program, args);
	free(program);
	words_free(words);
}

static void list_read(struct plan *plan, const struct plan_options *o, const char *base)
{
	char *line = NULL;
	size_t size = 0;
	unsigned number = 0;
	FILE *f = fopen(o->source, "r");
	if (!f)
		exit(fail(EXIT_FAILED, "conformance: cannot read %s: %s", o->source, strerror(errno)));
	while (getline(&line, &size, f) > 0) {
		char *begin = trimmed(line);
		number++;
		if (*begin && *begin != '#')
			line_take(plan, begin, base, o->device_type, o->source, number);
	}
	free(line);
	fclose(f);
	if (!plan->num_modules)
		exit(fail(EXIT_USAGE, "conformance: %s names no program for a device of type %s", o->source, o->device_type));
}

/* ---- jobs ---- */
/* A name as a file's: what is not plain becomes %XX, so that two names never become one. */
static char *file_name(const char *name)
{
	char *out = checked(calloc(3 * strlen(name) + 2, 1)), *p = out;
	for (const unsigned char *s = (const unsigned char *)name; *s; s++)
		p += sprintf(p, isalnum(*s) || (strchr("_-+.", *s) && (*s != '.' || s != (const unsigned char *)name)) ? "%c" : "%%%02X", *s);
	return out;
}

static bool is_wanted(const struct plan_options *o, const struct module *m, const char *subtest)
{
	char *both = text("%s/%s", m->name, subtest ? subtest : "(program)");
	bool wanted = !o->only;
	for (unsigned i = 0; o->only && o->only[i]; i++)
		wanted |= !fnmatch(o->only[i], both, 0) || !fnmatch(o->only[i], m->name, 0);
	free(both);
	return wanted;
}

static void job_add(struct plan *plan, const struct plan_options *o, struct module *m, const char *subtest)
{
	struct job job = { .subtest = subtest ? checked(strdup(subtest)) : NULL };
	if (!is_wanted(o, m, subtest)) {
		free(job.subtest);
		return;
	}
	char *module_file = file_name(m->name), *file = file_name(subtest ? subtest : "(program)");
	job.log = text("logs/%s/%s.log", module_file, file);
	job.key = text("%s/%s", module_file, file);
	for (unsigned i = 0; m->args[i]; i++) {
		char *arg = file_name(m->args[i]);
		text_set(job.key, "%s %s", job.key, arg);
		free(arg);
	}
	free(module_file);
	free(file);
	job.module = m;
	plan->jobs = checked(realloc(plan->jobs, (plan->num_jobs + 1) * sizeof *plan->jobs));
	plan->jobs[plan->num_jobs++] = job;
}

/* What the program lists, NULL when it lists nothing. */
static char **subtests_ask(const struct module *m, const struct plan_options *o, const struct patterns *p)
{
	char *argv[] = { m->program, o->list_option, NULL }, *file = file_name(m->name);
	char *log = text("%s/logs/%s/(list).log", o->output, file), *scratch = text("%s/scratch/list", o->output), **names = NULL;
	struct ending e = process_run(argv, scratch, log, &o->listing);
	if (!e.late && !e.too_much && WIFEXITED(e.status) && !WEXITSTATUS(e.status)) {
		names = patterns_names(p, log);
		if (!names[0]) {
			free(names);
			names = NULL;
		}
	}
	free(file);
	free(log);
	free(scratch);
	return names;
}

static void jobs_make(struct plan *plan, struct module *m, const struct plan_options *o, const struct patterns *p)
{
	bool there = !m->absent, any = false;
	char **names = there && *o->list_option ? subtests_ask(m, o, p) : NULL;
	m->absent &= is_wanted(o, m, NULL); /* else it is not missing */
	m->args = checked(calloc(1, sizeof *m->args));
	if (!names) {
		for (unsigned i = 0; m->selected[i]; i++)
			list_add(&m->args, m->selected[i]);
		if (there)
			job_add(plan, o, m, NULL);
		return;
	}
	bool *wanted = checked(calloc(list_length(names), sizeof *wanted));
	for (unsigned i = 0; m->selected[i]; i++) {
		bool selects = !strcmp(m->selected[i], EVERY_SUBTEST);
		for (unsigned k = 0; names[k]; k++)
			if (!strcmp(m->selected[i], EVERY_SUBTEST) || !fnmatch(m->selected[i], names[k], 0))
				selects = wanted[k] = true;
		any |= selects;
		if (!selects)
			list_add(&m->args, m->selected[i]);
	}
	if (!any && list_length(names) == 1) /* it need not be named, and to some programs a name says more than that */
		job_add(plan, o, m, NULL);
	else
		for (unsigned k = 0; names[k]; k++)
			if (wanted[k] || !any)
				job_add(plan, o, m, names[k]);
	free(wanted);
	words_free(names);
}

void plan_make(struct plan *plan, const struct plan_options *o, const struct patterns *p)
{
	struct stat st;
	char *full = realpath(o->source, NULL), *base;
	if (!full || stat(full, &st))
		exit(fail(EXIT_USAGE, "conformance: %s: %s", o->source, strerror(errno)));
	if (S_ISDIR(st.st_mode)) {
		directory_read(plan, full, o->glob);
	} else {
		base = o->base ? realpath(o->base, NULL) : checked(strdup(full));
		if (!base)
			exit(fail(EXIT_USAGE, "conformance: %s: %s", o->base, strerror(errno)));
		if (!o->base)
			*strrchr(base, '/') = 0;
		list_read(plan, o, base);
		free(base);
	}
	free(full);
	for (unsigned i = 0; i < plan->num_modules; i++) {
		progress_show((double)i / plan->num_modules, "asking the programs for their sub-tests");
		jobs_make(plan, &plan->modules[i], o, p);
	}
	progress_end();
}

void plan_free(struct plan *plan)
{
	for (unsigned i = 0; i < plan->num_jobs; i++) {
		struct job *job = &plan->jobs[i];
		results_clear(job);
		free(job->results);
		free(job->subtest);
		free(job->key);
		free(job->log);
	}
	for (unsigned i = 0; i < plan->num_modules; i++) {
		struct module *m = &plan->modules[i];
		free(m->name);
		free(m->program);
		free(m->args); /* its strings are among those of selected */
		words_free(m->selected);
	}
	free(plan->jobs);
	free(plan->modules);
}
