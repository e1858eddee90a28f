/* Executions of graphs that are scheduled, queues of references at graphs' parameters, streaming, events (vx_khr_pipelining 1.1).
 *
 * The runner of a graph launches its executions. It is a thread that exists while there is something to launch. It puts the references
 * that are enqueued in the places of the graph's parameters and enqueues the nodes in the coordination queue, one execution behind the
 * other, without waiting for the device. A marker follows each node whose end is reported, and the last node. The context has one
 * completion thread, which waits for one marker after the other and reports what has ended by then: references that are done, events,
 * executions. It exists while there are markers.
 *
 * There are two locks. The context's lock comes first, the lock of its pipelines second. The second guards the members that are marked
 * so here; no thread waits or calls a function of the application's under it. A thread that waits for the completion thread needs the
 * second lock alone, so it goes on while another thread has the first one for long. */

#ifndef GALENA_RUNTIME_OPENVX_PIPELINE_H
#define GALENA_RUNTIME_OPENVX_PIPELINE_H
#include <CL/cl.h>
#include <VX/vx_khr_pipelining.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/queue.h>

struct _vx_context;
struct _vx_graph;
struct _vx_node;
struct _vx_reference;

/* An expression, or an assignment, under the lock of the pipelines of a context. */
#define WITH_PIPELINES(context, expression) \
	({ \
		HOLDING(&(context)->pipelines.lock); \
		(expression); \
	})

/* ---- parameters of graphs ---- */
/* An enqueue reference: a reference that the application has enqueued at a graph, which holds it. */
struct enqueue_ref {
	struct enqueue_ref *next;
	vx_reference ref;
	bool marked, written;     /* the object says that it is enqueued, to be written */
	bool with_kernel;         /* kept by a kernel of the application's, which can access it */
};
struct enqueue_refs {
	struct enqueue_ref *first, *last;
	vx_uint32 count;
};

/* An event that has been registered. */
struct registration {
	bool on;
	vx_uint32 app_value;
};

/* The queue of a graph's parameter. */
struct queue {
	bool on;                  /* vxSetGraphScheduleConfig has listed it */
	vx_uint32 size;           /* refs_list_size */
	vx_reference *listed;     /* what may be enqueued, not held; NULL: not told yet */
	bool written;             /* a node writes what is enqueued */
	bool late;                /* what is done is known at the end of an execution only: a slot of a delay */
	vx_uint32 extra;          /* references that the first execution takes beyond its own, for a kernel that is piped up */
	struct enqueue_refs primed;      /* taken for such a kernel */
	struct enqueue_refs kept;        /* a kernel or a delay has them beyond the execution that they were enqueued for */
	/* under the lock of the pipelines */
	struct enqueue_refs ready, done; /* enqueued, not yet launched; to be dequeued */
};

/* ---- executions ---- */
struct execution;

/* What an execution does with a parameter of its graph. */
struct release_record {
	struct release_record *next; /* of the same marker */
	vx_uint32 parameter;
	struct enqueue_ref *entry; /* is done then; NULL: none is */
	bool reports;              /* VX_EVENT_GRAPH_PARAMETER_CONSUMED */
	bool placed;               /* at a marker */
};

/* A marker of an execution. Once it is in the list of the pipelines, the completion thread owns it. */
struct marker {
	STAILQ_ENTRY(marker) next;
	struct execution *execution;
	struct _vx_node *node;    /* that has ended, and may have been freed; NULL: the execution has ended */
	vx_status status;         /* how */
	struct registration registration;
	cl_event event;           /* NULL: reached already */
	bool triggers;            /* the next execution of a stream */
	struct release_record *releases;
};

struct execution {
	struct execution *next;   /* of those that have ended, and are to be freed */
	struct _vx_graph *graph;  /* held */
	vx_uint64 number;         /* 1, 2, ... of the graph's, as they are launched */
	vx_uint64 begin;
	bool measured;            /* its end goes into VX_GRAPH_PERFORMANCE */
	bool streams;
	vx_status status;         /* the completion thread owns it, and the next one */
	bool triggered;
	struct release_record *releases; /* a parameter of the graph each */
	vx_uint32 num_releases;
	unsigned num_markers;
	struct marker markers[];  /* as many as there can be */
};

/* An object that becomes another one, in all places of a graph, at the end of an execution. */
struct exchange {
	struct exchange *next;
	vx_reference from, to;    /* held */
};

/* Of a graph. */
struct pipeline {
	vx_enum mode;             /* enum vx_graph_schedule_mode_type_e; 0: normal */
	bool stream_enabled;
	struct _vx_node *trigger; /* of a stream; NULL: the first node */
	struct registration on_completed;
	struct exchange *exchanges;
	/* under the lock of the pipelines */
	vx_uint64 submitted, launched, enqueued, completed; /* executions, of which so many are so far */
	vx_uint64 configured;     /* submitted before the mode was set */
	vx_status result;         /* the first error since the last vxWaitGraph */
	vx_status last;           /* of the last execution that has completed */
	bool scheduled;           /* by vxScheduleGraph, in normal mode, and not yet waited for */
	bool executing;           /* a thread is at it */
	bool running;             /* the runner is there */
	unsigned runners;         /* threads that hold the graph: one, and those that are about to end */
	bool released;            /* the application has it no more */
	unsigned waiters;
	bool streaming, stopping;
	unsigned untriggered;     /* executions of the stream that have not come to the trigger */
};

