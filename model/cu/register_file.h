/* The vector register file of a warp. A register is one value a lane, kept in the cheapest encoding that can hold it:
 *   ENC_UNIFORM  the same value in every lane: base
 *   ENC_AFFINE   base + lane * stride (integer registers only)
 *   ENC_WORD     32 bits a lane in v.w: integer registers sign-extended, f registers NaN-boxed
 *   ENC_FULL     64 bits a lane in v.d
 * The encoding is no part of the result: all encodings of a value are equal. Lanes that have ended or never existed may
 * hold anything. */
#ifndef GALENA_MODEL_REGISTER_FILE_H
#define GALENA_MODEL_REGISTER_FILE_H
#include "abi/device_config.h"
#include "model/cu/decode.h"

/* Functions of the execution engines' inner loops, and what must stay out of them. */
#define INLINE static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, unused))

enum { LANES = CONFIG_MOST_lanes };
enum { REG_SINK = 64, REG_TMP = 65, REG_COUNT = 66 }; /* writes to x0 go to REG_SINK */
enum register_encoding { ENC_UNIFORM = 0, ENC_AFFINE = 1, ENC_WORD = 2, ENC_FULL = 4 };

#define BOX 0xffffffff00000000ull /* upper half of an f register that holds fp32 */
#define NAN32 0x7fc00000u
#define ALL_LANES 0xffffffffu

struct vreg {
	union {
		uint64_t d[LANES];
		uint32_t w[LANES];
		double fd[LANES];
		float fs[LANES];
	};
} __attribute__((aligned(64)));

/* For each bit of a mask, from the lowest on, its number i. */
#define EACH_BIT(i, mask) for (uint32_t i##_left = (mask), i; i##_left && (i = (uint32_t)__builtin_ctz(i##_left), 1); i##_left &= i##_left - 1)

/* How many lanes are in a mask: mostly all. */
static inline uint32_t lanes_count(uint32_t mask) { return mask == ALL_LANES ? LANES : (uint32_t)__builtin_popcount(mask); }
INLINE uint64_t sext32(uint64_t v) { return (uint64_t)(int64_t)(int32_t)v; }
/* The fp32 value of an f register: what is not NaN-boxed is the canonical NaN. */
INLINE uint32_t unbox32(uint64_t v) { return v >> 32 == 0xffffffff ? (uint32_t)v : NAN32; }

struct warp;
/* A lane's value of a register, and the values of all lanes, whatever the encoding. */
uint64_t register_lane(const struct warp *, unsigned reg, unsigned lane);
void register_lanes(const struct warp *, unsigned reg, uint64_t *values);

#endif
