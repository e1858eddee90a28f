/* Semaphores: cl_khr_semaphore, and cl_khr_external_semaphore by opaque descriptors and by sync files.
 *
 * All are binary. The driver counts signals and waits as they are submitted, each wait takes one signal, and devices wait for each other without
 * the host. An opaque descriptor refers to the semaphore; a sync file is a copy of what it has been or will be signalled by. One that is imported
 * is the semaphore's payload until the next wait; then the semaphore has its own, which a re-import replaces. */
#include "runtime/opencl/external.h"
#include "runtime/opencl/enqueue.h"
#include "runtime/opencl/queue.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* What is signalled and waited for. A command that uses one which a re-import may replace has a reference. */
struct payload {
	struct umd_sem *sem;
	atomic_uint refs;
};

struct _cl_semaphore_khr {
	struct object object;
	struct _cl_context *context;
	struct _cl_device_id *device;    /* that it is for; NULL: all of the context */
	struct payload *own;             /* context->lock, with imported, if it takes sync files */
	struct payload *imported;        /* of a sync file: what the next wait takes; NULL: nothing */
	bool takes_sync_files;
	cl_external_semaphore_handle_type_khr export; /* 0: none */
	struct given_list properties;
};
#define SEMAPHORE_VALID(x) object_valid((x), MAGIC_SEMAPHORE)
#define NEED_SEMAPHORE(x) FAIL_IF(!SEMAPHORE_VALID(x), CL_INVALID_SEMAPHORE_KHR, "not a semaphore")

/* ---- creation ---- */

static bool is_list(cl_properties name) { return name == CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR || name == CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR; }

static bool is_handle(cl_properties type) { return type == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR || type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR; }

/* What the list says. */
struct plan {
	bool typed;
	struct _cl_device_id *device;
	cl_external_semaphore_handle_type_khr export, import;
	int fd;
};

static cl_int plan_property(const struct _cl_context *c, const struct property *p, struct plan *plan)
{
	unsigned devices;
	uint32_t which;
	switch (p->name) {
	case CL_SEMAPHORE_TYPE_KHR:
		/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_TYPE: a type that there is */
		if (*p->value != CL_SEMAPHORE_TYPE_BINARY_KHR)
			return FAIL(CL_INVALID_PROPERTY, "0x%llx is not a type of semaphore that there is", (unsigned long long)*p->value);
		plan->typed = true;
		return CL_SUCCESS;
	case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
		/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_DEVICE, CL_CREATESEMAPHOREWITHPROPERTIESKHR_DEVICES: exactly one device of the context */
		TRY(properties_devices(c, p->value, &devices, &which));
		FAIL_IF(devices != 1, CL_INVALID_DEVICE, "a list of %u devices: one is wanted", devices);
		plan->device = (cl_device_id)(uintptr_t)*p->value;
		return CL_SUCCESS;
	case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
		/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_EXPORT_TYPES: at most one type, */
		FAIL_IF(*p->value && p->value[1], CL_INVALID_VALUE, "more than one type of handle to export");
		/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_EXPORT_TYPE: that devices export */
		FAIL_IF(*p->value && !is_handle(*p->value), CL_INVALID_PROPERTY, "handles of type 0x%llx are not exported", (unsigned long long)*p->value);
		plan->export = (cl_external_semaphore_handle_type_khr)*p->value;
		return CL_SUCCESS;
	}
	/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_PROPERTY_NAME: known ones */
	FAIL_IF(!is_handle(p->name), CL_INVALID_PROPERTY, "semaphore property 0x%llx", (unsigned long long)p->name);
	/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_HANDLES: one handle */
	FAIL_IF(plan->import, CL_INVALID_PROPERTY, "more than one handle to import");
	plan->import = (cl_external_semaphore_handle_type_khr)p->name;
	return properties_fd(*p->value, &plan->fd);
}

static cl_int plan_semaphore(const struct _cl_context *c, const struct properties *list, struct plan *plan)
{
	for (unsigned i = 0; i < list->count; i++)
		TRY(plan_property(c, &list->of[i], plan));
	/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_UNTYPED: a type is given */
	FAIL_IF(!plan->typed, CL_INVALID_VALUE, "no CL_SEMAPHORE_TYPE_KHR");
	/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_NO_DEVICE: one of several devices is said */
	FAIL_IF(c->num_devices > 1 && !plan->device, CL_INVALID_PROPERTY, "no CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR in a context of several devices");
	/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_IMPORT_EXPORT: what is imported is not exported */
	FAIL_IF(plan->import && plan->export, CL_INVALID_OPERATION, "a semaphore that is imported cannot be exported");
	return CL_SUCCESS;
}

