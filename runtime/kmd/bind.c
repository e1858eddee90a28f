/* Ranges of an address space, bound to parts of buffer objects apart from the object's own address: in the same space, or in another of the
 * file. A binding is an object without memory of its own. */
#include "runtime/kmd/driver.h"

static struct bo *binding_at(const struct vm *s, uint64_t va)
{
	struct bo *bo = s->bos;
	while (bo && !(bo->of && !bo->closed && bo->va == va))
		bo = bo->next;
	return bo;
}

static void unbind(struct bo *binding)
{
	binding->closed = true;
	bo_release_locked(binding);
}

void vm_unbind_all(struct vm *s)
{
	vm_ref(s); /* the last object may take it along */
	for (struct bo *bo = s->bos; bo;) {
		if (!bo->of || bo->closed) {
			bo = bo->next;
			continue;
		}
		unbind(bo);
		bo = s->bos; /* others may have gone with it */
	}
	vm_unref(s);
}

void bo_close(struct bo *bo)
{
	bo->closed = true;
	if (!bo->bindings)
		bo_release_locked(bo);
}

void binding_gone(struct bo *owner)
{
	if (!--owner->bindings && owner->closed)
		bo_release_locked(owner);
}

static int bind(struct vm *s, struct bo *owner, struct kmd_bind *a)
{
	enum { KEPT_FLAGS = KMD_BO_DRAM | KMD_BO_PROTECTED | KMD_BO_UNCACHED | KMD_BO_EXECUTE | KMD_BO_READ_ONLY | KMD_BO_CONSISTENT };
	const struct bo as = { .vm = s, .of = owner, .size = a->size, .pages = a->size / GALENA_PAGE_SIZE, .device = owner->device, .how = owner->how,
			       .flags = (owner->flags & KEPT_FLAGS) | a->flags, .host = owner->host ? owner->host + a->offset : NULL,
			       .dram = owner->dram + a->offset, .fixed_va = a->va };
	struct bo *bo;
	int error = bo_place(&as, &bo);
	if (error)
		return error;
	owner->bindings++;
	a->va = bo->va;
	return 0;
}

int ioctl_vm_bind(struct file *f, struct kmd_bind *a)
{
	const uint64_t last = VA_HEAP_BASE + VA_HEAP_SIZE;
	if ((a->offset | a->size | a->va) % GALENA_PAGE_SIZE || !a->size || a->flags & ~(uint32_t)KMD_BO_READ_ONLY ||
	    (a->va && (a->va < VA_HEAP_BASE || a->va >= last || a->size > last - a->va)))
		return KMD_INVALID;
	HOLDING_FILE(f);
	struct vm *s = handle_get(f, a->vm, HANDLE_VM);
	struct bo *owner = handle_get(f, a->bo, HANDLE_BO);
	if (!s || !owner)
		return KMD_BAD_HANDLE;
	const uint64_t room = owner->pages * GALENA_PAGE_SIZE;
	if (owner->num_parts || a->offset > room || a->size > room - a->offset)
		return KMD_INVALID;
	int error = bo_pressure(f, a->retry);
	if (!error)
		error = bind(s, owner, a);
	if (error != KMD_EXISTS || a->retry)
		return error;
	flush_all(f); /* what was there may only wait for its commands */
	return KMD_AGAIN;
}

int ioctl_vm_unbind(struct file *f, struct kmd_unbind *a)
{
	HOLDING_FILE(f);
	struct vm *s = handle_get(f, a->vm, HANDLE_VM);
	struct bo *binding = s ? binding_at(s, a->va) : NULL;
	if (binding)
		unbind(binding);
	return !s ? KMD_BAD_HANDLE : binding ? 0 : KMD_INVALID;
}
