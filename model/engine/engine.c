#include "model/engine/engine.h"
#include <stdlib.h>
#include <string.h>

extern const struct engine engine_portable;
#if defined(__x86_64__)
extern const struct engine engine_avx2, engine_avx512;
#endif

const struct engine *engine_of(enum compute_simd simd)
{
#if defined(__x86_64__)
	if (simd == SIMD_AVX512)
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") ? &engine_avx512 : NULL;
	if (simd == SIMD_AVX2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") ? &engine_avx2 : NULL;
#endif
	return simd == SIMD_PORTABLE ? &engine_portable : NULL;
}

const struct engine *engine_choose(enum compute_simd simd)
{
	static const char *const names[] = { [SIMD_PORTABLE] = "portable", [SIMD_AVX2] = "avx2", [SIMD_AVX512] = "avx512" };
	const char *name = getenv("GALENA_SIMD");
	const struct engine *e = NULL;

	for (unsigned i = SIMD_PORTABLE; name && i <= SIMD_AVX512; i++)
		simd = strcmp(name, names[i]) ? simd : (enum compute_simd)i;
	if (simd == SIMD_AUTO)
		simd = SIMD_AVX512;
	for (; !e; simd--)
		e = engine_of(simd);
	return e;
}
