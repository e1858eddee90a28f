/* The ways in which a graph can be run (GALENA_OPENVX_FUSION, GALENA_OPENVX_QUEUES), and images for graphs that are run in all. */
#ifndef GALENA_TESTBENCH_OPENVX_MODES_H
#define GALENA_TESTBENCH_OPENVX_MODES_H
#include "testbench/openvx/compare.h"

/* The first one is what the others have to agree with. */
static const struct mode {
	const char *fusion, *queues;
} modes[] = {{"0", "1"}, {"1", "1"}, {"0", "4"}, {"1", "4"}, {"1", "2"}};

/* For graphs that are verified from now on. */
static inline void choose(const char *fusion, const char *queues)
{
	setenv("GALENA_OPENVX_FUSION", fusion, 1);
	setenv("GALENA_OPENVX_QUEUES", queues, 1);
}

/* Nodes with neighbourhoods: no pixel of theirs is left open. */
static inline void set_border(vx_node node)
{
	const vx_border_t replicate = {.mode = VX_BORDER_REPLICATE};
	set_node_border(node, &replicate);
}
#endif
