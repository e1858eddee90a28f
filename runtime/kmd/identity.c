/* Who a device and its driver are, for programs that want to find the same one through several APIs or in several
 * processes. */
#include "abi_hash.h"
#include "runtime/kmd/driver.h"

/* FNV-1a, 64 bits. */
static uint64_t hash(uint64_t h, const void *data, size_t size)
{
	const unsigned char *p = data;
	while (size--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return h;
}

/* A name-based UUID (RFC 4122: version and variant bits) from two 64-bit hashes. */
static void uuid_make(uint8_t out[KMD_UUID_BYTES], uint64_t high, uint64_t low)
{
	for (int i = 0; i < 8; i++) {
		out[i] = (uint8_t)(high >> (56 - 8 * i));
		out[8 + i] = (uint8_t)(low >> (56 - 8 * i));
	}
	out[6] = (uint8_t)((out[6] & 0x0f) | 0x50);
	out[8] = (uint8_t)((out[8] & 0x3f) | 0x80);
}

enum { HASH_SEEDS = 2 };
static const uint64_t seeds[HASH_SEEDS] = { 0xcbf29ce484222325ull, 0x84222325cbf29ce4ull };

void driver_device_uuid(const struct driver *d, unsigned device, uint8_t out[KMD_UUID_BYTES])
{
	const struct kmd_device_info *i = device < d->num_devices ? &d->devices[device].info : NULL;
	uint64_t h[HASH_SEEDS] = { 0 };
	for (int s = 0; i && s < HASH_SEEDS; s++) {
		const uint64_t what[] = { device, i->num_cu, i->warps_per_cu, i->lanes, i->max_wg_size, i->lds_bytes, i->clock_mhz,
					  i->line_bytes, i->dram_size, i->l2_bytes, i->coherent };
		h[s] = hash(hash(seeds[s], "galena device", 13), what, sizeof what);
	}
	uuid_make(out, h[0], h[1]);
}

void driver_uuid(uint8_t out[KMD_UUID_BYTES])
{
	const uint64_t contract = GALENA_ABI_HASH;
	uint64_t h[HASH_SEEDS];
	for (int s = 0; s < HASH_SEEDS; s++)
		h[s] = hash(hash(seeds[s], "galena driver " GALENA_VERSION, sizeof "galena driver " GALENA_VERSION), &contract, sizeof contract);
	uuid_make(out, h[0], h[1]);
}
