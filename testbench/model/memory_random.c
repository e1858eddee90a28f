/* Random work on the memory system against a predictor that knows nothing of TLBs: address spaces whose
 * pages are mapped, moved, unmapped, joined to 2 MiB pages and split, invalidated or not; accesses of
 * several units, of jobs that are protected or not; DMA copies; pages pinned and unpinned; protected
 * regions that come and go; injected parity and walk errors. What a page may show after a change is its
 * new self, or one it had since it was last invalidated, and nothing else. */
#include "testbench/model/memory_predict.h"

/* ---- operations of the driver ---- */

static uint16_t asid(unsigned space) { return (uint16_t)(space ? space * 13107 : 7); }

static void invalidate_page(struct world *w, const struct place *p)
{
	mmu_invalidate(w->mmu, MMU_PAGE, asid(p->space), p->va + random_below(4096));
	page_settle(place_page(w, p));
	/* whatever was a piece of a 2 MiB page goes with it, and tables are read anew */
	for (unsigned i = 0; i < SLOTS; i++) {
		struct page *page = &w->space[p->space].region[p->region].page[i];
		unsigned kept = 0;

		for (unsigned k = 0; k < page->olds; k++)
			if (!page->old[k].huge)
				page->old[kept++] = page->old[k];
		page->olds = kept;
	}
}

static void invalidate_space(struct world *w, unsigned s)
{
	mmu_invalidate(w->mmu, MMU_ASID, asid(s), random_next());
	for (unsigned r = 0; r < REGIONS; r++)
		for (unsigned i = 0; i < SLOTS; i++)
			page_settle(&w->space[s].region[r].page[i]);
}

static void settle_all(struct world *w)
{
	for (unsigned s = 0; s < SPACES; s++)
		for (unsigned r = 0; r < REGIONS; r++)
			for (unsigned i = 0; i < SLOTS; i++)
				page_settle(&w->space[s].region[r].page[i]);
}

static void invalidate_all(struct world *w)
{
	mmu_invalidate(w->mmu, MMU_ALL, (uint16_t)random_next(), random_next());
	settle_all(w);
}

static uint64_t random_bits(void)
{
	static const uint64_t kinds[] = { PTE_R, PTE_R | PTE_W, PTE_R | PTE_W, PTE_R | PTE_W | PTE_X, PTE_X, PTE_R | PTE_X };
	uint64_t bits = PTE_V | PTE_U | kinds[random_below(6)];

	if (chance(8))
		return 0;
	if (chance(3))
		bits &= ~PTE_U;
	if (chance(10))
		bits |= PTE_PROTECTED;
	if (chance(10))
		bits |= PTE_UNCACHED | PTE_A | PTE_D;
	if (chance(1))
		bits |= 1ull << (54 + random_below(10));
	if (chance(1))
		bits = PTE_V | PTE_U | PTE_W;
	return bits;
}

/* No page may have more former selves than are kept. */
static void room_make(struct world *w, unsigned s, const struct region *r)
{
	for (unsigned i = 0; i < SLOTS; i++)
		if (r->page[i].olds == OLD) {
			invalidate_space(w, s);
			return;
		}
}

static void huge_show(struct region *r, unsigned block, uint64_t bits, bool tables)
{
	bool skew = chance(4); /* not at a multiple of 2 MiB: malformed */

	*r->word = pte_make(DRAM_BASE + (uint64_t)block * (2 << 20) + (skew ? 4096 : 0), bits);
	if (skew)
		bits |= BITS_BAD;
	for (unsigned i = 0; i < SLOTS; i++)
		page_change(&r->page[i], (struct self){ bits, block * SLOTS + i, false, true }, tables);
}

static void small_show(struct region *r)
{
	*r->word = pte_make(r->table_pa, PTE_V);
	for (unsigned i = 0; i < SLOTS; i++)
		page_change(&r->page[i], r->page[i].small, true);
}

/* Where device caches are not coherent, a page is either always held in them or never. */
static uint64_t bits_for(const struct world *w, unsigned phys, uint64_t bits)
{
	if (!w->m.cache || !bits)
		return bits;
	return phys % 4 ? bits & ~(uint64_t)PTE_UNCACHED : bits | PTE_UNCACHED;
}

