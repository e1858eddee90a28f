/* Classes of data objects: all that generic code knows of a type (array, image, tensor and so on).
 *
 * A type is one file, which defines its class, and one row of object_classes.def. Generic code reaches the class through the
 * reference of an object, or by the type, and never asks for a type by its name.
 *
 * A prototype is a struct of the type's own in which only the members of attributes that are meta data are set, and those that the
 * function check of the class reads besides. Each object is a prototype of its clones. */
#ifndef GALENA_RUNTIME_OPENVX_OBJECT_CLASS_H
#define GALENA_RUNTIME_OPENVX_OBJECT_CLASS_H
#include "runtime/openvx/object.h"
#include <stddef.h>

struct check;
struct choice;
struct extent;
struct ix_reader;
struct ix_writer;
struct launch;
struct map_target;
struct place;
struct store;

/* ---- attributes ---- */
union attribute_value {
	vx_size size;
	vx_uint32 number;
	vx_bool truth;
};

struct object_attribute {
	vx_enum attribute;
	vx_status otherwise;     /* meta data: what vxVerifyGraph() returns for an output that differs; VX_SUCCESS: no meta data */
	size_t offset, size;     /* of the value in the object */
	unsigned count;          /* the value is so many numbers of one size; 0: one. Characters are a text with zeros behind its end */
	size_t used;             /* offset of a vx_size: how many of the numbers are used; 0: all of them */
	bool at_least;           /* a vx_size of which an output may have more than its meta data say */
	bool names_type;         /* a type of values, which the application may have registered */
	bool cloned;             /* no meta data, but clones have it */
	bool copies_agree;       /* no meta data, but vxCopyNode and vxSelectNode want it to be the same */
	bool copies_differ;      /* meta data, but vxCopyNode and vxSelectNode let it differ */
	void (*find)(const void *object, union attribute_value *); /* of a value that is not stored in the object; else NULL */
	/* NULL: the application cannot set it. VX_SUCCESS, or the status of a log entry. */
	vx_status (*set)(void *object, const void *value);
};
/* Rows; designators of other members may follow the ones that a macro has. */
#define ATTRIBUTE(name, tag, member) .attribute = name, .offset = offsetof(struct tag, member), .size = sizeof(((struct tag *)0)->member)
#define META(name, tag, member, status) ATTRIBUTE(name, tag, member), .otherwise = VX_ERROR_INVALID_##status
#define FOUND(name, c_type, function) .attribute = name, .size = sizeof(c_type), .find = function

/* ---- classes ---- */
enum { STORES_MAX = 2, PROTOTYPE_BYTES = 640 };
struct object_class {
	vx_enum type;
	const char *name; /* with its article, for log entries */
	size_t size;      /* of the object */
	const struct object_attribute *attributes;
	unsigned num_attributes;
	/* Buffers (struct store) that the object has: offsets. */
	unsigned num_stores;
	size_t stores[STORES_MAX];
	/* Objects that it is made of: offsets of the list (vx_reference *) and of the count (vx_size); 0: none. */
	size_t parts, num_parts;
	bool of_exemplar; /* the parts are clones of the first part of the prototype; without one the list is empty at first */
	bool rotates;     /* parts change places: a delay, which has no data of its own, and cannot be an exemplar */

	/* ---- life ---- */
	/* vxCreate...: the rules for a prototype from the application, in the scope of a context or a graph. VX_SUCCESS, or the status
	 * of a log entry. */
	vx_status (*check)(const struct _vx_reference *scope, const void *prototype);
	/* Finishes a new object, which has the meta data of its prototype, and clones of its exemplar. false: no memory. */
	bool (*init)(void *object);
	void (*destroy)(void *object); /* before stores and parts are given back; NULL: nothing else to do */

	/* ---- virtual objects whose meta data verification finds; NULL: the type has none ---- */
	bool (*is_open)(const void *object); /* some meta data are not known yet */
	/* Gives an object what it was declared without, or checks that it agrees. VX_SUCCESS, or the status of a log entry. */
	vx_status (*define)(void *object, const void *prototype);
	void (*undefine)(void *object); /* it is again as it was declared */

	/* ---- memory, of types without stores ---- */
	vx_status (*allocate)(void *object);                                    /* the buffers, before the first use */
	void (*target)(void *object, struct map_target *);                      /* what copies and maps access; planes: image_patch.c */
	bool (*extent)(const void *object, unsigned index, struct extent *);    /* ranges of memory, one by one; false: no more */
	void (*place)(const void *object, struct place *);                      /* where it lies in the object that has its data */
	size_t (*elements)(const void *object);                                 /* pixels, or numbers; NULL: few */
	vx_reference (*parent)(const void *object);                             /* the object that has the data; NULL: it is its own */

	/* ---- nodes that copy ---- */
	/* Makes an output, a parameter of a node, like the input, or refuses it; NULL: the type is never open, and is compared. */
	vx_status (*gives)(struct check *, unsigned index, const void *like, const void *output);
	vx_status (*choose)(struct launch *, const struct choice *); /* NULL: byte by byte of stores, and each part by itself */

	/* ---- exports ---- */
	unsigned (*origin)(const void *object); /* enum ix_origin (ix.h); NULL: IX_OWN */
	/* NULL: a store has all data, or the parts have. */
	vx_status (*put_values)(struct ix_writer *, void *object);
	void (*get_values)(struct ix_reader *, void *object);
	void (*accept)(struct ix_reader *, void *prototype); /* refuses meta data that no prototype can have; NULL: none */
};
/* The size of an object, for which there is room among prototypes. */
#define OBJECT_SIZE(tag) \
	sizeof(struct { \
		_Static_assert(sizeof(struct tag) <= PROTOTYPE_BYTES, "PROTOTYPE_BYTES"); \
		struct tag object; \
	})
