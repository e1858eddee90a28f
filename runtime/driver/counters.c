/* Reading devices at rest: registers, counters, the firmware's log. */
#include "runtime/driver/internal.h"
#include <stdlib.h>
#include <string.h>

struct register_read {
	unsigned device;
	uint32_t offset;
	unsigned bits;
	uint64_t value;
};

static void register_read(struct driver *d, void *arg)
{
	struct register_read *r = arg;
	struct bus *bus = d->devices[r->device].bus;
	r->value = r->bits == 64 ? bus_read64(bus, r->offset) : bus_read32(bus, r->offset);
}

uint64_t driver_read_register(struct driver *d, unsigned device, uint32_t offset, unsigned bits)
{
	struct register_read r = { device, offset, bits, 0 };
	if (device >= d->num_devices)
		return 0;
	pump_call(d, register_read, &r);
	return r.value;
}

uint64_t drv_clock(struct driver *d, unsigned device)
{
	uint64_t cycle = driver_read_register(d, device, REG_HOST_CYCLE, 64);
	if (device >= d->num_devices)
		return 0;
	/* the host has the answer, and goes on, a little after it was given: a nanosecond, so that stamps tell the two apart */
	uint64_t after = cycle + 1 + d->devices[device].info.clock_mhz / 1000;
	driver_lock(d);
	if (after > d->devices[device].seen)
		d->devices[device].seen = after;
	pthread_mutex_unlock(&d->lock);
	return cycle;
}

void counters_sample(struct bus *bus, uint64_t of[COUNTERS_MAX])
{
	static const struct { const char *name; uint32_t offset; } registers[] = {
#define REG(bank, name, offset, bits, count, access, reset, doc) { #bank "_" #name, offset },
#define FIELD(bank, reg, name, lsb, width, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	};
	for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
		if (!strncmp(registers[i].name, "HOST_CNT_", 9))
			of[COUNTER_AT(registers[i].offset)] = bus_read64(bus, registers[i].offset);
}

struct counters_read {
	unsigned device;
	struct drv_counters *out;
};

static void counters_read(struct driver *d, void *arg)
{
	struct counters_read *r = arg;
	struct bus *bus = d->devices[r->device].bus;
	*r->out = (struct drv_counters){
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

void driver_counters(struct driver *d, unsigned device, struct drv_counters *out)
{
	struct counters_read r = { device, out };
	memset(out, 0, sizeof *out);
	if (device < d->num_devices)
		pump_call(d, counters_read, &r);
}

struct log_read {
	unsigned device;
	char *text;
};

static void log_read(struct driver *d, void *arg)
{
	struct log_read *r = arg;
	const struct device *dev = &d->devices[r->device];
	uint64_t written = *(volatile uint64_t *)&dev->boot->log_written, size = dev->boot->log_size;
	uint64_t from = written > size ? written - size : 0;
	r->text = malloc(written - from + 1);
	if (!r->text)
		return;
	for (uint64_t i = from; i < written; i++)
		r->text[i - from] = (char)((volatile uint8_t *)dev->log)[i & (size - 1)];
	r->text[written - from] = 0;
}

char *driver_firmware_log(struct driver *d, unsigned device)
{
	struct log_read r = { device, NULL };
	if (device < d->num_devices)
		pump_call(d, log_read, &r);
	return r.text;
}