static void op_map(struct world *w)
{
	struct place p = place_random(w);
	struct region *r = &w->space[p.space].region[p.region];
	struct page *page = &r->page[p.slot];
	struct self s = { random_bits(), (unsigned)random_below(PHYS), false, false };

	room_make(w, p.space, r);
	if (r->huge) {
		/* an entry of level 1 that has no R or X is a table: not here */
		if (!(s.bits & (PTE_R | PTE_X)))
			s.bits = 0;
		huge_show(r, (unsigned)random_below(BLOCKS), s.bits, false);
		if (chance(30))
			invalidate_space(w, p.space);
		return;
	}
	if (chance(2))
		s.phys = NOWHERE;
	if (chance(30)) /* other rights alone */
		s.phys = page->now.phys;
	s.bits = bits_for(w, s.phys, s.bits);
	r->table[slot_page[p.slot]] = pte_make(phys_pa(w, s.phys), s.bits);
	page->small = s;
	page_change(page, s, false);
	if (chance(40))
		invalidate_page(w, &p);
}

/* A 2 MiB page becomes a table, or the other way round. */
static void op_join(struct world *w)
{
	unsigned s = (unsigned)random_below(SPACES);
	struct region *r = &w->space[s].region[random_below(REGIONS)];
	uint64_t bits = random_bits() | PTE_R;

	room_make(w, s, r);
	r->huge = !r->huge;
	if (r->huge)
		huge_show(r, (unsigned)random_below(BLOCKS), bits, true);
	else
		small_show(r);
	if (chance(50))
		invalidate_space(w, s);
}

/* An address space ends, or begins again. */
static void op_space(struct world *w)
{
	unsigned s = (unsigned)random_below(SPACES);
	struct space *p = &w->space[s];
	uint64_t *word;

	for (unsigned i = 0; i < SPACES; i++) /* one at a time */
		if (w->space[i].off)
			p = &w->space[s = i];
	word = (uint64_t *)(w->m.dram + (w->contexts - DRAM_BASE)) + asid(s);
	p->off = !p->off;
	*word = p->off ? 0 : p->context;
	invalidate_space(w, s);
}

static void op_pin(struct world *w)
{
	unsigned phys = DRAM_PHYS + (unsigned)random_below(DRAM_PHYS);

	if (w->m.cache) /* a dirty line whose page has gone is lost: not here */
		return;
	w->rights[phys] = chance(70) ? HOST_WRITE : (enum host_rights)random_below(3);
	host_pin(&w->h, (phys_pa(w, phys) - SYSTEM_BASE) >> 12, w->rights[phys]);
	mmu_check_generation(w->mmu);
}

/* The regions as they are now: pages that are protected no more read zero. */
static void regions_follow(struct world *w)
{
	for (unsigned i = 0; i < DRAM_PHYS; i++) {
		uint64_t pa = phys_pa(w, i);
		bool was = w->is_protected[i];

		w->is_protected[i] = false;
		for (unsigned n = 0; n < PROT_REGIONS; n++)
			w->is_protected[i] |= pa >= w->base[n] && pa < w->limit[n];
		if (was && !w->is_protected[i]) {
			memset(w->bytes[i], 0, 4096);
			w->scrubbed++;
		}
	}
}

static void op_protect(struct world *w)
{
	unsigned n = (unsigned)random_below(PROT_REGIONS);
	uint64_t base = phys_pa(w, (unsigned)random_below(DRAM_PHYS)), limit = base + (1 + random_below(300)) * 4096;
	bool changed;

	if (chance(4)) {
		prot_reset(&w->prot, w->now);
		memset(w->base, 0, sizeof(w->base));
		memset(w->limit, 0, sizeof(w->limit));
		regions_follow(w);
		invalidate_all(w);
		return;
	}
	if (chance(2))
		w->prot.locked = true;
	if (chance(40))
		base = limit = 0;
	changed = prot_region_set(&w->prot, n, base, limit, NULL, w->now);
	if (w->prot.locked) {
		assert_false(changed);
		return;
	}
	assert_int_equal(changed, base != w->base[n] || limit != w->limit[n]);
	w->base[n] = base;
	w->limit[n] = limit;
	regions_follow(w);
	if (changed)
		invalidate_all(w);
}

/* ---- operations of units ---- */

