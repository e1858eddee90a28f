/* Watches a program from outside, to see that it has ended, and how. */
#ifndef GALENA_TRACES_PROGRAM_WATCH_H
#define GALENA_TRACES_PROGRAM_WATCH_H
#include <stdint.h>
#include <sys/types.h>

struct program_watch {
	int socket;   /* its other end is the program's alone, and is closed when that dies or calls exec */
	int process;  /* pidfd; -1: the system has none */
	pid_t pid;
	ino_t memory; /* a file that the program has mapped, and a program that it becomes has not */
};

/* Sleeps until the program has ended; how (program_end.h). */
uint64_t program_wait(const struct program_watch *);
/* After PROGRAM_EXEC: sleeps until the process has ended. */
void process_wait(const struct program_watch *);

#endif
