/* Exports and imports of objects (vx_khr_ix): what the two have in common. */
#ifndef GALENA_RUNTIME_OPENVX_IX_H
#define GALENA_RUNTIME_OPENVX_IX_H
#include "runtime/openvx/graph.h"
#include "runtime/openvx/ix_blob.h"
#include "runtime/openvx/meta_format.h"
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
/* The parts of a pyramid, an object array or a delay, and how many. */
vx_size ix_parts(vx_reference, const vx_reference **parts);

/* ---- each type of object (ix_kinds.c) ---- */
struct ix_kind {
	vx_enum type;
	/* A new object of the application's, from meta data: by the functions that applications have, which check them. graph: of a
	 * virtual one, else NULL. */
	vx_reference (*create)(struct _vx_context *, vx_graph graph, const struct _vx_meta_format *);
	/* What is beside meta data and data: attributes that can be set. NULL: nothing. */
	void (*put_settings)(struct ix_writer *, vx_reference);
	void (*get_settings)(struct ix_reader *, vx_reference); /* ref NULL: read, and set nothing */
	/* Data. NULL: it has none of its own, or its store has all. */
	vx_status (*put_values)(struct ix_writer *, vx_reference);
	void (*get_values)(struct ix_reader *, vx_reference);
	size_t store; /* offset of the struct store; 0: none */
};
const struct ix_kind *ix_kind_of(vx_enum type); /* NULL: it is not exported */
/* All data of an object: a length, and so many bytes; none when nobody has written any. */
vx_status ix_put_values(struct ix_writer *, const struct ix_kind *, vx_reference);
void ix_get_values(struct ix_reader *, const struct ix_kind *, vx_reference);
void ix_put_meta(struct ix_writer *, const struct _vx_meta_format *);
void ix_get_meta(struct ix_reader *, vx_enum type, struct _vx_meta_format *);

/* Images (ix_image.c): data, and the settings. */
void ix_image_put_settings(struct ix_writer *, vx_reference);
void ix_image_get_settings(struct ix_reader *, vx_reference);
vx_status ix_image_put_values(struct ix_writer *, vx_reference);
void ix_image_get_values(struct ix_reader *, vx_reference);

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
vx_status ix_get_tables(struct ix_import *);
vx_status ix_get_objects(struct ix_import *);
vx_status ix_get_graphs(struct ix_import *);
vx_enum ix_type_here(struct ix_import *, vx_enum type); /* a type of values: one that the application has registered may have another number */

/* ---- memory of exports (ix_export.c) ---- */
void exports_orphan(const struct _vx_context *); /* of a context that ends: the memory stays until it is released */
#endif
