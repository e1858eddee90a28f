/* The model's side of translated superblocks (model/engine/superblock.h): where they may begin, which encodings they are made for,
 * where their code-cache entries come from, and how they are run. Internal to the compute unit.
 *
 * One struct superblocks belongs to the compute units of a device. Places where a superblock may begin are marked in the
 * decoded pages: the instruction's handler is superblock_enter, so that where nothing is marked nothing is asked.
 *
 * Threads: units that run at the same time share sites and code-cache entries. A variant is published with release when it is
 * ready and is never taken back before superblocks_destroy; everything else is changed under one lock of the process. */
#ifndef GALENA_MODEL_SUPERBLOCKS_H
#define GALENA_MODEL_SUPERBLOCKS_H
#include "model/engine/superblock.h"
#include <sys/types.h>

/* ---- model/engine/code_cache.c: from a request to code ---- */

/* A code-cache entry in memory. */
struct superblock_code {
	superblock_entry *entry;
	uint64_t needs, low, high; /* as in struct code_entry */
	uint8_t needs_ids;
	void *map;
	size_t map_bytes;
};

/* Where code-cache entries come from and go to. */
struct superblock_store {
	char *translator;         /* path; NULL: there is none */
	bool given;               /* by GALENA_TRANSLATE: whatever that is, it is started for each job */
	uint64_t identity[3];     /* of the program: size and time, so that another one makes its own code-cache entries */
	char *directory;          /* of the cache; NULL: code-cache entries are not kept */
	bool urgent;              /* the run waits for translators: they run as what it is */
};

/* LARGE: it is there, but more than was asked for. */
enum superblock_result { SUPERBLOCK_READY, SUPERBLOCK_WORTHLESS, SUPERBLOCK_ABSENT, SUPERBLOCK_LARGE };
enum superblock_job { SUPERBLOCK_RUNNING, SUPERBLOCK_ENDED, SUPERBLOCK_BUSY, SUPERBLOCK_UNABLE };

/* Reads the environment. False: there is no translator (said where GALENA_LOG wants it). */
bool superblock_store_init(struct superblock_store *);
void superblock_store_fini(struct superblock_store *);
/* Sets the request's key. */
void superblock_key_make(const struct superblock_store *, struct superblock_request *);
/* The code-cache entry of a request from the cache, when its file has at most so many bytes. One that is damaged, or is none of ours, is
 * removed. */
enum superblock_result superblock_load(const struct superblock_store *, const struct superblock_request *, size_t most, struct superblock_code *);
/* Starts the translator in the background, where it gets what processors have left over. BUSY: enough of them are running
 * in this process; UNABLE: it cannot be started (said, and errno tells why). */
enum superblock_job superblock_job_start(const struct superblock_store *, const struct superblock_request *);
/* It still runs: starts another one for the same, which takes its share of the processors at low priority. */
void superblock_job_kick(const struct superblock_store *, const struct superblock_request *);
/* Whether the one for this request still runs; ENDED: superblock_result is what came of it. wait: comes back when it
 * has ended. */
enum superblock_job superblock_job_poll(const struct superblock_store *, const struct superblock_request *, bool wait,
				enum superblock_result *, struct superblock_code *);
void superblock_code_free(struct superblock_code *);
/* Around changes of what units share, and of the table of running translators; held over a fork. */
void superblock_lock(void);
void superblock_unlock(void);

/* ---- model/engine/superblock.c ---- */


/* NULL: this device interprets. Only GALENA_ENGINE, speed, number of lanes and observers decide. */
struct superblocks *superblocks_create(const struct compute_params *, const struct engine *);
void superblocks_destroy(struct superblocks *);
/* Whether both engines run and are compared: for one thread. */
bool superblocks_checked(const struct superblocks *);
/* Comes back when no translator runs for these superblocks: what was hot before is translated, or never will be. For
 * tests and measurements; a run never waits. */
void superblocks_wait(struct superblocks *);
/* How much ran in translated code, and how much of it there is. */
struct superblock_counters { uint64_t entered, insns, code_entries, failed; };
struct superblock_counters superblocks_counters(const struct superblocks *);


/* Which of these registers point into private memory, as in struct superblock_request. */
uint64_t superblock_privates(const struct warp *, uint64_t among);
/* A superblock may begin at this instruction of w->code. */
void superblock_mark(struct warp *, const struct uop *);
/* An instruction of the page was decoded: marks what follows from it. */
void superblock_decoded(const struct cu *, struct icache_page *, const struct uop *);
/* The page's instructions are gone. */
void superblock_page_free(struct icache_page *);
/* Handler of marked instructions: leaves the loop with LEAVE_SUPERBLOCK when there is code for the warp as it stands,
 * otherwise does what the instruction's own handler does. */
handler superblock_enter;
/* The instruction's own handler. */
handler *superblock_plain(const struct warp *, const struct uop *);
/* After LEAVE_SUPERBLOCK: runs the code, at most limit instructions; returns how many, counted as retired. w->op is what
 * comes next; w->exit is LEAVE_FAULT when that cannot be fetched. */
uint64_t superblock_run(struct warp *, uint64_t limit);
/* Between turns of a unit: when its warp instructions have reached due, superblocks_turn is called, which moves it. */
struct superblock_turn {
	uint64_t due;
	bool awake;               /* instructions may have the handler superblock_enter: engine->run_superblocks runs the warps */
};
const struct superblock_turn *superblocks_next(const struct cu *);
void superblocks_turn(struct cu *);
/* What it gives the code. */
extern const struct superblock_helpers superblock_helpers;

/* ---- model/engine/superblock_check.c: both engines, compared ---- */

struct superblock_check;
struct superblock_check *superblock_check_create(void);
void superblock_check_destroy(struct superblock_check *);
/* As the call of c->entry, then the same instructions by the interpreter from the same state; ends the process at
 * the first difference, with a message. masked: code that takes a mask along. What stays is what the interpreter did. */
void superblock_check_run(struct superblock_check *, struct warp *, const struct superblock_code *, struct superblock_run *, bool masked);
/* helpers->note */
void superblock_check_note(struct superblock_run *, struct warp *, uint32_t mask, const uint64_t *va, unsigned size);

#endif
