/* The objects behind cl_context, cl_mem and so on, and what all of them share.
 *
 * Counting. An object has API references (clRetain..., what clGet...Info reports) and uses: one
 * for all of its API references together, and one for each internal holder (a command under way,
 * a child object). When the last API reference goes, `dropped` is called (device memory is given
 * back there, so that addresses depend on the order of API calls alone); when the last use goes,
 * `destroy` is called and frees it, on whichever thread that happens, never with a lock held.
 *
 * Locks. There is one lock a context; it guards everything below that says so, and the order of
 * enqueueing. It is never held across anything that waits, while application code is called, or
 * while an object may be destroyed. The driver may be called with it held, but for umd_wait and
 * umd_sync. */
#ifndef GALENA_RUNTIME_OPENCL_OBJECTS_H
#define GALENA_RUNTIME_OPENCL_OBJECTS_H
#include "abi/records.h"
#include "base/handle.h"
#include "base/hold.h"
#include "base/log.h"
#include "runtime/umd/umd.h"
#include "runtime/opencl/api.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum object_magic {
	MAGIC_PLATFORM = 0x474c5001,
	MAGIC_DEVICE,
	MAGIC_CONTEXT,
	MAGIC_QUEUE,
	MAGIC_MEM,
	MAGIC_EVENT,
	MAGIC_PROGRAM,
	MAGIC_KERNEL,
	MAGIC_SAMPLER,
	MAGIC_SEMAPHORE,
};

/* First member of every object. */
struct object {
	const struct _cl_icd_dispatch *dispatch; /* the ICD loader's; must be first */
	void *dispatch_data;                     /* the same, cl_khr_icd 2.0; must be second */
	uint32_t magic;                          /* enum object_magic; 0 once destroyed */
	unsigned forks;                          /* of the process when it was made: other than now, it is inherited */
	atomic_uint refs;                        /* the application's */
	atomic_uint uses;
	atomic_uint callback_refs;               /* callbacks that run with it */
	void (*dropped)(void *);                 /* may be NULL */
	void (*destroy)(void *);
};

/* Forks that have made this process, counted from one of its ancestors; in each child what is of another number is inherited. */
extern unsigned object_forks;
/* One API reference, one use. */
void object_init(struct object *, enum object_magic, void (*dropped)(void *), void (*destroy)(void *));
bool object_retain(struct object *);  /* the application's reference; true: the first since there was none */
void object_release(struct object *);
void object_use(struct object *);     /* an internal one */
void object_unuse(struct object *);
/* A callback that takes the object is about to run, and has returned: meanwhile the application may use it, also when it has given
 * its references back. The caller uses the object. */
void object_callback_ref(struct object *);
void object_callback_unref(struct object *);
/* Is the handle, which may be anything, an object of the kind that the application may use? Nothing is read
 * through one that is not. An object without API references counts while others of its own keep it and hand
 * it out: devices, contexts, queues, memory objects; and while a callback runs that takes it. One that a forked child has
 * inherited does not, but for the platform's devices. */
bool object_valid(const void *handle, enum object_magic magic);
/* The same, and the application has a reference that it can give back. So does what a forked child has inherited: it is its
 * parent's, and nothing happens to it. */
bool object_held(const void *handle, enum object_magic magic);
static inline cl_uint object_refs(const struct object *o) { return atomic_load(&o->refs); }

#define PLATFORM_VALID(x) ((const struct _cl_platform_id *)(x) == &galena_platform)
#define CONTEXT_VALID(x) object_valid((x), MAGIC_CONTEXT)
/* Devices are opened by then: also those of a forked child, by the handles of its parent's. */
#define DEVICE_VALID(x) (platform_devices() && object_valid((x), MAGIC_DEVICE))
#define QUEUE_VALID(x) object_valid((x), MAGIC_QUEUE)
#define MEM_VALID(x) mem_valid(x)
#define EVENT_VALID(x) object_valid((x), MAGIC_EVENT)
#define PROGRAM_VALID(x) object_valid((x), MAGIC_PROGRAM)
#define KERNEL_VALID(x) object_valid((x), MAGIC_KERNEL)
#define SAMPLER_VALID(x) object_valid((x), MAGIC_SAMPLER)

/* ---- errors, information queries (support.c) ---- */

