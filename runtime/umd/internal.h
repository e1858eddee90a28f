/* What the files of the user-mode driver share. */
#ifndef GALENA_RUNTIME_UMD_INTERNAL_H
#define GALENA_RUNTIME_UMD_INTERNAL_H
#include "runtime/umd/umd.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { UMD_MAX_DEVICES = 16 };

struct umd {
	int file;
	struct kmd_platform platform;
	struct kmd_device devices[UMD_MAX_DEVICES];
	pid_t owner;          /* the process that opened it */
	atomic_bool crowded;  /* many commands wait to be seen ended */
	pthread_mutex_t lock; /* of the thread's start */
	pthread_t thread;     /* the completion thread */
	bool thread_started;
};
struct umd_space {
	struct umd *umd;
	uint32_t vm;
};
struct umd_bo {
	struct umd *umd;
	uint32_t bo;
	uint64_t address, size;
	void *cpu;
};
struct umd_queue {
	struct umd *umd;
	uint32_t queue;
};
struct umd_sem {
	struct umd *umd;
	uint32_t fence;
};
struct umd_command {
	struct umd *umd;
	uint32_t fence;        /* its own, while it has users */
	atomic_uint users;     /* references of callers */
	atomic_uint refs;      /* one of all users, one until it has ended */
	atomic_bool ended;
	bool has_fault;
	umd_done_fn done;
	void *arg;
	struct completion completion; /* valid once ended */
	struct fault_record fault;
	struct kmd_import import;
};

void umd_command_unref(struct umd_command *);
/* Functions of ended commands run on the calling thread. */
bool umd_delivers(void);
/* Waits, and calls functions of ended commands meanwhile. The result of KMD_WAIT. */
int umd_wait_for(struct umd *, struct kmd_wait *);
/* After a request has failed: KMD_AGAIN when it has waited for what the driver needs, and the request is to be repeated; otherwise the
 * error. *retry: 0 at first; goes into the request. */
int umd_retry(struct umd *, int error, uint32_t *retry);
void umd_start_thread(struct umd *);

/* A function that may call those of ended commands begins with this, its caller holding no lock of any library: they release
 * objects, and that takes locks. A checker that is preloaded (testbench/locks) ends the program at a violation. */
extern void galena_completions_may_run(const char *function) __attribute__((weak, visibility("default")));
#define COMPLETIONS_MAY_RUN() \
	((void)(galena_completions_may_run && !umd_delivers() ? galena_completions_may_run(__func__) : (void)0))

#endif
