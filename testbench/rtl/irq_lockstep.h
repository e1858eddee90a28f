/* The Verilated interrupt controller (rtl/irq/irq.sv) behind the Verilated register block, beside the model's (model/irq/irq.c) in a device of
 * the model's. Both get the same accesses of both masters, and the same causes of other blocks. In each cycle both lines, IRQ_PENDING and the
 * registers that it is made of are compared, and the answer of each read. The effect of a write that the register block tells of by a strobe
 * comes to the model in the cycle of the strobe. */
#ifndef GALENA_TESTBENCH_RTL_IRQ_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_IRQ_LOCKSTEP_H
#include <stdint.h>

enum { IRQ_LOCKSTEP_HOST = 8, IRQ_LOCKSTEP_CP = 9 };

/* What a run has met. alone: cycles in which this bit alone is pending, and enabled; rises, falls: of a line. */
struct irq_lockstep_counts {
	unsigned long accesses, resets, strobes, lost, together /* bits that are set in the cycle in which they are cleared */, disabled /* is pending */;
	unsigned long host_rises, host_falls, cp_rises, cp_falls;
	unsigned long host_alone[IRQ_LOCKSTEP_HOST], cp_alone[IRQ_LOCKSTEP_CP];
};

struct irq_lockstep_result {
	struct irq_lockstep_counts counts;
	unsigned long cycles;
	char text[240]; /* the first difference, at which it stops; empty: there was none */
};

void irq_lockstep_run(uint64_t seed, unsigned long cycles, struct irq_lockstep_result *);

#endif
