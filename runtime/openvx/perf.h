/* Measurements of graphs and nodes (vx_perf_t): nanoseconds. */
#ifndef GALENA_RUNTIME_OPENVX_PERF_H
#define GALENA_RUNTIME_OPENVX_PERF_H
#include <VX/vx.h>
vx_uint64 perf_now(void);
void perf_begin(vx_perf_t *);
void perf_end(vx_perf_t *);
/* Something that began and ended then. */
void perf_add(vx_perf_t *, vx_uint64 begin, vx_uint64 end);
#endif
