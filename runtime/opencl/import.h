/* What clImportMemoryARM is asked for, and the types of memory that it imports (import_host.c, import_dmabuf.c). */
#ifndef GALENA_RUNTIME_OPENCL_IMPORT_H
#define GALENA_RUNTIME_OPENCL_IMPORT_H
#include "runtime/opencl/mem.h"

enum import_property { IMPORT_TYPE, IMPORT_PROTECTED, IMPORT_CONSISTENCY, IMPORT_PLANE, IMPORT_LAYER, IMPORT_PROPERTIES };

struct import {
	cl_mem_flags flags;
	void *memory;
	size_t size;
	unsigned given; /* properties: 1 << enum import_property */
	cl_import_properties_arm value[IMPORT_PROPERTIES]; /* their defaults where they are not given */
};

/* A type of memory. */
struct import_type {
	cl_import_properties_arm type;
	const char *name;
	unsigned properties; /* that go with it: 1 << enum import_property */
	/* Is memory, which is not NULL, of the type, and can it be imported so? A size of all of it becomes bytes. */
	cl_int (*check)(const struct _cl_context *, struct import *);
	/* Gives an object of the size and flags its memory: bo, address, cpu. Flags become what the memory allows. */
	cl_int (*place)(struct _cl_mem *, const struct import *);
};
extern const struct import_type import_host, import_dmabuf, import_hardware_buffer;

/* An object that was imported is destroyed. */
void import_let_go(struct _cl_mem *);
/* Hears of galena_heap_sync() from now on, and not any more. */
void import_listen(void);
void import_unlisten(void);

/* Of a failed import that has no clause of its own. */
cl_int import_failed(int kmd_error, size_t size);
/* The object cannot be written by devices, whatever its flags were. */
static inline void import_read_only(struct _cl_mem *m)
{
	m->flags = (m->flags & ~(cl_mem_flags)MEM_ACCESS_FLAGS) | CL_MEM_READ_ONLY;
}

#endif
