/* The handshake with the host. */
#include "firmware/firmware.h"

struct boot_params boot;
volatile struct boot_params *boot_shared;

static bool boot_state(enum fw_state state)
{
	HOST32(FW_STATE) = state;
	CP32(HOST_IRQ) = REG_HOST_IRQ_STATUS_BOOT;
	return state == FW_READY;
}

static bool power_of_two(uint64_t v) { return v && !(v & (v - 1)); }

/* A range of system memory whose first and last word are there. */
static bool present(uint64_t address, uint64_t size)
{
	return !(address & 7) && address >= SYSTEM_BASE && !guarded_load64(address).fault &&
	       !guarded_load64(address + size - 8).fault;
}

bool boot_handshake(void)
{
	uint64_t address = HOST64(FW_BOOT);
	HOST32(FW_VERSION) = FW_INTERFACE_VERSION;
	if (!present(address, sizeof boot))
		return boot_state(FW_BAD_PARAMS);
	boot_shared = (volatile struct boot_params *)address;
	for (unsigned i = 0; i < sizeof boot / 8; i++)
		((uint64_t *)&boot)[i] = ((volatile uint64_t *)address)[i];
	if (boot.version != FW_INTERFACE_VERSION)
		return boot_state(FW_BAD_VERSION);
	if (boot.flags || boot.reserved || !power_of_two(boot.log_size) || boot.log_size < LOG_SIZE_LEAST ||
	    boot.log_size > LOG_SIZE_MOST || !present(boot.log, boot.log_size) ||
	    !power_of_two(boot.fault_count) || boot.fault_count > FAULT_RECORDS_MAX ||
	    !present(boot.faults, boot.fault_count * sizeof(struct fault_record)))
		return boot_state(FW_BAD_PARAMS);
	boot.log_written = boot.faults_written = 0;
	watchdog_cycles = boot.watchdog;
	log_print("firmware interface %u ready: %u queues, %u fault records, watchdog %u cycles\n",
		  FW_INTERFACE_VERSION, REG_QUEUES, boot.fault_count, (unsigned)boot.watchdog);
	return boot_state(FW_READY);
}