/* Of a context: all under the lock of the pipelines. */
struct pipelines {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned threads, waiters;
	bool closing;             /* the context ends */
	STAILQ_HEAD(, marker) markers;
	bool completing;             /* the completion thread exists */
	bool sweeping;            /* a thread waits for the lock of the context, to free what has ended */
	struct execution *ended;  /* to be freed with the lock of the context */
	struct enqueue_refs returned;    /* the same */
	bool events;              /* vxEnableEvents */
	STAILQ_HEAD(, event) waiting; /* those that the application has not got yet */
};

/* ---- pipeline_completion.c ---- */
void pipelines_open(struct pipelines *);
void pipelines_close(struct pipelines *);
/* The application has the context no more: what is under way ends. The lock of the context is held. */
void pipelines_end(struct _vx_context *);
void pipelines_sweep(struct _vx_context *); /* frees what has ended. The lock of the context is held. */
/* References that have been dequeued, and executions, are freed now or soon. No lock is held. */
void pipelines_sweep_soon(struct _vx_context *);
/* A thread of the library's, without signals but those that a thread brings upon itself; the lock of the pipelines is held. */
bool thread_start(struct pipelines *, void *(*run)(void *), void *arg);
void thread_end(struct pipelines *); /* by itself, at last. No lock is held. */
/* A marker behind what has been enqueued so far; the completion thread owns it when it has been put. The lock of the context is held. */
struct marker *marker_make(struct execution *, struct _vx_node *, vx_status);
void marker_put(struct marker *);
void execution_over(struct execution *, vx_status); /* it has ended, and has no markers */

/* ---- pipeline_events.c; the lock of the pipelines is held ---- */
/* An event that has been registered; nothing if it has not, or while events are disabled. */
void event_put(struct pipelines *, const struct registration *, vx_enum type, vx_event_info_t);
void events_drop(struct pipelines *);

/* ---- pipeline_execution.c; but for what says otherwise, the lock of the context is held ---- */
bool graph_reports(const struct _vx_graph *); /* an event has been registered for what its executions do */
bool execution_reports_nodes(const struct execution *); /* each of them: events, the trigger of a stream */
/* An execution is launched: takes the references that it is for. submits: at the same time, as it has not been before. NULL: no memory. */
struct execution *execution_begin(struct _vx_graph *, bool submits);
vx_status execution_bind(struct execution *); /* puts them in their places */
/* The node that is the n-th in the graph's order has been enqueued, or has failed. */
void execution_passes(struct execution *, unsigned n, vx_status);
/* A kernel has kept what was enqueued at a parameter, and given this back for it; NULL: nothing. */
void execution_returns(struct execution *, vx_uint32 parameter, vx_reference);
/* All that is enqueued of it has been; the completion thread does what is left to do. */
void execution_end(struct execution *, vx_status);
/* One thread at a time executes a graph. VX_ERROR_GRAPH_SCHEDULED, logged: waiting for the other one would not end. Graph held. */
vx_status graph_claim(struct _vx_graph *);
void graph_disclaim(struct _vx_graph *);
/* Until the execution of that number has completed. Others may have been submitted since, and wait for the caller. */
void graph_await(struct _vx_graph *, vx_uint64 number);
/* ---- pipeline_config.c; the lock of the context is held ---- */
vx_status pipeline_prepare(struct _vx_graph *); /* before a graph's verification, and after it */
vx_status pipeline_verify(struct _vx_graph *);

/* ---- pipeline_schedule.c; the same ---- */
/* VX_ERROR_GRAPH_SCHEDULED, logged: something of the graph's is under way. */
vx_status pipeline_idle(const struct _vx_graph *, const char *function);
/* Or an error, logged: the graph is not one that is executed when it is told to. */
vx_status pipeline_normal(const struct _vx_graph *, const char *function);
vx_enum pipeline_state(const struct _vx_graph *); /* VX_GRAPH_STATE */
/* No lock is held. The threads of a graph of which nothing is under way release it: it ends with the application's last reference. */
void pipeline_quiesce(struct _vx_graph *);
void pipeline_destroy(struct _vx_graph *);
void pipeline_released(struct _vx_reference *graph);
/* A node is the graph's no more. */
void pipeline_forget(struct _vx_graph *, const struct _vx_node *);
bool pipeline_queues(const struct _vx_node *, vx_uint32 index); /* what this parameter is comes from a queue */
static inline bool queueing(const struct pipeline *p) { return p->mode && p->mode != VX_GRAPH_SCHEDULE_MODE_NORMAL; }

/* ---- pipeline_run.c; the lock of the pipelines is held ---- */
bool runner_needed(struct _vx_graph *); /* the runner, which is there from now on; false: there is no thread to be had */
/* Executions that the references which are enqueued are enough for, beyond those that are submitted already. */
vx_uint64 sets_ready(const struct _vx_graph *);

/* ---- pipeline_queue.c ---- */
void enqueue_refs_push(struct enqueue_refs *, struct enqueue_ref *);
struct enqueue_ref *enqueue_refs_pop(struct enqueue_refs *);
/* A kernel, or a delay, keeps it; and gives one back: of this reference, of any (NULL). NULL: there is none. */
void enqueue_ref_keep(struct queue *, struct enqueue_ref *, bool by_kernel);
struct enqueue_ref *enqueue_ref_kept(struct queue *, vx_reference);
struct enqueue_ref *enqueue_ref_create(vx_reference, bool marked, bool written); /* NULL: no memory */
void enqueue_refs_end(struct enqueue_refs *); /* the graph has them no more */
void queue_off(struct _vx_graph *, struct queue *); /* gives back all that is in it */
/* Whether a reference can be at a parameter of a graph; logs. */
vx_status queue_check(struct _vx_graph *, vx_uint32 parameter, vx_reference);
#endif
