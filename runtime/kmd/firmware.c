/* Loads the firmware's ELF file into the command processor's memory and boots it. */
#define _GNU_SOURCE
#include "abi_hash.h"
#include "abi/environment.h"
#include "runtime/kmd/observe.h"
#include "base/limit.h"
#include "base/path.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Cycles within which the firmware has to say something. */
#define BOOT_LIMIT 50000000ull

const char *driver_error(const char *format, ...)
{
	static _Thread_local char message[1024];
	va_list ap;
	va_start(ap, format);
	vsnprintf(message, sizeof message, format, ap);
	va_end(ap);
	return message;
}

static const char *load_segment(struct bus *bus, const char *path, const GElf_Phdr *ph, const uint8_t *data)
{
	if ((ph->p_paddr & 7) || ph->p_paddr > CP_TCM_SIZE || ph->p_memsz > CP_TCM_SIZE - ph->p_paddr)
		return driver_error("firmware %s: a segment lies outside the command processor's %" PRIu64
				    " KiB of local memory", path, CP_TCM_SIZE >> 10);
	bus_write32(bus, REG_HOST_TCM_ADDR, (uint32_t)ph->p_paddr);
	for (uint64_t at = 0; at < ph->p_filesz; at += 8) {
		uint64_t word = 0, left = ph->p_filesz - at;
		memcpy(&word, data + at, left < 8 ? left : 8);
		bus_write64(bus, REG_HOST_TCM_DATA, word);
	}
	return NULL;
}

static const char *load_elf(struct bus *bus, const char *path, Elf *elf, uint64_t *entry)
{
	GElf_Ehdr eh;
	size_t count, size;
	const char *image = elf_rawfile(elf, &size);
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) || !image)
		return driver_error("firmware %s is not an ELF file; rebuild it with make", path);
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_machine != EM_RISCV || eh.e_type != ET_EXEC)
		return driver_error("firmware %s is not a 64-bit RISC-V executable; rebuild it with make", path);
	if (elf_getphdrnum(elf, &count) || !count)
		return driver_error("firmware %s has no program headers; rebuild it with make", path);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(elf, (int)i, &ph))
			return driver_error("firmware %s is truncated; rebuild it with make", path);
		if (ph.p_type != PT_LOAD)
			continue;
		if (ph.p_offset > size || ph.p_filesz > size - ph.p_offset || ph.p_filesz > ph.p_memsz)
			return driver_error("firmware %s is truncated; rebuild it with make", path);
		const char *error = load_segment(bus, path, &ph, (const uint8_t *)image + ph.p_offset);
		if (error)
			return error;
	}
	*entry = eh.e_entry;
	return NULL;
}

static const char *load(struct bus *bus, const char *path, uint64_t *entry)
{
	elf_version(EV_CURRENT);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return driver_error("cannot open firmware %s: %s%s", path, strerror(errno),
				    *limit_advice(errno) ? limit_advice(errno) : "; build it with make, or set GALENA_FIRMWARE to it");
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const char *error = elf ? load_elf(bus, path, elf, entry)
				: driver_error("firmware %s cannot be read: %s", path, elf_errmsg(-1));
	if (elf)
		elf_end(elf);
	close(fd);
	return error;
}

bool driver_watchdog_given(void)
{
	const char *set = getenv("GALENA_WATCHDOG");
	return set && *set;
}

uint64_t driver_watchdog(void)
{
	return strtoull(environment_value("GALENA_WATCHDOG"), NULL, 0);
}

/* The pages that host and firmware share. */
static const char *share(struct driver *d, struct device *dev)
{
	struct page boot, log, faults;
	if (memory_page_alloc(d, &boot) || memory_page_alloc(d, &log) || memory_page_alloc(d, &faults))
		return "out of host memory while opening the device";
	dev->boot = (struct boot_params *)boot.host;
	dev->log = log.host;
	dev->faults = (struct fault_record *)faults.host;
	*dev->boot = (struct boot_params){
		.version = FW_INTERFACE_VERSION,
		.log = pin_pa(log.number),
		.log_size = GALENA_PAGE_SIZE,
		.fault_count = 32,
		.faults = pin_pa(faults.number),
		.watchdog = driver_watchdog(),
	};
	bus_write64(dev->bus, REG_HOST_FW_BOOT, pin_pa(boot.number));
	return NULL;
}

