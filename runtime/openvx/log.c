/* The log: what went wrong, in words, to the application's callback (OpenVX 1.3, 3.25). */
#include "runtime/openvx/context.h"
#include "base/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Goes to stderr if GALENA_LOG asks for it: for contexts without a callback, and for calls without a context. */
static void to_stderr(vx_status status, const char *text)
{
	const char *wanted = getenv("GALENA_LOG");
	if (wanted && *wanted)
		log_write(LOG_ERROR, "openvx: %s (%d)", text, status);
}

static void log_text(struct _vx_context *c, struct _vx_reference *ref, vx_status status, const char *text)
{
	if (!c) {
		to_stderr(status, text);
		return;
	}
	context_lock(c);
	vx_log_callback_f log = c->logging ? c->log : NULL;
	/* vxRegisterLogCallback: one that is not reentrant is not called while it runs */
	const bool call = log && (c->log_reentrant || !c->in_log);
	if (call && !c->log_reentrant) {
		c->in_log = true;
		log(c, ref, status, text);
		c->in_log = false;
	}
	const bool reentrant = c->log_reentrant;
	context_unlock(c);
	if (call && reentrant)
		log(c, ref, status, text);
	if (!log)
		to_stderr(status, text);
}

vx_status fail(const void *object, vx_status status, const char *format, ...)
{
	struct _vx_reference *ref = object_known(object) ? (struct _vx_reference *)(uintptr_t)object : NULL;
	char text[VX_MAX_LOG_MESSAGE_LEN];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	log_text(ref ? ref->context : NULL, ref, status, text);
	return status;
}

VX_API_ENTRY VX_EXPORT void VX_API_CALL vxAddLogEntry(vx_reference ref, vx_status status, const char *message, ...)
{
	char text[VX_MAX_LOG_MESSAGE_LEN];
	va_list args;
	/* vxAddLogEntry: nothing is logged of what is no object, and no success */
	if (!object_known(ref) || !message || status == VX_SUCCESS)
		return;
	va_start(args, message);
	vsnprintf(text, sizeof text, message, args);
	va_end(args);
	log_text(ref->context, ref, status, text);
}

VX_API_ENTRY VX_EXPORT void VX_API_CALL vxRegisterLogCallback(vx_context context, vx_log_callback_f callback, vx_bool reentrant)
{
	if (!object_is(context, VX_TYPE_CONTEXT))
		return;
	LOCKED(context);
	context->log = callback;
	context->log_reentrant = reentrant != vx_false_e;
	/* vxRegisterLogCallback: a callback turns the log on, none turns it off */
	context->logging = callback != NULL;
}
