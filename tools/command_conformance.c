/* `galena conformance`: runs the programs of a test suite on the device and reports. */
#define _GNU_SOURCE
#include "abi/environment.h"
#include "base/file.h"
#include "tools/conformance.h"
#include "tools/galena.h"
#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <fcntl.h>

void directory_need(const char *path)
{
	if (!directory_make(path))
		exit(fail(EXIT_FAILED, "conformance: cannot make the directory %s: %s", path, strerror(errno)));
}

enum {
	OPT_TIMEOUT = 512, OPT_PROGRAMS, OPT_LIST_OPTION, OPT_PATTERN, OPT_ENV, OPT_ONLY, OPT_REASONS, OPT_TITLE, OPT_NOTE, OPT_RETRY, OPT_FRESH,
	OPT_TRUST, OPT_LOG_LIMIT, OPT_LIST, OPT_REPORT, OPT_DEVICE_TYPE,
};

struct arguments {
	struct plan_options plan;
	struct run_options run;
	const char *reasons, *title;
	char **patterns, **env, **notes, **only; /* NULL-terminated */
	bool retry, fresh, list, report;
};

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "state, logs and reports; conformance-results by default", 0 },
	{ "base", 'b', "DIR", 0, "where the programs of a list lie, if not beside it", 0 },
	{ "jobs", 'j', "N", 0, "how many run at a time; 1 by default", 0 },
	{ "timeout", OPT_TIMEOUT, "SECONDS", 0, "time that each may take, 600 by default; then it is killed with all that it started", 0 },
	{ "log-limit", OPT_LOG_LIMIT, "MIB", 0, "what each may print, 64 by default", 0 },
	{ "only", OPT_ONLY, "PATTERN", 0, "a module or MODULE/SUB-TEST, with * and ?; may be given again", 0 },
	{ "env", OPT_ENV, "NAME=VALUE", 0, "set for the programs; may be given again", 0 },
	{ "device-type", OPT_DEVICE_TYPE, "NAME", 0, "what the device says it is: gpu, accelerator, cpu", 0 },
	{ "retry-failed", OPT_RETRY, NULL, 0, "run what did not pass once more", 0 },
	{ "fresh", OPT_FRESH, NULL, 0, "forget what DIR knows, run all", 0 },
	{ "list", OPT_LIST, NULL, 0, "print what would be run, and end", 0 },
	{ "report", OPT_REPORT, NULL, 0, "run nothing, write the reports of what DIR knows", 0 },
	{ "reasons", OPT_REASONS, "FILE", 0, "why sub-tests do not pass: lines of MODULE, SUB-TEST, REASON with tabs between, for the report", 0 },
	{ "title", OPT_TITLE, "TEXT", 0, "of the report", 0 },
	{ "note", OPT_NOTE, "TEXT", 0, "a line below it: the suite's revision; may be given again", 0 },
	{ "programs", OPT_PROGRAMS, "PATTERN", 0, "names of programs in a directory, test_* by default", 0 },
	{ "list-option", OPT_LIST_OPTION, "OPTION", 0, "makes a program list its sub-tests, --list by default; empty: programs run as a whole", 0 },
	{ "pattern", OPT_PATTERN, "KIND=REGEX", 0, "what lines mean, instead of the default; may be given again", 0 },
	{ "trust-exit", OPT_TRUST, NULL, 0, "a program that says nothing has passed when its status is 0", 0 },
	{ "verbose", 'v', NULL, 0, "print what passes, too", 0 },
	{ 0 },
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'o': a->plan.output = arg; break;
	case 'b': a->plan.base = arg; break;
	case 'j': a->run.parallel = (unsigned)number_parse(state, "jobs", arg, 1, 1024); break;
	case 'v': a->run.verbose = true; break;
	case OPT_TIMEOUT: a->run.limits.seconds = number_parse(state, "timeout", arg, 0.1, 1e7); break;
	case OPT_LOG_LIMIT: a->run.limits.log_bytes = (unsigned long)(number_parse(state, "log-limit", arg, 0.001, 1e6) * 1048576); break;
	case OPT_ONLY: list_add(&a->only, arg); break;
	case OPT_ENV:
		if (!strchr(arg, '=') || *arg == '=')
			argp_error(state, "--env %s: must be NAME=VALUE", arg);
		list_add(&a->env, arg);
		break;
	case OPT_DEVICE_TYPE:
		if (environment_wrong("GALENA_DEVICE_TYPE", arg))
			argp_error(state, "--device-type %s: %s", arg, environment_wrong("GALENA_DEVICE_TYPE", arg));
		a->plan.device_type = arg;
		setenv("GALENA_DEVICE_TYPE", arg, 1);
		break;
	case OPT_RETRY: a->retry = true; break;
	case OPT_FRESH: a->fresh = true; break;
	case OPT_LIST: a->list = true; break;
	case OPT_REPORT: a->report = true; break;
	case OPT_REASONS: a->reasons = arg; break;
	case OPT_TITLE: a->title = arg; break;
	case OPT_NOTE: list_add(&a->notes, arg); break;
	case OPT_PROGRAMS: a->plan.glob = arg; break;
	case OPT_LIST_OPTION: a->plan.list_option = arg; break;
	case OPT_PATTERN: list_add(&a->patterns, arg); break;
	case OPT_TRUST: a->run.trust_exit = true; break;
	case ARGP_KEY_ARG:
		if (a->plan.source)
			argp_error(state, "unexpected argument '%s'", arg);
		a->plan.source = arg;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no directory of programs, and no list"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The default patterns belong to the help, which comes from the table. */
