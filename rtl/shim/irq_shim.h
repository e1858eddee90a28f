/* The Verilated interrupt controller (rtl/irq/irq.sv) for C. One clock. */
#ifndef GALENA_RTL_IRQ_SHIM_H
#define GALENA_RTL_IRQ_SHIM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(ID, name): the registers of which it has a port of the register block, and those for which it makes one. */
#define IRQ_SHIM_INPUTS(X)                                                                         \
	X(CP_HOST_IRQ, cp_host_irq)                                                                \
	X(HOST_IRQ_STATUS, host_irq_status)                                                        \
	X(HOST_IRQ_ENABLE, host_irq_enable)                                                        \
	X(HOST_DOORBELL, host_doorbell)                                                            \
	X(HOST_QUEUE_DESC, host_queue_desc)                                                        \
	X(HOST_QUEUE_CTRL, host_queue_ctrl)                                                        \
	X(CP_DOORBELL_PENDING, cp_doorbell_pending)                                                \
	X(CP_QUEUE_PENDING, cp_queue_pending)                                                      \
	X(CP_CTRL_PENDING, cp_ctrl_pending)                                                        \
	X(CP_REPLAY_PENDING, cp_replay_pending)                                                    \
	X(CP_DISPATCH_DONE, cp_dispatch_done)                                                      \
	X(CP_DMA_DONE, cp_dma_done)                                                                \
	X(CP_MEDIA_DONE, cp_media_done)                                                            \
	X(CP_SEM_WOKEN, cp_sem_woken)                                                              \
	X(CP_TIMER, cp_timer)
#define IRQ_SHIM_OUTPUTS(X)                                                                        \
	X(HOST_IRQ_STATUS, host_irq_status)                                                        \
	X(CP_DOORBELL_PENDING, cp_doorbell_pending)                                                \
	X(CP_QUEUE_PENDING, cp_queue_pending)                                                      \
	X(CP_CTRL_PENDING, cp_ctrl_pending)                                                        \
	X(CP_IRQ_PENDING, cp_irq_pending)

#ifdef __cplusplus
extern "C" {
#endif

/* What stands at the inputs in a cycle, but for the ports of registers. */
struct irq_shim_in {
	bool host_woken, memory_error, crash, lost;
	uint64_t cycle;
};

/* What the outputs show then; ready after irq_shim_show are the ports of registers, too. */
struct irq_shim_out {
	bool host_irq, level;
};

struct irq_shim;
/* NULL when out of memory. */
struct irq_shim *irq_shim_create(void);
void irq_shim_destroy(struct irq_shim *);
void irq_shim_reset(struct irq_shim *);
/* The port of the register in place number n of its list, laid out as in Verilated register blocks (regs_shim_port). */
uint8_t *irq_shim_input(struct irq_shim *, unsigned n, size_t *bytes);
const uint8_t *irq_shim_output(const struct irq_shim *, unsigned n, size_t *bytes);
/* A cycle, up to its end; and the end. */
struct irq_shim_out irq_shim_show(struct irq_shim *, const struct irq_shim_in *);
void irq_shim_end(struct irq_shim *);

#ifdef __cplusplus
}
#endif
#endif
