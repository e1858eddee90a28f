/* Whether two data objects have bytes in common. */
#include "runtime/openvx/overlap.h"

void parts_use(vx_reference ref, bool in_use)
{
	const vx_reference *parts;
	ref->in_use += in_use ? 1u : -1u;
	const vx_size count = parts_of(ref, &parts);
	for (vx_size i = 0; i < count; i++)
		parts_use(parts[i], in_use);
}

void object_hold(vx_reference ref, bool held)
{
	if (held)
		object_use(ref);
	parts_use(ref, held);
	if (!held)
		object_unuse(ref);
}

vx_reference part_like(vx_reference one, vx_reference other, vx_reference ref)
{
	const vx_reference *parts, *others;
	const vx_size count = parts_of(one, &parts);
	vx_reference found = one == ref ? other : NULL;
	parts_of(other, &others);
	for (vx_size i = 0; !found && i < count; i++)
		found = part_like(parts[i], others[i], ref);
	return found;
}

/* Objects of types that share no data lie in themselves. */
static struct place place_of(vx_reference ref)
{
	struct place p = {.owner = ref};
	if (ref->class->place)
		ref->class->place(ref, &p);
	return p;
}

static bool places_meet(const struct place *p, const struct place *q)
{
	bool meet = p->owner == q->owner;
	for (vx_size i = 0; meet && i < p->dims; i++)
		meet = p->start[i] < q->start[i] + q->count[i] && q->start[i] < p->start[i] + p->count[i];
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
	const struct place p = place_of(a), q = place_of(b);
	return places_meet(&p, &q);
}
