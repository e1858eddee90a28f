/* A firmware for tests of the device: does to registers and memory what the host's mailbox says,
 * as only the command processor can. FW_BOOT holds the mailbox's physical address; DOORBELL[15] is
 * its bell; IRQ_STATUS.LOG says that it is done. */
#ifndef GALENA_TESTBENCH_MODEL_MONITOR_H
#define GALENA_TESTBENCH_MODEL_MONITOR_H
#include <stdint.h>

enum monitor_op {
	MONITOR_READ32,
	MONITOR_READ64,
	MONITOR_WRITE32,
	MONITOR_WRITE64,
	MONITOR_SLEEP,	 /* wfi until IRQ_PENDING has a bit of value; result: IRQ_PENDING */
	MONITOR_CYCLE,	 /* mcycle */
	MONITOR_FUZZ,	 /* address: how many random accesses to both banks, value: the seed */
};

struct monitor_command {
	uint64_t op, address, value; /* value: operand, then result */
};

enum { MONITOR_COMMANDS = 64, MONITOR_BELL = 15 };

struct monitor_box {
	uint64_t count;
	uint64_t done; /* boxes served so far */
	struct monitor_command command[MONITOR_COMMANDS];
};

#endif
