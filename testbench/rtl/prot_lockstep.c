#include "testbench/rtl/prot_lockstep.h"
#include "model/prot/protection.h"
#include "rtl/shim/prot_shim.h"
#include "testbench/model/fixture.h"
#include <inttypes.h>

enum { PAGE = 4096, MOST_BYTES = 511, MOST_PAGES = 24 };

struct lockstep {
	uint64_t random, cycle;
	struct host host;
	struct physmem mem;
	struct prot model;
	struct prot_shim *shim;
	bool clearing;
	struct prot_lockstep_result *result;
};

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	va_list args;
	int n;

	if (l->result->text[0])
		return;
	n = snprintf(l->result->text, sizeof(l->result->text), "cycle %" PRIu64 ": ", l->cycle);
	va_start(args, format);
	vsnprintf(l->result->text + n, sizeof(l->result->text) - (size_t)n, format, args);
	va_end(args);
}

/* A border of a region: within DRAM, mostly, and not always at a page. */
static uint64_t random_border(struct lockstep *l)
{
	static const uint64_t far[] = { 0, SYSTEM_BASE, DRAM_BASE - PAGE, UINT64_MAX, 1ull << 63 };

	if (!below(l, 16))
		return far[below(l, sizeof(far) / sizeof(*far))];
	return DRAM_BASE + below(l, MOST_PAGES + 3) * PAGE + (below(l, 4) ? 0 : below(l, PAGE));
}

/* Near a border of a region that is in force, or of DRAM, or anywhere. */
static uint64_t random_address(struct lockstep *l)
{
	const unsigned n = (unsigned)below(l, PROT_REGIONS);
	const uint64_t near[] = { l->model.region[n].base, l->model.region[n].limit, l->model.region[PROT_REGIONS].base,
				  l->model.region[PROT_REGIONS].limit, DRAM_BASE, DRAM_BASE + l->mem.dram_size, DRAM_BASE + below(l, MOST_PAGES) * PAGE,
				  SYSTEM_BASE, 0 };
	const uint64_t at = near[below(l, sizeof(near) / sizeof(*near))];

	switch (below(l, 4)) {
	case 0:
		return at;
	case 1:
		return at - 1 - below(l, MOST_BYTES);
	case 2:
		return at + below(l, PAGE);
	default:
		return below(l, 8) ? DRAM_BASE + below(l, MOST_PAGES * PAGE) : splitmix64(&l->random);
	}
}

static void offer(struct lockstep *l, struct prot_shim_in *in)
{
	in->dram_end = DRAM_BASE + l->mem.dram_size;
	in->cleared = l->clearing && below(l, 8) == 0;
	in->set.valid = !l->clearing && below(l, 8) == 0;
	in->set.region = (unsigned)below(l, PROT_REGIONS);
	in->set.base = random_border(l);
	in->set.limit = below(l, 8) ? in->set.base + below(l, 6) * PAGE : random_border(l);
	if (!below(l, 4)) { /* as it is */
		in->set.base = l->model.region[in->set.region].base;
		in->set.limit = l->model.region[in->set.region].limit + below(l, 2) * below(l, PAGE);
	}
	in->check.valid = below(l, 8);
	in->check.unit = (unsigned)below(l, 32);
	in->check.job = below(l, 2);
	in->check.access = (unsigned)below(l, 4);
	in->check.address = random_address(l);
	in->check.bytes = 1 + (unsigned)below(l, MOST_BYTES);
	if (in->check.job && in->check.bytes > PAGE - in->check.address % PAGE) /* page by page */
		in->check.bytes = (unsigned)(PAGE - in->check.address % PAGE);
	if (in->check.bytes - 1 > UINT64_MAX - in->check.address)
		in->check.bytes = 1;
}

static void compare_check(struct lockstep *l, const struct prot_shim_in *in, const struct prot_shim_out *out)
{
	struct prot_lockstep_result *r = l->result;
	const uint64_t before = l->model.refused;
	enum fault fault;

	if (out->verdict.valid != in->check.valid)
		differs(l, "verdict %d to access %d", out->verdict.valid, in->check.valid);
	if (!in->check.valid)
		return;
	fault = prot_check(&l->model, in->check.unit, in->check.job, in->check.address, in->check.bytes, (enum access)in->check.access, l->cycle);
	if (out->verdict.fault != fault || l->model.refused - before != (fault != FAULT_NONE))
		differs(l, "verdict %u, of the model %u: access %u of %u bytes at %" PRIx64 ", job %d", out->verdict.fault, fault, in->check.access,
			in->check.bytes, in->check.address, in->check.job);
	r->checks++;
	r->refused += fault != FAULT_NONE;
	r->of_jobs += fault != FAULT_NONE && in->check.job;
	r->two_pages += in->check.address % PAGE + in->check.bytes > PAGE;
	r->clearing += l->model.region[PROT_REGIONS].limit != 0;
}

static void cycle(struct lockstep *l)
{
	struct prot_shim_in in;
	struct prot_shim_out out;
	uint64_t cleared = 0;
	bool changes = false;

	if (!below(l, 4096)) {
		prot_reset(&l->model, l->cycle);
		prot_shim_reset(l->shim);
		l->clearing = false;
		l->result->resets++;
	}
	memset(&in, 0, sizeof(in));
	offer(l, &in);
	out = prot_shim_step(l->shim, &in);
	for (unsigned i = 0; i < PROT_REGIONS; i++)
		if (out.base[i] != l->model.region[i].base || out.limit[i] != l->model.region[i].limit)
			differs(l, "region %u from %" PRIx64 " to %" PRIx64 ", of the model %" PRIx64 " to %" PRIx64, i, out.base[i], out.limit[i],
				l->model.region[i].base, l->model.region[i].limit);
	compare_check(l, &in, &out);
	if (in.set.valid) {
		changes = prot_region_set(&l->model, in.set.region, in.set.base, in.set.limit, &cleared, l->cycle);
		l->clearing = changes; /* of nothing, perhaps */
		l->result->sets++;
		l->result->new_sets += changes;
	}
	if (out.changes != changes)
		differs(l, "a new setting: %d, of the model %d", out.changes, changes);
	if (in.cleared) {
		prot_cleared(&l->model);
		l->clearing = false;
	}
	l->cycle++;
}

void prot_lockstep_run(uint64_t seed, unsigned long checks, struct prot_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));
	struct bus_memory sys;

	assert_non_null(l);
	memset(r, 0, sizeof(*r));
	sys = host_init(&l->host, true);
	assert_int_equal(physmem_init(&l->mem, MOST_PAGES * PAGE, &sys), 0);
	prot_init(&l->model, &l->mem, NULL);
	l->random = seed;
	l->result = r;
	l->shim = prot_shim_create();
	assert_non_null(l->shim);
	prot_shim_reset(l->shim);
	while (r->checks < checks && !r->text[0])
		cycle(l);
	prot_shim_destroy(l->shim);
	physmem_fini(&l->mem);
	host_fini(&l->host);
	free(l);
}
