/* Register offsets and fields, from registers.def. REG_HOST_x and REG_CP_x are offsets in their
 * bank; a field gives REG_HOST_x_f (mask in place) and REG_HOST_x_f_LSB. */
#ifndef GALENA_ABI_REGISTERS_H
#define GALENA_ABI_REGISTERS_H
#include <stdint.h>

#define REG_BANK_CP_OFFSET 0x10000
#define REG_BANK_SIZE 0x10000
#define REG_QUEUES 16
#define REG_REGIONS 8 /* of the protection unit */

enum {
#define REG(bank, name, offset, bits, count, access, reset, doc) REG_##bank##_##name = (offset),
#define FIELD(bank, reg, name, lsb, width, doc)                                                    \
	REG_##bank##_##reg##_##name##_LSB = (lsb),                                                 \
	REG_##bank##_##reg##_##name = (int)(((1u << (width)) - 1) << (lsb)),
#include "abi/registers.def"
#undef REG
#undef FIELD
};

enum fw_state {
	FW_OFF = 0,
	FW_READY = 1,      /* handshake done, queues are served */
	FW_BAD_VERSION = 2,/* boot_params.version is not the firmware's */
	FW_BAD_PARAMS = 3, /* boot_params cannot be read or makes no sense */
};
enum { FW_INTERFACE_VERSION = 2 };

enum queue_state {
	QUEUE_UNMAPPED = 0,
	QUEUE_IDLE = 1,     /* ring empty */
	QUEUE_RUNNING = 2,  /* a packet is in progress */
	QUEUE_PARKED = 3,   /* waits for a semaphore */
	QUEUE_ERROR = 4,    /* descriptor or write index not valid */
	QUEUE_SUSPENDED = 5, /* by QUEUE_CTRL; keeps its place */
	QUEUE_FAULTED = 6,   /* stands at a replayable fault */
};

enum queue_ctrl {
	QUEUE_CTRL_NONE = 0,
	QUEUE_CTRL_SUSPEND = 1, /* after the packet in progress; a wait stays armed */
	QUEUE_CTRL_RESUME = 2,
	QUEUE_CTRL_RESET = 3,   /* the command in progress ends with ABORTED; the queue then goes on with the next */
	QUEUE_CTRL_REPLAY = 4,  /* tries the faulted accesses again */
};

#endif
