#include "abi/environment.h"
#include "tools/galena.h"
#include "base/setting.h"
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int command_env(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?"))) {
		puts("Usage: galena env\n\nPrints shell exports that point every loader at this kit:\n"
		     "  eval \"$(galena env)\"");
		return EXIT_OK;
	}
	if (argc > 1)
		return fail(EXIT_USAGE, "env takes no argument; `galena env --help`");
	kit_environment(true);
	return EXIT_OK;
}

enum { OPT_DEVICE = 256, OPT_CONFIG, OPT_SPEED, OPT_DEVICES, OPT_TRACE, OPT_EVENTS, OPT_CHECK, OPT_FAIL_ON, OPT_WAVE, OPT_HASH, OPT_COUNTERS, OPT_PROFILE, OPT_LOG, OPT_INJECT, OPT_WATCHDOG };

static const struct argp_option device_options[] = {
	{ "device", OPT_DEVICE, "KIND", 0, "what is behind the driver: model, or remote (galena serve)", 0 },
	{ "config", OPT_CONFIG, "NAME", 0, "configuration: full, mini", 0 },
	{ "speed", OPT_SPEED, "NAME", 0, "timed or functional", 0 },
	{ "devices", OPT_DEVICES, "N", 0, "number of devices on the platform, 1 to 16", 0 },
	{ 0 },
};

static const struct argp_option options[] = {
	{ "trace", OPT_TRACE, "FILE", 0, "record all that crosses the bus", 0 },
	{ "events", OPT_EVENTS, "FILE", 0, "record the events of every block", 0 },
	{ "check", OPT_CHECK, "FILE", OPTION_ARG_OPTIONAL, "check the rules over the events; the report goes to standard error or is appended to a file", 0 },
	{ "fail-on", OPT_FAIL_ON, "WHAT", 0, "exit with 3 when a rule was broken (rule), with 4 when a command ended with a fault (fault), either (all), neither (none), if the program succeeded; by default all with --check, else none", 0 },
	{ "wave", OPT_WAVE, "FILE", 0, "record the signals of every block as a waveform (FST)", 0 },
	{ "hash", OPT_HASH, "FILE", OPTION_ARG_OPTIONAL, "print a hash of all that crossed the bus", 0 },
	{ "counters", OPT_COUNTERS, "FILE", OPTION_ARG_OPTIONAL, "print the counters of devices and kernels at the end (JSON to a file *.json)", 0 },
	{ "profile", OPT_PROFILE, "DIR", OPTION_ARG_OPTIONAL, "print where the time and the cycles went, by kernel, block and line; into DIR also sources, JSON and flame graphs", 0 },
	{ "inject", OPT_INJECT, "FAULT", 0, "arm a fault that a device injects into itself, NAME[,nth=N][,unit=N][,arg=N][,device=N]; may be given again; \"list\" lists the names", 0 },
	{ "watchdog", OPT_WATCHDOG, "CYCLES", 0, "cycles that a kernel may run without a work-group that ends before it is ended with a fault, 0 for no limit (200000000)", 0 },
	{ "log", OPT_LOG, "LEVEL", 0, "none, error, info, debug", 0 },
	{ 0 },
};

/* What is behind an option: a value, a recording, which is complete when its recorder has ended, or one in a file that is named. */
enum behind { VALUE, RECORDING, RECORDING_FILE };
static const struct { int key; const char *variable; enum behind behind; } variables[] = {
	{ OPT_DEVICE, "GALENA_DEVICE", VALUE },
	{ OPT_CONFIG, "GALENA_CONFIG", VALUE },
	{ OPT_SPEED, "GALENA_SPEED", VALUE },
	{ OPT_DEVICES, "GALENA_DEVICES", VALUE },
	{ OPT_TRACE, "GALENA_TRACE", RECORDING_FILE },
	{ OPT_EVENTS, "GALENA_EVENTS", RECORDING_FILE },
	{ OPT_CHECK, "GALENA_CHECK", RECORDING_FILE },
	{ OPT_FAIL_ON, "GALENA_FAIL_ON", VALUE },
	{ OPT_WAVE, "GALENA_WAVE", RECORDING_FILE },
	{ OPT_HASH, "GALENA_HASH", RECORDING_FILE },
	{ OPT_COUNTERS, "GALENA_COUNTERS", RECORDING_FILE },
	{ OPT_INJECT, "GALENA_INJECT", RECORDING },
	{ OPT_WATCHDOG, "GALENA_WATCHDOG", VALUE },
	{ OPT_LOG, "GALENA_LOG", VALUE },
};

/* Whether the environment asks for recordings; a profile's option has a command of its own. */
static bool recordings_wanted(void)
{
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (variables[i].behind != VALUE && setting(variables[i].variable))
			return true;
	return setting("GALENA_PROFILE") != NULL;
}

struct run {
	char **program;
	bool profile;
	const char *directory; /* of the profile */
};

static const char *option_name(int key)
{
	for (const struct argp_option *o = device_options; o->name; o++)
		if (o->key == key)
			return o->name;
	for (const struct argp_option *o = options; o->name; o++)
		if (o->key == key)
			return o->name;
	return "?";
}

