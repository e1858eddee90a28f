#include "testbench/translate/bed.h"
#include "abi/pte.h"
#include "model/engine/superblocks.h"
#include "superblock_hash.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CODE_PAGES = 16 };

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bed: %s\n", what);
	abort();
}

struct bed *bed_create(enum compute_simd simd)
{
	const struct engine *e = engine_of(simd);
	if (!e)
		return NULL;
	struct bed *b = calloc(1, sizeof(*b));
	b->rig = rig_create("full", BUS_FUNCTIONAL, simd, false);
	b->cu = aligned_alloc(HOST_LINES, sizeof(*b->cu));
	b->simd = simd;
	struct rig *r = b->rig;
	struct compute_params p = { .config = r->config, .speed = BUS_FUNCTIONAL, .simd = simd, .mmu = r->mmu,
				    .mem = &r->mem, .l2 = r->l2 };
	if (!cu_init(b->cu, r->compute, &p, e, 0))
		die("no compute unit");
	b->data = rig_buffer(r, bed_data_va, BED_DATA);
	b->private_data = rig_buffer(r, bed_private_backing, LANES * BED_PRIVATE);
	b->code_va = 0x2000000000;
	uint64_t pa = rig_dram(r, CODE_PAGES * 4096);
	rig_map(r, b->code_va, pa, CODE_PAGES * 4096, PTE_R | PTE_X);
	b->code = rig_host(r, pa);
	b->notes = calloc(BED_MAX_NOTES, sizeof(*b->notes));
	b->group = (struct group){ .busy = true, .id = { 3, 1, 0 }, .size = { 64, 1, 1 }, .space = RIG_ASID, .num_warps = 2,
				   .live_warps = 2, .live_items = 64, .kernarg = bed_data_va };
	for (unsigned i = 0; i < LANES; i++) {
		b->ids.id[0][i] = 32 + i;
		b->ids.id[1][i] = 0;
		b->ids.id[2][i] = 0;
	}
	return b;
}

void bed_destroy(struct bed *b)
{
	cu_fini(b->cu);
	free(b->cu);
	rig_destroy(b->rig);
	free(b->notes);
	free(b);
}

void bed_program(struct bed *b, const uint32_t *words, unsigned num_words)
{
	memset(b->code, 0, CODE_PAGES * 4096);
	memcpy(b->code, words, num_words * 4);
	b->code_bytes = (num_words * 4 + 4095) & ~4095u;
	cu_unresolve(b->cu, b->cu->now);
}

void bed_warp(struct bed *b, struct warp *w, uint64_t pc)
{
	memset(w, 0, sizeof(*w));
	w->cu = b->cu;
	w->tmp = b->cu->tmp;
	w->group = &b->group;
	w->space = RIG_ASID;
	w->first_id = LANES;
	w->first_live = w->live = w->mask = ALL_LANES;
	w->busy = true;
	w->lds = b->cu->lds.data;
	w->local_bytes = BED_LOCAL;
	w->private_bytes = BED_PRIVATE;
	w->private_va = bed_private_backing;
	w->base[2] = VA_PRIVATE_BASE + BED_PRIVATE;
	w->slice = 4096;
	w->stop = STOP_NONE;
	divergence_jump(w, pc);
}

void bed_register(struct warp *w, unsigned reg, enum register_encoding rep, const uint64_t *lanes)
{
	w->encoding[reg] = (uint8_t)rep;
	w->base[reg] = lanes[0];
	w->stride[reg] = rep == ENC_AFFINE ? lanes[1] : 0;
	if (rep == ENC_AFFINE && lanes[1] == 0)
		w->encoding[reg] = ENC_UNIFORM;
	for (unsigned i = 0; i < LANES && rep >= ENC_WORD; i++)
		if (rep == ENC_WORD)
			w->v[reg].w[i] = (uint32_t)lanes[i];
		else
			w->v[reg].d[i] = lanes[i];
}

size_t bed_request(const struct bed *b, const struct warp *w, uint64_t pc, uint32_t flags, uint8_t *request)
{
	struct superblock_request q = { .magic = SUPERBLOCK_REQUEST_MAGIC, .version = GALENA_SUPERBLOCK_VERSION, .key = { 17, pc },
				    .code_va = b->code_va, .entry = pc, .code_bytes = b->code_bytes, .flags = flags,
				    .in_private = superblock_privates(w, UINT64_MAX),
				    .private_bytes = w->private_bytes, .simd = (uint8_t)b->simd,
				    .id_encoding = { ENC_AFFINE, ENC_UNIFORM, ENC_UNIFORM } };
	memcpy(q.encoding, w->encoding, sizeof(q.encoding));
	memcpy(request, &q, sizeof(q));
	memcpy(request + sizeof(q), b->code, b->code_bytes);
	return sizeof(q) + b->code_bytes;
}

/* ---- the translator ---- */

static const char *translator(void)
{
	static char path[4096];
	const char *build = getenv("GALENA_BUILD");
	snprintf(path, sizeof(path), "%s/libexec/galena-translate", build ? build : "build");
	return path;
}

