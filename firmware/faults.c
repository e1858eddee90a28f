/* Fault records: what went wrong, for the host, in the fault ring. */
#include "firmware/firmware.h"

static void fault_write(size_t n, struct fault_record *r)
{
	const struct queue *q = &queues[n];
	r->sequence = ++boot.faults_written;
	r->cycle = cycle_now();
	r->queue = n;
	r->asid = q->asid;
	r->packet = q->read;
	volatile uint64_t *to = (volatile uint64_t *)(boot.faults + ((r->sequence - 1) & (boot.fault_count - 1)) *
								     sizeof *r);
	for (unsigned i = 0; i < sizeof *r / 8; i++)
		to[i] = ((uint64_t *)r)[i];
	boot_shared->faults_written = boot.faults_written;
	log_print("fault %u: code %u queue %lu packet %lu address 0x%lx\n", (unsigned)r->sequence, r->code, (uint64_t)n,
		  r->packet, r->address);
	CP32(HOST_IRQ) = REG_HOST_IRQ_STATUS_FAULT;
}

void fault_slot(size_t n, enum fault code, uint64_t progress)
{
	const struct queue *q = &queues[n];
	uint64_t info = CP64N(FAULT_INFO, n), xy = CP64N(FAULT_GROUP_XY, n), local = CP64N(FAULT_LOCAL, n);
	const volatile struct packet_dispatch *p = (const volatile struct packet_dispatch *)
		(q->ring + (q->read & q->ring_mask) * PACKET_SIZE);
	struct fault_record r = {
		.code = code,
		.unit = REG_GET(info, CP_FAULT_INFO_UNIT),
		.access = REG_GET(info, CP_FAULT_INFO_ACCESS),
		.address = CP64N(FAULT_ADDRESS, n),
		.pc = CP64N(FAULT_PC, n),
		.group_id = { REG_GET(xy, CP_FAULT_GROUP_XY_X), REG_GET(xy, CP_FAULT_GROUP_XY_Y), (uint32_t)CP64N(FAULT_GROUP_Z, n) },
		.local_id = { REG_GET(local, CP_FAULT_LOCAL_X), REG_GET(local, CP_FAULT_LOCAL_Y), REG_GET(local, CP_FAULT_LOCAL_Z) },
		.entry = p->head.type == PACKET_CODE_dispatch ? p->entry : 0,
		.progress = progress,
	};
	fault_write(n, &r);
}

void fault_own(size_t n, enum fault code, uint64_t address)
{
	struct fault_record r = { .code = code, .unit = UNIT_CP, .address = address };
	fault_write(n, &r);
}