static const char *identify(struct bus *bus, unsigned index)
{
	uint32_t id = bus_read32(bus, REG_HOST_ID), version = bus_read32(bus, REG_HOST_VERSION);
	uint64_t hash = bus_read64(bus, REG_HOST_ABI_HASH);
	if (id != 0x414e4c47)
		return driver_error("device %u is not a Galena device: its ID register reads 0x%08x", index, id);
	if (version >> 16 != 1)
		return driver_error("device %u has register interface %u.%u, this driver needs 1.x", index,
				    version >> 16, version & 0xffff);
	if (hash != GALENA_ABI_HASH)
		return driver_error("device %u was built with other abi tables (%016" PRIx64
				    ") than the driver (%016llx): rebuild both", index, hash, GALENA_ABI_HASH);
	return NULL;
}

static const char *wait_for_firmware(struct device *dev, const char *path)
{
	struct bus *bus = dev->bus;
	uint64_t limit = bus_cycle(bus) + BOOT_LIMIT;
	uint32_t state, interrupts = 0;
	while (!(state = bus_read32(bus, REG_HOST_FW_STATE)) && bus_cycle(bus) < limit &&
	       !(interrupts & REG_HOST_IRQ_STATUS_CRASH)) {
		if (bus_wait_irq(bus, limit - bus_cycle(bus)) == BUS_WAIT_IDLE)
			break;
		interrupts = bus_read32(bus, REG_HOST_IRQ_STATUS);
		bus_write32(bus, REG_HOST_IRQ_STATUS, interrupts);
	}
	state = bus_read32(bus, REG_HOST_FW_STATE);
	if (state == FW_READY)
		return NULL;
	if (state == FW_BAD_VERSION)
		return driver_error("firmware %s speaks interface %u, this driver speaks %u: build both from the same "
				    "sources", path, bus_read32(bus, REG_HOST_FW_VERSION), FW_INTERFACE_VERSION);
	if (bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_CP_CRASHED) {
		uint64_t cause = bus_read64(bus, REG_HOST_CRASH_CAUSE);
		return driver_error("firmware %s crashed at boot: cause %s%u at 0x%" PRIx64 ", address 0x%" PRIx64
				    "; is it a Galena firmware?", path, cause >> 63 ? "interrupt " : "", (unsigned)cause,
				    bus_read64(bus, REG_HOST_CRASH_PC), bus_read64(bus, REG_HOST_CRASH_ADDRESS));
	}
	return driver_error("firmware %s did not come up on device %u (state %u); is it a Galena firmware?", path,
			    dev->index, state);
}

const char *firmware_boot(struct driver *d, struct device *dev)
{
	char path[PATH_MAX];
	uint64_t entry = 0;
	if (!kit_path(path, "GALENA_FIRMWARE", "share/galena/firmware.elf"))
		return driver_error("there is no firmware at %s; build it with make, or set GALENA_FIRMWARE to it", path);
	const char *error = identify(dev->bus, dev->index);
	if (error)
		return error;
	bus_write32(dev->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	error = load(dev->bus, path, &entry);
	if (error)
		return error;
	error = share(d, dev);
	if (error)
		return error;
	bus_write64(dev->bus, REG_HOST_CTX_TABLE, d->context_table_pa);
	bus_write64(dev->bus, REG_HOST_CP_ENTRY, entry);
	bus_write32(dev->bus, REG_HOST_IRQ_ENABLE, INTERRUPTS);
	bus_write32(dev->bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
	return wait_for_firmware(dev, path);
}
