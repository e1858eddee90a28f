/* Numbers such as SEM-12 are those of docs/hardware/sem.md. */
#include "testbench/reference/semaphores.h"
#include "abi/events.h"
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD_BYTES = 8, INFO_ACCESS_LSB = 16 };

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void report(const struct semaphores *s, unsigned kind, unsigned queue, uint64_t a, uint64_t b, uint64_t c)
{
	if (s->event)
		s->event(s->event_of, &(struct semaphore_event){ kind, queue, a, b, c });
}

/* SEM-44 */
static unsigned queue_of(unsigned waiter)
{
	return waiter < SEMAPHORE_QUEUES ? waiter : EVENT_HOST_WAIT + waiter - SEMAPHORE_QUEUES;
}

static enum fault payload_read(const struct semaphores *s, uint64_t address, uint64_t *value)
{
	*value = 0;
	if (address % PAYLOAD_BYTES)
		return FAULT_MISALIGNED; /* SEM-20: without an access */
	return s->memory.read(s->memory.of, address, value);
}

static enum fault payload_write(const struct semaphores *s, uint64_t address, uint64_t value)
{
	return address % PAYLOAD_BYTES ? FAULT_MISALIGNED : s->memory.write(s->memory.of, address, value);
}

/* ---- looks ---- */

/* The wait is over: SEM-14, SEM-15, SEM-23, SEM-36, SEM-45 */
static void wake(struct semaphores *s, unsigned waiter, uint64_t payload, enum fault fault, enum access access)
{
	const uint64_t address = s->waits[waiter].address;
	memset(&s->waits[waiter], 0, sizeof s->waits[waiter]);
	if (fault && fault != FAULT_LOST)
		s->faults++; /* SEM-43 */
	report(s, EVENT_SEM_WAKE, queue_of(waiter), address, payload, fault);
	if (waiter >= SEMAPHORE_QUEUES) {
		s->host_woken |= 1u << (waiter - SEMAPHORE_QUEUES);
		s->interrupts++;
		return;
	}
	if (fault) {
		s->fault_address[waiter] = address;
		s->fault_info[waiter] = UNIT_SEM | (uint64_t)access << INFO_ACCESS_LSB;
		s->fault_pc[waiter] = 0;
	}
	s->sem_status[waiter] = fault;
	s->sem_woken |= 1u << waiter;
}

static bool happens(uint32_t *in, unsigned limit, unsigned waiter)
{
	if (!*in || (limit != SEMAPHORE_ANY_QUEUE && limit != queue_of(waiter)))
		return false;
	return --*in == 0;
}

/* SEM-11, SEM-17 to SEM-22 */
static void look(struct semaphores *s, unsigned waiter)
{
	const struct semaphore_wait wait = s->waits[waiter];
	uint64_t payload;
	enum fault fault = payload_read(s, wait.address, &payload);
	if (!fault && (wait.binary ? !payload : payload < wait.value)) { /* SEM-5 */
		if (happens(&s->spurious_in, s->spurious_queue, waiter))
			wake(s, waiter, payload, FAULT_NONE, ACCESS_READ);
		return;
	}
	if (happens(&s->losing_in, s->losing_queue, waiter))
		return;
	enum access access = ACCESS_READ;
	if (!fault && wait.binary) {
		access = ACCESS_WRITE;
		fault = payload_write(s, wait.address, 0); /* SEM-18, SEM-21 */
	}
	wake(s, waiter, payload, fault, access);
}

/* SEM-12, SEM-30 */
static void look_at_waiters(struct semaphores *s, uint64_t address)
{
	for (unsigned waiter = 0; waiter < SEMAPHORE_WAITERS; waiter++)
		if (s->waits[waiter].address == address)
			look(s, waiter);
}

static void arm(struct semaphores *s, unsigned waiter, uint64_t address, uint64_t value, bool binary)
{
	s->waits[waiter] = (struct semaphore_wait){ address, value, binary }; /* SEM-6 */
	if (s->lost) { /* SEM-42: it ends before it begins */
		wake(s, waiter, 0, FAULT_LOST, ACCESS_READ);
		return;
	}
	report(s, EVENT_SEM_WAIT, queue_of(waiter), address, value, binary);
	look(s, waiter);
}