int bed_translate(const uint8_t *request, size_t size, struct bed_code *out)
{
	char in[] = "/tmp/galena-bed-XXXXXX", file[64], command[4400];
	int fd = mkstemp(in);
	*out = (struct bed_code){ 0 };
	if (fd < 0 || write(fd, request, size) != (ssize_t)size || close(fd))
		die("no temporary file");
	snprintf(file, sizeof(file), "%s.code", in);
	snprintf(command, sizeof(command), "%s -o %s %s", translator(), file, in);
	int status = system(command);
	if (status == 0) {
		struct stat st;
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st))
			die("no code-cache entry");
		out->size = (size_t)st.st_size;
		void *p = mmap(NULL, out->size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			die("cannot map the code-cache entry");
		close(fd);
		out->header = p;
		if (out->header->text_bytes)
			out->entry = (superblock_entry *)(uintptr_t)((uint8_t *)p + out->header->text_offset + out->header->entry_offset);
		if (out->header->magic != CODE_ENTRY_MAGIC || out->header->version != GALENA_SUPERBLOCK_VERSION ||
		    out->header->text_offset + out->header->text_bytes > out->size)
			die("the code-cache entry's header is wrong");
	}
	unlink(file);
	unlink(in);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void bed_code_free(struct bed_code *b)
{
	if (b->header)
		munmap((void *)(uintptr_t)b->header, b->size);
	*b = (struct bed_code){ 0 };
}

/* ---- the model's side ---- */

static void help_note(struct superblock_run *r, struct warp *w, uint32_t mask, const uint64_t *va, unsigned size)
{
	struct bed *b = r->log;
	(void)w;
	for (uint32_t m = mask; m; m &= m - 1)
		if (b->num_notes < BED_MAX_NOTES)
			b->notes[b->num_notes++] = (struct bed_note){ va[__builtin_ctz(m)], size };
}

static struct superblock_helpers helpers;

/* The model's own, but notes for this bed. */
static void helpers_make(void)
{
	helpers = superblock_helpers;
	helpers.note = help_note;
}

void bed_enter(struct bed *b, const struct bed_code *code_entry, struct warp *w, struct superblock_run *r, uint64_t limit)
{
	helpers_make();
	*r = (struct superblock_run){ .limit = limit, .ids = &b->ids, .helpers = &helpers, .log = b,
				  .slice = w->slice };
	code_entry->entry(w, r);
	b->cu->counters.lane_insns += r->divergent ? r->lanes : r->count * (uint32_t)__builtin_popcount(w->mask);
	if (r->divergent)
		w->slice = (uint32_t)(w->num_pending ? r->slice : SPLIT_SLICE);
}

void bed_interpret(struct bed *b, struct warp *w, uint64_t pc, uint64_t n)
{
	w->exit = LEAVE_NONE;
	w->code = NULL;
	divergence_jump(w, pc);
	if (n)
		b->cu->engine->run(w, n);
}

void bed_save(const struct bed *b, struct bed_memory *m)
{
	memcpy(m->data, b->data, sizeof(m->data));
	memcpy(m->local, b->cu->lds.data, sizeof(m->local));
	memcpy(m->private_data, b->private_data, sizeof(m->private_data));
}

void bed_restore(struct bed *b, const struct bed_memory *m)
{
	memcpy(b->data, m->data, sizeof(m->data));
	memcpy(b->cu->lds.data, m->local, sizeof(m->local));
	memcpy(b->private_data, m->private_data, sizeof(m->private_data));
}

static bool bytes_compare(const char *what, const uint8_t *got, const uint8_t *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i]) {
			fprintf(stderr, "%s + %#zx: %#x, interpreted %#x\n", what, i, got[i], want[i]);
			return false;
		}
	return true;
}

/* Lanes' values of a register, whose encoding must be a legal one. */
static bool lanes_of(const struct warp *w, unsigned reg, uint64_t *v)
{
	unsigned rep = w->encoding[reg];
	bool legal = rep == ENC_UNIFORM || rep == ENC_WORD || rep == ENC_FULL ||
		     (rep == ENC_AFFINE && reg < REG_F && w->stride[reg] != 0);
	if (!legal || (rep == ENC_UNIFORM && w->stride[reg] != 0)) {
		fprintf(stderr, "register %u has encoding %u, stride %" PRIu64 "\n", reg, rep, w->stride[reg]);
		return false;
	}
	register_lanes(w, reg, v);
	return true;
}

bool bed_compare(struct bed *b, const struct warp *before, uint64_t pc, const struct bed_memory *memory_before,
		 const struct warp *w, const struct superblock_run *r)
{
	static struct warp want;
	static struct bed_memory got, now;
	uint64_t x[LANES], y[LANES];
	bed_save(b, &got);
	bed_restore(b, memory_before);
	want = *before;
	bed_interpret(b, &want, pc, r->count);
	bed_save(b, &now);
	if (want.exit != LEAVE_NONE || want.mask != ALL_LANES || want.retired - before->retired != r->count) {
		fprintf(stderr, "the interpreter stopped after %" PRIu64 " of %" PRIu64 " instructions\n",
			want.retired - before->retired, r->count);
		return false;
	}
	if (uop_pc(&want, want.op) != r->pc || want.depth != w->depth) {
		fprintf(stderr, "pc %#" PRIx64 " depth %u, interpreted %#" PRIx64 " depth %u\n", r->pc, w->depth,
			uop_pc(&want, want.op), want.depth);
		return false;
	}
	for (unsigned reg = 0; reg < 64; reg++) {
		if (!lanes_of(w, reg, x))
			return false;
		register_lanes(&want, reg, y);
		for (unsigned i = 0; i < LANES && !(r->dead >> reg & 1); i++)
			if (x[i] != y[i]) {
				fprintf(stderr, "register %u lane %u: %#" PRIx64 ", interpreted %#" PRIx64 "; left at %#" PRIx64 " for %u\n",
					reg, i, x[i], y[i], r->pc, r->exit);
				return false;
			}
	}
	return bytes_compare("data", got.data, now.data, sizeof(now.data)) &&
	       bytes_compare("local", got.local, now.local, sizeof(now.local)) &&
	       bytes_compare("private", got.private_data, now.private_data, sizeof(now.private_data));
}
