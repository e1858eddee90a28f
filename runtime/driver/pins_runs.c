/* Runs: PIN_RUN pages of the host that are pinned as a whole. An import of many pages takes a step for each of them instead of one for
 * each page. Where two ranges share a part of a run, its pages have references of their own beside those of the run. */
#include "runtime/driver/pins.h"
#include <string.h>

/* A run that begins in a frame, and has any byte of a range; UINT32_MAX when there is none. */
static uint32_t run_in(const struct pins *p, uintptr_t frame, const uint8_t *first, const uint8_t *end)
{
	for (uint32_t at = pins_frame(p, frame)->run; at; at = run_of(p, (at - 1) * PIN_RUN)->next) {
		const uint8_t *host = run_of(p, (at - 1) * PIN_RUN)->host;
		if (host < end && host + PIN_RUN_BYTES > first)
			return (at - 1) * PIN_RUN;
	}
	return UINT32_MAX;
}

/* The first such run of all; runs do not overlap. */
static uint32_t run_with(const struct pins *p, const uint8_t *first, const uint8_t *end)
{
	uint32_t number = UINT32_MAX;
	if (p->num_runs)
		for (uintptr_t frame = frame_of(first) - 1; number == UINT32_MAX && frame != frame_of(end - 1) + 1; frame++)
			number = run_in(p, frame, first, end);
	return number;
}

bool runs_overlap(const struct pins *p, const uint8_t *host, uint64_t count)
{
	return run_with(p, host, host + count * GALENA_PAGE_SIZE) != UINT32_MAX;
}

uint32_t runs_find(const struct pins *p, const uint8_t *host)
{
	const uint32_t first = run_with(p, host, host + 1);
	return first == UINT32_MAX ? first : first + (uint32_t)((host - run_of(p, first)->host) / GALENA_PAGE_SIZE);
}

uint32_t runs_at(const struct pins *p, const uint8_t *host)
{
	const uint32_t number = runs_find(p, host);
	return number % PIN_RUN ? UINT32_MAX : number;
}

bool runs_begin(struct pins *p, uint32_t first, uint8_t *host, unsigned how)
{
	if (!pins_take(p, first, PIN_RUN))
		return false;
	*run_of(p, first) = (struct pin_run){ .host = host, .refs = 1, .write_refs = (how & PIN_FOR_WRITE) != 0, .unaligned = (how & PIN_UNALIGNED) != 0,
				 .next = pins_frame(p, frame_of(host))->run };
	pins_frame(p, frame_of(host))->run = first / PIN_RUN + 1;
	p->num_runs++;
	return true;
}

static bool any_unaligned(const struct pins *p, uint32_t first)
{
	bool any = run_of(p, first)->unaligned;
	for (uint32_t n = first; run_of(p, first)->own && n < first + PIN_RUN; n++)
		any |= plan_at(p, n)->unaligned;
	return any;
}

bool runs_share(struct pins *p, uint32_t first, unsigned how)
{
	struct pin_run *run = run_of(p, first);
	if (how & PIN_UNALIGNED && any_unaligned(p, first))
		return false;
	run->refs++;
	run->write_refs += (how & PIN_FOR_WRITE) != 0;
	run->unaligned |= (how & PIN_UNALIGNED) != 0;
	return true;
}

void runs_changes(const struct pins *p, uint32_t first, struct pin_change *out)
{
	const uint8_t rights = pins_rights(p, first);
	for (uint32_t i = 0; i < PIN_RUN; i++)
		out[i] = (struct pin_change){ .number = first + i, .rights = rights };
	for (uint32_t i = 0; run_of(p, first)->own && i < PIN_RUN; i++)
		out[i].rights = pins_rights(p, first + i);
}

/* Its pages keep the numbers that they have references of their own for. */
static void run_end(struct pins *p, uint32_t first)
{
	struct pin_run *run = run_of(p, first);
	uint32_t *at = &pins_frame(p, frame_of(run->host))->run;
	while (*at != first / PIN_RUN + 1)
		at = &run_of(p, (*at - 1) * PIN_RUN)->next;
	*at = run->next;
	p->num_runs--;
	for (uint32_t n = first; n < first + PIN_RUN; n++)
		if (!run->own || !plan_at(p, n)->refs)
			pins_give_back(p, n);
	*run = (struct pin_run){ 0 };
}

void runs_drop(struct pins *p, uint32_t first, unsigned how, struct pin_change *left)
{
	struct pin_run *run = run_of(p, first);
	run->refs--;
	run->write_refs -= (how & PIN_FOR_WRITE) != 0;
	if (how & PIN_UNALIGNED)
		run->unaligned = false;
	runs_changes(p, first, left);
	if (!run->refs)
		run_end(p, first);
}
