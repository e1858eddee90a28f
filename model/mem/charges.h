/* Builds with -DGALENA_DEBUG alone: whatever a unit reads or writes in physical memory in timed speed has to be charged, line by
 * line, to the L2 or the bus, before the unit's time goes on; otherwise the program is aborted. The exceptions stand in two lists,
 * here and in charges.c. */
#ifndef GALENA_MODEL_CHARGES_H
#define GALENA_MODEL_CHARGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is not charged: rows of docs/exactness.md. The list shrinks. */
enum charges_waived {
	CHARGES_FAULT, /* cu: an instruction that faults is not charged for what its lanes have done by then */
	CHARGES_FILL,  /* mem: the cache of system memory reads a line that is written, and the write alone is charged */
};

#ifdef GALENA_DEBUG
/* Says who does the accesses of this thread that follow, and when. Aborts where it has accessed anything before that cycle which
 * is not charged. */
void charges_by(unsigned unit, uint64_t cycle);
/* It has accessed len bytes at pa. */
void charges_access(uint64_t pa, size_t len, bool write);
/* Bytes at pa are charged, with the rest of their lines: for the unit that has accessed last, if it has accessed them, else for any. */
void charges_pay(uint64_t pa, uint64_t bytes, uint32_t line_bytes, bool write);
/* The same of reads and writes that are never charged. */
void charges_waive(enum charges_waived, uint64_t pa, uint64_t bytes, uint32_t line_bytes);
#else
static inline void charges_by(unsigned unit, uint64_t cycle) { (void)unit, (void)cycle; }
static inline void charges_access(uint64_t pa, size_t len, bool write) { (void)pa, (void)len, (void)write; }
static inline void charges_pay(uint64_t pa, uint64_t bytes, uint32_t line_bytes, bool write)
{
	(void)pa, (void)bytes, (void)line_bytes, (void)write;
}
static inline void charges_waive(enum charges_waived row, uint64_t pa, uint64_t bytes, uint32_t line_bytes)
{
	(void)row, (void)pa, (void)bytes, (void)line_bytes;
}
#endif

#endif