static unsigned unit_random(void)
{
	static const uint8_t units[] = { UNIT_CU, UNIT_CU, UNIT_CU + 1, UNIT_CU + 2, UNIT_DMA, UNIT_DMA + 1, UNIT_MEDIA };

	return units[random_below(sizeof(units))];
}

/* Whether a walk error was injected into the operation; before is what had happened before it. */
static bool injected(const struct world *w, uint64_t before, uint64_t parity)
{
	return w->inject.happened - before > mmu_counters(w->mmu)->parity - parity;
}

struct access_op {
	struct place place[2];
	unsigned pieces, offset, len; /* in the first page; the rest is in the second */
	bool job;
	unsigned unit;
	uint64_t refused, happened, parity;
};

static struct access_op access_random(struct world *w)
{
	struct access_op a = { .place[0] = place_random(w), .pieces = 1, .job = chance(25), .unit = unit_random() };
	unsigned rest;

	a.len = chance(90) ? 1 + (unsigned)random_below(16) : 1 + (unsigned)random_below(4096);
	a.offset = (unsigned)random_below(4096);
	if (chance(10))
		a.offset = 4096 - 1 - (unsigned)random_below(a.len < 4096 ? a.len : 4095);
	rest = 4096 - a.offset;
	a.place[1] = a.place[0];
	if (a.len > rest && place_next(&a.place[1]))
		a.pieces = 2;
	else if (a.len > rest)
		a.len = rest;
	a.refused = w->prot.refused;
	a.happened = w->inject.happened;
	a.parity = mmu_counters(w->mmu)->parity;
	return a;
}

/* The result is one that a self of the failing page gives; memory is what it was. */
static void fault_check(struct world *w, const struct access_op *a, const struct place *p, enum access access, enum fault f)
{
	const struct page *page = place_page(w, p);
	bool found = w->space[p->space].off ? f == FAULT_PAGE_NOT_PRESENT : false;

	for (unsigned i = 0; !w->space[p->space].off && i <= page->olds; i++)
		found |= access_predict(w, page_self(page, i), a->job, access) == f;
	found |= f == FAULT_PAGE_TABLE && injected(w, a->happened, a->parity);
	if (!found)
		fail_msg("operation %llu: space %u va %#llx job %d access %d unit %u: %d", LL(w->n), p->space, LL(p->va), a->job,
			 access, a->unit, f);
	w->faults[f]++;
	assert_int_equal(w->prot.refused - a->refused, f == FAULT_PROTECTED);
}

/* Which self the piece went to: for a read the one whose bytes came, for a write the one whose memory
 * has changed while the others' has not. */
static void piece_check(struct world *w, const struct access_op *a, const struct place *p, enum access access,
			unsigned offset, const uint8_t *data, unsigned n)
{
	const struct page *page = place_page(w, p);
	int found = -1;

	for (unsigned i = 0; !w->space[p->space].off && found < 0 && i <= page->olds; i++) {
		const struct self *s = page_self(page, i);
		bool ok = access_predict(w, s, a->job, access) == FAULT_NONE;

		if (ok && access == ACCESS_READ)
			ok = !memcmp(w->bytes[s->phys] + offset, data, n);
		for (unsigned k = 0; ok && access == ACCESS_WRITE && k <= page->olds; k++) {
			unsigned phys = page_self(page, k)->phys;

			if (phys < PHYS)
				ok = !memcmp(phys_at(w, phys) + offset,
					     phys == s->phys ? data : w->bytes[phys] + offset, n);
		}
		if (ok)
			found = (int)i;
	}
	if (found < 0)
		fail_msg("operation %llu: space %u va %#llx + %u, %u bytes, job %d access %d unit %u: not what it should be",
			 LL(w->n), p->space, LL(p->va), offset, n, a->job, access, a->unit);
	if (access == ACCESS_WRITE)
		memcpy(w->bytes[page_self(page, (unsigned)found)->phys] + offset, data, n);
	w->stale += found > 0;
	w->fresh += page->olds && !found;
	w->huge += w->space[p->space].region[p->region].huge;
}

