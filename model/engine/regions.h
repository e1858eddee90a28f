/* The model's side of translated regions (model/engine/region.h): where they may begin, which forms they are made for,
 * where their blobs come from, and how they are run. Internal to the compute unit.
 *
 * One struct regions belongs to the compute units of a device. Places where a region may begin are marked in the
 * decoded pages: the instruction's handler is region_enter, so that where nothing is marked nothing is asked.
 *
 * Threads: units that run at the same time share sites and blobs. A variant is published with release when it is
 * ready and is never taken back before regions_destroy; everything else is changed under one lock of the process. */
#ifndef GALENA_MODEL_REGIONS_H
#define GALENA_MODEL_REGIONS_H
#include "model/engine/region.h"
#include <sys/types.h>

/* ---- model/engine/region_blob.c: from a request to code ---- */

/* A blob in memory. */
struct region_code {
	region_entry *entry;
	uint64_t needs, low, high; /* as in struct region_blob */
	uint8_t needs_ids;
	void *map;
	size_t map_bytes;
};

/* Where blobs come from and go to. */
struct region_store {
	char *translator;         /* path; NULL: there is none */
	bool given;               /* by GALENA_TRANSLATE: whatever that is, it is started for each job */
	uint64_t identity[3];     /* of the program: size and time, so that another one makes its own blobs */
	char *directory;          /* of the cache; NULL: blobs are not kept */
	bool urgent;              /* the run waits for translators: they run as what it is */
};

/* LARGE: it is there, but more than was asked for. */
enum region_result { REGION_READY, REGION_WORTHLESS, REGION_ABSENT, REGION_LARGE };
enum region_job { REGION_RUNNING, REGION_ENDED, REGION_BUSY, REGION_UNABLE };

/* Reads the environment. False: there is no translator (said where GALENA_LOG wants it). */
bool region_store_init(struct region_store *);
void region_store_fini(struct region_store *);
/* Sets the request's key. */
void region_key_make(const struct region_store *, struct region_request *);
/* The blob of a request from the cache, when its file has at most so many bytes. One that is damaged, or is none of ours, is
 * removed. */
enum region_result region_load(const struct region_store *, const struct region_request *, size_t most, struct region_code *);
/* Starts the translator in the background, where it gets what processors have left over. BUSY: enough of them are running
 * in this process; UNABLE: it cannot be started (said, and errno tells why). */
enum region_job region_job_start(const struct region_store *, const struct region_request *);
/* It still runs: starts another one for the same, which takes its share of the processors at low priority. */
void region_job_hurry(const struct region_store *, const struct region_request *);
/* Whether the one for this request still runs; ENDED: region_result is what came of it. wait: comes back when it
 * has ended. */
enum region_job region_job_poll(const struct region_store *, const struct region_request *, bool wait,
				enum region_result *, struct region_code *);
void region_code_free(struct region_code *);
/* Around changes of what units share, and of the table of running translators; held over a fork. */
void region_lock(void);
void region_unlock(void);

/* ---- model/engine/region.c ---- */


/* NULL: this device interprets. Only GALENA_ENGINE, speed, number of lanes and observers decide. */
struct regions *regions_create(const struct compute_params *, const struct engine *);
void regions_destroy(struct regions *);
/* Whether both engines run and are compared: for one thread. */
bool regions_checked(const struct regions *);
/* Comes back when no translator runs for these regions: what was hot before is translated, or never will be. For
 * tests and measurements; a run never waits. */
void regions_settle(struct regions *);
/* How much ran in translated code, and how much of it there is. */
struct region_counters { uint64_t entered, insns, blobs, failed; };
struct region_counters regions_counters(const struct regions *);


/* Which of these registers point into private memory, as in struct region_request. */
uint64_t region_privates(const struct warp *, uint64_t among);
/* A region may begin at this instruction of w->code. */
void region_mark(struct warp *, const struct uop *);
/* An instruction of the page was decoded: marks what follows from it. */
void region_decoded(const struct cu *, struct code_page *, const struct uop *);
/* The page's instructions are gone. */
void region_page_free(struct code_page *);
/* Handler of marked instructions: leaves the loop with WHY_REGION when there is code for the warp as it stands,
 * otherwise does what the instruction's own handler does. */
handler region_enter;
/* The instruction's own handler. */
handler *region_plain(const struct warp *, const struct uop *);
/* After WHY_REGION: runs the code, at most limit instructions; returns how many, counted as retired. w->op is what
 * comes next; w->why is WHY_FAULT when that cannot be fetched. */
uint64_t region_run(struct warp *, uint64_t limit);
/* Between turns of a unit: when its warp instructions have reached due, regions_turn is called, which moves it. */
struct region_turn {
	uint64_t due;
	bool awake;               /* instructions may have the handler region_enter: engine->run_regions runs the warps */
};
const struct region_turn *regions_next(const struct cu *);
void regions_turn(struct cu *);
/* What it gives the code. */
extern const struct region_helpers region_helpers;

/* ---- model/engine/region_check.c: both engines, compared ---- */

struct region_check;
struct region_check *region_check_create(void);
void region_check_destroy(struct region_check *);
/* As the call of c->entry, then the same instructions by the interpreter from the same state; ends the process at
 * the first difference, with a message. masked: code that takes a mask along. What stays is what the interpreter did. */
void region_check_run(struct region_check *, struct warp *, const struct region_code *, struct region_run *, bool masked);
/* helpers->note */
void region_check_note(struct region_run *, struct warp *, uint32_t mask, const uint64_t *va, unsigned size);

#endif
