/* The programs of the test deaths: what they leave behind about themselves, and how they die. */
#ifndef GALENA_TESTBENCH_TRACES_DYING_H
#define GALENA_TESTBENCH_TRACES_DYING_H
#include <stdint.h>
#include <sys/types.h>

/* In a file that the program has mapped: true up to the instruction at which it dies. */
struct facts {
	_Atomic uint64_t calls, returns;   /* on the bus, of all devices */
	_Atomic uint64_t accesses;         /* of devices in system memory, that are over */
	_Atomic uint64_t memory_bytes;     /* in them */
	_Atomic uint64_t cycle;            /* of the last return */
	_Atomic int32_t operations;        /* of the program */
};

/* The ways to die, with how it shows: exit statuses and signals are as for waitpid. */
enum way {
	WAY_ABORT, WAY_NULL, WAY_TRAP, WAY_DIVIDE, WAY_KILL_SELF, WAY_TERMINATE, WAY_INTERRUPT, WAY_HANG_UP, WAY_PIPE, WAY_TIMER,
	WAY_KILLED, WAY_INTERRUPTED, WAY__EXIT, WAY_QUICK_EXIT, WAY_EXIT_GROUP, WAY_STACK, WAY_STACK_THREAD, WAY_EXEC, WAY_EXEC_SAME,
	WAY_THREAD_ABORT, WAY_THREAD__EXIT, WAY_MAIN_LEAVES, WAY_FORK_DIES, WAY_FORK_LIVES, WAY_CLOSED_FDS, WAY_EXIT, WAY_RETURN,
	WAYS
};
extern const char *const way_names[WAYS];

/* The program: works as the seed says, and dies in this way. facts: a descriptor. Returns the status of one that does not die. */
int dying_program(enum way, uint64_t seed, int facts, const char *self);

#endif
