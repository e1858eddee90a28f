/* Perturbation of schedules: a device that stalls here and there, and takes another order where the architecture leaves the order
 * open. From a seed, the configuration parameter `perturb`: what a test finds with it comes back with it. Each block that draws has a
 * stream of its own. */
#ifndef GALENA_MODEL_PERTURB_H
#define GALENA_MODEL_PERTURB_H
#include <stdint.h>

struct perturb { uint64_t state; }; /* 0: nothing is perturbed */

static inline void perturb_init(struct perturb *p, uint32_t seed, unsigned unit)
{
	p->state = seed ? (uint64_t)seed << 32 | (unit + 1) : 0;
}

/* 0 to most, and 0 where nothing is perturbed. */
static inline uint32_t perturb_draw(struct perturb *p, uint32_t most)
{
	if (__builtin_expect(!p->state, 1))
		return 0;
	uint64_t z = p->state += 0x9e3779b97f4a7c15ull; /* splitmix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (uint32_t)((z ^ z >> 31) % ((uint64_t)most + 1));
}

/* Cycles of a stall: mostly none, now and then up to most. */
static inline uint32_t perturb_stall(struct perturb *p, uint32_t most)
{
	return perturb_draw(p, 3) == 3 ? perturb_draw(p, most) : 0;
}

#endif
