/* Measurements of graphs and nodes. */
#include "runtime/openvx/perf.h"
#include <time.h>

vx_uint64 perf_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (vx_uint64)t.tv_sec * 1000000000u + (vx_uint64)t.tv_nsec;
}

void perf_add(vx_perf_t *p, vx_uint64 begin, vx_uint64 end)
{
	p->beg = begin;
	p->end = end;
	p->tmp = p->end - p->beg;
	p->sum += p->tmp;
	p->num++;
	p->avg = p->sum / p->num;
	if (p->num == 1 || p->tmp < p->min)
		p->min = p->tmp;
	if (p->tmp > p->max)
		p->max = p->tmp;
}

void perf_begin(vx_perf_t *p) { p->beg = perf_now(); }
void perf_end(vx_perf_t *p) { perf_add(p, p->beg, perf_now()); }
