/* Address spaces and buffer objects. */
#include "base/probe.h"
#include "runtime/heap/heap_buffer.h"
#include "runtime/umd/internal.h"
#include <stdlib.h>

/* Repeats a request for an object until the driver has what it needs. */
static int request(struct umd *u, enum kmd_request request, void *arguments, uint32_t *retry)
{
	int error;
	COMPLETIONS_MAY_RUN();
	do
		error = kmd_ioctl(u->file, request, arguments);
	while (error && (error = umd_retry(u, error, retry)) == KMD_AGAIN);
	return error;
}

int umd_space_create(struct umd *u, struct umd_space **out)
{
	struct kmd_vm a = { 0 };
	struct umd_space *s = malloc(sizeof *s);
	uint32_t retry = 0;
	const int error = s ? request(u, KMD_VM_CREATE, &a, &retry) : KMD_NO_MEMORY;
	if (error) {
		free(s);
		return error;
	}
	*s = (struct umd_space){ u, a.vm };
	umd_start_thread(u); /* now, not when an import or a flush needs it */
	probe_open();
	*out = s;
	return 0;
}

void umd_space_release(struct umd_space *s)
{
	if (!s)
		return;
	kmd_ioctl(s->umd->file, KMD_VM_CLOSE, &(struct kmd_vm){ .vm = s->vm });
	free(s);
}

/* The object that a request makes, whose arguments say at bo, va and cpu what it is. */
static int object(struct umd_space *s, enum kmd_request name, void *arguments, uint32_t *retry, const uint32_t *bo, const uint64_t *va,
		  const uint64_t *cpu, uint64_t size, struct umd_bo **out)
{
	struct umd_bo *made = malloc(sizeof *made);
	const int error = made ? request(s->umd, name, arguments, retry) : KMD_NO_MEMORY;
	if (error) {
		free(made);
		return error;
	}
	*made = (struct umd_bo){ s->umd, *bo, *va, size, (void *)(uintptr_t)*cpu };
	*out = made;
	return 0;
}

static int create(struct umd_space *s, struct kmd_bo_create *a, struct umd_bo **out)
{
	a->vm = s->vm;
	return object(s, KMD_BO_CREATE, a, &a->retry, &a->bo, &a->va, &a->cpu, a->size, out);
}

int umd_bo_create(struct umd_space *s, unsigned device, uint64_t size, unsigned flags, struct umd_bo **out)
{
	return create(s, &(struct kmd_bo_create){ .device = device, .size = size, .flags = flags }, out);
}

int umd_bo_create_parts(struct umd_space *s, uint64_t size, const struct kmd_part *parts, unsigned count, struct umd_bo **out)
{
	if (!count)
		return KMD_INVALID;
	return create(s, &(struct kmd_bo_create){ .size = size, .parts = (uintptr_t)parts, .num_parts = count }, out);
}

int umd_bo_import(struct umd_space *s, void *ptr, uint64_t size, unsigned flags, struct umd_bo **out)
{
	struct kmd_bo_import_range a = { .vm = s->vm, .flags = flags, .address = (uintptr_t)ptr, .size = size };
	return object(s, KMD_BO_IMPORT_RANGE, &a, &a.retry, &a.bo, &a.va, &a.address, size, out);
}

static int import_fd(struct umd_space *s, struct kmd_bo_import_fd *a, struct umd_bo **out)
{
	a->vm = s->vm;
	return object(s, KMD_BO_IMPORT_FD, a, &a->retry, &a->bo, &a->va, &a->cpu, a->size, out);
}

int umd_bo_import_dmabuf(struct umd_space *s, int fd, uint64_t offset, uint64_t size, unsigned flags, struct umd_bo **out)
{
	if (flags & KMD_BO_PROTECTED)
		return KMD_INVALID;
	return import_fd(s, &(struct kmd_bo_import_fd){ .fd = fd, .offset = offset, .size = size, .flags = flags }, out);
}

int umd_bo_import_protected(struct umd_space *s, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear,
			    struct umd_bo **out)
{
	struct kmd_bo_import_fd a = { .device = device, .fd = fd, .offset = offset, .size = size, .flags = flags | KMD_BO_PROTECTED, .clear = !clear };
	int error = import_fd(s, &a, out);
	if (error)
		return error == KMD_AGAIN ? KMD_BUSY : error;
	if (clear)
		*clear = a.clear;
	return 0;
}

void umd_bo_cleared(struct umd_bo *bo, bool done)
{
	kmd_ioctl(bo->umd->file, KMD_BO_CLEARED, &(struct kmd_bo_cleared){ bo->bo, done });
}

int umd_dmabuf_query(int fd, struct kmd_dmabuf *out)
{
	struct heap_buffer b;
	if (heap_buffer_of(fd, &b))
		return KMD_BAD_DESCRIPTOR;
	*out = (struct kmd_dmabuf){ .device = b.device, .inode = b.inode, .size = b.size, .writable = b.writable,
				    .is_protected = b.kind == HEAP_PROTECTED };
	return 0;
}

int umd_dmabuf_maintain(struct umd *u, uint64_t device, uint64_t inode, unsigned op)
{
	struct kmd_maintain a = { .device = device, .inode = inode, .op = op };
	int error = kmd_ioctl(u->file, KMD_MAINTAIN, &a);
	COMPLETIONS_MAY_RUN();
	if (error || !a.ticket || umd_delivers()) /* a handler of completions cannot wait; what it asks for follows at once */
		return error;
	return umd_wait_for(u, &(struct kmd_wait){ .flags = KMD_WAIT_TICKET, .value = a.ticket });
}

int umd_bo_export(const struct umd_bo *bo, int *fd)
{
	struct kmd_bo_export a = { .bo = bo->bo };
	const int error = kmd_ioctl(bo->umd->file, KMD_BO_EXPORT, &a);
	if (!error)
		*fd = a.fd;
	return error;
}

uint64_t umd_bo_address(const struct umd_bo *bo) { return bo->address; }
uint64_t umd_bo_size(const struct umd_bo *bo) { return bo->size; }
void *umd_bo_cpu(const struct umd_bo *bo) { return bo->cpu; }

void umd_bo_release(struct umd_bo *bo)
{
	if (!bo)
		return;
	kmd_ioctl(bo->umd->file, KMD_BO_CLOSE, &(struct kmd_bo_close){ .bo = bo->bo });
	free(bo);
}
