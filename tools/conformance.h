/* `galena conformance`: what its parts share. A plan is what shall be run: modules (a program and its arguments), and jobs
 * (a process each: one sub-test of a module where its program lists them, else the whole program). A job leaves results,
 * one a sub-test. */
#ifndef GALENA_TOOLS_CONFORMANCE_H
#define GALENA_TOOLS_CONFORMANCE_H
#include <regex.h>
#include <stdbool.h>

enum verdict { PASSED, FAILED, SKIPPED, CRASHED, TIMED_OUT, NUM_VERDICTS };
/* "passed", "failed", ... */
extern const char *const verdict_names[NUM_VERDICTS];
static inline bool verdict_good(enum verdict v) { return v == PASSED || v == SKIPPED; }

struct result {
	char *name; /* of the sub-test; "(program)" for what a program does as a whole */
	enum verdict verdict;
	char *message; /* one line of printable UTF-8, or NULL */
};

struct module {
	char *name;      /* no two are the same */
	char *program;   /* absolute path */
	char **args;     /* NULL-terminated: those that select no sub-test */
	char **selected; /* NULL-terminated: the list's arguments, before they were parsed */
	bool absent;     /* no such program, and it was asked for */
};

struct job {
	const struct module *module;
	char *subtest; /* NULL: the whole program */
	char *key;     /* what the state knows it by */
	char *log;     /* below the output directory */
	bool done;
	double seconds;
	struct result *results;
	unsigned num_results;
};

struct plan {
	struct module *modules;
	struct job *jobs;
	unsigned num_modules, num_jobs;
	unsigned other_type; /* lines of the list that are for another type of device */
};

/* How a process ended. */
struct ending {
	int status; /* waitpid(2)'s */
	bool late, too_much; /* it was killed: for its time, for what it printed */
	double seconds;
};

struct process_limits {
	double seconds;
	unsigned long log_bytes;
};

/* ---- command_conformance.c ---- */
/* directory_make, which ends the program with a message when that fails. */
void directory_need(const char *path);

/* ---- conformance_judge.c: from what a program prints to verdicts ---- */
struct patterns;
/* The patterns that hold when none is given, with a line of explanation each, for --help. */
extern const char *const patterns_default[];
/* given: NULL-terminated "KIND=REGEX", NULL for the default; ends the program with EXIT_USAGE on one that is off. */
struct patterns *patterns_make(char **given);
void patterns_free(struct patterns *p);
/* Names in the output of a program that was asked for its sub-tests; NULL-terminated, at most one each. */
char **patterns_names(const struct patterns *p, const char *log);
/* Fills the job's results. trust_exit: a program that says nothing has passed when its status is 0. */
void job_judge(struct job *job, const struct patterns *p, const char *log, const struct ending *e, bool trust_exit);
/* In place: one line of printable UTF-8, at most 300 bytes. Returns text. */
char *text_clean(char *text);

/* ---- conformance_plan.c ---- */
struct plan_options {
	const char *source;      /* directory, or list file */
	const char *base;        /* directory that a list's programs are relative to; NULL: the list's own */
	const char *glob;        /* names of programs in a directory */
	const char *device_type; /* lines of a list for another are left out */
	char *list_option;       /* asks a program for its sub-tests; "" for none */
	char **only;             /* NULL-terminated: globs of MODULE/SUBTEST; NULL: all */
	const char *output;
	struct process_limits listing;
};
void plan_make(struct plan *plan, const struct plan_options *o, const struct patterns *p);
void plan_free(struct plan *plan);
/* Lists of strings that end with NULL; NULL is an empty one for list_add, which ends the program without memory. */
unsigned list_length(char *const *list);
void list_add(char ***list, char *s);

/* ---- conformance_run.c ---- */
struct state;
/* Runs a program to its end in a process group of its own and kills what is left of the group; standard output and error
 * go to the file log. */
struct ending process_run(char **argv, const char *scratch, const char *log, const struct process_limits *limits);
struct run_options {
	const char *output;
	const struct patterns *patterns;
	struct process_limits limits;
	unsigned parallel;
	bool trust_exit, verbose;
	struct state *state; /* has each job that is done */
};
/* Runs the jobs that are not done. False: a signal has ended it, and jobs are left. */
bool plan_run(struct plan *plan, const struct run_options *o);

/* ---- conformance_state.c: what a run that was cut off goes on from ---- */
/* Opens OUTPUT/state.jsonl and takes over the jobs that it knows; retry: not those that did not pass. settings: a run with
 * other ones is not gone on with. Ends the program with a message on failure. */
struct state *state_open(const char *output, const char *settings, bool fresh, bool retry, struct plan *plan);
void state_add(struct state *s, const struct job *job);
void state_close(struct state *s);
/* The job has no results any more. */
void results_clear(struct job *job);

/* ---- conformance_report.c ---- */
struct reason { char *module, *subtest, *text; bool used; };
struct report {
	const struct plan *plan;
	const char *title, *settings;
	char **notes; /* NULL-terminated */
	struct reason *reasons;
	unsigned num_reasons;
};
void reasons_read(struct report *r, const char *path);
void reasons_free(struct report *r);
/* Writes OUTPUT/report.md, results.json and junit.xml; false with a message when one cannot be written. */
bool report_write(struct report *r, const char *output);
/* Counts by verdict; of one module, or of all with NULL. Returns the time. */
double report_count(const struct plan *plan, const struct module *m, unsigned count[NUM_VERDICTS]);

#endif
