/* The engine for hosts with AVX2 and FMA. */
#if defined(__x86_64__)
#define EXEC_AVX2
#define EXEC_ENGINE engine_avx2
#define EXEC_NAME "avx2"
#define EXEC_SIMD SIMD_AVX2
#include "model/engine/exec.inc"
#endif
