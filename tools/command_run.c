#include "tools/galena.h"
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum { OPT_DEVICE = 256, OPT_CONFIG, OPT_SPEED, OPT_DEVICES, OPT_TRACE, OPT_EVENTS, OPT_CHECK, OPT_WAVE, OPT_HASH, OPT_COUNTERS, OPT_PROFILE, OPT_LOG };

static const struct argp_option device_options[] = {
	{ "device", OPT_DEVICE, "KIND", 0, "what stands behind the bus: model", 0 },
	{ "config", OPT_CONFIG, "NAME", 0, "configuration: full, mini", 0 },
	{ "speed", OPT_SPEED, "NAME", 0, "timed or functional", 0 },
	{ "devices", OPT_DEVICES, "N", 0, "number of devices on the platform", 0 },
	{ 0 },
};

static const struct argp_option options[] = {
	{ "trace", OPT_TRACE, "FILE", 0, "record all that crosses the bus", 0 },
	{ "events", OPT_EVENTS, "FILE", 0, "record the events of every block", 0 },
	{ "check", OPT_CHECK, "FILE", OPTION_ARG_OPTIONAL, "check the rules over the events; the report goes to standard error or is appended to a file", 0 },
	{ "wave", OPT_WAVE, "FILE", 0, "record the signals of every block as a waveform (FST)", 0 },
	{ "hash", OPT_HASH, "FILE", OPTION_ARG_OPTIONAL, "print a hash of all that crossed the bus", 0 },
	{ "counters", OPT_COUNTERS, "FILE", OPTION_ARG_OPTIONAL, "print the counters of devices and kernels at the end (JSON to a file *.json)", 0 },
	{ "profile", OPT_PROFILE, "DIR", OPTION_ARG_OPTIONAL, "print where the time and the cycles went, by kernel, block and line; into DIR also sources, JSON and flame graphs", 0 },
	{ "log", OPT_LOG, "LEVEL", 0, "none, error, info, debug", 0 },
	{ 0 },
};

static const struct { int key; const char *variable; } variables[] = {
	{ OPT_DEVICE, "GALENA_DEVICE" },   { OPT_CONFIG, "GALENA_CONFIG" },
	{ OPT_SPEED, "GALENA_SPEED" },     { OPT_DEVICES, "GALENA_DEVICES" },
	{ OPT_TRACE, "GALENA_TRACE" },     { OPT_EVENTS, "GALENA_EVENTS" },
	{ OPT_CHECK, "GALENA_CHECK" },
	{ OPT_WAVE, "GALENA_WAVE" },       { OPT_HASH, "GALENA_HASH" },
	{ OPT_COUNTERS, "GALENA_COUNTERS" }, { OPT_LOG, "GALENA_LOG" },
};

static bool is_file(int key)
{
	return key == OPT_TRACE || key == OPT_EVENTS || key == OPT_CHECK || key == OPT_WAVE || key == OPT_HASH || key == OPT_COUNTERS;
}

struct run {
	char **program;
	bool profile;
	const char *directory; /* of the profile */
};

/* Sets the variable behind an option; false: there is none. */
static bool variable_set(int key, const char *arg)
{
	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
		if (variables[i].key == key) {
			/* A relative file must mean the same to a program that changes directory. */
			char *absolute = NULL;
			if (arg && is_file(key) && arg[0] != '/') {
				char *cwd = getcwd(NULL, 0);
				if (cwd && (absolute = malloc(strlen(cwd) + strlen(arg) + 2)))
					sprintf(absolute, "%s/%s", cwd, arg);
				free(cwd);
			}
			setenv(variables[i].variable, absolute ? absolute : arg ? arg : "1", 1);
			free(absolute);
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

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct run *run = state->input;
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
		"  galena run --check --events e.events -- ./program\n\n"
		"The exit status is the program's; with --check it is 3 when the program itself succeeded and a "
		"rule was broken; 127 when the program cannot be started. `galena info --env` lists the variables "
		"behind the options.", children, NULL, NULL,
	};
	struct run run = { 0 };
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &run);
	kit_environment(false);
	if (run.profile)
		return profile_program(run.directory, run.program);
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
