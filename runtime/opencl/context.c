/* Contexts. */
#include "runtime/opencl/device.h"
#include "runtime/opencl/objects.h"
#include "runtime/opencl/queue.h"
#include "runtime/opencl/staging.h"
#include "runtime/opencl/svm.h"
#include "runtime/opencl/va.h"
#include <stdlib.h>
#include <string.h>

bool context_has_device(const struct _cl_context *c, const struct _cl_device_id *d)
{
	for (unsigned i = 0; i < c->num_devices; i++)
		if (c->devices[i] == d)
			return true;
	return false;
}

struct report {
	struct _cl_context *context;
	char *message;
};

static void report_call(void *arg)
{
	struct report *r = arg;
	r->context->notify(r->message, NULL, 0, r->context->notify_arg);
	object_unuse(&r->context->object);
	free(r->message);
	free(r);
}

void context_report(struct _cl_context *c, const char *message)
{
	log_write(LOG_ERROR, "%s", message);
	if (!c->notify)
		return;
	struct report *r = malloc(sizeof *r);
	char *copy = strdup(message);
	if (!r || !copy) {
		free(r);
		free(copy);
		return;
	}
	object_use(&c->object);
	*r = (struct report){.context = c, .message = copy};
	callback_post(report_call, r);
}

/* The application has let go: what it left running ends by itself, and is cleared away then. */
static void context_dropped(void *o)
{
	struct _cl_context *c = o;
	pthread_mutex_lock(&c->lock);
	if (c->transfers)
		queue_flush(c->transfers);
	pthread_mutex_unlock(&c->lock);
	context_reap(c);
}

static void context_finish(void *arg)
{
	struct _cl_context *c = arg;
	while (c->destructors) {
		struct context_destructor *d = c->destructors;
		c->destructors = d->next;
		d->fn(c, d->arg);
		free(d);
	}
	free(c->properties.list);
	free(c);
}

static void context_destroy(void *o)
{
	struct _cl_context *c = o;
	if (c->transfers)
		queue_destroy(c->transfers);
	staging_destroy(c->staging);
	svm_fini(c);
	umd_space_release(c->space);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	for (unsigned i = 0; i < c->num_devices; i++)
		object_unuse(&c->devices[i]->object);
	if (c->destructors)
		callback_run(context_finish, c);
	else
		context_finish(c);
}

/* OpenCL 3.0, 4.4, table of context properties. Counts the list with its 0. */
static cl_int check_properties(const cl_context_properties *p, size_t *count, struct interop *interop)
{
	bool platform = false;
	*count = 0;
	*interop = (struct interop){0};
	if (!p)
		return CL_SUCCESS;
	for (size_t i = 0; p[i]; i += 2) {
		bool twice = platform;
		if (p[i] == CL_CONTEXT_PLATFORM) {
			/* CL_CREATECONTEXT*_PLATFORM: the platform has to be a valid one */
			FAIL_IF(!PLATFORM_VALID(p[i + 1]), CL_INVALID_PLATFORM, "CL_CONTEXT_PLATFORM is not a platform");
			platform = true;
		} else if (!interop_property(interop, p[i], p[i + 1], &twice)) {
			/* CL_CREATECONTEXT*_PROPERTY_NAME: a known one */
			return FAIL(CL_INVALID_PROPERTY, "unknown context property 0x%llx", (unsigned long long)p[i]);
		}
		/* CL_CREATECONTEXT*_PROPERTY_VALUE: one that there is */
		if (p[i] == CL_CONTEXT_INTEROP_USER_SYNC && p[i + 1] != CL_TRUE && p[i + 1] != CL_FALSE)
			return FAIL(CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is neither true nor false");
		/* CL_CREATECONTEXT*_PROPERTY_TWICE: a property stands in the list once */
		FAIL_IF(twice, CL_INVALID_PROPERTY, "context property 0x%llx is given twice", (unsigned long long)p[i]);
		*count = i + 2;
	}
	++*count;
	return CL_SUCCESS;
}

static cl_int context_create(const cl_context_properties *properties, size_t count, const struct interop *interop, cl_uint num_devices,
			     const cl_device_id *list, void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *notify_arg,
			     cl_context *out)
{
	VADisplay display;
	TRY(interop_check(interop, &display));
	struct _cl_context *c = calloc(1, sizeof *c);
	FAIL_IF(!c, CL_OUT_OF_HOST_MEMORY, "no memory for the context");
	/* the same device twice counts once (4.4: duplicates are ignored) */
	for (cl_uint i = 0; i < num_devices; i++) {
		if (context_has_device(c, list[i]))
			continue;
		if (c->num_devices == CONTEXT_DEVICES_MAX) {
			free(c);
			return FAIL(CL_OUT_OF_RESOURCES, "a context of more than %d devices", CONTEXT_DEVICES_MAX);
		}
		c->shared |= list[i]->index != list[0]->index;
		c->devices[c->num_devices++] = list[i];
	}
	for (unsigned i = 0; i < c->num_devices; i++)
		object_use(&c->devices[i]->object);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	c->notify = notify;
	c->notify_arg = notify_arg;
	c->va_display = display;
	c->user_sync = interop->user_sync;
	object_init(&c->object, MAGIC_CONTEXT, context_dropped, context_destroy);
	if (!given_list_keep(&c->properties, properties, count * sizeof *properties))
		goto no_memory;
	int error = umd_space_create(galena_platform.driver, &c->space);
	if (error) {
		object_unuse(&c->object);
		return error == KMD_NO_MEMORY ? FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the address space")
					      : FAIL(CL_OUT_OF_RESOURCES, "no address space for the context");
	}
	c->staging = staging_create(c);
	if (!c->staging)
		goto no_memory;
	*out = c;
	return CL_SUCCESS;

no_memory:
	object_unuse(&c->object);
	return FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the context");
}

cl_context CL_API_CALL galena_clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
					      void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *), void *user_data,
					      cl_int *errcode_ret)
{
	cl_context c = NULL;
	size_t count;
	struct interop interop;
	TRY_NULL(errcode_ret, check_properties(properties, &count, &interop));
	/* CL_CREATECONTEXT_DEVICES_NULL, CL_CREATECONTEXT_DEVICES_ZERO, CL_CREATECONTEXT*_NOTIFY: 4.4: an empty or missing list; an argument
	 * for a callback that is not there */
	FAIL_NULL_IF(!devices || !num_devices, errcode_ret, CL_INVALID_VALUE, "no devices");
	FAIL_NULL_IF(!pfn_notify && user_data, errcode_ret, CL_INVALID_VALUE, "user_data without pfn_notify");
	/* CL_CREATECONTEXT_DEVICE: all are devices */
	for (cl_uint i = 0; i < num_devices; i++)
		FAIL_NULL_IF(!DEVICE_VALID(devices[i]), errcode_ret, CL_INVALID_DEVICE, "entry %u of the list is not a device", i);
	cl_int code = context_create(properties, count, &interop, num_devices, devices, pfn_notify, user_data, &c);
	return api_result(errcode_ret, code, c);
}

