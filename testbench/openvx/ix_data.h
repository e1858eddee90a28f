/* What tests of vx_khr_ix with data objects share. */
#ifndef GALENA_TESTBENCH_OPENVX_IX_DATA_H
#define GALENA_TESTBENCH_OPENVX_IX_DATA_H
#include "testbench/openvx/data_kinds.h"
#include "testbench/openvx/ix.h"

/* data_kinds.h makes objects in the context that it opens. */
static inline int open_contexts_and_logs(void **state)
{
	if (open_contexts(state))
		return -1;
	there = other;
	vxRegisterLogCallback(context, keep_log, vx_false_e);
	vxRegisterLogCallback(there, keep_log, vx_false_e);
	return 0;
}

#endif