static void op_access(struct world *w, bool write)
{
	struct access_op a = access_random(w);
	enum access access = write ? ACCESS_WRITE : ACCESS_READ;
	uint32_t space = asid(a.place[0].space) | (a.job ? SPACE_PROTECTED : 0);
	uint64_t va = a.place[0].va + a.offset, bad = 0;
	static uint8_t data[4096], untouched[4096];
	unsigned first = a.pieces == 2 ? 4096 - a.offset : a.len;
	enum fault f;

	for (unsigned i = 0; i < a.len; i++)
		data[i] = (uint8_t)(random_state >> (i & 31)) ^ (uint8_t)(i * 7);
	(void)random_next();
	if (write) {
		f = mmu_write(w->mmu, a.unit, space, va, data, a.len, &bad);
	} else {
		memcpy(untouched, data, a.len);
		f = mmu_read(w->mmu, a.unit, space, va, data, a.len, &bad);
	}
	w->crossed += a.pieces == 2;
	if (f && bad == va) {
		fault_check(w, &a, &a.place[0], access, f);
		if (!write)
			assert_memory_equal(data, untouched, a.len);
		return;
	}
	piece_check(w, &a, &a.place[0], access, a.offset, data, first);
	if (a.pieces == 1) {
		assert_int_equal(f, FAULT_NONE);
		assert_int_equal(w->prot.refused, a.refused);
		return;
	}
	if (f) {
		assert_int_equal(bad, a.place[1].va);
		fault_check(w, &a, &a.place[1], access, f);
		if (!write)
			assert_memory_equal(data + first, untouched + first, a.len - first);
		return;
	}
	piece_check(w, &a, &a.place[1], access, 0, data + first, a.len - first);
	assert_int_equal(w->prot.refused, a.refused);
}

/* Any kind of access, and what a unit may do with the entry that it gets. */
static void op_translate(struct world *w)
{
	struct access_op a = access_random(w);
	struct place *p = &a.place[0];
	const struct page *page = place_page(w, p);
	enum access access = (enum access)random_below(4);
	const struct tlb_entry *e = NULL;
	bool found = w->space[p->space].off;
	uint32_t cycles;
	enum fault f = mmu_translate(w->mmu, a.unit, asid(p->space) | (a.job ? SPACE_PROTECTED : 0), p->va + a.offset,
				     access, w->now, &e, &cycles);

	if (f && injected(w, a.happened, a.parity) && f == FAULT_PAGE_TABLE)
		return;
	if (found)
		assert_int_equal(f, FAULT_PAGE_NOT_PRESENT);
	for (unsigned i = 0; !found && i <= page->olds; i++) {
		const struct self *s = page_self(page, i);

		if (translate_predict(w, s, a.job, access) != f || (!f && e->pa != phys_pa(w, s->phys)))
			continue;
		if (!f && e->cached != (w->m.cache && e->pa >= SYSTEM_BASE && !(s->bits & PTE_UNCACHED)))
			continue;
		if (!f && e->read)
			found = e->read == phys_at(w, s->phys) && (a.job || !w->is_protected[s->phys]);
		else
			found = f || s->phys == NOWHERE || w->rights[s->phys] == HOST_UNPINNED ||
				w->m.sys.observed || e->cached;
		if (found && !f && e->write)
			found = e->write == e->read && !access_predict(w, s, a.job, ACCESS_WRITE);
	}
	if (!found)
		fail_msg("operation %llu: space %u va %#llx job %d access %d unit %u: %d, pa %#llx", LL(w->n), p->space,
			 LL(p->va), a.job, access, a.unit, f, LL(f ? 0 : e->pa));
	w->faults[f]++;
	assert_int_equal(w->prot.refused - a.refused, f == FAULT_PROTECTED);
}

/* The command processor, which knows no translation. */
static void op_physical(struct world *w)
{
	unsigned phys = (unsigned)random_below(w->m.cache ? DRAM_PHYS : PHYS), offset = (unsigned)random_below(512) * 8;
	uint64_t v = random_next(), got = 0, pa = phys_pa(w, phys) + offset;
	bool store = chance(50);
	enum fault f = store ? physmem_store(&w->m, UNIT_CP, pa, &v, 8, w->now) :
			       physmem_load(&w->m, UNIT_CP, pa, &got, 8, w->now);
	enum fault expected = w->is_protected[phys]					       ? FAULT_PROTECTED :
			      w->rights[phys] < (store ? HOST_WRITE : HOST_READ) ? FAULT_BUS_ERROR :
										       FAULT_NONE;

	assert_int_equal(f, expected);
	if (f)
		assert_int_equal(got, 0);
	else if (store)
		memcpy(w->bytes[phys] + offset, &v, 8);
	else
		assert_memory_equal(&got, w->bytes[phys] + offset, 8);
}

