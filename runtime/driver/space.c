/* Address spaces: an identifier, a root table, an entry in the context table of all devices. */
#include "runtime/driver/internal.h"
#include "runtime/driver/probe.h"
#include <stdlib.h>

enum { MAX_ASID = 0xffff };

static uint16_t asid_take(struct driver *d)
{
	for (unsigned n = 1; n <= MAX_ASID; n++) {
		if (!(d->asids[n / 64] >> (n % 64) & 1)) {
			d->asids[n / 64] |= 1ull << (n % 64);
			return (uint16_t)n;
		}
	}
	return 0;
}

static void apply_create(struct driver *d, struct post *post)
{
	struct drv_space *s = post_owner(post, struct drv_space, create);
	struct pt_node *root = s->root;
	if (root->page.dirty)
		for (unsigned i = 0; i < GALENA_PAGE_SIZE / 8; i++)
			((volatile uint64_t *)root->page.host)[i] = 0;
	root->linked = true;
	d->context_table[s->asid] = pin_pa(root->page.number) | 1;
}

int drv_space_create(struct driver *d, struct drv_space **out)
{
	int error = DRV_NO_MEMORY;
	struct drv_space *s = calloc(1, sizeof *s);
	if (!s)
		return DRV_NO_MEMORY;
	s->driver = d;
	s->refs = 1;
	if (extents_init(&s->va, VA_HEAP_BASE, VA_HEAP_SIZE))
		goto err_free;
	driver_lock(d);
	if (pagetable_prepare(d, s, VA_HEAP_BASE, GALENA_PAGE_SIZE, false))
		goto err_tables;
	s->asid = asid_take(d);
	if (!s->asid) {
		pump_sync_locked(d); /* spaces that were given up may only wait for their commands to be seen ended */
		s->asid = asid_take(d);
	}
	if (!s->asid) {
		error = DRV_NO_DEVICE_MEMORY;
		goto err_tables;
	}
	s->next = d->spaces;
	if (s->next)
		s->next->prev = s;
	d->spaces = s;
	s->create.apply = apply_create;
	pump_post(d, &s->create, false);
	if (!d->thread_started) { /* now, not when an import or a flush needs them */
		pump_start_thread(d);
		probe_open();
	}
	pthread_mutex_unlock(&d->lock);
	*out = s;
	return 0;
err_tables:
	pagetable_give_back(d, s->root, PT_LEVELS - 1);
	pagetable_free(s->root, PT_LEVELS - 1);
	pthread_mutex_unlock(&d->lock);
	extents_fini(&s->va);
err_free:
	free(s);
	return error;
}

void space_ref(struct drv_space *s) { s->refs++; }

static void apply_destroy(struct driver *d, struct post *post)
{
	struct drv_space *s = post_owner(post, struct drv_space, destroy);
	d->context_table[s->asid] = 0;
	for (unsigned i = 0; i < d->num_devices; i++) {
		if ((s->devices >> i & 1) && !d->devices[i].lost)
			bus_write32(d->devices[i].bus, REG_HOST_TLB_INV, 1u << REG_HOST_TLB_INV_SCOPE_LSB | s->asid);
	}
	pagetable_free(s->root, PT_LEVELS - 1);
	free(s);
}

void space_unref(struct drv_space *s)
{
	struct driver *d = s->driver;
	if (--s->refs)
		return;
	if (s->prev)
		s->prev->next = s->next;
	else
		d->spaces = s->next;
	if (s->next)
		s->next->prev = s->prev;
	/* what is given back here is used anew only by posts that come after this one */
	d->asids[s->asid / 64] &= ~(1ull << (s->asid % 64));
	pagetable_give_back(d, s->root, PT_LEVELS - 1);
	extents_fini(&s->va);
	s->destroy.apply = apply_destroy;
	pump_post(d, &s->destroy, false);
}

void drv_space_release(struct drv_space *s)
{
	if (!s)
		return;
	struct driver *d = s->driver;
	driver_lock(d);
	space_unref(s);
	pthread_mutex_unlock(&d->lock);
}
