/* Builds with -DGALENA_DEBUG alone: whatever a unit reads or writes in physical memory in timed speed has to be charged, line by
 * line, to the L2 or the bus, before the unit's time goes on; otherwise the program is aborted. What is not charged yet stands in
 * one list in charges.c. */
#ifndef GALENA_MODEL_CHARGES_H
#define GALENA_MODEL_CHARGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef GALENA_DEBUG
/* Says who does the accesses of this thread that follow, and when. Aborts where it has accessed anything before that cycle which
 * is not charged. */
void charges_by(unsigned unit, uint64_t cycle);
/* It has accessed len bytes at pa. */
void charges_access(uint64_t pa, size_t len, bool write);
/* Bytes at pa are charged, with the rest of their lines; of whichever unit. */
void charges_pay(uint64_t pa, uint64_t bytes, uint32_t line_bytes, bool write);
#else
static inline void charges_by(unsigned unit, uint64_t cycle) { (void)unit, (void)cycle; }
static inline void charges_access(uint64_t pa, size_t len, bool write) { (void)pa, (void)len, (void)write; }
static inline void charges_pay(uint64_t pa, uint64_t bytes, uint32_t line_bytes, bool write)
{
	(void)pa, (void)bytes, (void)line_bytes, (void)write;
}
#endif

#endif
