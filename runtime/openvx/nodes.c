/* Node functions: those that the table of kernels gives. */
#include "runtime/openvx/graph.h"
#include "runtime/openvx/values.h"
#include "openvx_nodes.inc"
