/* Operations pixel by pixel, copies and selections, and operations on scalars.
 *
 * A program is built for one of them, which the options name:
 *   -DSELECT   select_rows, select_bits
 *   -DSCALAR   scalar_operation
 * or without options and with a text of pixel.c's behind this one, a kernel of one operation or of several that follow one another.
 *
 * An operation is a function of values, whatever the formats of images; what it computes becomes a pixel by to_u8() or another of
 * its kind: to_s16(add_pixel(to_u8(not_pixel(a, q1), q1.policy), b, q2), q2.policy). */

/* What is rounded where is part of the results. */
#pragma OPENCL FP_CONTRACT OFF

/* ---- operations ---- */
/* enum vx_convert_policy_e */
#define WRAP 0xA000
#define SATURATE 0xA001

/* Twin of struct pixel_args in pixel.h. */
typedef struct {
	int policy;                                /* of the result: enum vx_convert_policy_e */
	int nearest;                               /* multiply: rounds to the nearest, ties to even; else to zero */
	int shift;                                 /* convertdepth: bits to the left */
	int lower, upper, true_value, false_value; /* threshold */
	int first, count;                          /* table_lookup: the entry of value 0, and how many entries there are */
	float factor;                              /* multiply: scale; weighted_average: alpha */
} pixel_args_t;

static inline int absdiff_pixel(int a, int b, pixel_args_t q) { return (int)abs(a - b); }
static inline int and_pixel(int a, int b, pixel_args_t q) { return a & b; }
static inline int or_pixel(int a, int b, pixel_args_t q) { return a | b; }
static inline int xor_pixel(int a, int b, pixel_args_t q) { return a ^ b; }
static inline int not_pixel(int a, pixel_args_t q) { return ~a; }
static inline int add_pixel(int a, int b, pixel_args_t q) { return a + b; }
static inline int subtract_pixel(int a, int b, pixel_args_t q) { return a - b; }
static inline int min_pixel(int a, int b, pixel_args_t q) { return min(a, b); }
static inline int max_pixel(int a, int b, pixel_args_t q) { return max(a, b); }

static inline int multiply_pixel(int a, int b, pixel_args_t q)
{
	const double exact = (double)(a * b) * q.factor;
	if (q.policy == SATURATE)
		return q.nearest ? convert_int_sat_rte(exact) : convert_int_sat_rtz(exact);
	return (int)(q.nearest ? convert_long_sat_rte(exact) : convert_long_sat_rtz(exact));
}

/* multiply where a float holds every product: of at most 24 bits, and a scale that is a power of two and no more than 1. */
static inline int multiply_float_pixel(int a, int b, pixel_args_t q)
{
	const float exact = (float)(a * b) * q.factor;
	return q.nearest ? convert_int_rte(exact) : (int)exact;
}

static inline int weighted_average_pixel(int a, int b, pixel_args_t q)
{
	return (int)((1 - q.factor) * (float)b + q.factor * (float)a);
}

static inline int magnitude_pixel(int x, int y, pixel_args_t q)
{
	const uint square = (uint)(x * x) + (uint)(y * y);
	uint root = (uint)(sqrt((float)square) + 0.5f);
	/* The float may have crossed the middle between two integers. */
	if (square && root * root - root >= square)
		root--;
	else if (root * root + root < square)
		root++;
	return (int)root;
}

static inline int phase_pixel(int x, int y, pixel_args_t q)
{
	return (int)floor(atan2pi((float)y, (float)x) * 128 + 0.5f) & 255;
}

static inline int convertdepth_pixel(int a, pixel_args_t q) { return q.shift >= 0 ? a << q.shift : a >> -q.shift; }
/* From or to U1: all bits of a pixel, or none. */
static inline int convertdepth_u1_pixel(int a, pixel_args_t q) { return -(a != 0); }

static inline int threshold_pixel(int a, pixel_args_t q) { return a >= q.lower && a <= q.upper ? q.true_value : q.false_value; }

/* A value that the table has no entry for becomes 0. */
#define TABLE_LOOKUP(name, type) \
	static inline int name##_pixel(int a, global const uchar *table, pixel_args_t q) \
	{ \
		const uint entry = (uint)(a + q.first); \
		return entry < (uint)q.count ? ((global const type *)table)[entry] : 0; \
	}
TABLE_LOOKUP(table_lookup, uchar)
TABLE_LOOKUP(table_lookup_s16, short)

static inline int copy_pixel(int a, pixel_args_t q) { return a; }
static inline int select_pixel(int a, int b, global const uchar *condition, pixel_args_t q)
{
	return *(global const int *)condition ? a : b;
}

/* ---- pixels of a format ---- */
static inline int to_u1(int value, int policy) { return policy == SATURATE ? clamp(value, 0, 1) : value & 1; }
static inline int to_u8(int value, int policy) { return policy == SATURATE ? clamp(value, 0, 255) : value & 255; }
static inline int to_u16(int value, int policy) { return policy == SATURATE ? clamp(value, 0, 65535) : value & 65535; }
static inline int to_s16(int value, int policy) { return policy == SATURATE ? clamp(value, -32768, 32767) : (short)value; }