#define ATTRIBUTES(rows) .attributes = (rows), .num_attributes = sizeof(rows) / sizeof *(rows)

#define OBJECT_CLASS(name) extern const struct object_class name##_class;
#include "runtime/openvx/object_classes.def"
#undef OBJECT_CLASS
enum {
#define OBJECT_CLASS(name) CLASS_OF_##name,
#include "runtime/openvx/object_classes.def"
#undef OBJECT_CLASS
	OBJECT_CLASSES
};
const struct object_class *class_find(vx_enum type); /* NULL: no type of data objects */
unsigned class_number(const struct object_class *);  /* below OBJECT_CLASSES */

/* Room for a prototype of any class. */
struct prototype {
	_Alignas(16) unsigned char bytes[PROTOTYPE_BYTES];
};

/* ---- life ---- */
/* A new object in the scope of a context or a graph, with one reference of the application; NULL: no memory. Nothing is checked. */
void *data_create(struct _vx_reference *scope, const struct object_class *, const void *prototype, bool is_virtual);
/* What vxCreate...() and vxCreateVirtual...() return: an object that check() of the class allows, an error object, or NULL where there is
 * no context or graph. */
void *data_new(vx_context, const struct object_class *, const void *prototype);
void *data_new_virtual(vx_graph, const struct object_class *, const void *prototype);

/* ---- stores and parts ---- */
unsigned stores_of(vx_reference, struct store *stores[STORES_MAX]); /* how many */
/* The parts of an object, and how many; 0: none. Slots of delays are parts only to the second function. */
vx_size parts_of(vx_reference, const vx_reference **parts);
vx_size all_parts_of(vx_reference, const vx_reference **parts);
/* The parts of a prototype will be so many. */
vx_size prototype_parts(const struct object_class *, const void *prototype);
/* A new object is no longer the application's but that of what it is a part of. */
void part_adopt(vx_reference);
vx_status data_allocate(vx_reference); /* all buffers of an object and of its parts, before the first use */

/* ---- clones ---- */
/* Whether an object that the application has given can be an exemplar: VX_SUCCESS, or the status of a log entry. */
vx_status clone_check(struct _vx_context *, vx_reference exemplar);
/* A new object with the exemplar's meta data; NULL: no memory. */
vx_reference clone_create(struct _vx_reference *scope, vx_reference exemplar, bool is_virtual);

/* ---- meta data ---- */
void meta_copy(const struct object_class *, void *to, const void *from); /* of prototypes */
/* The first attribute in which two prototypes differ; NULL: none. for_copy: as vxCopyNode and vxSelectNode compare. */
const struct object_attribute *meta_difference(const struct object_class *, const void *, const void *, bool for_copy);
/* Gives an object the meta data that it was declared with. False: it has them. */
bool meta_restore(vx_reference);
/* Whether two objects, with all their parts, are alike: VX_SUCCESS, or the status of a log entry in the name of an object. */
vx_status meta_same(vx_reference, vx_reference, bool for_copy, const void *for_whom);

/* ---- attributes ---- */
const struct object_attribute *attribute_find(const struct object_class *, vx_enum attribute); /* NULL: there is none */
/* What vxQuery...() and vxSet...Attribute() of a type do with their parameters; function: their names, for the log. */
vx_status attribute_query(void *object, const struct object_class *, const char *function, vx_enum attribute, void *ptr, vx_size size);
vx_status attribute_change(void *object, const struct object_class *, const char *function, vx_enum attribute, const void *ptr, vx_size size);
/* The value of a prototype from or to the application's memory. */
vx_status attribute_read(const void *ref, const struct object_attribute *, const void *prototype, void *ptr, vx_size size);
vx_status attribute_write(const void *ref, const struct object_attribute *, void *prototype, const void *ptr, vx_size size);
static inline bool attribute_is_text(const struct object_attribute *a) { return a->count > 1 && a->count == a->size; }

/* ---- functions of the API that a class does alone: a line for each in the file of the type ---- */
#define PARAMETERS_OF(...) __VA_ARGS__
/* vxCreate...() and vxCreateVirtual...(): parameters, in parentheses, behind the context or the graph; initializers of the prototype. */
#define CLASS_CREATE(function, virtual_function, name, parameters, ...) \
	VX_API_ENTRY VX_EXPORT vx_##name VX_API_CALL function(vx_context c, PARAMETERS_OF parameters) \
	{ \
		return data_new(c, &name##_class, &(struct _vx_##name){__VA_ARGS__}); \
	} \
	VX_API_ENTRY VX_EXPORT vx_##name VX_API_CALL virtual_function(vx_graph graph, PARAMETERS_OF parameters) \
	{ \
		return data_new_virtual(graph, &name##_class, &(struct _vx_##name){__VA_ARGS__}); \
	}
#define CLASS_RELEASE(function, name) \
	VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL function(vx_##name *ref) { return object_release((vx_reference *)ref, name##_class.type); }
#define CLASS_QUERY(function, name) \
	VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL function(vx_##name object, vx_enum attribute, void *ptr, vx_size size) \
	{ \
		return attribute_query(object, &name##_class, __func__, attribute, ptr, size); \
	}
#define CLASS_SET(function, name) \
	VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL function(vx_##name object, vx_enum attribute, const void *ptr, vx_size size) \
	{ \
		return attribute_change(object, &name##_class, __func__, attribute, ptr, size); \
	}
#endif
