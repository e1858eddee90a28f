/* What the host asks of a queue through QUEUE_CTRL, and queues that stand at a fault. */
#include "firmware/firmware.h"

/* The request has been carried out, unless another has come meanwhile. */
static void control_done(size_t n)
{
	if (CP32(CTRL_PENDING) >> n & 1 || !HOST32N(QUEUE_CTRL, n))
		return;
	HOST32N(QUEUE_CTRL, n) = QUEUE_CTRL_NONE;
	CP32(HOST_IRQ) = REG_HOST_IRQ_STATUS_QUEUE;
}

static void suspend_now(size_t n)
{
	queue_unready(n);
	queue_save(&queues[n]);
	queue_state_set(n, RUN_SUSPENDED, QUEUE_SUSPENDED);
}

static void suspend(size_t n)
{
	struct queue *q = &queues[n];
	switch (q->state) {
	case RUN_IDLE:
	case RUN_READY:
		suspend_now(n);
		break;
	case RUN_PARKED: /* the wait stays armed; what follows it does not begin */
		q->asked |= ASK_SUSPEND;
		queue_state_set(n, RUN_PARKED, QUEUE_SUSPENDED);
		break;
	case RUN_DISPATCH:
	case RUN_DMA:
	case RUN_MEDIA:
		q->asked |= ASK_SUSPEND;
		return; /* done when the packet is */
	}
	control_done(n);
}

static void go_on(size_t n)
{
	struct queue *q = &queues[n];
	if (q->read != q->write)
		queue_ready(n);
	else
		queue_state_set(n, RUN_IDLE, QUEUE_IDLE);
}

static void resume(size_t n)
{
	struct queue *q = &queues[n];
	if (q->state == RUN_PARKED && q->asked & ASK_SUSPEND)
		queue_state_set(n, RUN_PARKED, QUEUE_PARKED);
	q->asked &= ~ASK_SUSPEND;
	if (q->state == RUN_SUSPENDED)
		go_on(n);
	control_done(n);
}

static void reset(size_t n)
{
	struct queue *q = &queues[n];
	q->asked &= ~ASK_SUSPEND;
	switch (q->state) {
	case RUN_DISPATCH:
	case RUN_DMA:
	case RUN_MEDIA:
		q->asked |= ASK_RESET;
		command_abort(n);
		return; /* done when the slot is free */
	case RUN_PARKED:
		q->asked |= ASK_RESET;
		command_unpark(n);
		return;
	case RUN_IDLE:
	case RUN_READY:
	case RUN_SUSPENDED:
		if (q->in_command)
			command_give_up(n);
		go_on(n);
		break;
	}
	control_done(n);
}

static void replay(size_t n)
{
	struct queue *q = &queues[n];
	if (q->asked & ASK_REPLAY) {
		q->asked &= ~ASK_REPLAY;
		CP32N(QUEUE_STATE_SET, n) = QUEUE_RUNNING;
		watchdog_begin(q);
		CP32(REPLAY) = n;
	}
	control_done(n);
}

void control_request(size_t n)
{
	CP32(CTRL_PENDING) = 1u << n;
	switch (HOST32N(QUEUE_CTRL, n)) {
	case QUEUE_CTRL_SUSPEND:
		suspend(n);
		break;
	case QUEUE_CTRL_RESUME:
		resume(n);
		break;
	case QUEUE_CTRL_RESET:
		reset(n);
		break;
	case QUEUE_CTRL_REPLAY:
		replay(n);
		break;
	default:
		control_done(n);
	}
}

void control_packet_over(size_t n, bool ended)
{
	struct queue *q = &queues[n];
	if (q->asked & (ASK_REMAP | ASK_RESET) && !ended)
		command_give_up(n); /* nothing else of the command runs */
	q->state = RUN_IDLE;
	if (q->asked & ASK_REMAP) {
		if (ended || q->read == q->write)
			queue_map(n);
		else
			queue_ready(n); /* the rest of the command is skipped first */
		return;
	}
	bool stop = q->asked & ASK_SUSPEND;
	q->asked = 0;
	if (stop)
		suspend_now(n);
	else
		go_on(n);
	control_done(n);
}

void control_forget(size_t n)
{
	queues[n].asked = 0;
	control_done(n);
}
