#include "runtime/opencl/fault_text.h"
#include "abi/codes.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* What the record of a fault tells. */
enum detail {
	DETAIL_NONE,        /* nothing: the command never began, or something else ended it */
	DETAIL_ACCESS,      /* an access: by which work-item or DMA engine, at which address */
	DETAIL_INSTRUCTION, /* an instruction of a work-item */
	DETAIL_WATCHDOG,    /* what a command that was killed had done */
	DETAIL_IMPORT,      /* an import */
};

/* By code; advice may be "". */
static const struct { uint8_t detail; const char *advice; } rows[] = {
	[FAULT_NONE] = { DETAIL_NONE, "" },
	[FAULT_PAGE_NOT_PRESENT] = { DETAIL_ACCESS, "" },
	[FAULT_PAGE_READ] = { DETAIL_ACCESS, "" },
	[FAULT_PAGE_WRITE] = { DETAIL_ACCESS, "" },
	[FAULT_PAGE_EXEC] = { DETAIL_ACCESS, "" },
	[FAULT_PAGE_TABLE] = { DETAIL_ACCESS, "" },
	[FAULT_BUS_ERROR] = { DETAIL_ACCESS, "" },
	[FAULT_MISALIGNED] = { DETAIL_ACCESS, "" },
	[FAULT_LOCAL_RANGE] = { DETAIL_ACCESS, "" },
	[FAULT_PRIVATE_RANGE] = { DETAIL_ACCESS, "" },
	[FAULT_ILLEGAL_INSN] = { DETAIL_INSTRUCTION, "" },
	[FAULT_EBREAK] = { DETAIL_INSTRUCTION, "" },
	[FAULT_BAD_PACKET] = { DETAIL_NONE, "" },
	[FAULT_BAD_DISPATCH] = { DETAIL_NONE, "" },
	[FAULT_PROTECTED] = { DETAIL_ACCESS, "" },
	[FAULT_WATCHDOG] = { DETAIL_WATCHDOG, "; GALENA_WATCHDOG=N, or galena run --watchdog N, sets the limit in cycles, 0 for none" },
	[FAULT_ABORTED] = { DETAIL_NONE, "; no signal of the semaphore that it waited for was submitted: GALENA_WAIT_LIMIT=N sets how many seconds it waits, 0 for no limit" },
	[FAULT_DEPENDENCY] = { DETAIL_NONE, "" },
	[FAULT_FIRMWARE] = { DETAIL_NONE, "; nothing runs on the device until the program is started again" },
	[FAULT_QUEUE] = { DETAIL_NONE, "; nothing of its queue runs any more" },
	[FAULT_ECC] = { DETAIL_ACCESS, "" },
	[FAULT_LOST] = { DETAIL_NONE, "; it is reset when the program is started again" },
	[FAULT_UNMAPPED] = { DETAIL_IMPORT, "; release an import, and wait for its commands, before its memory is unmapped" },
	[FAULT_BAD_STREAM] = { DETAIL_NONE, "" },
};
#define FAULT(name, code, doc) \
	_Static_assert((code) < sizeof rows / sizeof *rows, "a fault has no row");
#include "abi/faults.def"
#undef FAULT

static const char *access_name(uint32_t access)
{
	static const char *const names[] = {
		[ACCESS_READ] = "read", [ACCESS_WRITE] = "write", [ACCESS_EXEC] = "instruction fetch", [ACCESS_ATOMIC] = "atomic",
	};
	return access < sizeof names / sizeof *names ? names[access] : "access";
}

struct line { char *text; size_t size, at; };

static __attribute__((format(printf, 2, 3))) void put(struct line *l, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = l->at < l->size ? vsnprintf(l->text + l->at, l->size - l->at, format, ap) : 0;
	va_end(ap);
	l->at += n < 0 ? 0 : (size_t)n;
}

static void put_lane(struct line *l, const struct fault_record *r)
{
	put(l, " by work-item (%u,%u,%u) of work-group (%u,%u,%u)", r->local_id[0], r->local_id[1], r->local_id[2], r->group_id[0],
	    r->group_id[1], r->group_id[2]);
}

/* What the device was doing: " write at address 0x40 by work-item ...:". */
static void put_detail(struct line *l, enum detail detail, const struct fault_told *f)
{
	const struct fault_record *r = f->record;
	if (detail == DETAIL_IMPORT && f->import)
		put(l, " access at address 0x%" PRIx64 " of the import of %" PRIu64 " bytes at 0x%" PRIx64 ", device address 0x%" PRIx64 ":",
		    f->import->unmapped, f->import->size, f->import->address, f->import->va);
	if (!r || detail == DETAIL_NONE || detail == DETAIL_IMPORT)
		return;
	if (detail == DETAIL_WATCHDOG) {
		put(l, " %s for %" PRIu64 " cycles, ended after %" PRIu64 " cycles and %" PRIu64 " %s:",
		    r->entry ? "no work-group ended" : "no byte moved", f->watchdog, f->cycles, r->progress, r->entry ? "work-groups" : "bytes");
		return;
	}
	if (f->is_protected && r->unit >= UNIT_CU) {
		put(l, " %s by a protected job; the device does not tell where:",
		    detail == DETAIL_ACCESS ? access_name(r->access) : "instruction");
		return;
	}
	if (detail == DETAIL_INSTRUCTION)
		put(l, " instruction");
	else
		put(l, " %s at address 0x%" PRIx64, access_name(r->access), r->address);
	if (r->unit >= UNIT_CU)
		put_lane(l, r);
	else
		put(l, " by %s", unit_name(r->unit));
	put(l, ":");
}

void fault_describe(char *text, size_t size, const struct fault_told *f)
{
	struct line l = { text, size, 0 };
	const struct fault_record *r = f->record;
	bool known = f->code >= 0 && (size_t)f->code < sizeof rows / sizeof *rows;
	put(&l, "%s%s", f->kernel ? "kernel " : "command", f->kernel ? f->kernel : "");
	if (f->place)
		put(&l, " at %s", f->place);
	put(&l, ":");
	put_detail(&l, known ? (enum detail)rows[f->code].detail : DETAIL_NONE, f);
	put(&l, " %s, %s", fault_name(f->code), fault_text(f->code));
	if (r && r->pc && r->entry)
		put(&l, " (pc 0x%" PRIx64 ", kernel entry + 0x%" PRIx64 ")", r->pc, r->pc - r->entry);
	put(&l, "%s", known ? rows[f->code].advice : "");
}