/* ---- DMA ---- */

static void on_done(void *ctx, const struct dma_result *r, uint64_t cycle)
{
	struct world *w = ctx;

	(void)cycle;
	assert_int_equal(r->slot, 3);
	w->result = *r;
	w->done = true;
}

enum { COPY_PAGES = 3 };

/* A side of a copy: pages in a row, each with one self. */
struct side {
	struct place place[COPY_PAGES];
	unsigned pages, offset;
};

static struct side side_random(struct world *w, unsigned space)
{
	struct side s = { .place[0] = place_random(w), .pages = 1, .offset = (unsigned)random_below(4096) };

	s.place[0] = place_make(space, s.place[0].region, s.place[0].slot);
	for (; s.pages < COPY_PAGES; s.pages++) {
		s.place[s.pages] = s.place[s.pages - 1];
		if (!place_next(&s.place[s.pages]))
			break;
	}
	for (unsigned i = 0; i < s.pages; i++)
		if (place_page(w, &s.place[i])->olds)
			invalidate_page(w, &s.place[i]);
	return s;
}

/* No byte of memory stands for two bytes of the copy, but where the boxes themselves overlap. */
static bool sides_apart(struct world *w, const struct side *a, const struct side *b)
{
	const struct place *all[2 * COPY_PAGES];
	unsigned n = 0;

	for (unsigned i = 0; i < a->pages; i++)
		all[n++] = &a->place[i];
	for (unsigned i = 0; i < b->pages; i++)
		all[n++] = &b->place[i];
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			if (all[i]->va != all[k]->va && place_page(w, all[i])->now.phys == place_page(w, all[k])->now.phys)
				return false;
	return true;
}

static const struct self *byte_self(struct world *w, const struct side *s, unsigned i)
{
	return &place_page(w, &s->place[(s->offset + i) / 4096])->now;
}

/* One byte of a copy: both sides are translated before either is accessed. */
static enum fault byte_predict(struct world *w, const struct side *src, const struct side *dst, unsigned i, bool job,
			       enum access *access)
{
	const struct self *from = byte_self(w, src, i), *to = byte_self(w, dst, i);
	enum fault f = w->space[src->place[0].space].off ? FAULT_PAGE_NOT_PRESENT : FAULT_NONE;

	*access = ACCESS_READ;
	if (!f)
		f = translate_predict(w, from, job, ACCESS_READ);
	if (f)
		return f;
	*access = ACCESS_WRITE;
	f = translate_predict(w, to, job, ACCESS_WRITE);
	if (f)
		return f;
	*access = ACCESS_READ;
	f = access_predict(w, from, job, ACCESS_READ);
	if (f)
		return f;
	*access = ACCESS_WRITE;
	return access_predict(w, to, job, ACCESS_WRITE);
}

static uint8_t *byte_at(struct world *w, const struct side *s, unsigned i)
{
	return w->bytes[byte_self(w, s, i)->phys] + (s->offset + i) % 4096;
}

static uint64_t byte_va(const struct side *s, unsigned i) { return s->place[0].va + s->offset + i; }

/* A copy in a row, of up to three pages: all of it, or up to the first byte, in the order in which it
 * goes, that cannot be read or written. */
