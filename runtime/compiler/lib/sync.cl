/* Barriers and fences (OpenCL C, sections 6.15.8 and 6.15.12). */
#include "galena.h"

/* custom-0 with funct3 0: waits for all work-items of the work-group; a fence for all memory. */
INLINED static void barrier_insn(void) { __asm__ volatile(".insn i 0x0b, 0, x0, x0, 0" ::: "memory"); }
INLINED static void fence_insn(void) { __asm__ volatile("fence rw, rw" ::: "memory"); }

INLINED OVERLOAD void barrier(cl_mem_fence_flags flags) { barrier_insn(); }
INLINED OVERLOAD void work_group_barrier(cl_mem_fence_flags flags) { barrier_insn(); }
INLINED OVERLOAD void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { barrier_insn(); }
INLINED OVERLOAD void mem_fence(cl_mem_fence_flags flags) { fence_insn(); }
INLINED OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) { fence_insn(); }
INLINED OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) { fence_insn(); }
INLINED OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
	if (order != memory_order_relaxed)
		fence_insn();
}