static void payload_drop(struct payload *p)
{
	if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
		return;
	umd_sem_release(p->sem);
	free(p);
}

/* How: flags of a new semaphore, or what the descriptor is. 0 or a negative kmd_error. */
static int payload_make(bool import, unsigned how, int fd, struct payload **out)
{
	struct umd *driver = galena_platform.driver;
	struct payload *p = calloc(1, sizeof *p);
	if (!p)
		return KMD_NO_MEMORY;
	const int error = import ? umd_sem_import(driver, (enum kmd_fence_kind)how, fd, &p->sem) : umd_sem_create(driver, how, &p->sem);
	if (error) {
		free(p);
		return error;
	}
	atomic_init(&p->refs, 1);
	*out = p;
	return 0;
}

/* The payload of a sync file; -1 is one that has been signalled. */
static cl_int import_sync_file(int fd, struct payload **out)
{
	const int error = payload_make(fd != -1, fd == -1 ? 0 : KMD_FENCE_SYNC_FILE, fd, out);
	if (!error && fd == -1)
		umd_sem_give((*out)->sem);
	FAIL_IF(error == KMD_NO_MEMORY, CL_OUT_OF_HOST_MEMORY, "no memory for the semaphore");
	FAIL_IF(error, CL_INVALID_VALUE, "descriptor %d is not a sync file of these devices (%d)", fd, error);
	return CL_SUCCESS;
}

static cl_int own_payload(cl_external_semaphore_handle_type_khr export, struct payload **out)
{
	const int error = payload_make(false, KMD_FENCE_LIMITED | (export ? KMD_FENCE_SHARED : 0), -1, out);
	return error ? FAIL(CL_OUT_OF_RESOURCES, "no semaphore (%d)", error) : CL_SUCCESS;
}

static cl_int import_semaphore(struct _cl_semaphore_khr *s, const struct plan *plan)
{
	if (plan->import == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR) {
		const int error = payload_make(true, KMD_FENCE_OPAQUE, plan->fd, &s->own);
		FAIL_IF(error == KMD_NO_MEMORY, CL_OUT_OF_HOST_MEMORY, "no memory for the semaphore");
		/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_FD: a descriptor of a semaphore */
		return error ? FAIL(CL_INVALID_PROPERTY, "descriptor %d is not a semaphore of these devices (%d)", plan->fd, error) : CL_SUCCESS;
	}
	TRY(own_payload(plan->export, &s->own));
	s->takes_sync_files = plan->import == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
	FAIL_IF(s->takes_sync_files && import_sync_file(plan->fd, &s->imported), CL_INVALID_PROPERTY, "descriptor %d is not imported", plan->fd);
	return CL_SUCCESS;
}

static void semaphore_destroy(void *object)
{
	struct _cl_semaphore_khr *s = object;
	payload_drop(s->own);
	payload_drop(s->imported);
	object_unuse(&s->context->object);
	free(s->properties.list);
	free(s);
}

CL_API_ENTRY cl_semaphore_khr CL_API_CALL galena_clCreateSemaphoreWithPropertiesKHR(cl_context context, const cl_semaphore_properties_khr *sema_props,
										    cl_int *errcode_ret)
{
	struct properties list;
	struct plan plan = {.fd = -1};
	/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_CONTEXT: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "not a context");
	/* CL_CREATESEMAPHOREWITHPROPERTIESKHR_NULL: a list */
	FAIL_NULL_IF(!sema_props, errcode_ret, CL_INVALID_VALUE, "no list of properties");
	TRY_NULL(errcode_ret, properties_read(sema_props, is_list, &list));
	TRY_NULL(errcode_ret, plan_semaphore(context, &list, &plan));
	struct _cl_semaphore_khr *s = calloc(1, sizeof *s);
	if (!s || !given_list_keep(&s->properties, sema_props, list.length * sizeof *sema_props)) {
		free(s);
		return FAIL_NULL(errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for a semaphore");
	}
	s->context = context;
	s->device = plan.device;
	s->export = plan.export;
	object_init(&s->object, MAGIC_SEMAPHORE, NULL, semaphore_destroy);
	object_use(&context->object);
	cl_int code = import_semaphore(s, &plan);
	if (!code && plan.import && plan.fd >= 0)
		close(plan.fd); /* it is ours */
	return api_object(errcode_ret, code, &s->object);
}

/* CL_RETAINSEMAPHOREKHR_SEMAPHORE: a semaphore */
/* CL_RELEASESEMAPHOREKHR_SEMAPHORE: one that the application has a reference to */
OBJECT_REFERENCES(galena_clRetainSemaphoreKHR, galena_clReleaseSemaphoreKHR, cl_semaphore_khr, MAGIC_SEMAPHORE, CL_INVALID_SEMAPHORE_KHR, "not a semaphore")