/* Logs at debug level that an API call was refused and why; returns code. */
cl_int api_error(const char *function, cl_int code, const char *code_name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
#define FAIL(code, ...) api_error(__func__, (code), #code, __VA_ARGS__)
/* Ends the function so when something is the case that a rule is against. */
#define FAIL_IF(condition, code, ...) \
	do { \
		if (condition) \
			return api_error(__func__, (code), #code, __VA_ARGS__); \
	} while (0)
/* Ends the function with the code of a check that has failed. */
#define TRY(check) \
	do { \
		const cl_int try_code_ = (check); \
		if (try_code_) \
			return try_code_; \
	} while (0)
/* Stores code if the application asked for it. */
static inline void *api_result(cl_int *errcode_ret, cl_int code, void *object)
{
	if (errcode_ret)
		*errcode_ret = code;
	return object;
}
/* The end of a function that makes an object: hands it out, or gives it up when code is an error. */
void *api_object(cl_int *errcode_ret, cl_int code, struct object *);
#define FAIL_NULL(errcode_ret, code, ...)                                                          \
	api_result((errcode_ret), api_error(__func__, (code), #code, __VA_ARGS__), NULL)
/* clRetain... and clRelease... of a type for which these count and do no more. The error's text follows; it may name the object. */
#define OBJECT_REFERENCES(retain, release, type, magic, code, ...) \
	cl_int CL_API_CALL retain(type object) \
	{ \
		if (!object_valid(object, magic)) \
			return api_error(__func__, (code), #code, __VA_ARGS__); \
		object_retain(&object->object); \
		return CL_SUCCESS; \
	} \
	cl_int CL_API_CALL release(type object) \
	{ \
		if (!object_held(object, magic)) \
			return api_error(__func__, (code), #code, __VA_ARGS__); \
		object_release(&object->object); \
		return CL_SUCCESS; \
	}
/* The same in a function that returns an object. */
#define TRY_NULL(errcode_ret, check) \
	do { \
		const cl_int try_code_ = (check); \
		if (try_code_) \
			return api_result((errcode_ret), try_code_, NULL); \
	} while (0)
#define FAIL_NULL_IF(condition, errcode_ret, code, ...) \
	do { \
		if (condition) \
			return api_result((errcode_ret), api_error(__func__, (code), #code, __VA_ARGS__), NULL); \
	} while (0)
/* Ends the function with the error of a type, unless it has been given an object of that type. */
#define NEED_CONTEXT(x) FAIL_IF(!CONTEXT_VALID(x), CL_INVALID_CONTEXT, "not a context")
#define NEED_DEVICE(x) FAIL_IF(!DEVICE_VALID(x), CL_INVALID_DEVICE, "not a device")
#define NEED_QUEUE(x) FAIL_IF(!QUEUE_VALID(x), CL_INVALID_COMMAND_QUEUE, "not a command queue")
#define NEED_MEM(x) FAIL_IF(!MEM_VALID(x), CL_INVALID_MEM_OBJECT, "not a memory object")
#define NEED_EVENT(x) FAIL_IF(!EVENT_VALID(x), CL_INVALID_EVENT, "not an event")
#define NEED_PROGRAM(x) FAIL_IF(!PROGRAM_VALID(x), CL_INVALID_PROGRAM, "program %p is not valid", (void *)(x))
#define NEED_KERNEL(x) FAIL_IF(!KERNEL_VALID(x), CL_INVALID_KERNEL, "kernel %p is not valid", (void *)(x))

/* The end of every clGet...Info: CL_INVALID_VALUE if size is too small and value is given;
 * copies; stores the size. */
cl_int info_bytes(size_t size, void *value, size_t *size_ret, const void *data, size_t data_size);
static inline cl_int info_string(size_t size, void *value, size_t *size_ret, const char *s)
{
	return info_bytes(size, value, size_ret, s ? s : "", s ? __builtin_strlen(s) + 1 : 1);
}
/* INFO(cl_uint, 3): uses the parameter names param_value_size, param_value, param_value_size_ret. */
#define INFO(type, ...)                                                                            \
	info_bytes(param_value_size, param_value, param_value_size_ret, &(type){__VA_ARGS__}, sizeof(type))
/* Of a function that answers a group of queries: it is none of them. No code of the API's. */
enum { ANOTHER_GROUP = 1 };
#define INFO_PARAMETERS size_t param_value_size, void *param_value, size_t *param_value_size_ret
#define INFO_ARGUMENTS param_value_size, param_value, param_value_size_ret
#define INFO_STRING(s) info_string(param_value_size, param_value, param_value_size_ret, (s))
#define INFO_BYTES(data, bytes) info_bytes(param_value_size, param_value, param_value_size_ret, (data), (bytes))

/* A list of properties as the application gave it, for queries. */
struct given_list {
	void *list; /* with the 0; NULL: none */
	size_t bytes;
};
/* False: out of memory. */
bool given_list_keep(struct given_list *, const void *list, size_t bytes);
#define INFO_GIVEN(given) INFO_BYTES((given).list, (given).bytes)

/* Runs fn(arg) on the callback thread, in the order of the posts. Never waits. (callback.c) */
void callback_post(void (*fn)(void *), void *arg);
/* Runs fn(arg) here and now, unless this is inside event_done(), which must not wait: then on the
 * callback thread. For destructor callbacks: who releases the last reference sees them called. */
void callback_run(void (*fn)(void *), void *arg);
/* At exit: no callback begins any more. Never waits. */
void callback_stop(void);
void callback_forked(void); /* in the child: there is no thread, and nothing to call */
extern _Thread_local unsigned callback_deferred; /* nesting of event_done() */

/* ---- platform and devices (platform.c, device.c) ---- */

#define DEVICES_MAX 16         /* of the platform */
#define CONTEXT_DEVICES_MAX 32 /* of a context or program: sub-devices, too */

struct _cl_platform_id {
	struct object object;
	struct umd *driver;     /* NULL when no device could be opened; platform_devices() opens */
	unsigned num_devices;
	cl_device_id devices[DEVICES_MAX];
};

/* A device of the platform, or (parent is given) some of the compute units of one. Sub-devices share memory,
 * driver queues and loaded code with the device that they are parts of. */
struct _cl_device_id {
	struct object object;
	unsigned index;             /* of the device of the platform */
	const struct kmd_device_info *info; /* the same */
	cl_device_type type;
	char name[64];
	unsigned first_cu, num_cu;  /* its compute units */
	struct _cl_device_id *parent; /* in use; NULL: a device of the platform */
	struct given_list partition; /* how it was made; without a parent there is none */
};
/* The units of its dispatch packets: 0 for all of the device. */
static inline uint32_t device_units(const struct _cl_device_id *d)
{
	return d->parent ? ((1u << d->num_cu) - 1) << d->first_cu : 0;
}

extern struct _cl_platform_id galena_platform;
/* Opens the driver on first use; number of devices, 0 if it could not be opened (logged). */
unsigned platform_devices(void);
/* What the platform and its devices, and all that is made from them, have for the loader: cl_khr_icd 2.0. */
cl_int platform_set_dispatch_data(cl_platform_id, void *);
/* The limits that several files need. */
#define DEVICE_MEM_BASE_ALIGN 128    /* bytes */
#define DEVICE_MAX_PARAMETER_SIZE 4096
#define DEVICE_MAX_READ_IMAGES 128
#define DEVICE_MAX_WRITE_IMAGES 64
#define DEVICE_MAX_SAMPLERS 16
#define DEVICE_MAX_CONSTANT_ARGS 16
#define DEVICE_PRINTF_BUFFER (1u << 20)
#define DEVICE_GLOBAL_VARIABLES (16u << 20)
#define DEVICE_IMAGE2D_MAX 16384
#define DEVICE_IMAGE3D_MAX 2048
#define DEVICE_IMAGE_ARRAY_MAX 2048
#define DEVICE_IMAGE_BUFFER_MAX (1u << 22)
uint64_t device_max_alloc(const struct _cl_device_id *);
/* OpenCL C features and extensions that devices have, "cl_khr_icd cl_khr_fp64 ..." */
extern const char device_extensions[];
/* svm.c */
cl_device_svm_capabilities svm_capabilities(const struct _cl_device_id *);

/* ---- contexts (context.c) ---- */

struct staging_pool;
struct stream;
struct svm_allocation;

struct context_destructor {
	struct context_destructor *next;
	void(CL_CALLBACK *fn)(cl_context, void *);
	void *arg;
};

/* Allocations of shared virtual memory (svm.h); sorted; context->lock, but for the number. */
struct svm_table {
	struct svm_allocation *list;
	unsigned capacity;
	atomic_uint count;
};

struct _cl_context {
	struct object object;
	unsigned num_devices;
	cl_device_id devices[CONTEXT_DEVICES_MAX]; /* in use */
	bool shared;                       /* they are not all of one device of the platform */
	struct given_list properties;
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
	void *notify_arg;
	void *va_display;        /* that it was made for (va.h); NULL: none */
	bool user_sync;          /* CL_CONTEXT_INTEROP_USER_SYNC */
	struct umd_space *space;
	pthread_mutex_t lock;
	pthread_cond_t changed;  /* some event of the context has ended */
	struct context_destructor *destructors;
	struct _cl_command_queue *queues;  /* all that exist, transfers too */
	unsigned orphans;                  /* queues that the application has released and that have work */
	unsigned watched;                  /* callbacks that wait for the status of an event */
	struct svm_table svm;
	atomic_uint_fast64_t gates;        /* numbers in gates so far */
	struct staging_pool *staging;
	/* Fills buffers at their creation: single-device contexts, made when first needed. It does
	 * not hold the context, its events do. */
	struct _cl_command_queue *transfers;
};

bool context_has_device(const struct _cl_context *, const struct _cl_device_id *);
/* Calls the context's pfn_notify with the message, on the callback thread, and logs it. */
void context_report(struct _cl_context *, const char *message);

/* ---- staging: pinned system memory for kernel arguments and small transfers (staging.c) ---- */

struct staging_chunk;
struct staging {
	struct staging_chunk *chunk;
	void *cpu;
	uint64_t address; /* device virtual address */
};

/* ---- queues and streams (queue.c, stream.c) ---- */

/* The user events without which a command does not run: ascending numbers, 0 at the end. Of more than there is room
 * for, and of more than one gate that stands for others, a number of its own stands for all. */
struct gate {
	uint64_t of[3];
};

/* A driver queue of a command queue. An in-order queue has one, its base stream; an out-of-order
 * one has a base stream, and others, for what can run beside it. Guarded by context->lock. */
struct stream {
	struct stream *next;       /* queue->streams */
	struct stream *next_dirty; /* queue->dirty */
	struct stream *next_idle;  /* queue->idle */
	struct umd_queue *queue;
	struct _cl_event *first, *last; /* submitted and not yet covered, in order; each is in use */
	struct _cl_event *unflushed;    /* the first of these that was not flushed */
	uint64_t submitted;  /* number of the last command */
	uint64_t covered;    /* commands up to this one are known to have ended, by a wait or a sync */
	uint64_t barrier;    /* the queue's barrier that it stands behind */
	struct gate gate;    /* of all of its commands that are not covered */
	bool dirty, idle;
	bool open;           /* takes commands without a gate only */
	bool placed;         /* one of queue->places, or queue->marks */
};

enum { STREAM_GATES = 16, STREAM_PLACES = 4 };

struct _cl_command_queue {
	struct object object;
	struct _cl_context *context;
	struct _cl_device_id *device;
	cl_command_queue_properties properties;
	struct given_list list;
	bool internal;             /* context->transfers */
	bool orphan;               /* released by the application */
	/* context->lock */
	struct stream *streams, *base;
	struct stream *dirty, *last_dirty; /* have commands that were not flushed */
	struct stream *idle;       /* have none that may be under way, and no place */
	/* out-of-order queues: streams by the gates of what they take, the first row for none; several a row, so
	 * that independent commands run side by side */
	struct stream *places[1 + STREAM_GATES][STREAM_PLACES];
	struct stream *marks;      /* for markers that wait for everything */
	unsigned turn;
	struct _cl_event *barrier; /* in use; the last barrier of an out-of-order queue */
	struct gate barrier_gate;  /* of all barriers that are not covered */
	uint64_t barriers;
	unsigned unflushed;
	unsigned host_writers;     /* commands not covered that write host memory */
	struct _cl_command_queue *next; /* context->queues */
};
static inline bool queue_out_of_order(const struct _cl_command_queue *q)
{
	return q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
}
/* Posts everything that was enqueued; never waits. context->lock is held. */
void queue_flush(struct _cl_command_queue *);
/* Status queries: runs what was flushed as far as it goes, and notes what has ended. */
void context_sync(struct _cl_context *);
/* The queue of context->transfers, made when needed; NULL when there is no memory. */
struct _cl_command_queue *context_transfers(struct _cl_context *);

/* ---- events (event.c) ---- */

struct event_callback;
struct command;

struct _cl_event {
	struct object object;
	struct _cl_context *context;
	struct _cl_command_queue *queue;  /* NULL for user events */
	cl_command_type type;
	cl_int status;                    /* context->lock */
	struct event_callback *callbacks; /* context->lock; in order of registration */
	struct umd_command *command;      /* set at submission */
	struct umd_sem *sem;              /* user events */
	struct stream *stream;
	uint64_t number;                  /* in its stream */
	uint64_t transfer;                /* the last transfer that it waited for, 0 for none */
	struct gate gate;                 /* what is behind it in its queue; of user events: itself */
	struct gate outer;                /* the same for other queues: with what the queue's barriers wait for */
	struct _cl_event *next;           /* in its stream */
	cl_ulong queued, submit, start, end; /* ns */
	struct command_state *state;      /* what the command holds until it has ended */
};

/* The last parameters of every clEnqueue...(). */
#define EVENT_PARAMETERS cl_uint num_events, const cl_event *wait_list, cl_event *event
#define EVENT_ARGUMENTS num_events, wait_list, event
/* Waits until the event has ended (its callbacks need not have run), which covers it. Flushes the
 * queue it is in. Returns its status. */
cl_int event_wait(struct _cl_event *);

/* ---- memory objects (mem.c, buffer.c, image.c, map.c) ---- */

struct mem_destructor {
	struct mem_destructor *next;
	void(CL_CALLBACK *fn)(cl_mem, void *);
	void *arg;
};
struct mapping;

struct _cl_mem {
	struct object object;
	struct _cl_context *context;
	cl_mem_object_type type;
	cl_mem_flags flags;
	size_t size;
	void *host_ptr;            /* USE_HOST_PTR: the application's (with a sub-buffer's origin added) */
	struct _cl_mem *parent;    /* in use: sub-buffer, image made from a buffer */
	size_t origin;             /* in the parent */
	struct umd_bo *bo;         /* NULL for those with a parent */
	bool imported;             /* by clImportMemoryARM, or a part of such */
	bool external;             /* made of external memory, */
	uint32_t external_devices; /* for these devices of the context, by their places; 0: all */
	bool is_protected;         /* imported so, or a part of such: for protected commands, and these write nothing else */
	bool maintained;           /* imported, or external and of several devices: caches are, around each command that uses it */
	struct AHardwareBuffer *hardware_buffer; /* imported: has a reference */
	struct va_surface *va;     /* made of a plane of a surface of VA-API's, or from such an image; NULL: not */
	bool svm;                  /* host_ptr lies in shared virtual memory, and is the memory */
	bool shadow;               /* USE_HOST_PTR that could not be imported: copied at map and unmap */
	atomic_uint holders;       /* of the memory: the object while it has API references, children */
	uint64_t address;          /* device virtual address of byte 0 */
	char *cpu;                 /* host address of byte 0, NULL for device memory */
	uint64_t transfer;         /* number of the transfer that fills it at creation, 0 for none */
	struct given_list properties;
	/* context->lock */
	struct mem_destructor *destructors; /* last registered first */
	struct mapping *mappings;
	cl_uint map_count;
	/* images */
	cl_image_format format;
	cl_image_desc desc;        /* as given, pitches filled in */
	size_t element_size;
	size_t row_pitch, slice_pitch; /* of the memory; slice_pitch also between 1D array layers */
};
/* Whose memory is still there: released ones last as long as what was made from them. */
static inline bool mem_valid(const void *handle)
{
	return object_valid(handle, MAGIC_MEM) && atomic_load(&((const struct _cl_mem *)handle)->holders);
}
static inline bool mem_is_image(const struct _cl_mem *m)
{
	return m->type != CL_MEM_OBJECT_BUFFER && m->type != CL_MEM_OBJECT_PIPE;
}
/* What a kernel sees of an image. */
void image_describe(const struct _cl_mem *, struct image_desc *out);

#endif
