/* Counters: registers that read what the blocks count, since the last reset. */
#include "model/device.h"
#include "abi/counters.h"

#define COUNTER(name, value)                                                                       \
	static uint64_t name##_read(void *ctx, unsigned i)                                         \
	{                                                                                          \
		const struct device *d = ctx;                                                      \
		(void)i;                                                                           \
		return (value);                                                                    \
	}
COUNTER(lane_insns, compute_counters(d->compute)->lane_insns - d->base.compute.lane_insns)
COUNTER(warp_insns, compute_counters(d->compute)->warp_insns - d->base.compute.warp_insns)
COUNTER(cu_busy, compute_counters(d->compute)->busy_cycles - d->base.compute.busy_cycles)
COUNTER(l1_hit, compute_counters(d->compute)->l1_hit - d->base.compute.l1_hit)
COUNTER(l1_miss, compute_counters(d->compute)->l1_miss - d->base.compute.l1_miss)
COUNTER(dispatches, compute_counters(d->compute)->dispatches - d->base.compute.dispatches)
COUNTER(work_groups, compute_counters(d->compute)->work_groups - d->base.compute.work_groups)
COUNTER(lds_conflicts, compute_counters(d->compute)->lds_conflicts - d->base.compute.lds_conflicts)
COUNTER(warp_cycles, compute_counters(d->compute)->warp_cycles - d->base.compute.warp_cycles)
COUNTER(tlb_l1_miss, mmu_counters(d->mmu)->l1_miss - d->base.mmu.l1_miss)
COUNTER(tlb_l2_miss, mmu_counters(d->mmu)->l2_miss - d->base.mmu.l2_miss)
COUNTER(tlb_parity, mmu_counters(d->mmu)->parity - d->base.mmu.parity)
COUNTER(walk_reads, mmu_counters(d->mmu)->walk_reads - d->base.mmu.walk_reads)
COUNTER(prot_faults, d->prot.refused)
COUNTER(l2_hit, l2_counters(d->l2)->hit - d->base.l2.hit)
COUNTER(l2_miss, l2_counters(d->l2)->miss - d->base.l2.miss)
COUNTER(dma_byte, dma_bytes(d->dma) - d->base.dma_bytes)
COUNTER(dma_busy_cycle, dma_busy_cycles(d->dma, device_time(d)) - d->base.dma_busy)
COUNTER(cp_insn, cp_insns(d->cp) - d->base.cp_insns)
COUNTER(fault_count, d->faults)
COUNTER(sys_reads, l2_counters(d->l2)->sys_read - d->base.l2.sys_read)
COUNTER(sys_writes, l2_counters(d->l2)->sys_written - d->base.l2.sys_written)
COUNTER(dram_reads, l2_counters(d->l2)->dram_read - d->base.l2.dram_read)
COUNTER(dram_writes, l2_counters(d->l2)->dram_written - d->base.l2.dram_written)
COUNTER(row_hits, l2_counters(d->l2)->row_hit - d->base.l2.row_hit)
COUNTER(row_misses, l2_counters(d->l2)->row_miss - d->base.l2.row_miss)
COUNTER(ecc_corrected, d->mem.ecc_corrected)
COUNTER(ecc_uncorrected, d->mem.ecc_uncorrected)

const struct reg_hook device_counter_hooks[REG_NUM_IDS] = {
	[REG_ID_HOST_CNT_LANE_INSNS] = { .read = lane_insns_read },
	[REG_ID_HOST_CNT_WARP_INSNS] = { .read = warp_insns_read },
	[REG_ID_HOST_CNT_CU_BUSY] = { .read = cu_busy_read },
	[REG_ID_HOST_CNT_DMA_BYTES] = { .read = dma_byte_read },
	[REG_ID_HOST_CNT_DMA_BUSY] = { .read = dma_busy_cycle_read },
	[REG_ID_HOST_CNT_TLB_L1_MISS] = { .read = tlb_l1_miss_read },
	[REG_ID_HOST_CNT_TLB_L2_MISS] = { .read = tlb_l2_miss_read },
	[REG_ID_HOST_CNT_TLB_PARITY] = { .read = tlb_parity_read },
	[REG_ID_HOST_CNT_WALK_READS] = { .read = walk_reads_read },
	[REG_ID_HOST_CNT_PROT_FAULTS] = { .read = prot_faults_read },
	[REG_ID_HOST_CNT_L1_HIT] = { .read = l1_hit_read },
	[REG_ID_HOST_CNT_L1_MISS] = { .read = l1_miss_read },
	[REG_ID_HOST_CNT_L2_HIT] = { .read = l2_hit_read },
	[REG_ID_HOST_CNT_L2_MISS] = { .read = l2_miss_read },
	[REG_ID_HOST_CNT_DISPATCHES] = { .read = dispatches_read },
	[REG_ID_HOST_CNT_WORK_GROUPS] = { .read = work_groups_read },
	[REG_ID_HOST_CNT_LDS_CONFLICTS] = { .read = lds_conflicts_read },
	[REG_ID_HOST_CNT_WARP_CYCLES] = { .read = warp_cycles_read },
	[REG_ID_HOST_CNT_CP_INSNS] = { .read = cp_insn_read },
	[REG_ID_HOST_CNT_FAULTS] = { .read = fault_count_read },
	[REG_ID_HOST_CNT_SYS_READ] = { .read = sys_reads_read },
	[REG_ID_HOST_CNT_SYS_WRITE] = { .read = sys_writes_read },
	[REG_ID_HOST_CNT_DRAM_READ] = { .read = dram_reads_read },
	[REG_ID_HOST_CNT_DRAM_WRITE] = { .read = dram_writes_read },
	[REG_ID_HOST_CNT_DRAM_ROW_HIT] = { .read = row_hits_read },
	[REG_ID_HOST_CNT_DRAM_ROW_MISS] = { .read = row_misses_read },
	[REG_ID_HOST_CNT_ECC_CORRECTED] = { .read = ecc_corrected_read },
	[REG_ID_HOST_CNT_ECC_UNCORRECTED] = { .read = ecc_uncorrected_read },
};

void device_counters(struct device *d, struct counter_values *v)
{
	static const struct { enum reg_id id; unsigned at; } counters[] = {
#define REG(bank, name, offset, bits, count, access, reset, doc) { REG_ID_##bank##_##name, COUNTER_AT(offset) },
#define FIELD(bank, reg, name, lsb, width, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	};
	*v = (struct counter_values){ 0 };
	for (unsigned i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (device_counter_hooks[counters[i].id].read)
			v->of[counters[i].at] = device_counter_hooks[counters[i].id].read(d, 0);
}
