/* The exit status of a program that itself succeeded: EXIT_RULE if a rule was broken or a recording is not complete, else
 * EXIT_FAULT if a device reported a failure (abi/failures.h), as far as GALENA_FAIL_ON asks for it. Without that variable: both
 * while GALENA_CHECK checks, else neither. */
#ifndef GALENA_TRACES_EXIT_STATUS_H
#define GALENA_TRACES_EXIT_STATUS_H
enum { EXIT_RULE = 3, EXIT_FAULT = 4 };

/* From now on the end of the process is seen. Any thread. */
void exit_status_watch(void);
/* A device of this process has failed: its fault code. Any thread. */
void exit_status_fault(int fault);

#endif
