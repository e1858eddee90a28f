/* Replays a bus trace on a device, without any runtime: the calls are made again, the device's
 * reads of system memory are answered from the pages of the trace, and everything that comes back (values
 * read, cycles, interrupts, memory written) is compared. */
#ifndef GALENA_TRACES_REPLAY_H
#define GALENA_TRACES_REPLAY_H
#include <stdbool.h>
#include <stdint.h>

struct replay_result {
	uint64_t records;     /* replayed */
	uint64_t hash;        /* of the trace */
	uint64_t end;         /* how the program ended (program_end.h) */
	uint64_t record;      /* first that differed, counted from 0 */
	char difference[256]; /* what differed, empty if nothing did */
};

struct replay_options {
	const char *config; /* another configuration: replay_results.h. NULL: that of the trace, and everything is as it was */
	bool check_cycles;                        /* also compare the cycle of every return */
	void (*progress)(double part, void *arg); /* may be NULL */
	void *arg;
};

/* 0: replayed to the end with no difference; 1: a difference, described in *result; -1: the trace
 * cannot be read or the device cannot be opened: *error. */
int replay_run(const char *path, const struct replay_options *, struct replay_result *, const char **error);

#endif
