/* What the files of the VA-API driver share: displays, and the objects behind their ids.
 *
 * Threads: every function may be called from any thread. An object lives as long as its id, or as a call uses it. A display has one lock, of
 * its ids and of the state of its objects; it is held for a moment, and nothing waits under it.
 * Errors: VA_STATUS_*; with GALENA_LOG=info a line says why. */
#ifndef GALENA_RUNTIME_VAAPI_OBJECTS_H
#define GALENA_RUNTIME_VAAPI_OBJECTS_H
#include "base/log.h"
#include "runtime/umd/umd.h"
#include "runtime/vaapi/format.h"
#include <pthread.h>
#include <stdatomic.h>
#include <va/va_backend.h>
#include <va/va_backend_vpp.h>

#define FAIL(status, ...) (log_write(LOG_INFO, "VA-API: " __VA_ARGS__), (status))
#define FAIL_IF(condition, status, ...)            \
	do {                                       \
		if (condition)                     \
			return FAIL(status, __VA_ARGS__); \
	} while (0)
#define TRY(call)                         \
	do {                              \
		const VAStatus try_ = (call); \
		if (try_)                 \
			return try_;      \
	} while (0)

/* ---- ids ---- */
struct display;
enum kind { CONFIG, SURFACE, IMAGE, BUFFER, CONTEXT, KINDS };
struct object {
	enum kind kind;
	atomic_uint refs;
	VAGenericID id;
};
/* Gives an object, whose reference it takes, an id. Without memory it is let go. */
VAStatus object_add(struct display *, struct object *, VAGenericID *out);
/* A reference of the object that has the id, or NULL. */
void *object_get(struct display *, enum kind, VAGenericID);
/* The id is gone; the caller has its reference. NULL: there is none. */
void *object_take(struct display *, enum kind, VAGenericID);
void object_put(struct object *);
/* Every id that is left is gone. */
void objects_drop(struct display *);
/* Lets a pointer to an object go at the end of the block. */
static inline void object_put_later(void *object)
{
	struct object *const *o = object;
	if (*o)
		object_put(*o);
}
#define USING(type) __attribute__((cleanup(object_put_later))) struct type *

/* ---- displays ---- */
struct table {
	struct object **objects;
	uint32_t *generations;
	unsigned count;
};
struct filter; /* that the display has made */
struct display {
	pthread_mutex_t lock;
	struct umd *umd;
	unsigned number; /* of the displays that the process has opened so far */
	unsigned device;
	const struct kmd_device_info *info;
	struct umd_space *space;
	struct umd_queue *queue; /* of everything that the display has the device do */
	struct table tables[KINDS];
	struct filter *filters;
	char vendor[64];
};
static inline struct display *display_of(VADriverContextP ctx) { return ctx->pDriverData; }
/* The devices of the process, NULL if there are none; each open is closed. */
struct umd *driver_open(void);
void driver_close(void);
/* Whether what the driver returned is an error, as a status. */
VAStatus driver_status(int error);

/* ---- memory ---- */
/* Of surfaces, images and what the device reads, which others may have by descriptor. */
struct memory {
	atomic_uint refs;
	struct umd_bo *bo;
	uint64_t address, size;
	uint8_t *cpu;
	struct umd_sem *users;    /* by which it is used in turn, NULL: by the display's queue alone */
	bool maintained;          /* jobs maintain what caches hold of it */
	int fd;                   /* of what was imported, or -1 */
	struct umd_command *last; /* that uses it; under the display's lock */
};
/* Zeroed. Others have it by descriptor if it is shared. */
VAStatus memory_create(struct display *, uint64_t size, bool shared, struct memory **);
/* All of a dma-buf; the descriptor stays the caller's. */
VAStatus memory_import(struct display *, int fd, struct memory **);
/* A descriptor, which is the caller's. */
VAStatus memory_export(struct memory *, int *fd);
struct memory *memory_ref(struct memory *);
void memory_unref(struct memory *);
/* Waits until every use has ended, by whatever client of the devices. */
VAStatus memory_wait(struct display *, struct memory *);
/* Every use has ended, or does within a number of nanoseconds; what devices can do now they do, whatever the number is. */
bool memory_idle(struct display *, struct memory *, uint64_t timeout);

/* ---- objects ---- */
struct config {
	struct object object;
	VAProfile profile;
	VAEntrypoint entrypoint;
	uint32_t rt;
};
bool config_is_decoder(const struct config *);
/* Formats that its surfaces may have. */
bool config_has_format(const struct config *, const struct format *);

struct surface {
	struct object object;
	struct layout layout;
	struct memory *memory;
	struct umd_command *decode; /* that was the last to decode into it; under the display's lock */
	VASurfaceDecodeMBErrors errors[2];
};
void surface_destroy(struct surface *);

struct buffer {
	struct object object;
	VABufferType type;
	uint32_t size, num_elements, capacity; /* of an element in bytes, elements, those that there is room for */
	uint8_t *data;
	struct memory *memory; /* that data is, where the device reads it */
	unsigned maps;
	unsigned handles; /* that were acquired, */
	int fd;           /* all of them this */
};
VAStatus buffer_create(struct display *, VABufferType, uint32_t size, uint32_t num_elements, struct memory *, struct buffer **);
void buffer_destroy(struct buffer *);

struct image {
	struct object object;
	struct layout layout;
	struct memory *memory;
	VABufferID buffer;
};
void image_destroy(struct image *);

struct jpeg;
struct steps;
struct context {
	struct object object;
	pthread_mutex_t lock;   /* of the picture */
	struct config *config;
	struct surface *target; /* of the picture that has begun, or NULL */
	bool ends;              /* a picture has ended, and its job is made */
	struct steps *steps;    /* what it is made of so far */
	struct jpeg *jpeg;
};
void context_destroy(struct context *);

/* ---- the interface ---- */
#define ENTRY(name) extern __typeof__(*((struct VADriverVTable *)0)->name) galena_##name;
#define VPP_ENTRY(name) extern __typeof__(*((struct VADriverVTableVPP *)0)->name) galena_##name;
#include "runtime/vaapi/entry_points.def"
#undef ENTRY
#undef VPP_ENTRY

#endif
