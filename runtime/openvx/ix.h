/* Exports and imports of objects (vx_khr_ix): what the two have in common. */
#ifndef GALENA_RUNTIME_OPENVX_IX_H
#define GALENA_RUNTIME_OPENVX_IX_H
#include "runtime/openvx/graph.h"
#include "runtime/openvx/ix_format.h"
#include <VX/vx_khr_ix.h>

/* ---- what is said of an object ---- */
enum ix_flag {
	IX_VIRTUAL = 1,
	IX_VALUES = 2,   /* its data follow */
	IX_SUPPLIED = 4, /* the application creates it before an import */
};
int ix_flags_of_use(vx_enum use); /* of an object of the list; -1: there is no such use */
enum ix_origin {
	IX_OWN,       /* made from its meta data, and from those of its items */
	IX_PART,      /* of a pyramid, an object array or a delay: it is there with it */
	IX_UNIFORM,   /* an image of one value */
	IX_REGION,    /* of an image */
	IX_CHANNEL,   /* of an image */
	IX_VIEW,      /* of a tensor */
	IX_IN_TENSOR, /* an image in a tensor; an object array of such */
	IX_ORIGINS
};

/* ---- what is exported: the objects of the list, and all that they are made of ---- */
struct ix_item {
	vx_reference ref;
	vx_enum use;            /* as it has been given; 0: it is not in the list */
	bool needed;            /* a graph reads it without having written it */
	bool connected;         /* a node has it as a parameter */
	bool reads, writes;     /* in the graph that is being looked at */
	vx_uint32 whole, part;  /* the item that it is a part of, and which; IX_NONE */
	vx_uint32 parent;       /* the item that has its data: of regions, channels, views, what lies in tensors; IX_NONE */
	vx_uint32 number;       /* in the blob; IX_NONE: not yet */
};
struct ix_set {
	struct _vx_context *context;
	struct ix_item *items;
	vx_uint32 count, room;
	vx_uint32 *order; /* items by number */
	vx_uint32 placed;
};
/* Of a list that has been checked; graphs in it are verified. */
vx_status ix_collect(struct ix_set *, vx_size numrefs, const vx_reference *refs, const vx_enum *uses);
void ix_set_free(struct ix_set *);
vx_uint32 ix_number(const struct ix_set *, const void *ref); /* IX_NONE: NULL, or not in the set */
bool ix_has_values(const struct ix_set *, const struct ix_item *); /* its data are exported */
/* ---- one object, by its class (ix_values.c) ---- */
/* Meta data, from and to prototypes. */
void ix_put_meta(struct ix_writer *, vx_reference);
void ix_get_meta(struct ix_reader *, const struct object_class *, struct prototype *);
/* Other attributes that the application can set. ref NULL: reads, and sets nothing. */
void ix_put_settings(struct ix_writer *, vx_reference);
void ix_get_settings(struct ix_reader *, const struct object_class *, vx_reference);
/* All data: a length, and so many bytes; none when nothing has been written. */
vx_status ix_put_values(struct ix_writer *, vx_reference);
void ix_get_values(struct ix_reader *, vx_reference);

/* ---- sections ---- */
/* ix_objects.c */
vx_status ix_put_objects(struct ix_writer *, const struct ix_set *);
/* ix_tables.c: types, kernels and programs */
vx_status ix_put_tables(struct ix_writer *, const struct ix_set *, vx_kernel **kernels, vx_uint32 *num_kernels);
vx_uint32 ix_kernel_number(const vx_kernel *kernels, vx_uint32 count, const struct _vx_kernel *); /* count: it is none of them */
/* ix_graphs.c */
void ix_put_graphs(struct ix_writer *, const struct ix_set *, const vx_kernel *kernels, vx_uint32 num_kernels);

/* ---- an import under way ---- */
struct ix_struct {
	vx_enum said, is; /* the type in the export, and here */
};
struct ix_import {
	struct ix_reader reader;
	struct _vx_context *context;
	vx_size numrefs;
	const vx_reference *refs; /* of the application */
	const vx_enum *uses;
	vx_uint32 *numbers;       /* of the objects of the list */
	vx_char (*names)[VX_MAX_REFERENCE_NAME]; /* that they had */
	struct ix_struct *structs;
	vx_uint32 structs_before, structs_behind; /* how many the context had before it got those of the export, and then */
	const struct device_program *programs_before; /* the newest then */
	vx_uint32 num_structs;
	vx_kernel *kernels;
	vx_uint32 num_kernels;
	struct ix_made {
		vx_reference ref;
		bool created; /* it has a reference that ends when all is made */
		bool theirs;  /* it is what the application has supplied, or a part of that */
	} *objects;           /* by number */
	vx_uint32 num_objects;
};
/* A new object of the application's, which it could have made itself; NULL: a log entry says why not. what: for the log. */
vx_reference ix_made(struct ix_reader *, void *object, const char *what);
/* Meta data of a number of objects. */
void ix_get_prototype(struct ix_import *, const struct object_class *, struct prototype *, vx_size times);

/* Objects whose data are not their own (ix_origins.c): which these are, and what is written of it. */
enum ix_origin ix_origin_of(const struct ix_item *);
void ix_put_origin(struct ix_writer *, const struct ix_set *, const struct ix_item *, enum ix_origin);
/* Reads which it is, and refuses what the class cannot have. */
enum ix_origin ix_get_origin(struct ix_reader *, const struct object_class *);
/* Not of IX_OWN and IX_PART. */
vx_reference ix_get_created(struct ix_import *, vx_uint32 number, enum ix_origin, const struct object_class *, const struct prototype *);

vx_status ix_get_tables(struct ix_import *);
vx_status ix_get_objects(struct ix_import *);
vx_status ix_get_graphs(struct ix_import *);
vx_enum ix_type_here(struct ix_import *, vx_enum type); /* a type of values: one that the application has registered may have another number */

/* ---- memory of exports (ix_export.c) ---- */
void exports_orphan(const struct _vx_context *); /* of a context that ends: the memory stays until it is released */
#endif
