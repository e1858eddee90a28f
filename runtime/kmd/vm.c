/* Address spaces: an identifier, a root table, an entry in the context table of all devices. */
#include "runtime/kmd/driver.h"
#include "base/list.h"
#include <stdlib.h>

enum { MAX_ASID = PT_ASID_MAX };

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

static void apply_create(struct driver *d, struct work *work)
{
	struct vm *s = work_owner(work, struct vm, create);
	struct pt_node *root = s->root;
	if (root->page.dirty)
		for (unsigned i = 0; i < GALENA_PAGE_SIZE / 8; i++)
			((volatile uint64_t *)root->page.host)[i] = 0;
	root->linked = true;
	d->context_table[s->asid] = pin_pa(root->page.number) | CONTEXT_VALID;
}

int ioctl_vm_create(struct file *f, struct kmd_vm *a)
{
	struct driver *d = f->driver;
	int error = KMD_NO_MEMORY;
	struct vm *s = calloc(1, sizeof *s);
	if (!s)
		return KMD_NO_MEMORY;
	s->driver = d;
	s->file = f;
	s->refs = 1;
	if (extents_init(&s->va, VA_HEAP_BASE, VA_HEAP_SIZE)) {
		free(s);
		return KMD_NO_MEMORY;
	}
	HOLDING_FILE(f);
	if (pagetable_prepare(d, s, VA_HEAP_BASE, GALENA_PAGE_SIZE, false))
		goto err_tables;
	s->asid = asid_take(d);
	if (!s->asid) {
		error = KMD_NO_DEVICE_MEMORY;
		goto err_tables;
	}
	a->vm = handle_new(f, HANDLE_VM, s);
	if (!a->vm)
		goto err_asid;
	f->objects++;
	LIST_PUSH(d->spaces, s, prev, next);
	s->create.apply = apply_create;
	work_queue(f, &s->create);
	return 0;
err_asid:
	d->asids[s->asid / 64] &= ~(1ull << (s->asid % 64));
err_tables:
	pagetable_give_back(d, s->root, PT_LEVELS - 1);
	pagetable_free(s->root, PT_LEVELS - 1);
	extents_fini(&s->va);
	free(s);
	return error;
}

void vm_ref(struct vm *s) { s->refs++; }

static void apply_destroy(struct driver *d, struct work *work)
{
	struct vm *s = work_owner(work, struct vm, destroy);
	d->context_table[s->asid] = 0;
	for (unsigned i = 0; i < d->num_devices; i++) {
		if ((s->devices >> i & 1) && !d->devices[i].lost)
			bus_write32(d->devices[i].bus, REG_HOST_TLB_INV, 1u << REG_HOST_TLB_INV_SCOPE_LSB | s->asid);
	}
	pagetable_free(s->root, PT_LEVELS - 1);
	HOLDING_DRIVER(d);
	s->file->objects--;
	free(s);
}

void vm_unref(struct vm *s)
{
	struct driver *d = s->driver;
	if (--s->refs)
		return;
	LIST_DROP(d->spaces, s, prev, next);
	/* what is given back here is reused only by work items that come after this one */
	d->asids[s->asid / 64] &= ~(1ull << (s->asid % 64));
	pagetable_give_back(d, s->root, PT_LEVELS - 1);
	extents_fini(&s->va);
	s->destroy.apply = apply_destroy;
	work_queue(s->file, &s->destroy);
}

void vm_close(struct vm *s)
{
	vm_unbind_all(s);
	vm_unref(s);
}

int ioctl_vm_close(struct file *f, struct kmd_vm *a)
{
	HOLDING_FILE(f);
	struct vm *s = handle_take(f, a->vm, HANDLE_VM);
	if (s)
		vm_close(s);
	return s ? 0 : KMD_BAD_HANDLE;
}
