/* Names of the files that a process records to: GALENA_TRACE, GALENA_EVENTS, GALENA_WAVE, GALENA_HASH, GALENA_COUNTERS,
 * GALENA_CHECK and their options. %p in a name is the PID of the process, %% is %.
 *
 * Two processes never write one recording. A name without %p belongs to the process that opens it first; a later process
 * gets the name with its PID before the ending (t.bus, t.1234.bus). It is later when the other one still runs, or when both
 * belong to the same `galena run`, which leaves its start in GALENA_RUN. */
#ifndef GALENA_TRACES_OUTPUT_NAME_H
#define GALENA_TRACES_OUTPUT_NAME_H
#include <sys/types.h>

/* The file that this process writes for a setting: claimed on the first call, the same name on every later one. The caller
 * opens the file as it likes. The string is never freed. NULL with *error, one line, when the file cannot be written. Any
 * thread may call it. */
const char *output_name(const char *setting, const char **error);
/* The name alone, %p replaced: of a file that several processes append to. The caller frees it; NULL without memory. */
char *output_expand(const char *setting);
/* NULL when a file of this name can be written as far as is known without opening it; else one line that says why not: "%s is
 * a directory", ... It is valid until the next call. */
const char *output_wrong(const char *setting);

/* Whom the files are of: before the first name, in a process that records for another one. name is kept. */
void output_process(pid_t pid, const char *name);

/* Where the name of a claimed file names another file now, whose writer does not open files but replaces them: that one
 * is this process's, too. */
void output_replaced(const char *name);
/* The files are complete: they can be read. Their names stay taken as long as the process lives. */
void output_complete(void);

#endif
