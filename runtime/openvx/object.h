/* What every object of OpenVX begins with: a reference (OpenVX 1.3, 3.8).
 *
 * An object lives while the application or another object refers to it. Both counts, and all state of objects, are changed
 * under the lock of their context, which is recursive: kernels and callbacks of the application call the API in turn. Every
 * reference that the application hands in is looked up before it is touched, so that one that has been released, or never was
 * one, is an error. */
#ifndef GALENA_RUNTIME_OPENVX_OBJECT_H
#define GALENA_RUNTIME_OPENVX_OBJECT_H
#include <VX/vx.h>
#include <stdbool.h>
#include <sys/queue.h>

#define VX_EXPORT __attribute__((visibility("default")))

struct object_class;

struct _vx_reference {
	vx_enum type;                /* VX_TYPE_IMAGE and so on */
	const struct object_class *class; /* of a data object (object_class.h); else NULL */
	unsigned forks;              /* of the process when it was made */
	struct _vx_context *context; /* of a context: itself */
	struct _vx_reference *scope; /* the graph of a virtual object or a node, as long as there is one; else the context */
	unsigned external, internal; /* references of the application, and of other objects */
	bool uncounted; /* not in VX_CONTEXT_REFERENCES: kernels, which are the context's, and nodes whose graph has ended */
	bool is_virtual;
	unsigned in_use; /* by nodes of user kernels that run: the application reaches virtual data, too */
	/* Enqueued so often at parameters of graphs (vx_khr_pipelining), so often to be written: under the lock of the pipelines. */
	unsigned enqueued, enqueued_written;
	vx_status status;            /* of an error object: why; else VX_SUCCESS */
	void (*destroy)(struct _vx_reference *); /* frees what the object holds, not the object; may be NULL */
	void (*released)(struct _vx_reference *); /* the application's last reference has ended; may be NULL */
	struct _vx_delay *delay;     /* whose slot it is, or NULL */
	void *declared; /* a virtual object that verification may define: a prototype with its meta data before; else NULL */
	LIST_ENTRY(_vx_reference) of_context;
	vx_char name[VX_MAX_REFERENCE_NAME];
};

/* ---- life ---- */
/* Data of a virtual object, which the application does not reach. */
static inline bool object_hidden(const struct _vx_reference *ref) { return ref->is_virtual && !ref->in_use; }
/* Whether the application reaches the data of an object: not of a virtual one, and not of one that is enqueued at a graph, but in a
 * kernel of its own that has it as a parameter. VX_SUCCESS, or the status of a log entry. */
vx_status object_reach(const struct _vx_reference *, const char *function);

/* A new object of so many bytes that begins with a reference, zeroed, with one external reference; NULL: no memory. The
 * scope is not held. Lock of the context held. */
void *object_create(struct _vx_context *, vx_enum type, size_t size, struct _vx_reference *scope, void (*destroy)(struct _vx_reference *));
void object_use(struct _vx_reference *);   /* one more internal reference */
void object_unuse(struct _vx_reference *); /* one less, NULL: none; the last of both kinds ends the object */
/* The application's reference *ref ends, and is set to NULL: what every vxRelease...() does. VX_ERROR_INVALID_REFERENCE: it is none
 * of that type (VX_TYPE_REFERENCE: any). */
vx_status object_release(struct _vx_reference **ref, vx_enum type);

/* ---- what the application hands in ---- */
bool object_known(const void *ref); /* an object that lives, also of errors */
/* Made by the process that forked this one: not known here, where nothing but its release does anything: it succeeds. */
bool object_inherited(const void *ref);
bool object_is(const void *ref, vx_enum type);
bool object_is_for(const char *function, const void *ref, vx_enum type); /* the same; false: a log entry names the function */
static inline bool object_usable(const struct _vx_reference *ref) { return object_known(ref) && ref->type != VX_TYPE_ERROR; }
/* An object that can be a parameter of a node. */
bool object_is_data(const void *ref);

/* The object that a failed vxCreate...() returns: vxGetStatus() says why. One for each status and context. */
struct _vx_reference *object_error(struct _vx_context *, vx_status);

/* ---- the lock ---- */
void context_lock(struct _vx_context *);
void context_unlock(struct _vx_context *);
void unlock_at_end(struct _vx_context **);
/* Holds the lock of a context until the end of the block. */
#define LOCKED(context) struct _vx_context *locked_ __attribute__((cleanup(unlock_at_end))) = (context_lock(context), (context))
/* Begins a function of the API: returns from it when an object is not of a type. */
#define EXPECT(object, type) \
	if (!object_is_for(__func__, (object), (type))) \
		return VX_ERROR_INVALID_REFERENCE
/* And holds the lock of the context otherwise. */
#define ENTER(object, type) \
	EXPECT(object, type); \
	LOCKED((object)->reference.context)
/* The same in what a function of the API, whose name is given, does with a reference. */
#define ENTER_FOR(function, reference, type) \
	if (!object_is_for((function), (reference), (type))) \
		return VX_ERROR_INVALID_REFERENCE; \
	LOCKED((reference)->context)
/* The same in a function that returns an object: then none. */
#define ENTER_OR_NULL(object, type) \
	if (!object_is((object), (type))) \
		return NULL; \
	LOCKED((object)->reference.context)

/* ---- errors ---- */
/* Logs (vxRegisterLogCallback) and is the status. */
vx_status fail(const void *ref, vx_status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Ends the function so when something is the case that a rule is against. */
#define FAIL_IF(condition, ...) \
	do { \
		if (condition) \
			return fail(__VA_ARGS__); \
	} while (0)
/* Ends the function with the status of a step that has failed. */
#define TRY(step) \
	do { \
		const vx_status try_status_ = (step); \
		if (try_status_ != VX_SUCCESS) \
			return try_status_; \
	} while (0)

/* ---- attributes ---- */
/* Copies an attribute's value of size bytes out, if that is what the application has room for; else VX_ERROR_INVALID_PARAMETERS. */
vx_status attribute_get(const void *ref, vx_enum attribute, void *ptr, vx_size room, const void *value, vx_size size);
vx_status attribute_text(const void *ref, vx_enum attribute, void *ptr, vx_size room, const char *text);
vx_status attribute_set(const void *ref, vx_enum attribute, void *value, vx_size size, const void *ptr, vx_size given);
vx_status attribute_unknown(const void *ref, vx_enum attribute);
/* The same in a function that an application asks for an attribute, of a value and of a text. */
#define GET(ref, c_type, value) attribute_get((ref), attribute, ptr, size, &(c_type){(value)}, sizeof(c_type))
#define GET_TEXT(ref, text) attribute_text((ref), attribute, ptr, size, (text))

/* Bytes of a value of a type that arrays and scalars hold; 0: it is none. */
vx_size type_size(struct _vx_context *, vx_enum type);
/* What a value of the type is as a number; TYPE_OTHER: none that the host has. */
enum type_kind { TYPE_OTHER, TYPE_SIGNED, TYPE_UNSIGNED, TYPE_REAL };
enum type_kind type_kind(vx_enum type);
const char *type_name(vx_enum type);
#endif