static char *help_filter(int key, const char *doc, void *input)
{
	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)doc;
	char *all = checked(strdup(doc));
	for (unsigned i = 0; patterns_default[i]; i++)
		text_set(all, "%s\n  %s", all, patterns_default[i]);
	return all;
}

/* What results depend on: a run with other settings is another run. */
static char *settings_make(char **env)
{
	static const struct { const char *name, *variable; } list[] = {
		{ "device", "GALENA_DEVICE" },   { "configuration", "GALENA_CONFIG" },
		{ "speed", "GALENA_SPEED" },     { "devices", "GALENA_DEVICES" },
		{ "type", "GALENA_DEVICE_TYPE" }, { "engine", "GALENA_ENGINE" },
		{ "check", "GALENA_CHECK" },
	};
	char *all = checked(strdup(""));
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		text_set(all, "%s%s%s %s", all, i ? ", " : "", list[i].name, environment_value(list[i].variable));
	for (unsigned i = 0; env && env[i]; i++)
		text_set(all, "%s, %s", all, env[i]);
	for (char *p = all; *p; p++)
		*p = (unsigned char)*p < ' ' ? ' ' : *p;
	return all;
}

/* Devices use all CPUs; several programs at a time share them. */
static void threads_set(unsigned parallel)
{
	cpu_set_t set;
	int cpus = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
	char number[16];
	snprintf(number, sizeof number, "%d", cpus / (int)parallel > 1 ? cpus / (int)parallel : 1);
	if (parallel > 1)
		setenv("GALENA_HOST_THREADS", number, 0);
}

static void plan_print(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->num_jobs; i++) {
		const struct job *job = &plan->jobs[i];
		printf("%s/%s: %s", job->module->name, job->subtest ? job->subtest : "(program)", job->module->program);
		for (unsigned k = 0; job->module->args[k]; k++)
			printf(" %s", job->module->args[k]);
		printf(job->subtest ? " %s\n" : "%.0s\n", job->subtest ? job->subtest : "");
	}
}

/* One run at a time writes into a directory. */
static void output_take(const char *output)
{
	directory_need(output);
	char *path = text("%s/lock", output);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		exit(fail(EXIT_FAILED, fd < 0 ? "conformance: cannot write %s: %s" : "conformance: another run holds %s: %s", path, strerror(errno)));
	free(path);
}

/* Says what of the list cannot be run; false: that is all of it. */
static bool plan_check(const struct plan *plan)
{
	unsigned absent = 0;
	for (unsigned i = 0; i < plan->num_modules; i++)
		if (plan->modules[i].absent) {
			absent++;
			fail(0, "conformance: %s: no program %s", plan->modules[i].name, plan->modules[i].program);
		}
	if (plan->other_type)
		fprintf(stderr, "%u lines of the list are for another type of device\n", plan->other_type);
	if (!plan->num_jobs)
		fail(0, absent ? "conformance: none of the programs is there" : "conformance: --only leaves nothing to run");
	return plan->num_jobs > 0;
}

