/* The Verilated semaphore unit (rtl/sem/sem.sv) for C. One clock. */
#ifndef GALENA_RTL_SEM_SHIM_H
#define GALENA_RTL_SEM_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What stands at the inputs in a cycle, but for request_ready_i. */
struct sem_shim_in {
	struct { bool valid; unsigned waiter; bool binary; uint64_t address, value; } arm;
	struct { bool valid; uint64_t address, value; bool host; } store;
	struct { bool valid; uint64_t address; } notify;
	struct { bool valid; unsigned fault; uint64_t data; } response;
};

/* What the outputs show then. */
struct sem_shim_out {
	bool arm_ready, store_ready, notify_ready;
	struct { bool valid; unsigned fault; bool host; } stored;
	struct { bool valid; unsigned waiter; uint64_t address; unsigned fault, access; } woken;
	struct { bool valid; uint64_t address; bool write; uint64_t data; } request;
};

struct sem_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct sem_shim *sem_shim_create(void);
void sem_shim_destroy(struct sem_shim *);
void sem_shim_reset(struct sem_shim *);
/* A cycle, up to its end: what the outputs show with these inputs; and the end, with the request taken or not. */
struct sem_shim_out sem_shim_show(struct sem_shim *, const struct sem_shim_in *);
void sem_shim_end(struct sem_shim *, bool request_ready);

#ifdef __cplusplus
}
#endif
#endif