/* ---- registers ---- */

void semaphores_queue_wait(struct semaphores *s, unsigned n, uint64_t address)
{
	require(n < SEMAPHORE_QUEUES);
	s->sem_status[n] = 0; /* SEM-9 */
	memset(&s->waits[n], 0, sizeof s->waits[n]); /* SEM-6, SEM-10 */
	if (address && !s->lost)
		arm(s, n, address, s->sem_wait_value[n], s->sem_wait_mode[n] == SEMAPHORE_BINARY); /* SEM-7, SEM-8 */
}

void semaphores_host_wait(struct semaphores *s, unsigned n, uint64_t address)
{
	require(n < SEMAPHORE_SLOTS);
	memset(&s->waits[SEMAPHORE_QUEUES + n], 0, sizeof s->waits[0]);
	if (address)
		arm(s, SEMAPHORE_QUEUES + n, address, s->host_wait_value[n], false); /* SEM-35 */
}

uint64_t semaphores_armed(const struct semaphores *s, unsigned waiter)
{
	require(waiter < SEMAPHORE_WAITERS);
	return s->waits[waiter].address; /* SEM-13 */
}

/* SEM-24, SEM-26, SEM-46 */
static enum fault signal_with(struct semaphores *s, uint64_t address, uint64_t value)
{
	const enum fault fault = payload_write(s, address, value);
	if (fault) {
		s->faults++;
		return fault;
	}
	report(s, EVENT_SEM_SIGNAL, EVENT_NO_QUEUE, address, value, 0);
	if (address)
		look_at_waiters(s, address);
	return FAULT_NONE;
}

void semaphores_signal(struct semaphores *s, uint64_t address)
{
	if (!s->lost) /* SEM-42 */
		signal_with(s, address, s->sem_value);
}

void semaphores_store(struct semaphores *s, uint64_t address)
{
	if (!s->lost)
		s->sem_store_status = signal_with(s, address, s->sem_store_value); /* SEM-27 */
}

void semaphores_notify(struct semaphores *s, uint64_t address)
{
	if (s->lost || !address) /* SEM-42, SEM-29 */
		return;
	report(s, EVENT_SEM_NOTIFY, EVENT_NO_QUEUE, address, 0, 0); /* SEM-47 */
	look_at_waiters(s, address);
}

void semaphores_clear_host_woken(struct semaphores *s, uint32_t bits) { s->host_woken &= ~bits; }

void semaphores_clear_sem_woken(struct semaphores *s, uint32_t bits) { s->sem_woken &= ~bits; }

void semaphores_inject_lost(struct semaphores *s, uint32_t nth, unsigned queue)
{
	s->losing_in = nth ? nth : 1;
	s->losing_queue = queue;
}

void semaphores_inject_spurious(struct semaphores *s, uint32_t nth, unsigned queue)
{
	s->spurious_in = nth ? nth : 1;
	s->spurious_queue = queue;
}

void semaphores_disarm(struct semaphores *s) { s->losing_in = s->spurious_in = 0; }

/* ---- the device ---- */

void semaphores_begin(struct semaphores *s)
{
	memset(s, 0, sizeof *s);
	s->losing_queue = s->spurious_queue = SEMAPHORE_ANY_QUEUE;
}

/* SEM-40; all registers have their reset value, 0: CP-62 */
void semaphores_reset(struct semaphores *s)
{
	const struct semaphores kept = *s;
	semaphores_begin(s);
	s->memory = kept.memory;
	s->event = kept.event;
	s->event_of = kept.event_of;
}

void semaphores_lose(struct semaphores *s)
{
	if (s->lost)
		return;
	s->lost = true;
	memset(s->waits, 0, SEMAPHORE_QUEUES * sizeof *s->waits); /* SEM-41 */
	for (unsigned waiter = SEMAPHORE_QUEUES; waiter < SEMAPHORE_WAITERS; waiter++)
		if (s->waits[waiter].address)
			wake(s, waiter, 0, FAULT_LOST, ACCESS_READ);
}
