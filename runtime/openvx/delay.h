/* Delays: objects of one kind, one for now and one for each of some moments before (OpenVX 1.3, vx_delay). */
#ifndef GALENA_RUNTIME_OPENVX_DELAY_H
#define GALENA_RUNTIME_OPENVX_DELAY_H
#include "runtime/openvx/data.h"

struct _vx_graph;

struct _vx_delay {
	struct _vx_reference reference;
	vx_enum type;        /* of the objects */
	vx_size count;
	vx_reference *slots; /* [i]: that of index -i */
};

/* Each slot gets the object of the slot before it, the current one the oldest; parameters of nodes that are an object of a slot,
 * or a part of one, become what the slot has then. Graphs stay verified: the objects are alike. Lock held, no graph of these
 * nodes is being enqueued. */
void delay_age(struct _vx_delay *);
/* A slot has another object, which is like its own, from now on, and so have the nodes of other graphs than this one. */
void delay_exchange(struct _vx_delay *, const struct _vx_graph *, vx_reference from, vx_reference to);
#endif