/* ---- handles ---- */

static bool of_device(const struct _cl_semaphore_khr *s, const struct _cl_device_id *d)
{
	return s->device ? s->device == d : context_has_device(s->context, d);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr sema_object, cl_device_id device,
								      cl_external_semaphore_handle_type_khr handle_type, size_t handle_size,
								      void *handle_ptr, size_t *handle_size_ret)
{
	int fd = -1;
	/* CL_GETSEMAPHOREHANDLEFORTYPEKHR_SEMAPHORE: a semaphore */
	NEED_SEMAPHORE(sema_object);
	/* CL_GETSEMAPHOREHANDLEFORTYPEKHR_DEVICE, CL_GETSEMAPHOREHANDLEFORTYPEKHR_DEVICE_FOREIGN: a device that it is for */
	FAIL_IF(!DEVICE_VALID(device) || !of_device(sema_object, device), CL_INVALID_DEVICE, "not a device of the semaphore");
	/* CL_GETSEMAPHOREHANDLEFORTYPEKHR_TYPE: the type that it was made to export */
	if (!handle_type || handle_type != sema_object->export)
		return FAIL(CL_INVALID_VALUE, "the semaphore was not made to export handles of type 0x%x", handle_type);
	/* CL_GETSEMAPHOREHANDLEFORTYPEKHR_SIZE: room for the handle */
	FAIL_IF(handle_ptr && handle_size < sizeof fd, CL_INVALID_VALUE, "%zu bytes for a descriptor", handle_size);
	if (handle_size_ret)
		*handle_size_ret = sizeof fd;
	if (!handle_ptr)
		return CL_SUCCESS;
	const int error = umd_sem_export(sema_object->own->sem, handle_type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR ? KMD_FENCE_SYNC_FILE : KMD_FENCE_OPAQUE, &fd);
	FAIL_IF(error, CL_OUT_OF_RESOURCES, "no descriptor for the semaphore (%d)", error);
	*(int *)handle_ptr = fd;
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clReImportSemaphoreSyncFdKHR(cl_semaphore_khr sema_object, cl_properties *reimport_props, int fd)
{
	struct payload *own, *imported, *before[2];
	/* CL_REIMPORTSEMAPHORESYNCFDKHR_SEMAPHORE, CL_REIMPORTSEMAPHORESYNCFDKHR_KIND: a semaphore that was made of a sync file */
	NEED_SEMAPHORE(sema_object);
	FAIL_IF(!sema_object->takes_sync_files, CL_INVALID_SEMAPHORE_KHR, "the semaphore was not made of a sync file");
	/* CL_REIMPORTSEMAPHORESYNCFDKHR_PROPERTIES: there are none */
	FAIL_IF(reimport_props && *reimport_props, CL_INVALID_VALUE, "property 0x%llx", (unsigned long long)*reimport_props);
	/* CL_REIMPORTSEMAPHORESYNCFDKHR_FD: a sync file */
	TRY(import_sync_file(fd, &imported));
	/* cl_khr_external_semaphore_sync_fd: as if the semaphore were created again: a signal of before is not seen */
	const cl_int code = own_payload(0, &own);
	if (code) {
		payload_drop(imported);
		return code;
	}
	{
		HOLDING(&sema_object->context->lock);
		before[0] = sema_object->own;
		before[1] = sema_object->imported;
		sema_object->own = own;
		sema_object->imported = imported;
	}
	payload_drop(before[0]);
	payload_drop(before[1]);
	if (fd >= 0)
		close(fd);
	return CL_SUCCESS;
}

/* ---- commands ---- */

static cl_int check_semaphores(cl_command_queue queue, cl_uint count, const cl_semaphore_khr *list)
{
	NEED_QUEUE(queue);
	/* CL_ENQUEUE*SEMAPHORESKHR_ZERO, CL_ENQUEUE*SEMAPHORESKHR_NULL: there are semaphores */
	FAIL_IF(!count || !list, CL_INVALID_VALUE, "no semaphores");
	for (cl_uint i = 0; i < count; i++) {
		/* CL_ENQUEUE*SEMAPHORESKHR_SEMAPHORE: all of them are */
		FAIL_IF(!SEMAPHORE_VALID(list[i]), CL_INVALID_SEMAPHORE_KHR, "entry %u is not a semaphore", i);
		/* CL_ENQUEUE*SEMAPHORESKHR_DEVICE: for the queue's device, which a context without it is not */
		FAIL_IF(!of_device(list[i], queue->device), CL_INVALID_COMMAND_QUEUE, "entry %u is for another device", i);
		/* CL_ENQUEUE*SEMAPHORESKHR_CONTEXT: of the queue's context */
		FAIL_IF(list[i]->context != queue->context, CL_INVALID_CONTEXT, "entry %u is of another context", i);
	}
	return CL_SUCCESS;
}

static void payload_done(void *payload, cl_int status)
{
	(void)status;
	payload_drop(payload);
}

/* The payload for a command that is being made: it waits, or signals. A wait takes what was imported. */
static const struct umd_sem *payload_for(struct command *c, struct _cl_semaphore_khr *s, bool waits)
{
	if (!s->takes_sync_files)
		return s->own->sem;
	HOLDING(&s->context->lock);
	struct payload *p = s->own;
	if (waits && s->imported) {
		p = s->imported;
		s->imported = NULL;
	} else {
		atomic_fetch_add(&p->refs, 1);
	}
	command_hook(c, payload_done, p);
	return p->sem;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueWaitSemaphoresKHR(cl_command_queue queue, cl_uint num_sema_objects, const cl_semaphore_khr *sema_objects,
								  const cl_semaphore_payload_khr *sema_payload_list, EVENT_PARAMETERS)
{
	(void)sema_payload_list; /* binary ones have none */
	TRY(check_semaphores(queue, num_sema_objects, sema_objects));
	BEGIN_COMMAND(c, queue, CL_COMMAND_SEMAPHORE_WAIT_KHR);
	/* CL_ENQUEUEWAITSEMAPHORESKHR_FAILED_EVENT: what it waits for has not failed */
	TRY(command_check_events(&c));
	c.waits_outside = true;
	for (cl_uint i = 0; i < num_sema_objects; i++) {
		umd_sem_take_packet(payload_for(&c, sema_objects[i], true), command_packet(&c));
		command_use(&c, &sema_objects[i]->object);
	}
	return command_submit(&c, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSignalSemaphoresKHR(cl_command_queue queue, cl_uint num_sema_objects,
								    const cl_semaphore_khr *sema_objects,
								    const cl_semaphore_payload_khr *sema_payload_list, EVENT_PARAMETERS)
{
	(void)sema_payload_list;
	TRY(check_semaphores(queue, num_sema_objects, sema_objects));
	BEGIN_COMMAND(c, queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
	/* CL_ENQUEUESIGNALSEMAPHORESKHR_FAILED_EVENT: what it waits for has not failed */
	TRY(command_check_events(&c));
	for (cl_uint i = 0; i < num_sema_objects; i++) {
		umd_sem_give_packet(payload_for(&c, sema_objects[i], false), command_packet(&c));
		command_use(&c, &sema_objects[i]->object);
	}
	TRY(command_submit(&c, false, event));
	/* who waits for it may not be a command of this context, whose flushes reach what they wait for */
	HOLDING(&queue->context->lock);
	queue_flush(queue);
	return CL_SUCCESS;
}

/* ---- queries ---- */

static cl_semaphore_payload_khr payload(struct _cl_semaphore_khr *s)
{
	struct payload *p;
	{
		HOLDING(&s->context->lock);
		p = s->imported ? s->imported : s->own;
		atomic_fetch_add(&p->refs, 1);
	}
	const bool given = umd_sem_given(p->sem);
	payload_drop(p);
	return given;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetSemaphoreInfoKHR(cl_semaphore_khr sema_object, cl_semaphore_info_khr param_name, INFO_PARAMETERS)
{
	/* CL_GETSEMAPHOREINFOKHR_SEMAPHORE: a semaphore */
	NEED_SEMAPHORE(sema_object);
	struct _cl_semaphore_khr *s = sema_object;
	switch (param_name) {
	case CL_SEMAPHORE_CONTEXT_KHR: return INFO(cl_context, s->context);
	case CL_SEMAPHORE_REFERENCE_COUNT_KHR: return INFO(cl_uint, object_refs(&s->object));
	case CL_SEMAPHORE_PROPERTIES_KHR: return INFO_GIVEN(s->properties);
	case CL_SEMAPHORE_TYPE_KHR: return INFO(cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
	case CL_SEMAPHORE_PAYLOAD_KHR: return INFO(cl_semaphore_payload_khr, payload(s));
	case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
		return s->device ? INFO(cl_device_id, s->device) : INFO_BYTES(s->context->devices, s->context->num_devices * sizeof(cl_device_id));
	case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: return INFO_BYTES(&s->export, s->export ? sizeof s->export : 0);
	case CL_SEMAPHORE_EXPORTABLE_KHR: return INFO(cl_bool, s->export != 0);
	}
	/* CL_GETSEMAPHOREINFOKHR_PARAM_NAME: a query that there is */
	return FAIL(CL_INVALID_VALUE, "unknown semaphore query 0x%x", param_name);
}