static void op_copy(struct world *w)
{
	unsigned space = (unsigned)random_below(SPACES), len, i = 0;
	struct side src = side_random(w, space), dst = side_random(w, space);
	bool job = chance(25), backward;
	static uint8_t before[COPY_PAGES * 4096];
	uint64_t refused, happened = w->inject.happened, parity = mmu_counters(w->mmu)->parity;
	enum access access = ACCESS_READ;
	enum fault f = FAULT_NONE;
	union packet p;

	if (!sides_apart(w, &src, &dst))
		return;
	len = 4096 * src.pages - src.offset;
	if (len > 4096 * dst.pages - dst.offset)
		len = 4096 * dst.pages - dst.offset;
	len = 1 + (unsigned)random_below(len);
	backward = byte_va(&dst, 0) > byte_va(&src, 0) && byte_va(&dst, 0) < byte_va(&src, len);
	p.copy = (struct packet_copy){ .head.type = PACKET_CODE_copy,
				       .src = byte_va(&src, 0),
				       .dst = byte_va(&dst, 0),
				       .width = len,
				       .height = 1,
				       .depth = 1 };
	for (unsigned k = 0; k < len; k++)
		before[k] = byte_self(w, &src, k)->phys < PHYS ? *byte_at(w, &src, k) : 0;
	refused = w->prot.refused;
	w->done = false;
	dma_start(w->dma, &(struct dma_start){ .slot = 3, .packet = p, .space = asid(space) | (job ? SPACE_PROTECTED : 0) }, w->now);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_true(w->done);
	w->now = w->result.end;
	for (i = 0; i < len; i++) {
		unsigned k = backward ? len - 1 - i : i;

		f = byte_predict(w, &src, &dst, k, job, &access);
		if (f || i == w->result.progress)
			break;
		*byte_at(w, &dst, k) = before[k];
	}
	w->copies++;
	if (w->result.code == FAULT_PAGE_TABLE && injected(w, happened, parity))
		return; /* progress says how far it got; memory is compared */
	assert_int_equal(w->result.progress, i);
	assert_int_equal(w->result.code, f);
	assert_int_equal(w->prot.refused - refused, f == FAULT_PROTECTED);
	if (!f)
		return;
	w->cut += i > 0;
	w->faults[f]++;
	assert_int_equal(w->result.access, access);
	assert_int_equal(w->result.address, byte_va(access == ACCESS_READ ? &src : &dst, backward ? len - 1 - i : i));
	assert_int_equal(w->result.unit, UNIT_DMA);
}

/* ---- the run ---- */

static void memory_compare(struct world *w)
{
	for (unsigned i = 0; i < PHYS; i++)
		if (memcmp(phys_at(w, i), w->bytes[i], 4096))
			fail_msg("operation %llu: page %#llx is not what was written", LL(w->n), LL(phys_pa(w, i)));
}

static void region_init(struct world *w, unsigned s, unsigned n)
{
	struct region *r = &w->space[s].region[n];

	r->word = table_entry(&w->h, w->space[s].context & ~1ull, 0, region_va[n], 1);
	r->table_pa = host_page(&w->h);
	r->table = host_at(&w->h, r->table_pa);
	*r->word = pte_make(r->table_pa, PTE_V);
	for (unsigned i = 0; i < SLOTS; i++) {
		struct self self = { PTE_RW, (unsigned)random_below(PHYS), false, false };

		self.bits = bits_for(w, self.phys, self.bits);
		r->table[slot_page[i]] = pte_make(phys_pa(w, self.phys), self.bits);
		r->page[i].now = r->page[i].small = self;
	}
}

static struct world *world_create(const char *config, enum bus_speed speed, bool observed, bool coherent)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, observed);
	struct device_config *c = &w->config;
	bool failed;

	assert_int_equal(physmem_init(&w->m, 16 << 20, &sys), 0);
	w->config = *device_config_find(config);
	w->config.coherent = coherent;
	w->m.cache = cache_create(c, &w->m, NULL, &failed);
	assert_false(failed);
	prot_init(&w->prot, &w->m, NULL);
	inject_init(&w->inject, NULL);
	w->m.prot = &w->prot;
	w->m.inject = &w->inject;
	w->l2 = l2_create(c, speed);
	w->mmu = mmu_create(c, &w->m, w->l2);
	w->dma = dma_create(&(struct dma_params){ .config = c,
						  .speed = speed,
						  .mem = &w->m,
						  .mmu = w->mmu,
						  .l2 = w->l2,
						  .result = on_done,
						  .ctx = w });
	for (unsigned i = 0; i < PHYS; i++) {
		if (i >= DRAM_PHYS)
			w->system[i - DRAM_PHYS] = host_page(&w->h);
		w->rights[i] = HOST_WRITE;
		for (unsigned b = 0; b < 4096; b++)
			w->bytes[i][b] = (uint8_t)random_next();
		memcpy(phys_at(w, i), w->bytes[i], 4096);
	}
	/* a context for each of the 65536 address spaces, behind the pages that hold data */
	w->contexts = DRAM_BASE + (12 << 20);
	for (unsigned s = 0; s < SPACES; s++) {
		uint64_t own = host_page(&w->h); /* a context table of one entry, for table_entry */

		*table_word(&w->h, own, 0) = host_page(&w->h) | 1;
		w->space[s].context = own | 1;
		for (unsigned r = 0; r < REGIONS; r++)
			region_init(w, s, r);
		w->space[s].context = *table_word(&w->h, own, 0);
		memcpy(w->m.dram + (12 << 20) + asid(s) * 8ull, &w->space[s].context, 8);
	}
	mmu_set_context_table(w->mmu, w->contexts);
	mmu_check_generation(w->mmu);
	return w;
}

