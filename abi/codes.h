/* Fault codes, units and lane CSRs, from faults.def, units.def, csr.def. */
#ifndef GALENA_ABI_CODES_H
#define GALENA_ABI_CODES_H
#include "abi/values.h"

enum fault {
#define FAULT(name, code, doc) FAULT_##name = (code),
#include "abi/faults.def"
#undef FAULT
};

enum galena_unit {
#define UNIT(name, id, doc) UNIT_##name = (id),
#include "abi/units.def"
#undef UNIT
};

enum lane_csr {
#define CSR(name, number, per_lane, doc) CSR_##name = (number),
#include "abi/csr.def"
#undef CSR
};

/* Faults that a device can inject into itself, from injections.def. */
enum injection {
#define INJECTION(name, code, block, arg, doc) INJECT_##name = (code),
#include "abi/injections.def"
#undef INJECTION
	INJECT_KINDS
};

/* "PAGE_NOT_PRESENT", or "?" for a code that is in no table. */
const char *fault_name(int code);
/* What the code means, in one line. */
const char *fault_text(int code);
/* "CP", "DMA1", "CU3": of a unit, its engine or compute unit counted; "?" for none. Static string. */
const char *unit_name(unsigned unit);
/* "ECC_SINGLE", or "?". */
const char *injection_name(int code);

#endif
