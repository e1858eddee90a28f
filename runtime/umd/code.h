/* Kernel objects in the memory of an address space. */
#ifndef GALENA_RUNTIME_UMD_CODE_H
#define GALENA_RUNTIME_UMD_CODE_H
#include "runtime/compiler/compiler.h"
#include "runtime/umd/umd.h"

/* Memory for an object's image: text can be executed, constants read, variables written. It is not written yet. */
int code_create(struct umd_space *, const struct kernel_object *, struct umd_bo **);
/* The same, with the image in it. */
int code_load(struct umd_space *, const struct kernel_object *, struct umd_bo **);

#endif