cl_context CL_API_CALL galena_clCreateContextFromType(const cl_context_properties *properties, cl_device_type device_type,
						      void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *),
						      void *user_data, cl_int *errcode_ret)
{
	cl_context c = NULL;
	size_t count;
	struct interop interop;
	TRY_NULL(errcode_ret, check_properties(properties, &count, &interop));
	FAIL_NULL_IF(!pfn_notify && user_data, errcode_ret, CL_INVALID_VALUE, "user_data without pfn_notify");
	/* CL_CREATECONTEXTFROMTYPE_TYPE: a type of known bits */
	FAIL_NULL_IF(!device_type_known(device_type), errcode_ret, CL_INVALID_DEVICE_TYPE, "device type 0x%llx", (unsigned long long)device_type);
	cl_device_id list[DEVICES_MAX];
	cl_uint n = device_select(device_type, list);
	/* CL_CREATECONTEXTFROMTYPE_NOT_FOUND: a device of it */
	FAIL_NULL_IF(!n, errcode_ret, CL_DEVICE_NOT_FOUND, "no device of type 0x%llx", (unsigned long long)device_type);
	cl_int code = context_create(properties, count, &interop, n, list, pfn_notify, user_data, &c);
	return api_result(errcode_ret, code, c);
}

/* CL_RETAINCONTEXT_CONTEXT: a context */
/* CL_RELEASECONTEXT_CONTEXT: one that the application has a reference to */
OBJECT_REFERENCES(galena_clRetainContext, galena_clReleaseContext, cl_context, MAGIC_CONTEXT, CL_INVALID_CONTEXT, "not a context")

cl_int CL_API_CALL galena_clGetContextInfo(cl_context context, cl_context_info param_name, INFO_PARAMETERS)
{
	/* CL_GETCONTEXTINFO_CONTEXT: a context */
	NEED_CONTEXT(context);
	switch (param_name) {
	case CL_CONTEXT_REFERENCE_COUNT: return INFO(cl_uint, object_refs(&context->object));
	case CL_CONTEXT_NUM_DEVICES: return INFO(cl_uint, context->num_devices);
	case CL_CONTEXT_DEVICES: return INFO_BYTES(context->devices, context->num_devices * sizeof(cl_device_id));
	case CL_CONTEXT_PROPERTIES: return INFO_GIVEN(context->properties);
	}
	/* CL_GETCONTEXTINFO_PARAM_NAME: a query that there is */
	return FAIL(CL_INVALID_VALUE, "unknown context query 0x%x", param_name);
}

cl_int CL_API_CALL galena_clSetContextDestructorCallback(cl_context context,
							 void(CL_CALLBACK *pfn_notify)(cl_context context, void *user_data), void *user_data)
{
	NEED_CONTEXT(context);
	/* CL_SETCONTEXTDESTRUCTORCALLBACK_CONTEXT, CL_SETCONTEXTDESTRUCTORCALLBACK_NOTIFY: a context, a function */
	FAIL_IF(!pfn_notify, CL_INVALID_VALUE, "no callback");
	struct context_destructor *d = malloc(sizeof *d);
	FAIL_IF(!d, CL_OUT_OF_HOST_MEMORY, "no memory for the callback");
	/* 4.4: called in the reverse order of registration */
	HOLDING(&context->lock);
	*d = (struct context_destructor){.next = context->destructors, .fn = pfn_notify, .arg = user_data};
	context->destructors = d;
	return CL_SUCCESS;
}
