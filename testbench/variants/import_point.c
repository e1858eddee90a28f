/* What makes an OpenCL library whose imports of protected memory can be held: linked into it around umd_bo_import_protected, which the
 * program hears of, if it has an import_point(), before the import goes on. */
#define _GNU_SOURCE
#include "runtime/umd/umd.h"
#include <dlfcn.h>

int __real_umd_bo_import_protected(struct umd_space *, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear,
				   struct umd_bo **);
int __wrap_umd_bo_import_protected(struct umd_space *, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear,
				   struct umd_bo **);

int __wrap_umd_bo_import_protected(struct umd_space *s, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear,
				   struct umd_bo **out)
{
	void (*const point)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "import_point");
	int error = __real_umd_bo_import_protected(s, device, fd, offset, size, flags, clear, out);
	if (point)
		point();
	return error;
}
