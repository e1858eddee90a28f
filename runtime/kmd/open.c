/* Opening and closing the platform. */
#define _GNU_SOURCE
#include "abi/environment.h"
#include "abi/injection.h"
#include "base/cancel.h"
#include "base/setting.h"
#include "runtime/kmd/fence.h"
#include "runtime/kmd/observe.h"
#include "runtime/kmd/profile.h"
#include "runtime/kmd/unmapped.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bus arms the faults of GALENA_INJECT; here is known how many devices there are. */
static const char *faults_check(unsigned num_devices)
{
	const char *at = environment_value("GALENA_INJECT"), *error;
	struct injection_request r;
	while (injection_next(&at, &r, &error) > 0)
		if (r.device >= num_devices)
			return driver_error("GALENA_INJECT: %.*s: there are not so many devices (GALENA_DEVICES)", r.length, r.text);
	return NULL;
}

/* What the environment asks for. NULL or the error message. */
static const char *settings_read(struct bus_params *params, unsigned *num_devices)
{
	const char *wrong = environment_check();
	if (wrong)
		return driver_error("%s", wrong);
	params->device = environment_value("GALENA_DEVICE");
	params->config = environment_value("GALENA_CONFIG");
	params->speed = strcmp(environment_value("GALENA_SPEED"), "functional") ? BUS_TIMED : BUS_FUNCTIONAL;
	*num_devices = (unsigned)strtoul(environment_value("GALENA_DEVICES"), NULL, 0);
	return faults_check(*num_devices);
}

static const char *device_open(struct driver *d, unsigned index, struct bus_params *params)
{
	struct device *dev = &d->devices[index];
	const char *error = NULL;
	params->index = dev->index = index;
	pins_bus_memory(d, &params->memory);
	dev->bus = profile_bus(bus_open(params, &error));
	if (!dev->bus)
		return error ? error : "the device cannot be opened";
	d->num_devices = index + 1;
	tracepoint_pinned(d, dev);
	error = firmware_boot(d, dev);
	if (error)
		return error;
	struct bus *b = dev->bus;
	dev->info = (struct kmd_device_info){
		.num_cu = bus_read32(b, REG_HOST_NUM_CU),
		.warps_per_cu = bus_read32(b, REG_HOST_WARPS_PER_CU),
		.lanes = bus_read32(b, REG_HOST_LANES),
		.max_wg_size = bus_read32(b, REG_HOST_MAX_WG_SIZE),
		.lds_bytes = bus_read32(b, REG_HOST_LDS_BYTES),
		.clock_mhz = bus_read32(b, REG_HOST_CLOCK_MHZ),
		.line_bytes = bus_read32(b, REG_HOST_LINE_BYTES),
		.dram_size = bus_read64(b, REG_HOST_DRAM_SIZE),
		.l2_bytes = bus_read32(b, REG_HOST_L2_BYTES),
		.coherent = bus_read32(b, REG_HOST_FEATURES) & REG_HOST_FEATURES_COHERENT,
	};
	dev->active = true; /* whatever the boot has left to do */
	dev->seen = dev->rest_cycle = bus_cycle(b);
	return extents_init(&dev->dram, DRAM_BASE, dev->info.dram_size) ? "out of host memory" : NULL;
}

/* A trace, a hash, a check, counters or a profile are of everything that the program asked for: what it did not wait for is
 * done before the bus is finished with, at any speed of the host. */
static bool recording(const struct driver *d)
{
	const char *fail_on = setting("GALENA_FAIL_ON");
	return tracepoints_wanted(d) || environment_output(NULL) || setting("GALENA_PROFILE") || (fail_on && strcmp(fail_on, "none")) ||
	       !strcmp(environment_value("GALENA_LOG"), "debug"); /* devices log at their end what they translated */
}

static void driver_free(struct driver *d)
{
	unmapped_close(d);
	publish_close(d);
	kernels_fini(d);
	dmabufs_fini(d);
	for (unsigned i = 0; i < d->num_devices; i++) {
		bus_close(d->devices[i].bus);
		protected_fini(&d->devices[i]);
		extents_fini(&d->devices[i].dram);
	}
	memory_fini(d);
	bo_cache_fini(&d->bo_cache);
	svm_close(&d->svm);
	pins_fini(&d->pins);
	labels_fini(d);
	worker_fini(d);
	free(d);
}

