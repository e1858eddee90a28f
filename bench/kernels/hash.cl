/* an open-addressing hash table: compare-and-swap until a place is found */
kernel void hash(global const uint *key, global uint *table, uint mask)
{
	uint k = key[get_global_id(0)], h = k * 0x9e3779b1u;

	for (;; h++) {
		uint old = atomic_cmpxchg(&table[h & mask], 0u, k);

		if (old == 0u || old == k)
			return;
	}
}
