/* `galena profile`: what a profiled program has left in a directory, and what is made of it. */
#ifndef GALENA_TOOLS_PROFILE_H
#define GALENA_TOOLS_PROFILE_H
#include "abi/device_config.h"
#include "abi/profile.h"
#include "runtime/compiler/compiler.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A growing array: ARRAY(struct x) xs; ...  struct x *new = array_add(&xs). */
#define ARRAY(type) struct { type *at; size_t count, room; }
#define array_add(a)                                                                               \
	((a)->at = array_grow((a)->at, (a)->count, &(a)->room, sizeof *(a)->at), &(a)->at[(a)->count++])
/* Room for one more, zeroed; ends the program without memory. */
void *array_grow(void *at, size_t count, size_t *room, size_t size);
void *profile_alloc(size_t size);

struct profile_source {
	char *name, *text;
	ARRAY(char *) lines; /* into text */
};

/* A kernel object that ran. */
struct profile_object {
	char *path;
	struct kernel_object *object;
	char *image;         /* as if loaded at address 0 */
	uint64_t size;
};

struct profile_frame {
	char *function, *file; /* file: NULL when the instruction has no line */
	unsigned line;
};

/* An instruction. frames: innermost first, the functions that it was inlined into behind it. */
struct profile_site {
	int object;          /* -1: unknown code */
	uint64_t pc;         /* in the object; of unknown code: where it stood */
	struct profile_frame *frames;
	unsigned num_frames;
};

struct profile_kernel {
	char *name;
	uint64_t launches, failed, cycles;
	uint64_t host_ns;    /* of the model that ran it */
	struct profile_counts counts;
};

struct profile_row { /* what a kernel did at an instruction */
	unsigned kernel;
	int site;            /* -1: of none, or not told */
	struct profile_counts counts;
};

struct profile_line { /* all that was done in a line, by any kernel */
	const struct profile_frame *frame; /* innermost of one of its instructions */
	char *name;                        /* FILE:LINE, or the function where there is no line */
	struct profile_counts counts;
};

enum { PROFILE_MAX_COUNTERS = 64 };
/* Blocks whose time on the host a device tells, by name. */
enum { NUM_HOST_BLOCKS = 4 };
extern const char *const profile_host_blocks[NUM_HOST_BLOCKS];
struct profile_device {
	unsigned index;
	bool timed;
	char *config_text;
	struct device_config config;
	uint64_t cycles;
	struct { char *name; uint64_t value; } counters[PROFILE_MAX_COUNTERS];
	unsigned num_counters;
	uint64_t host_ns[NUM_HOST_BLOCKS];
};

struct profile_phase {
	char *stack;         /* THREAD;PHASE;PHASE */
	uint64_t calls, ns;
};

struct profile {
	char *program;       /* what ran, for titles; NULL: not known */
	bool timed;          /* cycles are known; without, instructions are counted instead */
	bool no_lines;       /* the symbolizer did not run */
	ARRAY(struct profile_device) devices;
	ARRAY(struct profile_kernel) kernels;   /* after profile_sort: the longest first */
	ARRAY(struct profile_site) sites;
	ARRAY(struct profile_row) rows;
	ARRAY(struct profile_line) lines;       /* the longest first */
	ARRAY(struct profile_object) objects;
	ARRAY(struct profile_source) sources;
	ARRAY(struct profile_phase) phases;
};

/* Cycles of the compute units (in functional speed: instructions), and of the warps. */
uint64_t profile_cu_cycles(const struct profile_counts *);
uint64_t profile_warp_cycles(const struct profile_counts *);
void profile_counts_add(struct profile_counts *, const struct profile_counts *);
uint64_t profile_counter(const struct profile_device *, const char *name);
/* The name of a count: "l1_hit", "cu_memory". Static. */
const char *profile_key(unsigned count);
const char *profile_wait_key(enum profile_wait);
/* The line's text without the blanks in front of it; "" when the source is not known. */
const char *profile_line_text(const struct profile *, const struct profile_frame *);

/* ---- profile_read.c ---- */
/* Reads a directory. False after an error, which has been told. */
bool profile_read(struct profile *, const char *directory);
void profile_free(struct profile *);
/* ---- profile_lines.c ---- */
/* Finds the object of a page of code, and where it was loaded; -1 when there is none. prefer: the object that
 * is taken when several fit. */
int profile_object_find(const struct profile *, const uint32_t *words, size_t count, uint64_t va, int prefer, uint64_t *base);
bool profile_object_load(struct profile *, const char *path);
/* Fills the frames of all sites. */
void profile_lines_find(struct profile *);
/* ---- profile_table.c ---- */
void profile_table_print(const struct profile *, FILE *);
void profile_listing_print(const struct profile *, FILE *);
void profile_json_print(const struct profile *, FILE *);
/* ---- profile_flame.c ---- */
/* Stacks: lines "FRAME;FRAME;... NUMBER". */
void profile_device_stacks(const struct profile *, FILE *);
void profile_host_stacks(const struct profile *, FILE *);
/* The same, folded: equal stacks are added up, in the order of the alphabet. */
void profile_folded(const struct profile *, void (*stacks)(const struct profile *, FILE *), FILE *);
/* Draws folded stacks as a flame graph; lines of sources are looked up for what is shown under the pointer. */
void profile_flame_draw(const struct profile *, FILE *svg, const char *folded, const char *title, const char *unit);

#endif