static void world_destroy(struct world *w)
{
	dma_destroy(w->dma);
	cache_destroy(w->m.cache);
	mmu_destroy(w->mmu);
	l2_destroy(w->l2);
	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
}

static void op_driver(struct world *w)
{
	struct place p = place_random(w);

	switch (random_below(64)) {
	case 0: case 1: case 2: op_join(w); break;
	case 3: case 14: op_space(w); break;
	case 4: case 5: case 6: op_pin(w); break;
	case 7: case 8: op_protect(w); break;
	case 9: invalidate_all(w); break;
	case 10: case 11: invalidate_space(w, p.space); break;
	case 12: inject_arm(&w->inject, INJECT_TLB_PARITY, 1 + (uint32_t)random_below(20), INJECT_ANY_UNIT, 0, w->now); break;
	case 13: inject_arm(&w->inject, INJECT_WALK_ERROR, 1 + (uint32_t)random_below(20), unit_random(), 0, w->now); break;
	default:
		if (chance(75))
			op_map(w);
		else
			invalidate_page(w, &p);
	}
}

static void run(const char *config, enum bus_speed speed, bool observed, bool coherent, uint64_t operations)
{
	struct world *w = world_create(config, speed, observed, coherent);

	for (w->n = 1; w->n <= operations; w->n++) {
		unsigned what = (unsigned)random_below(100);

		if (w->n % 100 == 1)
			for (unsigned i = 0; i < HOT; i++)
				w->hot[i] = place_make((unsigned)random_below(SPACES), (unsigned)random_below(REGIONS),
						       (unsigned)random_below(SLOTS));
		w->now += 1 + random_below(200);
		mmu_set_time(w->mmu, w->now);
		if (what < 10)
			op_driver(w);
		else if (what < 13)
			op_copy(w);
		else if (what < 18)
			op_translate(w);
		else if (what < 22)
			op_physical(w);
		else
			op_access(w, what < 60);
		if (w->n % 20000 == 0)
			memory_compare(w);
	}
	memory_compare(w);
	printf("# %s: %llu operations, %llu of old translations, %llu of new ones beside old, %llu in 2 MiB pages, "
	       "%llu across pages, %llu copies, %llu cut short, %llu pages scrubbed, %llu entries of bad parity; faults:",
	       config, LL(operations), LL(w->stale), LL(w->fresh), LL(w->huge), LL(w->crossed), LL(w->copies), LL(w->cut),
	       LL(w->scrubbed), LL(mmu_counters(w->mmu)->parity));
	for (int f = 1; f < 32; f++)
		if (w->faults[f])
			printf(" %s %llu", fault_name(f), LL(w->faults[f]));
	printf("\n");
	assert_true(w->stale && w->fresh && w->huge && w->crossed && w->copies && w->cut && w->scrubbed);
	assert_true(mmu_counters(w->mmu)->parity);
	static const enum fault reached[] = { FAULT_PAGE_NOT_PRESENT, FAULT_PAGE_READ,	FAULT_PAGE_WRITE, FAULT_PAGE_EXEC,
					      FAULT_PAGE_TABLE,	      FAULT_BUS_ERROR, FAULT_PROTECTED };
	for (unsigned i = 0; i < sizeof(reached) / sizeof(*reached); i++)
		assert_true(w->faults[reached[i]]);
	world_destroy(w);
}

static void test_mini(void **state)
{
	(void)state;
	run("mini", BUS_TIMED, false, true, 1000000);
}

static void test_full(void **state)
{
	(void)state;
	run("full", BUS_FUNCTIONAL, false, true, 300000);
}

static void test_observed(void **state)
{
	(void)state;
	run("mini", BUS_FUNCTIONAL, true, true, 200000);
}

static void test_not_coherent(void **state)
{
	(void)state;
	run("mini", BUS_TIMED, false, false, 300000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mini),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_observed),
		cmocka_unit_test(test_not_coherent),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
