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

void parts_use(vx_reference ref, bool in_use)
{
	const vx_reference *parts;
	ref->in_use += in_use ? 1u : -1u;
	const vx_size count = parts_of(ref, &parts);
	for (vx_size i = 0; i < count; i++)
		parts_use(parts[i], in_use);
}

vx_reference part_like(vx_reference one, vx_reference other, vx_reference ref)
{
	const vx_reference *parts = NULL, *others = NULL;
	const vx_size count = parts_of(one, &parts);
	vx_reference found = one == ref ? other : NULL;
	parts_of(other, &others);
	for (vx_size i = 0; !found && i < count; i++)
		found = part_like(parts[i], others[i], ref);
	return found;
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
		const vx_rectangle_t *r = &p.root->region, at = p.region;
		/* a channel may be of half its parent's size */
		const vx_uint32 x = parent->info->plane[p.root->parent_plane].scale_x, y = parent->info->plane[p.root->parent_plane].scale_y;
		p.region = (vx_rectangle_t){at.start_x * x + r->start_x, at.start_y * y + r->start_y, at.end_x * x + r->start_x, at.end_y * y + r->start_y};
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

/* The elements of a tensor that a view of it, or an image in it, has: in each dimension some that follow each other. */
struct box {
	vx_size start[TENSOR_DIMS_MAX], count[TENSOR_DIMS_MAX];
};

/* A box of one element: the strides of a tensor tell where a byte lies, the highest first. */
static struct box box_at(const struct _vx_tensor_t *root, size_t offset)
{
	struct box b = {.start = {0}};
	for (vx_size i = root->num_dims; i--;) {
		b.count[i] = 1;
		if (root->dims[i] < 2)
			continue;
		b.start[i] = offset / root->strides[i];
		offset %= root->strides[i];
	}
	return b;
}

static struct box box_of_tensor(const struct _vx_tensor_t *root, const struct _vx_tensor_t *t)
{
	struct box b = box_at(root, t->offset);
	for (vx_size i = 0; i < t->num_dims; i++)
		b.count[i] = t->dims[i];
	return b;
}

/* Images lie in the first two dimensions. */
static struct box box_of_image(const struct place *p)
{
	struct box b = box_at(p->root->tensor, p->root->planes[0].offset);
	b.start[0] += p->region.start_x;
	b.start[1] += p->region.start_y;
	b.count[0] = p->region.end_x - p->region.start_x;
	b.count[1] = p->region.end_y - p->region.start_y;
	return b;
}

/* Who has the elements of a tensor, or of an image in one; NULL: an object is not in a tensor. */
static const struct _vx_tensor_t *tensor_with(vx_reference ref)
{
	if (ref->type == VX_TYPE_IMAGE)
		return place_of((vx_image)ref).root->tensor;
	if (ref->type != VX_TYPE_TENSOR)
		return NULL;
	const struct _vx_tensor_t *t = (vx_tensor)ref;
	while (t->parent)
		t = t->parent;
	return t;
}

static struct box box_of(const struct _vx_tensor_t *root, vx_reference ref)
{
	if (ref->type == VX_TYPE_TENSOR)
		return box_of_tensor(root, (vx_tensor)ref);
	const struct place p = place_of((vx_image)ref);
	return box_of_image(&p);
}

/* Of two objects in a tensor. */
static bool boxes_meet(const struct _vx_tensor_t *root, vx_reference a, vx_reference b)
{
	const struct box p = box_of(root, a), q = box_of(root, b);
	bool meet = true;
	for (vx_size i = 0; meet && i < root->num_dims; i++)
		meet = p.start[i] < q.start[i] + q.count[i] && q.start[i] < p.start[i] + p.count[i];
	return meet;
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
	const struct _vx_tensor_t *root = tensor_with(a), *other = tensor_with(b);
	if (root || other)
		return root == other && boxes_meet(root, a, b);
	return a->type == VX_TYPE_IMAGE && b->type == VX_TYPE_IMAGE && images_overlap((vx_image)a, (vx_image)b);
}
