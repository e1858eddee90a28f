/* Every entry point with its handle parameters: a call that is right, of which one handle can be replaced. */
#ifndef GALENA_TESTBENCH_SPEC_CALLS_H
#define GALENA_TESTBENCH_SPEC_CALLS_H
#include "testbench/opencl/spec.h"

enum handle {
	H_NONE,
	H_PLATFORM,
	H_DEVICE,
	H_CONTEXT,
	H_QUEUE,
	H_BUFFER,
	H_BUFFER2,
	H_IMAGE,
	H_IMAGE2,
	H_SAMPLER,
	H_PROGRAM,  /* built, from source, no kernels attached */
	H_PROGRAM2, /* compiled, not linked; with its source */
	H_KERNEL,
	H_EVENT,    /* complete, of a command */
	H_WAIT,     /* the only entry of a wait list: a user event that is complete */
	H_COUNT,
};

struct args {
	void *h[H_COUNT];
	cl_uint num_events;
	const cl_event *list; /* &h[H_WAIT], or NULL */
	bool control;         /* all is right: the call may make what it then uses up */
	char *memory;         /* 4096 bytes */
	void *svm;            /* the same of shared virtual memory, where there is any */
};

/* A handle parameter: the rule is CL_<entry>_<what>. */
struct parameter {
	enum handle handle;
	const char *what;
	cl_int code;
	bool null_allowed;
};

enum need {
	N_NOTHING,
	N_OPTIONAL, /* what the device may lack: the right call fails otherwise than the wrong one */
	N_SVM,      /* the same; without shared virtual memory calls are refused as soon as their queue is known */
	N_PIPE,     /* an object that there cannot be: no call is right */
};

struct call {
	const char *entry;
	cl_int (*call)(struct args *);
	struct parameter parameter[5];
	enum need need;
};

extern const struct call spec_calls[];
extern const size_t spec_num_calls;
/* Before the first call. */
void spec_calls_init(const struct _cl_icd_dispatch *);

#endif
