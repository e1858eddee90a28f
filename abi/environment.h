/* What the environment variables of environment.def may say: one check for options of commands and for the driver. */
#ifndef GALENA_ABI_ENVIRONMENT_H
#define GALENA_ABI_ENVIRONMENT_H

/* What is wrong with a value, in one line without the variable's name ("must be timed or functional"); NULL when it is right, or
 * the variable is in no table. An empty value is right: it is the default. Valid until the thread's next call. */
const char *environment_wrong(const char *variable, const char *value);
/* The first variable in the environment that has a wrong value: "GALENA_SPEED=fast: must be timed or functional". NULL when all
 * are right. Valid until the thread's next call. */
const char *environment_check(void);
/* The first variable behind `after` (NULL: of all) that names a file to write and is set; NULL: there is none. */
const char *environment_output(const char *after);
/* What is set, or the default of the table where nothing is. */
const char *environment_value(const char *variable);

#endif
