#include "testbench/lockstep/pair.h"
#include "model/cu/decode.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 2 << 20, CYCLES = 100000000, SLICES = 1000 };
static const uint64_t memory_va = 0x3000000000;

static void side_create(struct pair *p, unsigned i, uint32_t perturb)
{
	char config[256];
	snprintf(config, sizeof config, "%s,perturb=%u", p->kind->config[i], perturb);
	struct rig *r = p->rig[i] = rig_create_events(config, p->kind->speed[i], p->kind->simd[i], false, lockstep_side(p->lockstep, i));
	p->memory[i] = rig_buffer(r, memory_va, MEMORY);
	const uint64_t pa = rig_dram(r, KERNEL_WORDS * 4);
	rig_map(r, pair_code_va, pa, KERNEL_WORDS * 4, PTE_R | PTE_X);
	p->code[i] = rig_host(r, pa);
}

struct pair *pair_create(const struct pair_kind *kind, const uint32_t perturb[2])
{
	struct pair *p = calloc(1, sizeof *p);
	p->kind = kind;
	p->lockstep = lockstep_create();
	for (unsigned i = 0; i < 2; i++)
		side_create(p, i, perturb[i]);
	return p;
}

void pair_destroy(struct pair *p)
{
	for (unsigned i = 0; i < 2; i++)
		rig_destroy(p->rig[i]);
	lockstep_destroy(p->lockstep);
	free(p);
}

/* Meanwhile translations are dropped now and then, of side 1 at other times than of side 0. */
static bool finish(struct pair *p, unsigned i, struct ref_random random)
{
	struct rig *r = p->rig[i];
	random.state += i;
	for (unsigned n = 0; n < SLICES; n++) {
		if (rig_finish(r, 1 + ref_below(&random, ref_below(&random, 8) ? 40000 : 100)))
			return true;
		mmu_invalidate(r->mmu, ref_below(&random, 2) ? MMU_ASID : MMU_ALL, RIG_ASID, 0);
	}
	return rig_finish(r, CYCLES);
}

static bool side_run(struct pair *p, unsigned i, const struct kernel *k, struct ref_random memory)
{
	struct rig *r = p->rig[i];
	const struct rig_range range = { .global = { k->local * k->groups }, .local = { (uint16_t)k->local }, .local_bytes = k->local * KERNEL_LOCAL,
					 .private_bytes = KERNEL_PRIVATE, .kernarg = memory_va };
	kernel_memory(k, memory, p->memory[i]);
	memcpy(p->code[i], k->words, k->count * 4);
	compute_flush_code(r->compute, r->now);
	const bool ended = !rig_start(r, 0, pair_code_va, &range) && finish(p, i, memory);
	if (!ended || r->ends[0].faulted) {
		fprintf(stderr, "lockstep: side %c: the kernel %s\n", 'A' + (int)i, r->ends[0].faulted ? fault_name(r->ends[0].fault.code) : "does not end");
		return false;
	}
	return true;
}

bool pair_run(struct pair *p, const struct kernel *k, struct ref_random memory)
{
	const bool ended = side_run(p, 0, k, memory) & side_run(p, 1, k, memory);
	const bool same = lockstep_settled(p->lockstep);
	if (!ended || !same)
		return false;
	if (!memcmp(p->memory[0], p->memory[1], kernel_bytes(k)))
		return true;
	fprintf(stderr, "lockstep: the same events, but memory differs\n");
	return false;
}

void kernel_print(const struct kernel *k)
{
	fprintf(stderr, "%u work-groups of %u work-items:\n", k->groups, k->local);
	for (unsigned i = 0; i < k->count; i++) {
		char text[80];
		insn_disassemble(k->words[i], pair_code_va + i * 4, text, sizeof text);
		fprintf(stderr, "%#llx: %08x  %s\n", (unsigned long long)(pair_code_va + i * 4), k->words[i], text);
	}
}
