/* The main loop. */
#include "firmware/firmware.h"

void main(void);

static void each(uint32_t mask, void (*what)(size_t n))
{
	for (; mask; mask &= mask - 1)
		what(__builtin_ctz(mask));
}

/* Not on the way of a launch. */
static FW_COLD void serve_others(uint32_t causes)
{
	if (causes & REG_CP_IRQ_PENDING_SEM)
		each(CP32(SEM_WOKEN), command_sem_woken);
	if (causes & REG_CP_IRQ_PENDING_MEDIA)
		each(CP32(MEDIA_DONE), command_media_done);
	if (causes & REG_CP_IRQ_PENDING_REPLAY)
		each(CP32(REPLAY_PENDING), command_faulted);
	if (causes & REG_CP_IRQ_PENDING_TIMER)
		watchdog_expired();
}

static void serve_causes(uint32_t causes)
{
	if (causes & REG_CP_IRQ_PENDING_DISPATCH)
		each(CP32(DISPATCH_DONE), command_dispatch_done);
	if (causes & REG_CP_IRQ_PENDING_DMA)
		each(CP32(DMA_DONE), command_dma_done);
	if (causes & (REG_CP_IRQ_PENDING_SEM | REG_CP_IRQ_PENDING_MEDIA | REG_CP_IRQ_PENDING_REPLAY | REG_CP_IRQ_PENDING_TIMER))
		serve_others(causes);
	if (causes & (REG_CP_IRQ_PENDING_QUEUE | REG_CP_IRQ_PENDING_DOORBELL)) {
		/* The host maps a queue and then rings its doorbell, perhaps meanwhile: doorbells are
		 * taken first, so that the mapping of every doorbell taken is seen and done before. */
		uint32_t doorbells = CP32(DOORBELL_PENDING);
		CP32(DOORBELL_PENDING) = doorbells;
		uint32_t maps = CP32(QUEUE_PENDING);
		if (maps) {
			CP32(QUEUE_PENDING) = maps;
			each(maps, queue_map);
		}
		each(doorbells, queue_doorbell);
	}
	if (causes & REG_CP_IRQ_PENDING_CTRL)
		each(CP32(CTRL_PENDING), control_request);
}

void main(void)
{
	if (!boot_handshake())
		return; /* start.S sleeps for ever */
	for (;;) {
		uint32_t causes = CP32(IRQ_PENDING);
		if (causes)
			serve_causes(causes);
		int n = queue_pick();
		if (n >= 0)
			command_serve(n);
		else if (!causes)
			__asm__ volatile("wfi");
	}
}
