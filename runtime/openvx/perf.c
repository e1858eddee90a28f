/* Measurements of graphs and nodes. */
#include "runtime/openvx/perf.h"
#include <time.h>

static vx_uint64 now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (vx_uint64)t.tv_sec * 1000000000u + (vx_uint64)t.tv_nsec;
}

void perf_begin(vx_perf_t *p) { p->beg = now(); }

void perf_end(vx_perf_t *p)
{
	p->end = now();
	p->tmp = p->end - p->beg;
	p->sum += p->tmp;
	p->num++;
	p->avg = p->sum / p->num;
	if (p->num == 1 || p->tmp < p->min)
		p->min = p->tmp;
	if (p->tmp > p->max)
		p->max = p->tmp;
}
