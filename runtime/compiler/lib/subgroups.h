/* What lanes of a warp do together: a subgroup is a warp, its local ids are the lanes.
 *
 * Two kinds of functions stand on three instructions. What the language calls uniform begins with
 * lanes_meet(): every live lane of the subgroup comes there, from wherever it stands, and all go on
 * together. What it calls non-uniform does not: the lanes that stand there act with one another.
 * Behind that there is no branch that only some of the lanes take, so they stay together, and what
 * they do is the same code. Each instruction is volatile and (as all code of this language is to
 * clang) convergent: nothing is moved to where other lanes run it, or doubled. */
#ifndef GALENA_LIB_SUBGROUPS_H
#define GALENA_LIB_SUBGROUPS_H
#include "builtins.h"
#include "galena.h"

INLINE void lanes_meet(void) { __asm__ volatile(".insn i 0x0b, 2, x0, x0, 0" ::: "memory"); }

/* Bit l: lane l is here and its value is not 0. */
INLINE uint lanes_ballot(long value)
{
	long mask;
	__asm__ volatile(".insn r 0x0b, 3, 0, %0, %1, x0" : "=r"(mask) : "r"(value));
	return (uint)mask;
}

INLINE uint lanes_here(void) { return lanes_ballot(1); }

INLINE uint lane_id(void) { return (uint)csr_read(CSR_lane_id); }

/* The lanes with lower numbers than this one's. */
INLINE uint lanes_below(void) { return (1u << lane_id()) - 1; }

/* Numbers of lanes in a mask that is not 0: 0 to 31. */
INLINE uint lowest(uint mask) { return (uint)__builtin_ctz(mask); }
INLINE uint highest(uint mask) { return 31 - (uint)__builtin_clz(mask); }

/* A register of another lane; anything when that lane is not here. The upper half of a 32-bit value
 * does not matter: it is not extended. */
INLINE int lane_word(int value, uint lane)
{
	int result;
	__asm__ volatile(".insn r 0x0b, 4, 0, %0, %1, %2" : "=r"(result) : "r"(value), "r"(lane));
	return result;
}

INLINE long lane_double(long value, uint lane)
{
	long result;
	__asm__ volatile(".insn r 0x0b, 4, 0, %0, %1, %2" : "=r"(result) : "r"(value), "r"(lane));
	return result;
}

/* X(type, word, to word, from word): every scalar type, and the integer that carries its bits. */
#define SAME(x) (x)
#define HALF_WORD(x) as_ushort(x)
#define WORD_HALF(x) as_half((ushort)(x))
#define EACH_CARRIED(X)                                                                            \
	X(char, int, (int), (char))                                                                \
	X(uchar, int, (int), (uchar))                                                              \
	X(short, int, (int), (short))                                                              \
	X(ushort, int, (int), (ushort))                                                            \
	X(int, int, SAME, SAME)                                                                    \
	X(uint, int, (int), (uint))                                                                \
	X(long, long, SAME, SAME)                                                                  \
	X(ulong, long, (long), (ulong))                                                            \
	X(half, int, HALF_WORD, WORD_HALF)                                                         \
	X(float, int, as_int, as_float)                                                            \
	X(double, long, as_long, as_double)

#define CARRIER_int lane_word
#define CARRIER_long lane_double

/* lane_read: the value of another lane. choose: a or b without a branch: the optimiser does not
 * know that the mask has two values, or it would part the lanes. */
#define CARRY(type, word, to, from)                                                                \
	INLINE OVERLOAD type lane_read(type x, uint lane) { return from(CARRIER_##word(to(x), lane)); } \
	INLINE OVERLOAD type choose(bool first, type a, type b)                                    \
	{                                                                                          \
		word mask = -(word)first, wa = to(a), wb = to(b);                                  \
		__asm__("" : "+r"(mask));                                                          \
		return from((wa & mask) | (wb & ~mask));                                           \
	}                                                                                          \
	VECTORS(INLINE OVERLOAD, type, , lane_read, LANE)
#define LANE_VECTORS(type, second, n) type##n x, uint lane
#define LANE_PARTS(part) x.part, lane
EACH_CARRIED(CARRY)

/* X(type, smallest, largest): what maximum and minimum of nothing are. */
#define INF_H as_half((ushort)0x7c00)
#define EACH_ARITHMETIC_WORD(X)                                                                    \
	X(int, INT_MIN, INT_MAX) X(uint, 0, UINT_MAX) X(long, LONG_MIN, LONG_MAX) X(ulong, 0, ULONG_MAX) \
	X(half, -INF_H, INF_H) X(float, -INFINITY, INFINITY) X(double, -(double)INFINITY, (double)INFINITY)
#define EACH_ARITHMETIC(X)                                                                         \
	X(char, CHAR_MIN, CHAR_MAX) X(uchar, 0, UCHAR_MAX) X(short, SHRT_MIN, SHRT_MAX) X(ushort, 0, USHRT_MAX) \
	EACH_ARITHMETIC_WORD(X)

/* What is combined: both operands are of one type. */
#define OP_add(a, b) ((a) + (b))
#define OP_mul(a, b) ((a) * (b))
#define OP_min(a, b) __builtin_elementwise_min(a, b)
#define OP_max(a, b) __builtin_elementwise_max(a, b)
#define OP_and(a, b) ((a) & (b))
#define OP_or(a, b) ((a) | (b))
#define OP_xor(a, b) ((a) ^ (b))

/* What each lane has of all lanes before it and its own, over the lanes in a mask that this lane is
 * in (a lane adds what the nearest one below has, then what that one's nearest has, and so on: twice
 * as many each time). count is the same for all lanes here and not less than there are in any mask. */
#define LANES_SCAN(type, op)                                                                       \
	INLINE OVERLOAD type scan_##op(type x, uint mask, uint count)                              \
	{                                                                                          \
		int from = 31 - (int)clz(mask & lanes_below()); /* -1: no lane */                     \
		for (uint done = 1; done < count; done <<= 1) {                                    \
			type theirs = lane_read(x, (uint)from);                                    \
			int next = lane_word(from, (uint)from);                                    \
			x = choose(from >= 0, (type)OP_##op(theirs, x), x);                        \
			from = next | from >> 31;                                                  \
		}                                                                                  \
		return x;                                                                          \
	}
/* The same without its own: the first lane has what nothing is. */
#define LANES_SHIFT(type)                                                                          \
	INLINE OVERLOAD type shift_##type(type scanned, uint mask, type nothing)                   \
	{                                                                                          \
		uint before = mask & lanes_below();                                                \
		type theirs = lane_read(scanned, highest(before | 1));                             \
		return choose(before != 0, theirs, nothing);                                       \
	}

#endif
