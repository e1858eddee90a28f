/* steps until each number reaches 1: every lane runs a loop of its own length */
kernel void collatz(global uint *steps, uint first)
{
	uint id = get_global_id(0), n = 0;
	ulong v = first + id;

	while (v != 1) {
		v = v & 1 ? 3 * v + 1 : v >> 1;
		n++;
	}
	steps[id] = n;
}
