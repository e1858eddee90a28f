/* How a command is made: check the arguments, then
 *
 *	struct command c;
 *	cl_int code = command_begin(&c, queue, CL_COMMAND_X, num_events, wait_list);
 *	if (code)
 *		return code;                       // nothing to undo
 *	command_use(&c, &mem->object) ...          // kept until it has ended
 *	command_use_mem(&c, mem) ...               // the same, and waits for its initial contents
 *	command_staging(&c, size, align, &s) ...   // device-visible memory until it has ended
 *	*command_packet(&c) = (union packet){...}  // in order
 *	return command_submit(&c, blocking, event);
 *
 * A failure in between (out of memory) is kept in c.error; command_submit then undoes everything
 * and returns it, so callers need to check only what they dereference. */
#ifndef GALENA_RUNTIME_OPENCL_COMMAND_H
#define GALENA_RUNTIME_OPENCL_COMMAND_H
#include "runtime/opencl/objects.h"
#include "runtime/umd/box.h"

/* Called when the command has ended, before its event says so, on the thread that handles completions: must not
 * wait. status is what the event will get; called for failed commands too, and (with
 * CL_OUT_OF_RESOURCES) for commands that could not be submitted. */
typedef void (*command_done_fn)(void *arg, cl_int status);

struct command_hook {
	command_done_fn fn;
	void *arg;
};

/* What a command holds until it has ended. */
struct command_state {
	struct object **used;
	unsigned num_used, cap_used;
	struct staging *staging;          /* given back when the command is covered */
	unsigned num_staging, cap_staging;
	struct command_hook *hooks;
	unsigned num_hooks, cap_hooks;
	/* host memory that it writes; NULL if none */
	const char *host_begin, *host_end;
	struct late_copy *late;           /* context->lock: what waits for these bytes, see transfer.c */
	bool delivered;                   /* context->lock: hooks have run */
	struct umd_command *over;         /* the event's, which is covered and has ended well: no command waits for it any more */
	const char *kernel_name;          /* for fault messages, may be NULL; belongs to an object in use */
	const struct _cl_program *program; /* of the kernel, as long as that is in use, */
	const struct program_code *code;  /* its code, and where that lies in memory of the device */
	uint64_t code_address;
	bool is_protected;                /* the command was submitted so */
};

struct command {
	struct _cl_command_queue *queue;
	struct _cl_event *event;
	struct command_state *state;
	struct umd_bo **release;          /* given to umd_bo_release right after submission */
	unsigned num_release, cap_release;
	const cl_event *wait_list;
	cl_uint num_waits;
	union packet *packets;
	unsigned num_packets, cap_packets;
	struct _cl_mem **maintained;      /* memory whose lines are maintained around it; in use */
	unsigned num_maintained, cap_maintained;
	uint32_t private_bytes;           /* of its dispatches */
	uint64_t transfer;                /* highest transfer that it must wait for */
	bool is_protected;                /* its dispatches, copies and fills are */
	bool barrier;                     /* later commands wait for it (out-of-order queues) */
	bool after_all;                   /* waits for all earlier commands (marker, barrier) */
	bool waits_outside;               /* for what no command before it may bring about */
	struct late_copy *late;           /* to be done when a command before it has written host memory */
	cl_int error;
};

/* Checks the wait list (OpenCL 3.0, 5.11: CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT) and makes
 * the event. The queue has to be valid. */
cl_int command_begin(struct command *, cl_command_queue, cl_command_type, cl_uint num_events,
		     const cl_event *wait_list);
/* Begins command c of a function that an application has called; ends the function when that cannot be. */
#define BEGIN_COMMAND(c, queue, type) \
	struct command c; \
	TRY(command_begin(&c, queue, type, num_events, wait_list))
/* Undoes command c, with CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, when an event of its wait list has failed already: the calls of
 * cl_khr_semaphore and cl_khr_external_memory refuse it, where other calls enqueue a command that fails. */
cl_int command_check_events(struct command *c);
void command_use(struct command *, struct object *);
void command_use_mem(struct command *, struct _cl_mem *);
/* 0 or a CL code (also kept in c->error); size is rounded up, align a power of two to 4096. */
cl_int command_staging(struct command *, size_t size, size_t align, struct staging *out);
/* The object is released once the command has been submitted: its memory lives until the device
 * has ended the command, no longer (so the host must not read it at completion). */
void command_release_bo(struct command *, struct umd_bo *);
/* The device maintains its caches of the object's memory; op: as the packet has it. Nothing where they are coherent. */
void command_maintain(struct command *, const struct _cl_mem *, unsigned op);
/* A zeroed packet to be filled in; never NULL (a dummy when memory is short). */
union packet *command_packet(struct command *);
void command_hook(struct command *, command_done_fn, void *arg);
/* Gives the command its place in the queue. blocking: waits for its end, and returns
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST or another negative code if it failed. Hands the
 * event to *event if event is not NULL. */
cl_int command_submit(struct command *, bool blocking, cl_event *event);
/* Undoes everything instead. */
void command_abort(struct command *);

/* DMA of a box. Pitches of 0 mean packed. Splits what does not fit in one packet. */
void command_copy(struct command *, struct box src, struct box dst, const size_t region[3]);
/* The same by the host, of its own memory; no pitch is 0. */
void box_copy(char *dst, size_t dst_row, size_t dst_slice, const char *src, size_t src_row, size_t src_slice, const size_t region[3]);
/* pattern is copied; size 1 to 128. region[0] in bytes, a multiple of size. */
void command_fill(struct command *, const void *pattern, size_t size, struct box dst, const size_t region[3]);

/* Host memory as one side of a transfer: small ones through staging memory, large ones by pinning
 * the application's pages; shared virtual memory as it is. Where the device reads the bytes, and where it writes
 * them; at least one byte, pitches of 0 mean packed. One of each in a command, in front of the packets that use it. */
struct box command_host_source(struct command *, const void *src, size_t row, size_t slice, const size_t region[3]);
struct box command_host_target(struct command *, void *dst, size_t row, size_t slice, const size_t region[3]);
/* Both as copies. */
void command_copy_from_host(struct command *, const void *src, size_t row, size_t slice, struct box dst, const size_t region[3]);
void command_copy_to_host(struct command *, struct box src, void *dst, size_t row, size_t slice, const size_t region[3]);
/* Of command_submit() and event_done(): sees to the late copy of a command that was submitted (takes
 * it; NULL is fine); drops that of one that was not; goes on with those that waited for bytes that
 * are there now. */
void late_submit(struct late_copy *);
void late_drop(struct late_copy *);
void late_run(struct late_copy *);

#endif
