#include "traces/replay_times.h"
#include "abi/packets.h"
#include "abi/records.h"
#include "abi/registers.h"
#include <stdlib.h>
#include <string.h>

static void remember(uint64_t *list, unsigned *count, unsigned most, uint64_t pa)
{
	for (unsigned i = 0; i < *count; i++)
		if (list[i] == pa - SYSTEM_BASE)
			return;
	if (pa < SYSTEM_BASE)
		return;
	if (*count == most) { /* the oldest is forgotten */
		memmove(list, list + 1, (most - 1) * sizeof *list);
		--*count;
	}
	list[(*count)++] = pa - SYSTEM_BASE;
}

void replay_times_write(struct replay_times *t, uint32_t offset, uint64_t value, unsigned bits)
{
	const bool high = bits == 32 && offset & 4;
	const uint32_t at = offset & ~7u;
	const bool desc = at >= REG_HOST_QUEUE_DESC && at < REG_HOST_QUEUE_DESC + 8 * REG_QUEUES, boot = at == REG_HOST_FW_BOOT;
	if (!desc && !boot)
		return;
	if (bits == 32 && !high) {
		t->low[boot] = value;
		return;
	}
	const uint64_t pa = high ? value << 32 | t->low[boot] : value;
	if (desc)
		remember(t->descs, &t->num_descs, sizeof t->descs / sizeof *t->descs, pa);
	else
		remember(t->boots, &t->num_boots, sizeof t->boots / sizeof *t->boots, pa);
}

static bool within(uint64_t offset, size_t field, size_t size) { return offset >= field && offset < field + size; }

static uint64_t *slot_of(const struct replay_times *t, uint64_t record)
{
	size_t i = (record * 0x9e3779b97f4a7c15u >> 20) & (t->slots - 1);
	while (t->places[i] && t->places[i] != record)
		i = (i + 1) & (t->slots - 1);
	return &t->places[i];
}

static bool completion_add(struct replay_times *t, uint64_t record)
{
	if (2 * t->count >= t->slots) {
		uint64_t *before = t->places;
		const size_t slots = t->slots;
		uint64_t *fresh = calloc(slots ? 2 * slots : 256, sizeof *fresh);
		if (!fresh)
			return false;
		t->places = fresh;
		t->slots = slots ? 2 * slots : 256;
		for (size_t i = 0; i < slots; i++)
			if (before[i])
				*slot_of(t, before[i]) = before[i];
		free(before);
	}
	uint64_t *slot = slot_of(t, record);
	t->count += !*slot;
	*slot = record;
	return true;
}

/* Of a completion record that some packet has named: its times lie before its status. */
static bool of_completion(const struct replay_times *t, uint64_t address)
{
	const uint64_t aligned = address & ~7ull;
	if (!t->slots)
		return false;
	for (size_t back = 0; back < offsetof(struct completion, status); back += 8)
		if (aligned >= back && aligned - back && *slot_of(t, aligned - back))
			return true;
	return false;
}

/* The records that the packets of a ring name. */
static void ring_scan(struct replay_times *t, const struct replay_memory *m, const struct queue_desc *d)
{
	struct packet_head head;
	if (d->ring < SYSTEM_BASE || d->ring_size > RING_PACKETS_MAX)
		return;
	for (uint32_t i = 0; i < d->ring_size; i++)
		if (memory_expected(m, d->ring - SYSTEM_BASE + (uint64_t)i * PACKET_SIZE, &head, sizeof head) && head.completion > SYSTEM_BASE)
			completion_add(t, head.completion - SYSTEM_BASE);
}

static bool of_faults(const struct replay_memory *m, uint64_t boot_at, uint64_t address)
{
	struct boot_params boot;
	if (!memory_expected(m, boot_at, &boot, sizeof boot) || boot.faults < SYSTEM_BASE || boot.fault_count > FAULT_RECORDS_MAX)
		return false;
	const uint64_t offset = address - (boot.faults - SYSTEM_BASE);
	return offset < boot.fault_count * sizeof(struct fault_record) &&
	       within(offset % sizeof(struct fault_record), offsetof(struct fault_record, cycle), 8);
}

bool replay_times_holds(struct replay_times *t, const struct replay_memory *m, uint64_t address)
{
	struct queue_desc d;
	if (of_completion(t, address))
		return true;
	for (unsigned i = 0; i < t->num_boots; i++)
		if (of_faults(m, t->boots[i], address))
			return true;
	for (unsigned i = 0; i < t->num_descs; i++)
		if (within(address - t->descs[i], offsetof(struct queue_desc, submit), 16))
			return true;
	for (unsigned i = 0; i < t->num_descs; i++)
		if (memory_expected(m, t->descs[i], &d, sizeof d))
			ring_scan(t, m, &d);
	return of_completion(t, address);
}

void replay_times_free(struct replay_times *t)
{
	free(t->places);
	t->places = NULL;
}
