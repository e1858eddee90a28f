/* Imports whose memory the application takes away (munmap, mmap over it, mremap) while devices may access it. A pin of the kernel's would
 * survive that; the model reaches memory through the process' mappings.
 *
 * - Shared memory (MAP_SHARED) gets a mapping of the driver's own, which survives.
 * - For private memory, a handler of SIGSEGV and SIGBUS notices an access of a device to a page that is gone. It puts an empty page there,
 *   so that the access ends, and takes the page away from the devices: later accesses are bus errors. The commands that ran fail.
 * - A page that is mapped anew can be accessed. While rules are checked, and where the system has userfaultfd, the memory of imports is
 *   registered with it: a new mapping is not. No page is protected, no event is asked for, and no thread is needed.
 *
 * Programs that take nothing away pay nothing for it when the device accesses memory. */
#define _GNU_SOURCE
#include "runtime/kmd/unmapped.h"
#include "abi/events.h"
#include "base/log.h"
#include "base/list.h"
#include "base/probe.h"
#include "runtime/kmd/observe.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

static uint8_t *reached(const struct bo *bo) { return bo->own ? bo->own : bo->host; }
static bool has_page(const struct bo *bo, const uint8_t *base, const uint8_t *page)
{
	return (uintptr_t)page - (uintptr_t)base < bo->pages * GALENA_PAGE_SIZE;
}

/* Devices do not reach the page any more; its rights stay for its unpinning. False: they did not before. Async-signal-safe. */
static bool lose(struct driver *d, struct bo *bo, uint64_t index, bool accessed)
{
	const uint32_t number = pin_list_number(&(struct pin_cursor){ .list = &bo->pin }, index);
	uintptr_t *pin = &d->pins.blocks[number / PIN_BLOCK]->pin[number % PIN_BLOCK].page;
	const uintptr_t before = __atomic_fetch_and(pin, PIN_READ | PIN_WRITE, __ATOMIC_RELAXED);
	__atomic_add_fetch(&d->pins.generation, 1, __ATOMIC_RELAXED);
	if (!bo->lost)
		bo->lost_page = index;
	bo->lost = true;
	bo->accessed |= accessed;
	bo->news = d->unmapped = true;
	return before > (PIN_READ | PIN_WRITE);
}

/* ---- the guard: accesses to pages that are gone ---- */
static const int guarded_signals[] = { SIGSEGV, SIGBUS };
enum { GUARDED = sizeof guarded_signals / sizeof *guarded_signals };
static struct sigaction before[GUARDED];
static struct driver *guarded; /* NULL: the handlers are not in place */

/* This thread is at the devices: the driver's runner, or a thread of the model. */
static bool at_devices(const struct driver *d)
{
	char name[16] = "";
	if (d->running && pthread_equal(d->runner, pthread_self()))
		return true;
	return !prctl(PR_GET_NAME, name) && !strcmp(name, "galena-cu");
}