/* Runs what is left of a plan, and reports. */
static int plan_execute(struct arguments *a, struct plan *plan, const struct patterns *patterns, const char *settings)
{
	struct report report = { .plan = plan, .title = a->title, .settings = settings, .notes = a->notes };
	unsigned count[NUM_VERDICTS];
	const char *output = a->run.output;
	if (a->reasons)
		reasons_read(&report, a->reasons);
	struct state *state = state_open(output, settings, a->fresh, a->retry, plan);
	a->run.patterns = patterns;
	a->run.state = state;
	bool whole = a->report || plan_run(plan, &a->run), written = report_write(&report, output);
	state_close(state);
	double seconds = report_count(plan, NULL, count);
	for (int v = 0; v < NUM_VERDICTS; v++)
		printf("%s%u %s", v ? ", " : "", count[v], verdict_names[v]);
	printf("; %.0f s of runs; %s/report.md\n", seconds, output);
	for (unsigned i = 0; whole && !a->only && i < report.num_reasons; i++)
		if (!report.reasons[i].used)
			fail(0, "conformance: %s: the reason for %s/%s is for nothing: all that it names passed, or is not there", a->reasons,
			     report.reasons[i].module, report.reasons[i].subtest);
	reasons_free(&report);
	if (!whole)
		return fail(EXIT_FAILED, "conformance: ended by a signal; the same command goes on");
	if (!written)
		return EXIT_FAILED;
	return count[FAILED] + count[CRASHED] + count[TIMED_OUT] ? EXIT_DIFFERS : EXIT_OK;
}

static int run(struct arguments *a)
{
	struct plan plan = { 0 };
	struct patterns *patterns = patterns_make(a->patterns);
	char *settings = settings_make(a->env), *output;
	int code = EXIT_FAILED;
	output_take(a->plan.output);
	output = checked(realpath(a->plan.output, NULL));
	for (unsigned i = 0; a->env && a->env[i]; i++)
		putenv(a->env[i]);
	threads_set(a->run.parallel);
	a->plan.output = a->run.output = output;
	plan_make(&plan, &a->plan, patterns);
	if (plan_check(&plan)) {
		if (a->list)
			plan_print(&plan);
		code = a->list ? EXIT_OK : plan_execute(a, &plan, patterns, settings);
	}
	plan_free(&plan);
	patterns_free(patterns);
	free(settings);
	free(output);
	return code;
}

int command_conformance(int argc, char **argv)
{
	static const struct argp_child children[] = { { &device_argp, 0, "Device:", 1 }, { 0 } };
	static const struct argp argp = {
		options, option_parse, "DIR|LIST",
		"Runs the programs of a test suite on the device, a sub-test a process, and reports.\v"
		"DIR holds built programs at any depth; LIST has a line a module: NAME PROGRAM [ARG...], or, as suites ship it, "
		"NAME,PROGRAM [ARG...]. A program lists its sub-tests when asked; arguments that are patterns of their names (all: every "
		"one) select among them, others go to each run. What fails, crashes, hangs or prints without end ends only itself.\n\n"
		"A run that was cut off goes on when it is started again with the same --output. That directory then has report.md, "
		"results.json, junit.xml and logs/MODULE/SUB-TEST.log, each with its command in the first line.\n\n"
		"Examples:\n"
		"  galena conformance --speed functional -j2 -o out build/test_conformance\n"
		"  galena conformance -o out -b build/test_conformance --env CL_WIMPY_MODE=1 quick.csv\n"
		"  galena conformance -o out --only 'basic/vload*' -v build/test_conformance\n"
		"  galena conformance -o out --retry-failed build/test_conformance\n\n"
		"Exit: 0 nothing failed, 1 something did, 2 usage, 3 it could not be done or was cut off.\n\n"
		"A pattern is an extended regular expression. The sub-test's name is in its first parentheses; without any, it speaks of "
		"all that the program runs. KIND is pass, fail, skip, name (a line of the program's list) or message (the line that tells "
		"why). The defaults:", children, help_filter, NULL,
	};
	struct arguments a = {
		.plan = { .glob = "test_*", .list_option = "--list", .output = "conformance-results", .device_type = environment_value("GALENA_DEVICE_TYPE"),
			  .listing = { 60, 1 << 20 } },
		.run = { .parallel = 1, .limits = { 600, 64ul << 20 } },
		.title = "Conformance",
	};
	kit_environment(false);
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	a.plan.only = a.only;
	int code = run(&a);
	free(a.patterns);
	free(a.env);
	free(a.notes);
	free(a.only);
	return code;
}
