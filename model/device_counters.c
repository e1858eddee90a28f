/* Counters: registers that read what the blocks count, since the last reset. */
#include "model/device.h"
#include "abi/counters.h"

/* ROW(register, value): the value of a HOST.CNT register, of a device d. */
#define SINCE_RESET(block, field) (block##_counters(d->block)->field - d->base.block.field)
#define COUNTERS(ROW) \
	ROW(LANE_INSNS, SINCE_RESET(compute, lane_insns)) \
	ROW(WARP_INSNS, SINCE_RESET(compute, warp_insns)) \
	ROW(CU_BUSY, SINCE_RESET(compute, busy_cycles)) \
	ROW(DMA_BYTES, dma_bytes(d->dma) - d->base.dma_bytes) \
	ROW(DMA_BUSY, dma_busy_cycles(d->dma, device_time(d)) - d->base.dma_busy) \
	ROW(MEDIA_BYTES, media_bytes(d->media) - d->base.media_bytes) \
	ROW(MEDIA_BUSY, media_busy_cycles(d->media, device_time(d)) - d->base.media_busy) \
	ROW(TLB_L1_MISS, SINCE_RESET(mmu, l1_miss)) \
	ROW(TLB_L2_MISS, SINCE_RESET(mmu, l2_miss)) \
	ROW(TLB_PARITY, SINCE_RESET(mmu, parity)) \
	ROW(WALK_READS, SINCE_RESET(mmu, walk_reads)) \
	ROW(PROT_FAULTS, d->prot.refused) \
	ROW(L1_HIT, SINCE_RESET(compute, l1_hit)) \
	ROW(L1_MISS, SINCE_RESET(compute, l1_miss)) \
	ROW(L2_HIT, SINCE_RESET(l2, hit)) \
	ROW(L2_MISS, SINCE_RESET(l2, miss)) \
	ROW(DISPATCHES, SINCE_RESET(compute, dispatches)) \
	ROW(WORK_GROUPS, SINCE_RESET(compute, work_groups)) \
	ROW(LDS_CONFLICTS, SINCE_RESET(compute, lds_conflicts)) \
	ROW(WARP_CYCLES, SINCE_RESET(compute, warp_cycles)) \
	ROW(CP_INSNS, cp_insns(d->cp) - d->base.cp_insns) \
	ROW(FAULTS, d->faults) \
	ROW(SYS_READ, SINCE_RESET(l2, sys_read)) \
	ROW(SYS_WRITE, SINCE_RESET(l2, sys_written)) \
	ROW(DRAM_READ, SINCE_RESET(l2, dram_read)) \
	ROW(DRAM_WRITE, SINCE_RESET(l2, dram_written)) \
	ROW(DRAM_ROW_HIT, SINCE_RESET(l2, row_hit)) \
	ROW(DRAM_ROW_MISS, SINCE_RESET(l2, row_miss)) \
	ROW(ECC_CORRECTED, d->mem.ecc_corrected) \
	ROW(ECC_UNCORRECTED, d->mem.ecc_uncorrected)

#define READ(name, value)                                                                          \
	static uint64_t name##_read(struct device *d, NO_INDEX) { return (value); }
COUNTERS(READ)

const struct reg_hook device_counter_hooks[REG_NUM_IDS] = {
#define HOOK(name, value) [REG_ID_HOST_CNT_##name] = { .read = name##_read },
	COUNTERS(HOOK)
};

void device_counters(struct device *d, struct counter_values *v)
{
	static const struct { enum reg_id id; unsigned at; } counters[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { REG_ID_##bank##_##name, COUNTER_AT(offset) },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	};
	*v = (struct counter_values){ 0 };
	for (unsigned i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (device_counter_hooks[counters[i].id].read)
			v->of[counters[i].at] = device_counter_hooks[counters[i].id].read(d, 0);
}
