/* keeps the elements above a limit, in any order: one global atomic for each that stays */
kernel void compact(global const uint *in, global uint *out, global uint *count, uint limit)
{
	uint v = in[get_global_id(0)];

	if (v > limit)
		out[atomic_inc(count)] = v;
}
