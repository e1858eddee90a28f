/* Names for the numbers in dumps: registers, their fields, and values, all from the abi tables. */
#ifndef GALENA_TOOLS_TRACE_NAMES_H
#define GALENA_TOOLS_TRACE_NAMES_H
#include <stddef.h>
#include <stdint.h>

/* Each writes into out, always terminated, and returns it. */

/* "HOST.DOORBELL[2]" of a byte offset in the host's bank; with "+4" for the high half of a 64-bit register; "no register". */
char *register_name(char *out, size_t size, uint64_t offset);
/* What a register holds: "READY" where that is one of several values, "0x10001 [ASID=1 SCOPE=SPACE]" where it has fields (those
 * that are 0 are left out), else a number. */
char *register_value(char *out, size_t size, uint64_t offset, uint64_t value);
/* A value of a type of abi/values.def, or of the others that abi/events.def names, except held: "READ", "END|IRQ", a number
 * where the table has no name. */
char *value_name(char *out, size_t size, const char *type, uint64_t value);

#endif
