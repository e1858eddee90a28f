/* Kernel objects in the memory of an address space. */
#include "runtime/umd/code.h"

int code_create(struct umd_space *space, const struct kernel_object *object, struct umd_bo **out)
{
	struct kmd_part parts[KMD_PARTS_MAX];
	unsigned count = 0;
	for (size_t i = 0; i < kernel_object_num_segments(object); i++) {
		const struct kernel_segment *s = kernel_object_segment(object, i);
		if (!s->mem_size)
			continue;
		if (count == KMD_PARTS_MAX)
			return KMD_INVALID;
		parts[count++] = (struct kmd_part){s->address, s->mem_size,
						   KMD_BO_UNCACHED | (s->write ? 0u : KMD_BO_READ_ONLY) |
							   (s->execute ? KMD_BO_EXECUTE : 0u)};
	}
	return umd_bo_create_parts(space, kernel_object_image_size(object), parts, count, out);
}

int code_load(struct umd_space *space, const struct kernel_object *object, struct umd_bo **out)
{
	const int error = code_create(space, object, out);
	if (!error)
		kernel_object_place(object, umd_bo_address(*out), umd_bo_cpu(*out));
	return error;
}
