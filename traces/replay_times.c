#include "traces/replay_times.h"
#include "abi/packets.h"
#include "abi/records.h"
#include "abi/registers.h"
#include <string.h>

static void remember(uint64_t *list, unsigned *count, unsigned most, uint64_t address)
{
	unsigned i = 0;
	while (i < *count && list[i] != address)
		i++;
	if (i == *count && i < most)
		++*count;
	else { /* it becomes the latest, or the oldest is forgotten */
		i = i == *count ? 0 : i;
		memmove(list + i, list + i + 1, (*count - 1 - i) * sizeof *list);
	}
	list[*count - 1] = address;
}

static bool within(uint64_t offset, size_t field, size_t size) { return offset >= field && offset < field + size; }

/* Without memory it counts as one that differs. */
static void word_add(struct replay_times *t, uint64_t word) { table_add(&t->words, word + 1, sizeof(uint64_t)); }

static void desc_add(struct replay_times *t, uint64_t address)
{
	remember(t->descs, &t->num_descs, sizeof t->descs / sizeof *t->descs, address);
	word_add(t, address + offsetof(struct queue_desc, submit));
	word_add(t, address + offsetof(struct queue_desc, start));
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
	if (pa < SYSTEM_BASE)
		return;
	if (boot)
		remember(t->boots, &t->num_boots, sizeof t->boots / sizeof *t->boots, pa - SYSTEM_BASE);
	else
		desc_add(t, pa - SYSTEM_BASE);
}

static bool known(const struct replay_times *t, uint64_t address) { return table_find(&t->words, (address & ~7ull) + 1); }

/* The records that packets of a ring name: so many on both sides of the one that the firmware comes to next. */
static void ring_scan(struct replay_times *t, const struct replay_memory *m, uint64_t desc, uint32_t near)
{
	struct packet_head head;
	struct queue_desc copy, *d = &copy;
	if (memory_expected(m, desc, d, sizeof *d) < sizeof *d || d->ring < SYSTEM_BASE || d->ring_size > RING_PACKETS_MAX || d->ring_size & (d->ring_size - 1))
		return;
	const uint32_t count = d->ring_size < 2 * near ? d->ring_size : 2 * near;
	const uint32_t first = (uint32_t)d->read_index - count / 2;
	for (uint32_t k = 0, i; k < count; k++) {
		i = (first + k) & (d->ring_size - 1);
		if (memory_expected(m, d->ring - SYSTEM_BASE + (uint64_t)i * PACKET_SIZE, &head, sizeof head) == sizeof head && head.completion > SYSTEM_BASE)
			for (size_t at = 0; at < offsetof(struct completion, status); at += 8)
				word_add(t, head.completion - SYSTEM_BASE + at);
	}
}

static bool of_faults(const struct replay_memory *m, uint64_t boot_at, uint64_t address)
{
	struct boot_params boot;
	if (memory_expected(m, boot_at, &boot, sizeof boot) < sizeof boot || boot.faults < SYSTEM_BASE || boot.fault_count > FAULT_RECORDS_MAX)
		return false;
	const uint64_t offset = address - (boot.faults - SYSTEM_BASE);
	return offset < boot.fault_count * sizeof(struct fault_record) &&
	       within(offset % sizeof(struct fault_record), offsetof(struct fault_record, cycle), 8);
}

bool replay_times_holds(struct replay_times *t, const struct replay_memory *m, uint64_t address, bool all)
{
	if (known(t, address))
		return true;
	if (t->other == address && !all)
		return false;
	for (unsigned i = 0; i < t->num_boots; i++)
		if (of_faults(m, t->boots[i], address))
			return true;
	enum { NEAR = 16, ALL = RING_PACKETS_MAX };
	for (unsigned i = t->num_descs; i--;) {
		ring_scan(t, m, t->descs[i], all ? ALL : NEAR);
		if (known(t, address))
			return true;
	}
	t->other = address;
	return false;
}

void replay_times_free(struct replay_times *t)
{
	table_free(&t->words);
}
