/* Graphs, nodes and their parameters. */
#ifndef GALENA_RUNTIME_OPENVX_GRAPH_H
#define GALENA_RUNTIME_OPENVX_GRAPH_H
#include "runtime/openvx/data.h"
#include "runtime/openvx/kernel.h"

struct scratch {
	cl_mem mem;
	size_t size;
};

struct _vx_node {
	struct _vx_reference reference;  /* scope: the graph */
	struct _vx_graph *graph;         /* NULL: removed from it, or it has ended */
	struct _vx_kernel *kernel;
	vx_reference *parameters;        /* kernel->num_parameters; NULL: not set, or left out */
	struct _vx_node *next;           /* of the graph, in order of creation */
	vx_border_t border;
	vx_status status;                /* of the last execution */
	vx_nodecomplete_f callback;
	vx_perf_t performance;
	vx_size local_data_size;
	void *local_data;
	bool local_data_own;             /* allocated by us */
	bool changed;                    /* since its graph was verified: it cannot run */
	bool local_data_open;            /* VX_NODE_LOCAL_DATA_* may be set: within initialize */
	bool initialized;
	bool valid_rect_reset;
	vx_bool *replicate;              /* a flag a parameter, or NULL: not replicated */
	vx_reference *wholes;            /* what its replicated parameters are parts of, as long as it has them; NULL: not replicated */
	struct _vx_node **replicas;      /* what runs instead */
	unsigned num_replicas;
	struct scratch *scratch;
	unsigned num_scratch;
	/* of pipelines */
	vx_int32 *follows;               /* parameters: of the graph, whose queue they follow, or NO_QUEUE; NULL: none does */
	vx_enum state;                   /* enum vx_node_state_e */
	vx_uint32 primed, runs;          /* calls of the kernel while it is piped up, since verification */
	vx_reference *held;              /* what the kernel may still have */
	unsigned num_held;
	struct registration on_completed, on_error;
	/* of verification */
	unsigned depth;                  /* 0: not yet found */
	struct _vx_node *awaits;         /* a node that has to be found before it; NULL: none */
};

struct plan;

struct graph_parameter {
	struct _vx_node *node;
	vx_uint32 index;
	unsigned last_use;               /* in the order of nodes; of verification */
	struct registration on_consumed;
	struct queue queue;
};

struct _vx_graph {
	struct _vx_reference reference;
	struct _vx_node *first, **last;
	vx_uint32 num_nodes;
	vx_enum state;                   /* enum vx_graph_state_e */
	bool verified;
	struct _vx_node **order;         /* as they run, after verification */
	unsigned num_order;
	struct plan *plan;               /* how, too (plan.h) */
	struct graph_parameter *parameters;
	vx_uint32 num_parameters;
	struct _vx_delay **aging;        /* vxRegisterAutoAging */
	unsigned num_aging;
	vx_perf_t performance;           /* under the lock of the pipelines */
	struct pipeline pipeline;
	bool imported;                   /* of vxImportObjectsFromMemory: it stays verified, whatever is asked of it */
};

struct _vx_parameter {
	struct _vx_reference reference;
	struct _vx_node *node;           /* NULL: of a kernel */
	struct _vx_kernel *kernel;
	vx_uint32 index;
};

void graph_changed(struct _vx_graph *); /* it has to be verified anew */
/* Whether nodes can be added, removed and replicated: of an imported graph they cannot. VX_SUCCESS, or the status of a log entry. */
vx_status graph_can_change(const struct _vx_graph *, const char *function);
vx_status graph_verify(struct _vx_graph *);  /* verify.c */
/* execute.c: enqueues, and waits where the host has to compute. The caller has claimed the graph; the execution, NULL: none, is told
 * of each node that is to be heard of. */
vx_status graph_execute(struct _vx_graph *, struct execution *);
vx_status node_execute(struct _vx_node *, struct execution *);
vx_status node_unchanged(const struct _vx_node *); /* VX_ERROR_INVALID_GRAPH, logged: it is not as it has been verified */
vx_status graph_rehearse(struct _vx_graph *); /* execute.c: of a verified graph: all programs that it needs are asked for */
/* And what comes after an execution: delays age. */
vx_status graph_run(struct _vx_graph *, struct execution *);
void graph_ran(struct _vx_graph *, vx_status); /* VX_GRAPH_STATE after it */
vx_status graph_ready(struct _vx_graph *); /* verifies it if it has to be */
/* ix_graphs.c: a parameter of a node of an imported graph; the graph stays verified, and unchanged when the value does not fit. */
vx_status graph_swap(struct _vx_node *, vx_uint32 index, vx_reference);

/* ---- nodes ---- */
/* NULL: out of memory. No reference of the application is taken: external is 1, as of every new object. */
vx_node node_create(struct _vx_graph *, struct _vx_kernel *);
void node_set(struct _vx_node *, vx_uint32 index, vx_reference);
void node_replace(struct _vx_node *, vx_uint32 index, vx_reference); /* by one that is like it: the graph stays verified */
void node_forget(struct _vx_node *); /* what verification has made: replicas, local data, scratch */
void node_orphan(struct _vx_node *); /* the graph has it no more */
/* Until the next verification an object does not end: a kernel of the application's may have kept it. */
vx_status node_hold(struct _vx_node *, vx_reference);
vx_status graph_add_parameter(struct _vx_graph *, struct _vx_node *, vx_uint32 index);
/* What a parameter of a node stands for: of a replicated one, all that it is a part of. */
vx_reference node_footprint(const struct _vx_node *, vx_uint32 index);
bool node_follows(const struct _vx_node *, const struct _vx_node *later); /* the later one reads what the other one writes */
/* A node of a kernel by its number with these parameters, NULL ones left out; an error object when one is wrong. */
vx_node node_with(vx_graph, vx_enum kernel, const vx_reference *parameters, vx_uint32 count);
/* Whether a reference may be that parameter; logs for whom. */
vx_status parameter_check(const struct _vx_kernel *, vx_uint32 index, vx_reference, const void *for_whom);
#endif
