/* Reading devices at rest: registers, counters, the firmware's log. */
#include "runtime/kmd/observe.h"
#include <stdlib.h>
#include <string.h>

/* ---- reads over the bus, in their place among the file's work ---- */
struct call {
	struct work work;
	struct call *next;
	bool done; /* lock */
	unsigned device;
	void (*fn)(struct device *, struct call *);
	uint32_t offset, bits; /* of a register */
	uint64_t value;
	struct kmd_counter_values counters;
};

static void apply_call(struct driver *d, struct work *work)
{
	struct call *c = work_owner(work, struct call, work);
	c->fn(&d->devices[c->device], c);
	HOLDING_DRIVER(d);
	c->done = true;
}

/* Without a ticket, queues what `as` says. With one, takes the call out of the file's once it is done. */
static int call_step(struct file *f, const struct call *as, uint64_t *ticket, struct call **out)
{
	if (as->device >= f->driver->num_devices)
		return KMD_INVALID;
	HOLDING_FILE(f);
	if (file_delivers(f))
		return KMD_BUSY;
	if (!*ticket) {
		struct call *c = malloc(sizeof *c);
		if (!c)
			return KMD_NO_MEMORY;
		*c = *as;
		c->work.apply = apply_call;
		c->next = f->calls;
		f->calls = c;
		work_queue(f, &c->work);
		*ticket = c->work.seq;
		return KMD_AGAIN;
	}
	struct call **at = &f->calls;
	while (*at && (*at)->work.seq != *ticket)
		at = &(*at)->next;
	if (!*at)
		return KMD_INVALID;
	if (!(*at)->done)
		return KMD_AGAIN;
	*out = *at;
	*at = (*at)->next;
	return 0;
}

void calls_free(struct file *f)
{
	for (struct call *c; (c = f->calls);) {
		f->calls = c->next;
		free(c);
	}
}

static void register_read(struct device *dev, struct call *c)
{
	c->value = c->bits == 64 ? bus_read64(dev->bus, c->offset) : bus_read32(dev->bus, c->offset);
}

int ioctl_register(struct file *f, struct kmd_register *a)
{
	struct call as = { .device = a->device, .fn = register_read, .offset = a->offset, .bits = a->bits }, *c;
	if ((a->bits != 32 && a->bits != 64) || a->offset % (a->bits / 8))
		return KMD_INVALID;
	int error = call_step(f, &as, &a->ticket, &c);
	if (error)
		return error;
	a->value = c->value;
	free(c);
	return 0;
}

int ioctl_clock(struct file *f, struct kmd_register *a)
{
	struct driver *d = f->driver;
	a->offset = REG_HOST_CYCLE;
	a->bits = 64;
	int error = ioctl_register(f, a);
	if (error)
		return error;
	/* the client has the answer, and goes on, a little after it was given: a nanosecond, so that stamps tell the two apart */
	const uint64_t after = a->value + 1 + d->devices[a->device].info.clock_mhz / 1000;
	HOLDING_FILE(f);
	if (after > d->devices[a->device].seen)
		d->devices[a->device].seen = after;
	return 0;
}

int ioctl_time(struct file *f, struct kmd_time *a)
{
	if (a->device >= f->driver->num_devices)
		return KMD_INVALID;
	a->cycles = atomic_load_explicit(&f->driver->devices[a->device].seen, memory_order_relaxed);
	return 0;
}

void counters_sample(struct bus *bus, uint64_t of[COUNTERS_MAX])
{
	static const struct { const char *name; uint32_t offset; } registers[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { #bank "_" #name, offset },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	};
	for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
		if (!strncmp(registers[i].name, "HOST_CNT_", 9))
			of[COUNTER_AT(registers[i].offset)] = bus_read64(bus, registers[i].offset);
}

static void counters_read(struct device *dev, struct call *c)
{
	struct bus *bus = dev->bus;
	c->counters = (struct kmd_counter_values){
		.cycles = bus_read64(bus, REG_HOST_CYCLE),
		.lane_insns = bus_read64(bus, REG_HOST_CNT_LANE_INSNS),
		.warp_insns = bus_read64(bus, REG_HOST_CNT_WARP_INSNS),
		.dma_bytes = bus_read64(bus, REG_HOST_CNT_DMA_BYTES),
		.tlb_l1_miss = bus_read64(bus, REG_HOST_CNT_TLB_L1_MISS),
		.tlb_l2_miss = bus_read64(bus, REG_HOST_CNT_TLB_L2_MISS),
		.dispatches = bus_read64(bus, REG_HOST_CNT_DISPATCHES),
		.cp_insns = bus_read64(bus, REG_HOST_CNT_CP_INSNS),
	};
}

int ioctl_counters(struct file *f, struct kmd_counters *a)
{
	struct call as = { .device = a->device, .fn = counters_read }, *c;
	int error = call_step(f, &as, &a->ticket, &c);
	if (error)
		return error;
	a->values = c->counters;
	free(c);
	return 0;
}

/* ---- the firmware's log, in memory ---- */
int ioctl_firmware_log(struct file *f, struct kmd_firmware_log *a)
{
	struct driver *d = f->driver;
	char *text = (char *)(uintptr_t)a->text;
	if (a->device >= d->num_devices)
		return KMD_INVALID;
	if (a->size && !text)
		return KMD_BAD_ADDRESS;
	HOLDING_FILE(f);
	worker_pause(d);
	const struct device *dev = &d->devices[a->device];
	const uint64_t written = *(volatile uint64_t *)&dev->boot->log_written, room = dev->boot->log_size;
	const uint64_t from = written > room ? written - room : 0;
	for (uint64_t i = from; i < written && i - from < a->size; i++)
		text[i - from] = (char)((volatile uint8_t *)dev->log)[i & (room - 1)];
	a->size = written - from;
	return 0;
}

int ioctl_platform(struct file *f, struct kmd_platform *a)
{
	*a = (struct kmd_platform){ .num_devices = f->driver->num_devices, .watchdog = driver_watchdog(), .watchdog_given = driver_watchdog_given(), .recording = f->driver->recording };
	driver_uuid(a->uuid);
	return 0;
}

int ioctl_device(struct file *f, struct kmd_device *a)
{
	if (a->device >= f->driver->num_devices)
		return KMD_INVALID;
	a->info = f->driver->devices[a->device].info;
	driver_device_uuid(f->driver, a->device, a->uuid);
	return 0;
}
