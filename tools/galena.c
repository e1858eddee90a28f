#define _GNU_SOURCE
#include "tools/galena.h"
#include "base/clock.h"
#include "base/path.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct subcommand commands[] = {
	{ "env", command_env, "", "print shell exports that point every loader at this kit" },
	{ "run", command_run, "[OPTION...] -- PROGRAM [ARG...]", "run a program on a device of the kit" },
	{ "info", command_info, "[--env]", "show what the device is" },
	{ "clc", command_clc, "[OPTION...] FILE.cl", "compile OpenCL C for the device" },
	{ "trace", command_trace, "info|dump|replay FILE", "look at a bus trace, or replay it" },
	{ "profile", command_profile, "DIR", "make tables and flame graphs of a profile" },
	{ "serve", command_serve, "[--socket PATH]", "share devices between processes" },
	{ "top", command_top, "[--once]", "show running devices" },
	{ "conformance", command_conformance, "[OPTION...] DIR|LIST", "run the programs of a test suite and report" },
};
enum { NUM_COMMANDS = sizeof commands / sizeof commands[0] };

int fail(int code, const char *fmt, ...)
{
	va_list ap;
	fputs("galena: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return code;
}

void *checked(void *p)
{
	if (!p)
		exit(fail(EXIT_FAILED, "out of memory"));
	return p;
}

const char *kit_prefix(void)
{
	static char path[PATH_MAX];
	if (!path[0])
		program_path(path, 2);
	return path;
}

static void variable_put(bool print, const char *name, const char *value, bool prepend)
{
	const char *old = getenv(name);
	char *joined = NULL;
	if (prepend && old && *old && asprintf(&joined, "%s:%s", value, old) > 0)
		value = joined;
	if (print)
		printf(prepend ? "export %s='%s'${%s:+\":$%s\"}\n" : "export %s='%s'\n", name,
		       prepend && joined ? strndupa(joined, strlen(joined) - strlen(old) - 1) : value, name, name);
	else
		setenv(name, value, 1);
	free(joined);
}

void kit_environment(bool print)
{
	static const struct { const char *variable, *below; bool prepend; } table[] = {
		{ "OCL_ICD_VENDORS", "etc/OpenCL/vendors", false },
		{ "VK_DRIVER_FILES", "share/vulkan/icd.d/galena.json", false },
		{ "VK_ICD_FILENAMES", "share/vulkan/icd.d/galena.json", false }, /* loaders before 1.3.207 */
		{ "LIBVA_DRIVERS_PATH", "lib", false },
		{ "LD_LIBRARY_PATH", "lib", true },
		{ "PKG_CONFIG_PATH", "lib/pkgconfig", true },
		{ "PATH", "bin", true },
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		char path[4400];
		struct stat st;
		snprintf(path, sizeof path, "%s/%s", kit_prefix(), table[i].below);
		if (!stat(path, &st))
			variable_put(print, table[i].variable, path, table[i].prepend);
	}
	variable_put(print, "LIBVA_DRIVER_NAME", "galena", false);
}

uint64_t cycle_parse(const char *arg, struct argp_state *state)
{
	char *end;
	uint64_t v = strtoull(arg, &end, 0);
	if (!*arg || *end || *arg == '-')
		argp_error(state, "'%s' is no cycle", arg);
	return v;
}

double number_parse(struct argp_state *state, const char *name, const char *arg, double min, double max)
{
	char *end;
	double v = strtod(arg, &end);
	if (end == arg || *end || !(v >= min && v <= max))
		argp_error(state, "--%s %s: must be a number from %g to %g", name, arg, min, max);
	return v;
}

void xml_print(FILE *f, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': fputs("&amp;", f); break;
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '"': fputs("&quot;", f); break;
		default: fputc(*s, f);
		}
}

static struct { double start, last; bool shown; } progress;

double now(void) { return (double)clock_ns() * 1e-9; }

void progress_show(double part, const char *what)
{
	double t = now();
	if (!progress.start)
		progress.start = progress.last = t;
	if (t - progress.start < 2 || t - progress.last < 0.2 || !isatty(2))
		return;
	progress.last = t;
	progress.shown = true;
	fprintf(stderr, "\r%s %3.0f %%", what, part * 100);
	if (part > 0)
		fprintf(stderr, ", %.0f s left   ", (t - progress.start) * (1 - part) / part);
}

void progress_end(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
	progress.start = 0;
}

static void usage(FILE *f)
{
	fputs("Usage: galena COMMAND [ARG...]\n\n"
	      "Galena is a pre-silicon kit: OpenCL programs run, unmodified, on the model of an\n"
	      "accelerator that does not exist yet.\n\nCommands:\n", f);
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		fprintf(f, "  %-11s %s\n", commands[i].name, commands[i].doc);
	fputs("\nExamples:\n"
	      "  galena run -- clinfo                    what OpenCL sees\n"
	      "  galena run --counters -- ./my_program   and what the device did\n"
	      "  galena run --profile -- ./my_program    where its time and cycles went, by kernel and line\n"
	      "  galena serve                            devices that several programs share (GALENA_DEVICE=remote)\n"
	      "  galena top                              devices of running programs, live\n"
	      "  galena run --trace t.bus -- ./my_program && galena trace replay t.bus\n"
	      "  eval \"$(galena env)\"                    use the kit in this shell\n\n"
	      "`galena COMMAND --help` says more. Exit: 0 done, 1 a check did not hold, 2 usage,\n"
	      "3 could not be done.\n", f);
}

int main(int argc, char **argv)
{
	argp_err_exit_status = EXIT_USAGE;
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("galena " GALENA_VERSION);
		return EXIT_OK;
	}
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name)) {
			static char name[64];
			snprintf(name, sizeof name, "galena %s", commands[i].name);
			argv[1] = name;
			return commands[i].run(argc - 1, argv + 1);
		}
	return fail(EXIT_USAGE, "no command '%s'; `galena help` lists them", argv[1]);
}
