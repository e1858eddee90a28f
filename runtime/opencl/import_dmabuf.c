/* Imports of dma-bufs: CL_IMPORT_TYPE_DMA_BUF_ARM.
 *
 * Where caches are not coherent the driver leaves them alone for this memory. With
 * CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM each command that uses it maintains them (command.c); without, the
 * application does: galena_heap_sync(), which is heard here.
 *
 * Protected ones have memory that only protected commands reach: all those that use them are (command.c). */
#include "base/probe.h"
#include "runtime/heap/listener.h"
#include "runtime/opencl/import.h"
#include "runtime/opencl/queue.h"
#include <errno.h>
#include <string.h>

/* memory points at the descriptor, which it need not do */
static bool query(const struct import *import, int *fd, struct kmd_dmabuf *out)
{
	return probe_copy(fd, import->memory, sizeof *fd) && !umd_dmabuf_query(*fd, out);
}

static cl_int check(const struct _cl_context *c, struct import *import)
{
	struct kmd_dmabuf b;
	int fd = -1;
	/* CL_IMPORTMEMORYARM_DMA_BUF: memory points at the descriptor of a dma-buf */
	FAIL_IF(!query(import, &fd, &b), CL_INVALID_VALUE, "memory at %p: %d is not a descriptor of a dma-buf", import->memory, fd);
	/* CL_IMPORTMEMORYARM_SIZE_DMA_BUF: no more than it has */
	FAIL_IF(import->size > b.size, CL_INVALID_BUFFER_SIZE, "%zu bytes of a dma-buf of %llu", import->size, (unsigned long long)b.size);
	/* CL_IMPORTMEMORYARM_PROTECTED_MEMORY: what is protected is imported so, and nothing else is */
	if (b.is_protected != (bool)import->value[IMPORT_PROTECTED])
		return FAIL(CL_INVALID_OPERATION, "descriptor %d is of memory that is %sprotected", fd, b.is_protected ? "" : "not ");
	/* CL_IMPORTMEMORYARM_PROTECTED_DEVICES: protected memory is one device's */
	FAIL_IF(b.is_protected && c->shared, CL_INVALID_OPERATION, "protected memory in a context of several devices");
	return CL_SUCCESS;
}

/* Protected memory is 0 at first, all of it. By the one importer that is told to; others wait until it is. */
static cl_int clear(struct _cl_context *c, int fd, uint64_t size)
{
	static const size_t most = 1u << 30; /* bytes of a row of a fill */
	struct _cl_command_queue *q = context_transfers(c);
	struct command k;
	struct umd_bo *all;
	int error = umd_bo_import_protected(c->space, c->devices[0]->index, fd, 0, size, 0, NULL, &all);
	if (error)
		return import_failed(error, size);
	if (!q || command_begin(&k, q, CL_COMMAND_FILL_BUFFER, 0, NULL)) {
		umd_bo_release(all);
		return FAIL(CL_OUT_OF_HOST_MEMORY, "no memory to clear %llu bytes", (unsigned long long)size);
	}
	k.is_protected = true;
	for (uint64_t at = 0; at < size; at += most) {
		const size_t part = size - at < most ? size - at : most;
		command_fill(&k, &(uint32_t){0}, sizeof(uint32_t), (struct box){.address = umd_bo_address(all) + at}, (const size_t[3]){part, 1, 1});
	}
	command_release_bo(&k, all);
	return command_submit(&k, true, NULL);
}

static cl_int place_protected(struct _cl_mem *m, int fd, uint64_t size)
{
	struct _cl_context *c = m->context;
	bool undefined;
	int error = umd_bo_import_protected(c->space, c->devices[0]->index, fd, 0, m->size, m->flags & CL_MEM_READ_ONLY ? KMD_BO_READ_ONLY : 0, &undefined,
					    &m->bo);
	/* CL_IMPORTMEMORYARM_PROTECTED_ELSEWHERE: of one device, whatever the context */
	FAIL_IF(error == KMD_INVALID, CL_INVALID_OPERATION, "the protected memory of descriptor %d is another device's", fd);
	if (error == KMD_BUSY)
		return FAIL(CL_OUT_OF_RESOURCES, "descriptor %d: another thread clears its memory, and a callback must not wait: import it outside of callbacks", fd);
	if (error)
		return import_failed(error, m->size);
	m->is_protected = true;
	m->flags |= CL_MEM_HOST_NO_ACCESS;
	if (!undefined)
		return CL_SUCCESS;
	cl_int code = clear(c, fd, size);
	umd_bo_cleared(m->bo, !code);
	if (code) {
		umd_bo_release(m->bo);
		m->bo = NULL;
	}
	return code;
}

/* A descriptor that is for reading makes an import that is, whatever the flags say. */
static cl_int place(struct _cl_mem *m, const struct import *import)
{
	struct kmd_dmabuf b;
	int fd;
	FAIL_IF(!query(import, &fd, &b), CL_INVALID_VALUE, "memory at %p is not a descriptor of a dma-buf any more", import->memory);
	if (b.is_protected)
		return place_protected(m, fd, b.size);
	if (!b.writable)
		import_read_only(m);
	/* the property is about the host; what the devices of one context write is made visible to each other in any case (OpenCL 3.0, 3.3.4) */
	const bool consistent = import->value[IMPORT_CONSISTENCY] || m->context->num_devices > 1;
	int error = umd_bo_import_dmabuf(m->context->space, fd, 0, m->size,
					 (m->flags & CL_MEM_READ_ONLY ? KMD_BO_READ_ONLY : 0) | (consistent ? KMD_BO_CONSISTENT : 0), &m->bo);
	if (error)
		return import_failed(error, m->size);
	m->cpu = umd_bo_cpu(m->bo);
	m->maintained = consistent && !m->context->devices[0]->info->coherent;
	return CL_SUCCESS;
}

const struct import_type import_dmabuf = {
	.type = CL_IMPORT_TYPE_DMA_BUF_ARM,
	.name = "a dma-buf",
	.properties = 1 << IMPORT_TYPE | 1 << IMPORT_PROTECTED | 1 << IMPORT_CONSISTENCY,
	.check = check,
	.place = place,
};

/* ---- the application's own maintenance ---- */

/* Before the host's access: what devices have written goes to memory, so that it is seen, and so that it does not go there
 * later, over what the host writes. After a host's write, devices look again. */
static int sync_heard(struct heap_listener *l, const struct heap_buffer *b, unsigned flags)
{
	const unsigned op = !(flags & GALENA_HEAP_SYNC_END) ? CACHE_CLEAN : flags & GALENA_HEAP_SYNC_WRITE ? CACHE_CLEAN | CACHE_INVALIDATE : 0;
	(void)l;
	if (!op)
		return 0;
	if (!galena_platform.driver) /* a forked child that has none of its own */
		return 0;
	int error = umd_dmabuf_maintain(galena_platform.driver, b->device, b->inode, op);
	return error == KMD_NO_MEMORY ? ENOMEM : error ? EIO : 0;
}

static struct heap_listener listener = {.sync = sync_heard};

void import_listen(void)
{
	if (!galena_heap_listen(&listener))
		log_write(LOG_ERROR, "galena_heap_sync() does not reach this library: eight others listen; unload one");
}

void import_unlisten(void) { galena_heap_unlisten(&listener); }
