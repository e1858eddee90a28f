/* The `galena` command: what its subcommands share. */
#ifndef GALENA_TOOLS_GALENA_H
#define GALENA_TOOLS_GALENA_H
#include "base/text.h"
#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Exit codes of every subcommand. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_DIFFERS = 1, /* a check was made and did not hold (replay, diff) */
	EXIT_USAGE = 2,   /* the command line is off */
	EXIT_FAILED = 3,  /* something could not be done: the message says what and why */
	EXIT_NO_PROGRAM = 127,
};

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is "galena NAME" */
	const char *args, *doc;
};

int command_env(int argc, char **argv);
int command_run(int argc, char **argv);
int command_info(int argc, char **argv);
int command_clc(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_top(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_conformance(int argc, char **argv);

/* Directory that holds bin/, lib/, share/: found from the running executable. Static string. */
const char *kit_prefix(void);
/* Sets the variables by which loaders find the kit; prints them instead as shell exports. */
void kit_environment(bool print);

/* Options that set which device programs run on, for a command's own struct argp to take as a child. */
extern const struct argp device_argp;

/* Runs a program with GALENA_PROFILE and reports; directory: for the files, NULL for the tables alone, which go to
 * standard error in any case. The exit status: the program's, EXIT_FAILED when it is 0 and the report failed. */
int profile_program(const char *directory, char **argv);
/* Runs a program and waits for its end; recorded: and until what it recorded is complete. The exit status as a shell tells it; *signal_of:
 * the signal that ended it, or 0. Signals that are sent to this process reach the program. */
int program_run(char **argv, bool recorded, int *signal_of);
/* Ends this process as the program has ended. */
void end_by(int signal);

/* Prints "galena: ..." on standard error and returns code. */
__attribute__((format(printf, 2, 3))) int fail(int code, const char *fmt, ...);
/* Returns p; ends the program with a message if it is NULL. */
void *checked(void *p);
/* text_format, which ends the program, too. */
#define text(...) ((char *)checked(text_format(__VA_ARGS__)))
/* The same instead of another, which may be among its arguments. */
#define text_set(s, ...) \
	do { \
		char *const instead_ = text(__VA_ARGS__); \
		free(s); \
		(s) = instead_; \
	} while (0)

/* A cycle as an option's value; ends the program with a message when it is none. */
uint64_t cycle_parse(const char *arg, struct argp_state *state);
/* The same for a number from min to max; name: of the option. */
double number_parse(struct argp_state *state, const char *name, const char *arg, double min, double max);

/* Prints text as XML has it, with entities for its own characters. */
void xml_print(FILE *f, const char *s);

/* Seconds of a clock that is never set back. */
double now(void);

/* A line of progress with time left on a terminal's standard error, after two seconds; part runs
 * from 0 to 1. progress_end wipes it. */
enum { PROGRESS_RECORDS = 1024 }; /* of a file, between two calls: to ask how far it is read costs more than a record */
void progress_show(double part, const char *what);
void progress_end(void);

#endif
