/* Sub-devices: some of a device's compute units. A dispatch of theirs names its units in the packet; everything
 * else they share with the device that they are parts of. */
#include "runtime/opencl/device.h"
#include <stdlib.h>
#include <string.h>

static void subdevice_destroy(void *object)
{
	struct _cl_device_id *d = object;
	object_unuse(&d->parent->object);
	free(d->partition.list);
	free(d);
}

static struct _cl_device_id *subdevice_create(struct _cl_device_id *parent, unsigned first_cu, unsigned num_cu,
					      const cl_device_partition_property *list, size_t num_list)
{
	struct _cl_device_id *d = malloc(sizeof *d);
	struct given_list given = {0};
	if (!d || !given_list_keep(&given, list, num_list * sizeof *list)) {
		free(d);
		return NULL;
	}
	*d = *parent;
	object_init(&d->object, MAGIC_DEVICE, NULL, subdevice_destroy);
	d->parent = parent;
	object_use(&parent->object);
	d->first_cu = first_cu;
	d->num_cu = num_cu;
	d->partition = given;
	return d;
}

/* What a list of properties asks for. */
struct partition {
	unsigned count;          /* sub-devices */
	unsigned sizes[32];      /* compute units of each */
	size_t num_list;         /* entries of the list, with the 0 */
};

/* OpenCL 3.0, 4.3: CL_DEVICE_PARTITION_EQUALLY. */
static cl_int partition_equally(const struct _cl_device_id *d, const cl_device_partition_property *list, struct partition *out)
{
	const cl_device_partition_property n = list[1];
	/* CL_CREATESUBDEVICES_PROPERTIES: 4.3: CL_INVALID_VALUE for values that mean nothing: no units, more than one scheme */
	FAIL_IF(n == 0 || list[2], CL_INVALID_VALUE, "CL_DEVICE_PARTITION_EQUALLY takes one number of compute units, then 0");
	/* 4.3: CL_INVALID_DEVICE_PARTITION_COUNT for more units than there are, or fewer than none */
	if (n < 0 || n > (cl_device_partition_property)d->num_cu)
		return FAIL(CL_INVALID_DEVICE_PARTITION_COUNT, "%lld compute units each, the device has %u", (long long)n, d->num_cu);
	/* CL_CREATESUBDEVICES_FAILED: 4.3: CL_DEVICE_PARTITION_FAILED if the device cannot be divided so: a part would be all of it */
	FAIL_IF(n == (cl_device_partition_property)d->num_cu, CL_DEVICE_PARTITION_FAILED, "%lld compute units are all of the device", (long long)n);
	out->count = d->num_cu / (unsigned)n;
	for (unsigned i = 0; i < out->count; i++)
		out->sizes[i] = (unsigned)n;
	out->num_list = 3;
	return CL_SUCCESS;
}

/* 4.3: CL_DEVICE_PARTITION_BY_COUNTS: counts up to a 0 (CL_DEVICE_PARTITION_BY_COUNTS_LIST_END). */
static cl_int partition_by_counts(const struct _cl_device_id *d, const cl_device_partition_property *list, struct partition *out)
{
	unsigned left = d->num_cu;
	FAIL_IF(!list[1], CL_INVALID_VALUE, "CL_DEVICE_PARTITION_BY_COUNTS without a count");
	/* 4.3: CL_DEVICE_PARTITION_FAILED: one unit is not divided */
	FAIL_IF(d->num_cu == 1 && list[1] == 1, CL_DEVICE_PARTITION_FAILED, "the device has one compute unit");
	for (size_t i = 1; list[i]; i++) {
		/* CL_CREATESUBDEVICES_COUNT_*: 4.3: CL_INVALID_DEVICE_PARTITION_COUNT for a negative count, more units than there are, or
		 * more sub-devices than CL_DEVICE_PARTITION_MAX_SUB_DEVICES (as many as units) */
		if (list[i] < 0 || list[i] > (cl_device_partition_property)left)
			return FAIL(CL_INVALID_DEVICE_PARTITION_COUNT, "count %zu is %lld, %u of %u compute units are left", i - 1,
				    (long long)list[i], left, d->num_cu);
		out->sizes[out->count++] = (unsigned)list[i];
		left -= (unsigned)list[i];
	}
	/* kept with the end of the counts and the end of the list */
	out->num_list = out->count + 3;
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties, cl_uint num_devices,
					     cl_device_id *out_devices, cl_uint *num_devices_ret)
{
	struct partition p = {0};
	cl_int code;
	/* CL_CREATESUBDEVICES_DEVICE: a device */
	NEED_DEVICE(device);
	/* CL_CREATESUBDEVICES_PROPERTIES_SUPPORT: 4.3: CL_INVALID_VALUE if properties are not valid, or valid and not supported by the device: affinity
	 * domains, as all units share one L2 cache and have an L1 cache each */
	FAIL_IF(!properties, CL_INVALID_VALUE, "no properties");
	switch (properties[0]) {
	case CL_DEVICE_PARTITION_EQUALLY: code = partition_equally(device, properties, &p); break;
	case CL_DEVICE_PARTITION_BY_COUNTS: code = partition_by_counts(device, properties, &p); break;
	default:
		return FAIL(CL_INVALID_VALUE, "partition property 0x%llx is not supported: CL_DEVICE_PARTITION_EQUALLY and _BY_COUNTS are",
			    (unsigned long long)properties[0]);
	}
	if (code)
		return code;
	/* CL_CREATESUBDEVICES_ROOM: 4.3: CL_INVALID_VALUE if there is room for fewer than the scheme makes */
	FAIL_IF(out_devices && num_devices < p.count, CL_INVALID_VALUE, "room for %u sub-devices, there are %u", num_devices, p.count);
	unsigned first = device->first_cu;
	cl_device_partition_property list[sizeof p.sizes / sizeof *p.sizes + 3] = {0}; /* the 0s at the end */
	memcpy(list, properties, (p.num_list - 1) * sizeof *list);
	for (unsigned i = 0; out_devices && i < p.count; i++) {
		out_devices[i] = subdevice_create(device, first, p.sizes[i], list, p.num_list);
		if (!out_devices[i]) {
			while (i--)
				object_release(&out_devices[i]->object);
			return FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a sub-device");
		}
		first += p.sizes[i];
	}
	if (num_devices_ret)
		*num_devices_ret = p.count;
	return CL_SUCCESS;
}

/* 4.3: devices of the platform are not counted; retaining and releasing them does nothing */
cl_int CL_API_CALL galena_clRetainDevice(cl_device_id device)
{
	/* CL_RETAINDEVICE_DEVICE: a device */
	NEED_DEVICE(device);
	if (device->parent)
		object_retain(&device->object);
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clReleaseDevice(cl_device_id device)
{
	/* CL_RELEASEDEVICE_DEVICE: one that the application has a reference to */
	FAIL_IF(!object_held(device, MAGIC_DEVICE), CL_INVALID_DEVICE, "not a device");
	if (device->parent)
		object_release(&device->object);
	return CL_SUCCESS;
}
