/* Galena's device, for people who bring their own driver: registers, one interrupt line, system memory
 * by pinned pages, and time. What stands behind is a model today and may be RTL tomorrow; nothing here
 * tells. galena/contract.h has the offsets, packets and records, docs/hardware.md says what they do.
 *
 *   cc driver.c $(pkg-config --cflags --libs galena-device)
 *
 * Time. A device has no thread. It runs only inside calls that are given it, so the same calls over the
 * same memory give the same cycles on every run. A register access takes the device some cycles;
 * galena_device_wait lets it run on until it wants something.
 *
 * Threads. One caller at a time for each device; different devices may be used from different threads.
 * Opening and closing is done by one thread at a time. Memory that a device has been given is written
 * by it during such calls only. */
#ifndef GALENA_DEVICE_H
#define GALENA_DEVICE_H
#include "api.h"
#include <stddef.h>
#include <stdint.h>

struct galena_device;

/* What to open. A member that is NULL is taken from the environment, then the default. */
struct galena_device_options {
	const char *device; /* GALENA_DEVICE: what stands behind the bus; "model" */
	const char *config; /* GALENA_CONFIG: "full", "mini", a file, or one with changes: "mini,coherent=0" */
	const char *speed;  /* GALENA_SPEED: "timed" or "functional" */
	unsigned index;     /* number of the device on its platform: what DEVICE_INDEX reads */
};

/* Opens a device, as it is when power comes on: nothing runs. options may be NULL: everything from the
 * environment, index 0. The variables GALENA_TRACE and others of `galena info --env` that concern the
 * bus hold too. NULL on failure; then *error (error may be NULL) is one line that says what is wrong and
 * what to do about it, valid until the next call, never to be freed. */
GALENA_API struct galena_device *galena_device_open(const struct galena_device_options *options, const char **error);
/* Ends the device; pages that are still pinned are not any more, and memory from galena_device_alloc is
 * freed. NULL is ignored. */
GALENA_API void galena_device_close(struct galena_device *);

/* ---- registers ---- */
/* Offsets are bytes in the host bank, aligned to the access. A 64-bit register may also be read in two
 * 32-bit halves, low half first: the high half is that of the moment of the low one. What is no
 * register reads 0 and ignores writes. These never fail; each costs the device the cycles of an access
 * (mmio_read_cycles, mmio_write_cycles of its configuration). */
GALENA_API uint32_t galena_device_read32(struct galena_device *, uint32_t offset);
GALENA_API uint64_t galena_device_read64(struct galena_device *, uint32_t offset);
GALENA_API void galena_device_write32(struct galena_device *, uint32_t offset, uint32_t value);
GALENA_API void galena_device_write64(struct galena_device *, uint32_t offset, uint64_t value);

/* ---- interrupts and time ---- */
enum galena_wait {
	GALENA_WAIT_IRQ,   /* an interrupt that IRQ_ENABLE lets through is pending: look at IRQ_STATUS */
	GALENA_WAIT_LIMIT, /* so many cycles have passed without one */
	GALENA_WAIT_IDLE,  /* none is pending, and nothing will happen until you do something: what you wait for is lost */
};
/* Lets the device run until an enabled interrupt is pending, at most limit cycles. Returns at once when
 * one is pending: clear it in IRQ_STATUS. Takes no host time for cycles in which nothing happens. */
GALENA_API enum galena_wait galena_device_wait(struct galena_device *, uint64_t limit);
/* The device's clock, in cycles since it was opened; a reset does not turn it back. Costs it nothing. */
GALENA_API uint64_t galena_device_cycle(struct galena_device *);

/* ---- system memory ----
 * The device reaches host memory only in pages that were pinned; it knows them by page number. The
 * physical address of page number n is GALENA_SYSTEM_BASE + n * 4096: that is what page tables, queue
 * descriptors and registers take. The lowest free numbers are given out, so addresses are the same from
 * run to run. An access to a page that is not pinned, and a write to one that is pinned read-only, is a
 * BUS_ERROR with nothing read or written. */
enum galena_error {
	GALENA_OK = 0,
	GALENA_NO_MEMORY = -1,   /* of the host, or no room for so many pages in a row; the device was not touched */
	GALENA_BAD_ADDRESS = -2, /* a page of the range is not mapped, or not writable; the device was not touched */
	GALENA_INVALID = -3,     /* an argument makes no sense; the device was not touched */
};
enum galena_pin_flags {
	GALENA_PIN_READ_ONLY = 1, /* the device can read the pages only */
};
/* Pins the pages of the host range [ptr, ptr + size): in one row of page numbers, so that the range is
 * contiguous for the device. *address is the physical address of ptr's byte. The memory stays the
 * caller's, has to stay mapped until it is unpinned, and both sides see each other's writes at once
 * (but see the manual on the non-coherent configuration). Each call gives page numbers of its own: a
 * page may be pinned more than once. 0 or enum galena_error. */
GALENA_API int galena_device_pin(struct galena_device *, void *ptr, size_t size, unsigned flags, uint64_t *address);
/* Takes back one galena_device_pin, by the address it gave. The device faults on the pages from here on,
 * so first let it finish with them. 0, or GALENA_INVALID: there is no such pin. */
GALENA_API int galena_device_unpin(struct galena_device *, uint64_t address);
/* size bytes of zeroed, page-aligned memory, pinned. NULL when there is none left. */
GALENA_API void *galena_device_alloc(struct galena_device *, size_t size, unsigned flags, uint64_t *address);
/* Unpins and frees what galena_device_alloc returned; NULL is ignored. */
GALENA_API void galena_device_free(struct galena_device *, void *ptr);

/* ---- what the driver has done ----
 * The device tells observers what it does; what the driver does they know if it says so. It is for the rules (galena run
 * --check: a rule is checked as far as what it is about is noted), for event files and for nothing else: it takes the device no
 * time, and without an observer it is the test of a pointer. Pins are noted by the functions above. */
struct galena_device_note {
	unsigned kind;    /* enum galena_note of galena/contract.h, which says what a, b and c are */
	unsigned queue;   /* of GALENA_NOTE_QUEUE_BIND; ignored otherwise */
	unsigned asid;    /* address space of a virtual address, and of the queue; else 0 */
	uint64_t a, b, c;
};
/* Call it when it has been done: before the doorbell, the invalidation or whatever else makes the device notice. 0, or
 * GALENA_INVALID: no such note, queue or address space; nothing was noted. */
GALENA_API int galena_device_note(struct galena_device *, const struct galena_device_note *);

/* ---- names ---- */
/* "PAGE_NOT_PRESENT", and what it means in one line, of a fault code (enum galena_fault); "?" and a text
 * that says so for what is none. Static strings. */
GALENA_API const char *galena_fault_name(unsigned code);
GALENA_API const char *galena_fault_text(unsigned code);
/* Writes what a fault record calls a unit, "DMA engine 1", into buffer; always terminated. Returns buffer. */
GALENA_API const char *galena_unit_name(unsigned unit, char *buffer, size_t size);
/* Path of the kit's firmware ELF: GALENA_FIRMWARE, or where the kit lies. A driver may load any other.
 * Static string, valid until the next call. */
GALENA_API const char *galena_firmware_path(void);

#endif
