/* Random programs over the public API (stress.c): what their parts share. A program does nothing that a correct application does not:
 * no thread waits for a gate that it alone would open afterwards, callbacks do not block. What commands leave in memory is computed
 * beside them, as far as it is determined. */
#ifndef GALENA_TESTBENCH_STRESS_H
#define GALENA_TESTBENCH_STRESS_H
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "testbench/random.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdatomic.h>

enum { MAX_THREADS = 4, MAX_CONTEXTS = 2, MAX_QUEUES = 3, MAX_MEMORY = 10, MAX_GATES = 4, MAX_PIECES = 4, SCRATCH_WORDS = 256 };

/* ---- the whole program; stress_program.c ---- */
struct place { /* a context and what its threads share; nobody computes what is in scratch */
	cl_context context;
	cl_device_id devices[2];
	cl_uint num_devices;
	cl_program program;
	cl_command_queue queues[2]; /* out of order, in order */
	cl_mem scratch[2];
};
extern _Atomic bool ending;                     /* the process ends: calls may fail */
extern _Atomic unsigned callbacks_due, callbacks_done; /* registered; called */
extern _Atomic unsigned contexts_due, contexts_done;
extern uint64_t program_seed;

/* The child of stress.c: a program, of this seed. Its exit status; it may also end the process by itself. */
int stress_program(uint64_t seed);
enum { STATUS_GOOD = 0, STATUS_BROKEN = 1, STATUS_MEANT = 7 };

/* Ends the process, saying what is wrong, unless it is ending anyway. */
__attribute__((noreturn, format(printf, 3, 4))) void broken(const char *file, int line, const char *format, ...);
#define EXPECT(condition, ...) ((condition) ? (void)0 : broken(__FILE__, __LINE__, __VA_ARGS__))
#define MUST(call)                                                                                            \
	do {                                                                                                  \
		const cl_int must_code = (call);                                                              \
		EXPECT(must_code == CL_SUCCESS, "%s: %d", #call, must_code);                                  \
	} while (0)

/* ---- a thread ---- */
struct queue {
	cl_command_queue queue;
	unsigned number; /* never given again; 0: there is none */
	bool ordered, poisoned;
};
struct thread {
	unsigned index;
	uint64_t random;
	struct place *place;
	struct queue queues[MAX_QUEUES];
	struct memory *memory[MAX_MEMORY];
	struct gate *gates[MAX_GATES]; /* that this thread opens, before it waits for anything */
};
static inline unsigned below(uint64_t *random, unsigned n) { return (unsigned)(splitmix64(random) % n); }
static inline bool one_in(uint64_t *random, unsigned n) { return !below(random, n); }

/* One of the things that a thread does; stress_memory.c, stress_calls.c. */
struct action {
	const char *name;
	void (*act)(struct thread *);
	unsigned weight;
};
extern const struct action memory_actions[], call_actions[]; /* name NULL: the end */

/* ---- commands; stress_calls.c ---- */
/* What memory objects of a thread are views of. What waits for last finds expect in it, unless it is poisoned: a command that led to
 * it failed. */
struct data {
	unsigned references;
	uint32_t words, *expect;
	bool poisoned;
	cl_event last; /* NULL: none yet */
	unsigned last_queue;
};
/* A command being made: it waits for the last ones on its data, and sometimes for a gate. */
struct command {
	struct queue *queue;
	struct data *data[2];
	unsigned num_data, num_waits;
	cl_event waits[4], event;
	bool poisoned;
};
/* blocking: the call waits for the command. */
struct command command_begin(struct thread *, struct data *, struct data *or_null, bool blocking);
/* For a call's last three parameters. */
#define WAITS(c) (c)->num_waits, (c)->num_waits ? (c)->waits : NULL, &(c)->event
/* Of the call. false: it has failed, as it may, because what it waited for had. */
bool command_end(struct thread *, struct command *, cl_int code);
struct queue *queue_any(struct thread *);
void queues_flush(struct thread *);
void gates_open(struct thread *); /* before a wait */
void thread_begin(struct thread *);
void thread_end(struct thread *); /* gives back all that it has, in any order */
cl_kernel kernel_make(cl_program, const char *name);
/* Calls free(p) when the event is over. */
void free_after(cl_event, void *p);
/* The same, and compares first, unless the command failed. */
void compare_after(cl_event, uint32_t *seen, uint32_t *expect, unsigned words, const char *what);
/* Called once: a mem object's destructor gives this back. */
void free_with(cl_mem, void *p);

/* ---- memory; stress_memory.c ---- */
void memory_release_all(struct thread *);
/* Adds value to all words of something, by a kernel add(p, value) of this program. */
void memory_add(struct thread *, cl_program, const char *kernel, uint32_t value);

#endif
