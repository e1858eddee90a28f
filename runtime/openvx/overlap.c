/* Whether two data objects have bytes in common. */
#include "runtime/openvx/overlap.h"

vx_size parts_of(vx_reference ref, const vx_reference **parts)
{
	if (ref->type == VX_TYPE_PYRAMID) {
		*parts = (const vx_reference *)((vx_pyramid)ref)->levels;
		return ((vx_pyramid)ref)->num_levels;
	}
	if (ref->type == VX_TYPE_OBJECT_ARRAY) {
		*parts = ((vx_object_array)ref)->items;
		return ((vx_object_array)ref)->count;
	}
	return 0;
}

static bool rectangles_meet(const vx_rectangle_t *a, const vx_rectangle_t *b)
{
	return a->start_x < b->end_x && b->start_x < a->end_x && a->start_y < b->end_y && b->start_y < a->end_y;
}

/* A part's place in the image that has no parent: its region there, and its planes. */
struct place {
	const struct _vx_image *root;
	vx_rectangle_t region;
	unsigned first_plane, planes;
};

static struct place place_of(const struct _vx_image *image)
{
	struct place p = {image, {0, 0, image->width, image->height}, 0, image->info ? image->info->planes : PLANES_MAX};
	while (p.root->parent) {
		const struct _vx_image *parent = p.root->parent;
		const vx_rectangle_t *r = &p.root->region;
		const bool channel = p.root->format != parent->format;
		if (channel) /* of a whole image, perhaps of half its size */
			p.region = *r;
		else
			p.region = (vx_rectangle_t){p.region.start_x + r->start_x, p.region.start_y + r->start_y, p.region.end_x + r->start_x, p.region.end_y + r->start_y};
		p.first_plane += p.root->parent_plane;
		p.root = parent;
	}
	return p;
}

static bool images_overlap(const struct _vx_image *a, const struct _vx_image *b)
{
	const struct place p = place_of(a), q = place_of(b);
	return p.root == q.root && rectangles_meet(&p.region, &q.region) && p.first_plane < q.first_plane + q.planes && q.first_plane < p.first_plane + p.planes;
}

static const struct _vx_tensor_t *tensor_root(const struct _vx_tensor_t *t)
{
	while (t->parent)
		t = t->parent;
	return t;
}

/* Views that differ in one dimension only are told apart by where they begin and end in memory. */
static bool tensors_overlap(const struct _vx_tensor_t *a, const struct _vx_tensor_t *b)
{
	size_t end_a = a->offset, end_b = b->offset;
	for (vx_size i = 0; i < a->num_dims; i++)
		end_a += (a->dims[i] - 1) * a->strides[i];
	for (vx_size i = 0; i < b->num_dims; i++)
		end_b += (b->dims[i] - 1) * b->strides[i];
	return tensor_root(a) == tensor_root(b) && a->offset <= end_b && b->offset <= end_a;
}

bool objects_overlap(vx_reference a, vx_reference b)
{
	const vx_reference *parts;
	if (a == b)
		return true;
	for (int swapped = 0; swapped < 2; swapped++) {
		const vx_size count = parts_of(a, &parts);
		for (vx_size i = 0; i < count; i++)
			if (objects_overlap(parts[i], b))
				return true;
		if (count)
			return false;
		vx_reference t = a;
		a = b;
		b = t;
	}
	if (a->type != b->type)
		return false;
	if (a->type == VX_TYPE_IMAGE)
		return images_overlap((vx_image)a, (vx_image)b);
	return a->type == VX_TYPE_TENSOR && tensors_overlap((vx_tensor)a, (vx_tensor)b);
}
