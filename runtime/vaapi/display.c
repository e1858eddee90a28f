/* Displays: a device for each, and what libva finds in the driver. */
#include "abi/environment.h"
#include "abi/pci.h"
#include "runtime/vaapi/objects.h"
#include "runtime/vaapi/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILES_MAX = 2, ENTRYPOINTS_MAX = 1, ATTRIBUTES_MAX = 8, DISPLAY_ATTRIBUTES = 1 };

static const struct VADriverVTable entries = {
#define ENTRY(name) .name = galena_##name,
#define VPP_ENTRY(name)
#include "runtime/vaapi/entry_points.def"
#undef ENTRY
#undef VPP_ENTRY
};
static const struct VADriverVTableVPP vpp_entries = {
	.version = VA_DRIVER_VTABLE_VPP_VERSION,
#define ENTRY(name)
#define VPP_ENTRY(name) .name = galena_##name,
#include "runtime/vaapi/entry_points.def"
#undef ENTRY
#undef VPP_ENTRY
};

static void display_free(struct display *d)
{
	objects_drop(d);
	filters_drop(d);
	umd_queue_release(d->queue);
	umd_space_release(d->space);
	pthread_mutex_destroy(&d->lock);
	free(d);
	driver_close();
}

static VAStatus display_fill(struct display *d, struct umd *umd)
{
	const unsigned number = (unsigned)strtoul(environment_value("GALENA_VA_DEVICE"), NULL, 10);
	if (number >= umd_num_devices(umd)) {
		log_write(LOG_ERROR, "GALENA_VA_DEVICE=%u: there are %u devices", number, umd_num_devices(umd));
		return VA_STATUS_ERROR_INVALID_VALUE;
	}
	d->umd = umd;
	d->device = number;
	d->info = umd_device_info(umd, number);
	snprintf(d->vendor, sizeof d->vendor, "Galena %s, device %u", GALENA_VERSION, number);
	TRY(driver_status(umd_space_create(umd, &d->space)));
	return driver_status(umd_queue_create(d->space, number, 1, &d->queue));
}

static VAStatus display_open(VADriverContextP ctx)
{
	static atomic_uint numbers;
	struct umd *umd = driver_open();
	if (!umd)
		return VA_STATUS_ERROR_OPERATION_FAILED;
	struct display *d = calloc(1, sizeof *d);
	if (!d) {
		driver_close();
		return VA_STATUS_ERROR_ALLOCATION_FAILED;
	}
	pthread_mutex_init(&d->lock, NULL);
	d->number = atomic_fetch_add(&numbers, 1);
	const VAStatus status = display_fill(d, umd);
	if (status) {
		display_free(d);
		return status;
	}
	ctx->pDriverData = d;
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaTerminate(VADriverContextP ctx)
{
	struct display *d = display_of(ctx);
	if (d) {
		umd_sync(d->umd);
		display_free(d);
	}
	ctx->pDriverData = NULL;
	return VA_STATUS_SUCCESS;
}

/* libva has the tables zeroed, of the version that it knows: the driver's are no larger. */
static VAStatus init(VADriverContextP ctx)
{
	TRY(display_open(ctx));
	*ctx->vtable = entries;
	if (ctx->vtable_vpp)
		*ctx->vtable_vpp = vpp_entries;
	ctx->version_major = VA_MAJOR_VERSION;
	ctx->version_minor = VA_MINOR_VERSION;
	ctx->max_profiles = PROFILES_MAX;
	ctx->max_entrypoints = ENTRYPOINTS_MAX;
	ctx->max_attributes = ATTRIBUTES_MAX;
	ctx->max_image_formats = FORMATS;
	ctx->max_subpic_formats = 1; /* libva refuses 0; there is none */
	ctx->max_display_attributes = DISPLAY_ATTRIBUTES;
	ctx->str_vendor = display_of(ctx)->vendor;
	return VA_STATUS_SUCCESS;
}

/* libva looks for its own version, then for those before it. */
#define EXPORT __attribute__((visibility("default")))
#define DRIVER_INIT(minor)                                                 \
	EXPORT VAStatus __vaDriverInit_1_##minor(VADriverContextP);        \
	VAStatus __vaDriverInit_1_##minor(VADriverContextP ctx) { return init(ctx); }
DRIVER_INIT(17)

/* ---- attributes of displays ---- */
static bool attribute(const struct display *d, VADisplayAttribute *a)
{
	if (a->type != VADisplayPCIID) {
		a->flags = VA_DISPLAY_ATTRIB_NOT_SUPPORTED;
		return false;
	}
	a->value = (int32_t)pci_id(d->device);
	a->min_value = a->max_value = a->value;
	a->flags = VA_DISPLAY_ATTRIB_GETTABLE;
	return true;
}

VAStatus galena_vaQueryDisplayAttributes(VADriverContextP ctx, VADisplayAttribute *list, int *count)
{
	FAIL_IF(!list || !count, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the attributes");
	list[0] = (VADisplayAttribute){.type = VADisplayPCIID};
	attribute(display_of(ctx), &list[0]);
	*count = DISPLAY_ATTRIBUTES;
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaGetDisplayAttributes(VADriverContextP ctx, VADisplayAttribute *list, int count)
{
	FAIL_IF(count < 0 || (count && !list), VA_STATUS_ERROR_INVALID_PARAMETER, "no attributes");
	for (int i = 0; i < count; i++)
		attribute(display_of(ctx), &list[i]);
	return VA_STATUS_SUCCESS;
}

/* None can be set. */
VAStatus galena_vaSetDisplayAttributes(VADriverContextP ctx, VADisplayAttribute *list, int count)
{
	FAIL_IF(count < 0 || (count && !list), VA_STATUS_ERROR_INVALID_PARAMETER, "no attributes");
	for (int i = 0; i < count; i++)
		attribute(display_of(ctx), &list[i]);
	FAIL_IF(count, VA_STATUS_ERROR_ATTR_NOT_SUPPORTED, "attributes of displays cannot be set");
	return VA_STATUS_SUCCESS;
}