static bool put_page(uint8_t *page, int flags)
{
	void *at = mmap(page, GALENA_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	if (at == page)
		return true;
	if (at != MAP_FAILED) /* kernels before 4.17 take the address as a hint */
		munmap(at, GALENA_PAGE_SIZE);
	return false;
}

/* The access can end: where nothing is mapped, in an empty page; otherwise the page is made accessible, or replaced if that does not
 * help. */
static bool mend(struct driver *d, const siginfo_t *info, uint8_t *page)
{
	const bool absent = info->si_signo == SIGSEGV && info->si_code == SEGV_MAPERR;
	bool any = false, again = false;
	for (struct bo *bo = d->imports; bo; bo = bo->import_next) {
		const uint8_t *base = has_page(bo, reached(bo), page) ? reached(bo) : bo->host;
		if (!has_page(bo, base, page))
			continue;
		any = true;
		again |= !lose(d, bo, (uint64_t)(page - base) / GALENA_PAGE_SIZE, true);
	}
	if (!any || put_page(page, MAP_FIXED_NOREPLACE))
		return any;
	if (absent) /* the process has mapped something there meanwhile: the access is repeated */
		return errno == EEXIST;
	if (!again && info->si_signo == SIGSEGV && !mprotect(page, GALENA_PAGE_SIZE, PROT_READ | PROT_WRITE))
		return true;
	return put_page(page, MAP_FIXED);
}

static bool has_handler(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

/* As if this handler were not there. */
static void pass_on(const struct sigaction *to, int number, siginfo_t *info, void *context)
{
	if (to->sa_flags & SA_SIGINFO) {
		to->sa_sigaction(number, info, context);
	} else if (has_handler(to)) {
		to->sa_handler(number);
	} else if (info->si_code > 0 || to->sa_handler == SIG_DFL) {
		signal(number, SIG_DFL); /* the access is repeated, and ends the process */
		if (info->si_code <= 0)
			raise(number);
	}
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	const int error = errno;
	struct driver *d = __atomic_load_n(&guarded, __ATOMIC_ACQUIRE);
	const struct sigaction *to = &before[number == guarded_signals[1]];
	uint8_t *page = (uint8_t *)((uintptr_t)info->si_addr & ~(GALENA_PAGE_SIZE - 1));
	/* the application may watch its own pages by their rights */
	const bool watched = number == SIGSEGV && info->si_code == SEGV_ACCERR && has_handler(to);
	if (info->si_code <= 0 || watched || !d || d->owner != getpid() || !at_devices(d) || !mend(d, info, page))
		pass_on(to, number, info, context);
	errno = error;
}

static bool in_place(const struct sigaction *a) { return a->sa_flags & SA_SIGINFO && a->sa_sigaction == on_fault; }

/* The application may have put handlers of its own there meanwhile. */
static void guard(struct driver *d)
{
	__atomic_store_n(&guarded, d, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < GUARDED; i++) {
		struct sigaction action;
		sigaction(guarded_signals[i], NULL, &action);
		if (in_place(&action))
			continue;
		before[i] = action;
		action.sa_sigaction = on_fault;
		action.sa_flags = (action.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
		sigaction(guarded_signals[i], &action, NULL);
	}
}

void unmapped_close(struct driver *d)
{
	struct sigaction now;
	d->imports = NULL;
	if (d->registered > 0)
		close(d->registered - 1);
	if (guarded != d)
		return;
	for (unsigned i = 0; i < GUARDED; i++)
		if (!sigaction(guarded_signals[i], NULL, &now) && in_place(&now))
			sigaction(guarded_signals[i], &before[i], NULL);
	__atomic_store_n(&guarded, NULL, __ATOMIC_RELEASE);
}

/* ---- mappings that are not the ones that were imported ---- */
/* The descriptor of registrations, + 1; -1: the system has none. */
static int registrations(struct driver *d)
{
	if (d->registered)
		return d->registered - 1;
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	struct uffdio_api api = { .api = UFFD_API };
	d->registered = fd >= 0 && !ioctl(fd, UFFDIO_API, &api) ? fd + 1 : -1;
	if (fd >= 0 && d->registered < 0)
		close(fd);
	return d->registered - 1;
}

static void register_pages(struct driver *d, struct bo *bo)
{
	struct uffdio_register r = { .range = { (uintptr_t)bo->host, bo->pages * GALENA_PAGE_SIZE }, .mode = UFFDIO_REGISTER_MODE_WP };
	const int fd = registrations(d);
	bo->registered = fd >= 0 && !ioctl(fd, UFFDIO_REGISTER, &r);
}

/* Asks for what is the case: that no page of the range is protected. */
static bool is_registered(const struct driver *d, const uint8_t *first, uint64_t pages)
{
	struct uffdio_writeprotect w = { .range = { (uintptr_t)first, pages * GALENA_PAGE_SIZE } };
	return !ioctl(d->registered - 1, UFFDIO_WRITEPROTECT, &w) || errno != ENOENT;
}

static void verify(struct driver *d, struct bo *bo)
{
	if (!bo->registered || bo->lost || __atomic_load_n(&bo->released, __ATOMIC_ACQUIRE) || is_registered(d, bo->host, bo->pages))
		return;
	for (uint64_t i = 0; i < bo->pages; i++)
		if (!is_registered(d, bo->host + i * GALENA_PAGE_SIZE, 1))
			lose(d, bo, i, false);
}

void unmapped_verify(struct driver *d)
{
	for (struct bo *bo = d->imports; bo; bo = bo->import_next)
		verify(d, bo);
}

static bool overlap(const struct bo *a, const struct bo *b)
{
	return a->host < b->host + b->pages * GALENA_PAGE_SIZE && b->host < a->host + a->pages * GALENA_PAGE_SIZE;
}

/* Other imports that have pages of it keep theirs registered. */
static void unregister_pages(struct driver *d, const struct bo *bo)
{
	struct uffdio_range range = { (uintptr_t)bo->host, bo->pages * GALENA_PAGE_SIZE };
	for (struct bo *other = d->imports; other; other = other->import_next)
		if (overlap(bo, other))
			verify(d, other);
	ioctl(d->registered - 1, UFFDIO_UNREGISTER, &range); /* which fails where the memory is gone */
	for (struct bo *other = d->imports; other; other = other->import_next)
		if (other->registered && !other->lost && overlap(bo, other))
			register_pages(d, other);
}

/* ---- imports ---- */
static bool lasts(const struct bo *bo) { return bo->flags & KMD_BO_STRICT; } /* others are for one command */

uint8_t *unmapped_watch(struct driver *d, struct bo *bo)
{
	if (!bo->imported || bo->dmabuf || !bo->host)
		return bo->host;
	if (lasts(bo) && probe_shared(bo->host, bo->pages)) {
		void *own = mremap(bo->host, 0, bo->pages * GALENA_PAGE_SIZE, MREMAP_MAYMOVE);
		bo->own = own == MAP_FAILED ? NULL : own;
	}
	if (!d->imports)
		guard(d);
	LIST_PUSH(d->imports, bo, import_prev, import_next);
	if (lasts(bo) && !bo->own && tracepoints_wanted(d))
		register_pages(d, bo);
	return reached(bo);
}

/* Other imports have pages of it: devices reach them by mappings of these from now on. */
static void hand_over(struct driver *d, const struct bo *bo)
{
	for (const struct bo *other = d->imports; other; other = other->import_next)
		for (uint64_t i = 0; overlap(bo, other) && i < other->pages; i++) {
			const uint32_t number = pin_list_number(&(struct pin_cursor){ .list = &other->pin }, i);
			struct pin *pin = &d->pins.blocks[number / PIN_BLOCK]->pin[number % PIN_BLOCK];
			if (pin_host(*pin))
				pin->page = (uintptr_t)(reached(other) + i * GALENA_PAGE_SIZE) | pin_rights(*pin);
		}
}

void unmapped_forget(struct driver *d, struct bo *bo)
{
	if (bo->import_prev || d->imports == bo)
		LIST_DROP(d->imports, bo, import_prev, import_next);
	if (bo->registered)
		unregister_pages(d, bo);
	if (bo->own)
		hand_over(d, bo);
}

/* ---- what becomes of commands ---- */
static struct kmd_import import_of(const struct bo *bo)
{
	return (struct kmd_import){ .va = bo_address(bo), .size = bo->size, .address = (uintptr_t)bo->host + bo->offset,
				    .unmapped = bo->va + bo->lost_page * GALENA_PAGE_SIZE };
}

/* Commands of the address space that the device ran meanwhile: those that have ended, and the one that runs. */
static void blame(struct device *dev, const struct bo *bo)
{
	for (unsigned i = 0; i < REG_QUEUES; i++) {
		struct queue *q = dev->slots[i];
		bool ended = true;
		for (struct command *c = q && q->vm == bo->vm ? q->inflight : NULL; c && ended; c = c->next) {
			ended = *queue_timeline(q) >= c->ordinal;
			c->unmapped = import_of(bo);
		}
	}
}

void unmapped_report(struct driver *d, struct device *dev)
{
	d->unmapped = false;
	for (struct bo *bo = d->imports; bo; bo = bo->import_next) {
		if (!bo->news)
			continue;
		bo->news = false;
		const struct kmd_import import = import_of(bo);
		tracepoint_all(d, EVENT_IMPORT_UNMAPPED, bo->vm->asid, import.unmapped, import.size, import.va);
		log_write(LOG_ERROR, "the process has unmapped memory at 0x%" PRIx64 " that it has imported (%" PRIu64 " bytes at 0x%" PRIx64
			  ", for devices at 0x%" PRIx64 "): release the import first, and wait for its commands",
			  (uint64_t)(uintptr_t)(bo->host + bo->lost_page * GALENA_PAGE_SIZE), import.size, import.address, import.va);
		if (bo->accessed)
			blame(dev, bo);
		bo->accessed = false;
	}
}

void unmapped_at(struct driver *d, struct command *c, uint64_t va)
{
	for (struct bo *bo = d->imports; bo; bo = bo->import_next)
		if (bo->lost && bo->vm == c->queue->vm && va - bo->va < bo->va_size)
			c->unmapped = import_of(bo);
}

void unmapped_end(struct command *c)
{
	struct completion *record = c->record.host;
	if (record->status && record->status != -FAULT_BUS_ERROR && record->status != -FAULT_UNMAPPED)
		return; /* it has failed for another reason */
	record->status = -FAULT_UNMAPPED;
	if (!c->fault)
		c->fault = calloc(1, sizeof *c->fault);
	if (!c->fault)
		return;
	if (!c->fault->code)
		*c->fault = (struct fault_record){ .cycle = record->end, .queue = EVENT_NO_QUEUE, .unit = UNIT_HOST, .address = c->unmapped.unmapped,
						   .asid = c->queue->vm->asid };
	c->fault->code = FAULT_UNMAPPED;
}
