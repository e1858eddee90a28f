/* Measurements of graphs and nodes. */
#include "runtime/openvx/perf.h"
#include "base/clock.h"

vx_uint64 perf_now(void) { return clock_ns(); }

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
