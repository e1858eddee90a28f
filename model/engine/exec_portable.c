/* The engine in plain vectorisable C: runs on every host. */
#define EXEC_ENGINE engine_portable
#define EXEC_NAME "portable"
#define EXEC_SIMD SIMD_PORTABLE
#include "model/engine/exec.inc"
