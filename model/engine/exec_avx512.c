/* The engine for hosts with AVX-512 (F, VL, DQ, BW). */
#if defined(__x86_64__)
#define EXEC_AVX512
#define EXEC_ENGINE engine_avx512
#define EXEC_NAME "avx512"
#define EXEC_SIMD SIMD_AVX512
#include "model/engine/exec.inc"
#endif
