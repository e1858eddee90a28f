/* Measurements of graphs and nodes (vx_perf_t): nanoseconds. */
#ifndef GALENA_RUNTIME_OPENVX_PERF_H
#define GALENA_RUNTIME_OPENVX_PERF_H
#include <VX/vx.h>
void perf_begin(vx_perf_t *);
void perf_end(vx_perf_t *);
#endif
