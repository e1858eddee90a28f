/* What the files of bench/paths share: one platform, its rows, and the groups of figures. */
#ifndef BENCH_PATHS_H
#define BENCH_PATHS_H

#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_NO_PLATFORM = 3, RUNS_MAX = 64 };

struct path_options {
	const char *platform;   /* a part of its name; NULL: any */
	unsigned device;
	int small, runs;
};

extern struct path_options options;
extern cl_context context;        /* these are NULL before context_open() */
extern cl_device_id device;
extern cl_command_queue queue;
extern const char *running;       /* the group, in messages and rows */
extern const char *const source;  /* kernels null_kernel, fill and shade */

/* End the program with one line on stderr: when error is not CL_SUCCESS; because of a wrong result. */
void check(cl_int error, const char *what);
void wrong(const char *what) __attribute__((noreturn));
double now_s(void);
/* Pages of their own, zeroed, not yet touched; for the life of the program. */
void *pages(size_t bytes);
/* Reproducible bytes. */
void scramble(void *, size_t bytes, uint64_t seed);

int compare_doubles(const void *, const void *);
void row(const char *name, double value, const char *unit, const char *note);
/* A row for the median of `samples` seconds, which are put in order. */
void row_median(const char *name, double *seconds, int samples, double scale, const char *unit, const char *what);
/* A row for the median rate of runs that took `seconds` for `count` each; these are put in order. */
void row_rate(const char *name, double *seconds, int runs, int count, const char *what);

void platform_open(void);
void context_open(void);   /* and the platform */
cl_program program_build(const char *text);
cl_kernel kernel_create(cl_program, const char *name);
cl_mem buffer_create(cl_mem_flags, size_t bytes);
void finish(void);

/* The groups, and what they run as processes of their own. */
void group_launch(void), group_event(void);                    /* paths_launch.c */
void group_transfer(void);                                     /* paths_transfer.c */
void group_import(void);                                       /* paths_import.c */
void group_sharing(void);                                      /* paths_sharing.c */
void group_build(void), group_memory(void), group_start(void); /* paths_process.c */
void child_memory(void), child_list(void), child_result(void), child_imports(void), child_calls(void);
/* This program again, as the child of that name, with its output to a file or where ours goes (NULL); seconds. */
double run_self(const char *child, FILE *output);

#endif
