/* Media surfaces of VA-API: cl_intel_va_api_media_sharing. */
#ifndef GALENA_RUNTIME_OPENCL_VA_H
#define GALENA_RUNTIME_OPENCL_VA_H
#include "runtime/opencl/objects.h"
#include <va/va.h>
#include <va/va_drmcommon.h>

/* ---- displays (va_display.c) ---- */

/* The display that an application names: by itself, as all programs do, or by a pointer to it, as the tables of the extension say.
 * NULL: it is none that vaInitialize() has opened. Reads nothing that is not there. */
VADisplay va_display_find(const void *named);
/* The device of the platform that the display is for; NULL: none of them. */
cl_device_id va_display_device(VADisplay);
/* The memory of a surface: descriptors, which are the caller's, and where its planes lie in them. */
VAStatus va_display_export(VADisplay, VASurfaceID, uint32_t flags, VADRMPRIMESurfaceDescriptor *out);

/* ---- properties of contexts (va_display.c) ---- */

/* What a list of properties says of interoperability. */
struct interop {
	const void *display; /* CL_CONTEXT_VA_API_DISPLAY_INTEL */
	bool display_given, user_sync, user_sync_given;
	cl_context_properties other; /* the name of another API's property; 0: none is given */
	bool other_used;             /* with an object */
};
/* Takes a property of the list into account. *seen is set where it belongs to interoperability: to whether it has been given before. */
bool interop_property(struct interop *, cl_context_properties name, cl_context_properties value, bool *seen);
/* The rules on all of it, for a context that is made for these devices; *out: its display, or NULL. */
cl_int interop_check(const struct interop *, VADisplay *out);

/* ---- surfaces (va_surface.c) ---- */

/* What an image has that was made from a plane of a surface; the image's, and shared by what is made from it. */
struct va_surface {
	struct va_surface *next; /* of all of the process */
	VADisplay display;
	VASurfaceID id;
	VASurfaceID *given;      /* the application's pointer */
	cl_uint plane;
	struct umd_sem *users;   /* of its memory, by which they take turns */
	atomic_bool acquired;    /* written with context->lock held */
};
/* The image's memory is given back: another image may be made from the plane. */
void va_surface_forget(struct va_surface *);
/* NULL is fine. */
void va_surface_free(struct va_surface *);

#endif