/* One pixel, or eight of a row; these by words where their address lets it be. A row is known by where its pixel 0 is: the byte, and
 * of a bit image the bit. first_: how many pixels before pixel 0 an output's first group of eight begins. */
#define ROW(p, d, y) ((p) + (d).offset + (y) * (d).stride_y)
#define FORMAT(name, type) \
	typedef type##8 __attribute__((aligned(8))) name##_words; \
	static inline int first_##name(uint bit) { return 0; } \
	static inline int load_##name(global const uchar *row, uint bit, int x) { return ((global const type *)row)[x]; } \
	static inline int8 load8_##name(global const uchar *row, uint bit, int x) \
	{ \
		global const type *at = (global const type *)row + x; \
		if ((size_t)at & 7) \
			return convert_int8(vload8(0, at)); \
		return convert_int8(*(global const name##_words *)at); \
	} \
	static inline void store_##name(global uchar *row, uint bit, int x, int value) { ((global type *)row)[x] = (type)value; } \
	static inline void store8_##name(global uchar *row, uint bit, int x, int8 values) \
	{ \
		global type *at = (global type *)row + x; \
		if ((size_t)at & 7) \
			vstore8(convert_##type##8(values), 0, at); \
		else \
			*(global name##_words *)at = convert_##type##8(values); \
	}
FORMAT(u8, uchar)
FORMAT(u16, ushort)
FORMAT(s16, short)

/* The groups of a bit image are its bytes: a byte is one work-item's, so that nothing is lost between two that change it. */
static inline int first_u1(uint bit) { return (int)bit; }

static inline int load_u1(global const uchar *row, uint bit, int x)
{
	bit += (uint)x;
	return row[bit >> 3] >> (bit & 7) & 1;
}

static inline int8 load8_u1(global const uchar *row, uint bit, int x)
{
	const uint shift = (bit + (uint)x) & 7;
	global const uchar *at = row + ((bit + (uint)x) >> 3);
	int bits = at[0] >> shift;
	if (shift)
		bits |= at[1] << (8 - shift);
	return (int8)(bits) >> (int8)(0, 1, 2, 3, 4, 5, 6, 7) & (int8)(1);
}

static inline void store_u1(global uchar *row, uint bit, int x, int value)
{
	bit += (uint)x;
	const uint mask = 1u << (bit & 7);
	global uchar *at = row + (bit >> 3);
	*at = (uchar)(value ? *at | mask : *at & ~mask);
}

static inline void store8_u1(global uchar *row, uint bit, int x, int8 values)
{
	const int8 bits = values << (int8)(0, 1, 2, 3, 4, 5, 6, 7);
	const int4 four = bits.lo | bits.hi;
	row[(bit + (uint)x) >> 3] = (uchar)(four.s0 | four.s1 | four.s2 | four.s3);
}

/* Of a macro for one lane, all eight. */
#define EIGHT(pixel) \
	((int8)(pixel(.s0), pixel(.s1), pixel(.s2), pixel(.s3), pixel(.s4), pixel(.s5), pixel(.s6), pixel(.s7)))

/* ---- copies ---- */
#ifdef SELECT
typedef ulong2 __attribute__((aligned(8))) words_t;

/* Rows of the first input when the condition is true, or there is none; else of the second. A work-item 16 bytes of a row. */
kernel void select_rows(global const uchar *p1, plane_t d1, global const uchar *p2, plane_t d2, global uchar *out, plane_t d,
			global const int *condition, int pixel_bytes)
{
	const int x = (int)get_global_id(0) * 16, y = (int)get_global_id(1), bytes = d.width * pixel_bytes;
	global const uchar *from = p1 + d1.offset + y * d1.stride_y;
	global uchar *to = out + d.offset + y * d.stride_y;
	if (condition && !*condition)
		from = p2 + d2.offset + y * d2.stride_y;
	if (x + 16 <= bytes && !(((size_t)(from + x) | (size_t)(to + x)) & 7)) {
		*(global words_t *)(to + x) = *(global const words_t *)(from + x);
		return;
	}
	for (int i = x; i < min(x + 16, bytes); i++)
		to[i] = from[i];
}

/* The same of bit images; a work-item a byte of the output. */
kernel void select_bits(global const uchar *p1, plane_t d1, global const uchar *p2, plane_t d2, global uchar *out, plane_t d,
			global const int *condition)
{
	const int x = (int)get_global_id(0) * 8 - first_u1(d.offset_bits), y = (int)get_global_id(1);
	if (condition && !*condition) {
		p1 = p2;
		d1 = d2;
	}
	global const uchar *from = ROW(p1, d1, y);
	global uchar *to = ROW(out, d, y);
	if (x >= 0 && x + 8 <= d.width) {
		store8_u1(to, d.offset_bits, x, load8_u1(from, d1.offset_bits, x));
		return;
	}
	for (int i = max(x, 0); i < min(x + 8, d.width); i++)
		store_u1(to, d.offset_bits, i, load_u1(from, d1.offset_bits, i));
}
#endif

/* ---- scalars ---- */
#ifdef SCALAR
/* enum vx_scalar_operation_e, without its base */
enum {
	OP_AND, OP_OR, OP_XOR, OP_NAND,
	OP_EQUAL, OP_NOTEQUAL, OP_LESS, OP_LESSEQ, OP_GREATER, OP_GREATEREQ,
	OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_MODULUS, OP_MIN, OP_MAX
};

/* Twin of struct scalar_layout in vision_pixelwise.c. */
typedef struct {
	int bytes, is_signed, is_real;
} scalar_layout_t;

/* A number of any type, exactly: value + rest; of integers the low 64 bits besides. */
typedef struct {
	double value, rest;
	ulong bits;
	int is_real, negative;
} number_t;

static inline number_t real(double value) { return (number_t){value, 0, 0, 1, value < 0}; }

static inline number_t integer(ulong bits, int negative)
{
	const double value = negative ? (double)(long)bits : convert_double_rtz(bits);
	return (number_t){value, negative ? 0 : (double)(bits - (ulong)value), bits, 0, negative};
}

/* An integer by its absolute value. */
static inline number_t signed_integer(ulong absolute, int negative)
{
	return (number_t){negative ? -(double)absolute : (double)absolute, 0, negative ? -absolute : absolute, 0, negative};
}

static inline number_t sum_or_product(double value, ulong bits) { return (number_t){value, 0, bits, 0, value < 0}; }

static inline number_t read_number(global const uchar *p, scalar_layout_t t)
{
	const int unused = 64 - 8 * t.bytes;
	ulong bits = 0;
	for (int i = 0; i < t.bytes; i++)
		bits |= (ulong)p[i] << (8 * i);
	if (t.is_real)
		return real(as_float((uint)bits));
	if (t.is_signed)
		bits = (ulong)((long)(bits << unused) >> unused);
	return integer(bits, t.is_signed && (long)bits < 0);
}

static inline void write_number(global uchar *p, scalar_layout_t t, number_t n)
{
	ulong bits = n.bits;
	if (t.is_real) {
		bits = as_uint((float)(n.value + n.rest));
	} else if (n.is_real && t.is_signed) {
		const long limit = 1L << (8 * t.bytes - 1);
		bits = (ulong)clamp(convert_long_sat(n.value), -limit, limit - 1);
	} else if (n.is_real) {
		bits = min(convert_ulong_sat(n.value), ~0ul >> (64 - 8 * t.bytes));
	}
	for (int i = 0; i < t.bytes; i++)
		p[i] = (uchar)(bits >> (8 * i));
}

/* Whatever is divided by zero gives 0. */
static inline number_t operate_real(int operation, double a, double b)
{
	switch (operation) {
	case OP_ADD: return real(a + b);
	case OP_SUBTRACT: return real(a - b);
	case OP_MULTIPLY: return real(a * b);
	default: return real(b == 0 ? 0 : a / b);
	}
}

static inline number_t operate_integer(int operation, number_t a, number_t b)
{
	const ulong x = a.negative ? -a.bits : a.bits, y = b.negative ? -b.bits : b.bits;
	switch (operation) {
	case OP_ADD: return sum_or_product(a.value + b.value, a.bits + b.bits);
	case OP_SUBTRACT: return sum_or_product(a.value - b.value, a.bits - b.bits);
	case OP_MULTIPLY: return sum_or_product(a.value * b.value, a.bits * b.bits);
	case OP_DIVIDE: return signed_integer(y ? x / y : 0, a.negative != b.negative);
	default: return signed_integer(y ? x % y : 0, a.negative);
	}
}

static inline number_t operate(int operation, number_t a, number_t b)
{
	const bool equal = a.value == b.value && a.rest == b.rest;
	const bool less = a.value < b.value || (a.value == b.value && a.rest < b.rest);
	const bool greater = a.value > b.value || (a.value == b.value && a.rest > b.rest);
	switch (operation) {
	case OP_AND: return integer(a.bits && b.bits, 0);
	case OP_OR: return integer(a.bits || b.bits, 0);
	case OP_XOR: return integer(!a.bits != !b.bits, 0);
	case OP_NAND: return integer(!(a.bits && b.bits), 0);
	case OP_EQUAL: return integer(equal, 0);
	case OP_NOTEQUAL: return integer(!equal, 0);
	case OP_LESS: return integer(less, 0);
	case OP_LESSEQ: return integer(less || equal, 0);
	case OP_GREATER: return integer(greater, 0);
	case OP_GREATEREQ: return integer(greater || equal, 0);
	case OP_MIN: return greater ? b : a;
	case OP_MAX: return less ? b : a;
	}
	if (a.is_real || b.is_real)
		return operate_real(operation, a.value + a.rest, b.value + b.rest);
	return operate_integer(operation, a, b);
}

kernel void scalar_operation(int operation, global const uchar *a, scalar_layout_t a_layout, global const uchar *b,
			     scalar_layout_t b_layout, global uchar *out, scalar_layout_t out_layout)
{
	write_number(out, out_layout, operate(operation, read_number(a, a_layout), read_number(b, b_layout)));
}
#endif