struct driver *driver_open(const char **error)
{
	NOT_CANCELLED;
	profile_open();
	PHASE_HERE(OPEN);
	struct bus_params params = { 0 };
	unsigned count = 0;
	const char *message = settings_read(&params, &count);
	struct driver *d = NULL;
	if (message)
		goto err_report;
	d = calloc(1, sizeof *d);
	message = "out of host memory";
	if (!d)
		goto err_report;
	d->owner = getpid();
	d->fenced_limit = THROTTLE_BYTES;
	d->wait_limit = wait_limit_seconds();
	worker_init(d);
	if (pins_init(&d->pins))
		goto err_free;
	uint32_t number;
	d->context_table = (uint64_t *)memory_pin_fresh(d, (1u << 16) * 8 / GALENA_PAGE_SIZE, &number);
	if (!d->context_table)
		goto err_free;
	d->context_table_pa = pin_pa(number);
	for (unsigned i = 0; i < count; i++) {
		message = device_open(d, i, &params);
		if (message)
			goto err_free;
	}
	message = "out of host memory";
	if (labels_init(d) || (setting("GALENA_COUNTERS") && kernels_init(d)))
		goto err_free;
	publish_open(d);
	status_open(d);
	d->booted = true;
	d->recording = recording(d);
	return d;
err_free:
	driver_free(d);
err_report:
	if (error)
		*error = message;
	return NULL;
}

static void vm_destroy(struct vm *s)
{
	for (struct bo *bo = s->bos, *next; bo; bo = next) {
		next = bo->next;
		if (bo->dmabuf)
			dmabuf_put(s->driver, bo->dmabuf);
		bo_host_give_back(bo);
		bo_destroy(bo);
	}
	extents_fini(&s->va);
	pagetable_free(s->root, PT_LEVELS - 1);
	free(s);
}

static void queue_destroy(struct queue *q)
{
	for (struct command *c; (c = queue_command(q, q->covered + 1)); q->covered++) {
		for (unsigned i = 0; i < c->num_waits + c->num_signals; i++)
			if (c->deps[i].kind == DEP_FENCE)
				fence_unref(c->deps[i].fence);
		free(c->deps);
		free(c->fault);
		free(c);
	}
	for (struct bo_fence *f = q->fences, *next; f; f = next) {
		next = f->next;
		free(f);
	}
	free(q->commands);
	free(q->failed.ordinals);
	free(q);
}

void driver_close(struct driver *d)
{
	if (!d || d->owner != getpid()) /* a forked child has neither the thread nor the right to end what is its parent's */
		return;
	PHASE_HERE(CLOSE);
	d->closing = true;
	/* the devices do not run any more: this only takes apart what was given up */
	driver_lock(d);
	for (struct file *f = d->files; f; f = f->next) {
		completions_drop(f);
		cover_all_ended(f);
	}
	worker_drain(d);
	for (struct file *f = d->files; f; f = f->next)
		completions_drop(f);
	driver_unlock(d);
	for (struct queue *q = d->queues, *next; q; q = next) {
		next = q->next;
		queue_destroy(q);
	}
	for (struct vm *s = d->spaces, *next; s; s = next) {
		next = s->next;
		vm_destroy(s);
	}
	for (struct file *f = d->files, *next; f; f = next) {
		next = f->next;
		for (uint32_t i = 0; i < f->num_handles; i++)
			if (f->handles[i].kind == HANDLE_FENCE)
				fence_unref(f->handles[i].object);
		fences_reap(f, true);
		file_free(f);
	}
	fences_fini(d);
	driver_free(d);
	profile_close();
}

/* What stands in a device's place when it is gone: nothing happens in it. */
static uint32_t gone_read32(struct bus *b, uint32_t offset) { (void)b, (void)offset; return 0; }
static uint64_t gone_read64(struct bus *b, uint32_t offset) { (void)b, (void)offset; return 0; }
static void gone_write32(struct bus *b, uint32_t offset, uint32_t v) { (void)b, (void)offset, (void)v; }
static void gone_write64(struct bus *b, uint32_t offset, uint64_t v) { (void)b, (void)offset, (void)v; }
static enum bus_wait gone_wait_irq(struct bus *b, uint64_t limit) { (void)b, (void)limit; return BUS_WAIT_IDLE; }
static uint64_t gone_cycle(struct bus *b) { (void)b; return 0; }
static void gone_close(struct bus *b) { (void)b; }

static struct bus *bus_gone(void)
{
	static const struct bus_ops ops = { .read32 = gone_read32, .read64 = gone_read64, .write32 = gone_write32, .write64 = gone_write64,
					    .wait_irq = gone_wait_irq, .cycle = gone_cycle, .close = gone_close };
	static struct bus bus = { &ops };
	return &bus;
}

void driver_exit(struct driver *d)
{
	NOT_CANCELLED;
	if (!d || d->owner != getpid())
		return;
	publish_unlink(d);
	if (!d->recording || !worker_seize(d))
		return;
	for (unsigned i = 0; i < d->num_devices; i++) {
		struct device *dev = &d->devices[i];
		struct bus *bus = dev->bus;
		dev->lost_status = -FAULT_LOST;
		dev->lost = true;
		dev->bus = bus_gone();
		bus_close(bus);
	}
	profile_close();
}