/* A relative file must mean the same to a program that changes directory. */
static char *file_absolute(const char *name)
{
	char *cwd = name[0] == '/' ? NULL : getcwd(NULL, 0);
	char *absolute = text("%s%s%s", cwd ? cwd : "", cwd ? "/" : "", name);
	free(cwd);
	return absolute;
}

/* Several faults are one variable, with blanks between them. */
static char *faults_join(const char *more)
{
	static bool given; /* the option takes the place of the caller's variable */
	const char *before = given ? getenv("GALENA_INJECT") : NULL;
	given = true;
	return text("%s%s%s", before ? before : "", before ? " " : "", more);
}

/* Sets the variable behind an option; false: there is none. Ends the program when the value is wrong. */
static bool variable_set(int key, const char *arg)
{
	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
		if (variables[i].key != key)
			continue;
		char *made = !arg ? NULL : variables[i].behind == RECORDING_FILE ? file_absolute(arg) : key == OPT_INJECT ? faults_join(arg) : NULL;
		const char *value = made ? made : arg ? arg : "1", *wrong = environment_wrong(variables[i].variable, value);
		if (wrong || !*value)
			exit(fail(EXIT_USAGE, "--%s=%s: %s", option_name(key), arg, wrong ? wrong : "needs a value"));
		setenv(variables[i].variable, value, 1);
		free(made);
		return true;
	}
	return false;
}

static error_t device_option_parse(int key, char *arg, struct argp_state *state)
{
	(void)state;
	return variable_set(key, arg) ? 0 : ARGP_ERR_UNKNOWN;
}

const struct argp device_argp = { device_options, device_option_parse, NULL, NULL, NULL, NULL, NULL };

static void injections_print(void)
{
	static const struct { const char *name, *block, *arg, *doc; } list[] = {
#define INJECTION(name, code, block, arg, doc) { #name, block, arg, doc },
#include "abi/injections.def"
#undef INJECTION
	};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		printf("%-13s %-6s  %s%s%s%s\n", list[i].name, list[i].block, list[i].doc, *list[i].arg ? " [arg: " : "", list[i].arg,
		       *list[i].arg ? "]" : "");
	puts("\nA fault happens once, on the nth occasion (nth=1: the next) of a unit, queue or slot (unit=0xffff: of any), on one device\n"
	     "(device=0), once the device has booted. Examples:\n"
	     "  galena run --inject DMA_STALL -- ./program\n"
	     "  galena run --inject BUS_ERROR,nth=3,unit=8 --inject IRQ_LOST,device=1 -- ./program\n"
	     "docs/hardware.md, Fault injection, says what a driver sees and what helps.");
}

/* The processes of this run know each other's recordings by the time that it began (traces/output_name.h). */
static void run_mark(void)
{
	struct timespec now;
	char text[64];
	clock_gettime(CLOCK_REALTIME_COARSE, &now); /* the clock of files */
	snprintf(text, sizeof text, "%lld.%09ld", (long long)now.tv_sec, now.tv_nsec);
	setenv("GALENA_RUN", text, 1);
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct run *run = state->input;
	if (key == OPT_INJECT && !strcmp(arg, "list")) {
		injections_print();
		exit(EXIT_OK);
	}
	if (variable_set(key, arg))
		return 0;
	switch (key) {
	case OPT_PROFILE:
		run->profile = true;
		run->directory = arg;
		return 0;
	case ARGP_KEY_ARGS:
		run->program = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no program to run");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int command_run(int argc, char **argv)
{
	static const struct argp_child children[] = { { &device_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		options, option_parse, "-- PROGRAM [ARG...]",
		"Runs a program with every loader pointed at this kit.\v"
		"Examples:\n"
		"  galena run -- clinfo\n"
		"  galena run --speed functional --counters -- ffmpeg -init_hw_device opencl ...\n"
		"  galena run --trace t.bus -- ./program\n"
		"  galena run --profile=p -- ./program      and look at p/flame-device.svg, p/listing.txt\n"
		"  galena run --check --events e.events -- ./program\n"
		"  galena run --trace t-%p.bus -- make test         a trace of each process, by its PID\n\n"
		"The exit status is the program's. When the program itself succeeded, it is 3 with --check if a rule was broken, else 4 if a "
		"command ended with a fault; --fail-on says which of them count, also without --check. 2 when an option is off, 127 when the "
		"program cannot be started. `galena info --env` lists the variables behind the options.", children, NULL, NULL,
	};
	struct run run = { 0 };
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &run);
	const char *wrong = environment_check();
	if (wrong)
		return fail(EXIT_USAGE, "%s", wrong);
	run_mark();
	kit_environment(false);
	if (run.profile)
		return profile_program(run.directory, run.program);
	if (recordings_wanted()) {
		int by, status = program_run(run.program, true, &by);
		if (by)
			end_by(by);
		return status;
	}
	execvp(run.program[0], run.program);
	return fail(EXIT_NO_PROGRAM, "cannot start %s: %s", run.program[0], strerror(errno));
}

int command_clc(int argc, char **argv)
{
	char path[4400];
	(void)argc;
	snprintf(path, sizeof path, "%s/bin/galena-clc", kit_prefix());
	argv[0] = path;
	execv(path, argv);
	return fail(EXIT_FAILED, "cannot start the compiler %s: %s; build the kit with `make`", path, strerror(errno));
}
