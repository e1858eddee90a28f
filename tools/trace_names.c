#include "tools/trace_names.h"
#include "abi/codes.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static const struct reg { const char *bank, *name; uint32_t offset, bytes, count; } regs[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { #bank, #name, offset, bits / 8, count },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
};
static const struct field { const char *bank, *reg, *name; unsigned lsb, width; } fields[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc)
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc) { #bank, #reg, #name, lsb, width },
#include "abi/registers.def"
#undef REG
#undef FIELD
};
#define VALUES_ALL
static const struct value { const char *type, *name; uint64_t value; bool flag; } values[] = {
#define VALUE(type, name, value, doc) { #type, #name, value, false },
#define FLAG(type, name, value, doc) { #type, #name, value, true },
#define HOLDS(reg, field, type)
#include "abi/values.def"
#undef VALUE
#undef FLAG
#undef HOLDS
/* those whose tables are of other things, too */
#define FAULT(name, code, doc) { "fault", #name, code, false },
#include "abi/faults.def"
#undef FAULT
#define INJECTION(name, code, block, arg, doc) { "injection", #name, code, false },
#include "abi/injections.def"
#undef INJECTION
#define PACKET_BEGIN(name, code, doc) { "packet", #name, code, false },
#define PACKET_FIELD(name, type, field, offset, doc)
#define PACKET_ARRAY(name, type, field, count, offset, doc)
#define PACKET_END(name)
#include "abi/packets.def"
#undef PACKET_BEGIN
#undef PACKET_FIELD
#undef PACKET_ARRAY
#undef PACKET_END
};
static const struct held { const char *reg, *field, *type; } holds[] = {
#define VALUE(type, name, value, doc)
#define FLAG(type, name, value, doc)
#define HOLDS(reg, field, type) { #reg, #field, #type },
#include "abi/values.def"
#undef VALUE
#undef FLAG
#undef HOLDS
};

struct text { char *at; size_t size, length; };

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(t->at + t->length, t->size - t->length, format, ap);
	va_end(ap);
	t->length += n < 0 ? 0 : (size_t)n;
	if (t->length >= t->size)
		t->length = t->size - 1;
}

static void value_add(struct text *t, const char *type, uint64_t value);

static const struct reg *host_register(uint64_t offset)
{
	for (const struct reg *r = regs; r < regs + LENGTH(regs); r++)
		if (!strcmp(r->bank, "HOST") && offset - r->offset < (uint64_t)r->bytes * r->count)
			return r;
	return NULL;
}

static const char *type_of(const char *reg, const char *field)
{
	for (size_t i = 0; i < LENGTH(holds); i++)
		if (!strcmp(holds[i].reg, reg) && !strcmp(holds[i].field, field))
			return holds[i].type;
	return NULL;
}

static void field_add(struct text *t, const struct field *f, uint64_t value)
{
	const char *type = type_of(f->reg, f->name);
	if (f->width == 1) {
		add(t, "%s", f->name);
		return;
	}
	add(t, "%s=", f->name);
	if (type)
		value_add(t, type, value);
	else
		add(t, "%" PRIu64, value);
}

/* The fields that are not 0, of the first register of that name. False: it has none. */
static bool fields_add(struct text *t, const char *reg, uint64_t value)
{
	const char *bank = NULL, *before = " [";
	for (const struct field *f = fields; f < fields + LENGTH(fields); f++) {
		if (strcmp(f->reg, reg) || (bank && strcmp(f->bank, bank)))
			continue;
		if (!bank)
			add(t, "0x%" PRIx64, value);
		bank = f->bank;
		uint64_t part = value >> f->lsb & ((1ull << f->width) - 1);
		if (!part)
			continue;
		add(t, "%s", before);
		field_add(t, f, part);
		before = " ";
	}
	if (*before == ' ' && before[1] == 0)
		add(t, "]");
	return bank != NULL;
}

/* Bits that have names, and what is left of the others. False: the type has none. */
static bool flags_add(struct text *t, const char *type, uint64_t value)
{
	const char *between = "";
	uint64_t left = value;
	bool any = false;
	for (const struct value *v = values; v < values + LENGTH(values); v++) {
		if (!v->flag || strcmp(v->type, type))
			continue;
		any = true;
		if (!(value & v->value))
			continue;
		add(t, "%s%s", between, v->name);
		between = "|";
		left &= ~v->value;
	}
	if (any && (left || !value))
		add(t, left ? "%s0x%" PRIx64 : "%s%" PRIu64, between, left);
	return any;
}

static bool code_add(struct text *t, const char *type, uint64_t value)
{
	for (const struct value *v = values; v < values + LENGTH(values); v++)
		if (!v->flag && v->value == value && !strcmp(v->type, type)) {
			add(t, "%s", v->name);
			return true;
		}
	return false;
}

static void register_add(struct text *t, uint64_t offset)
{
	const struct reg *r = host_register(offset);
	if (!r) {
		add(t, "no register");
		return;
	}
	add(t, "%s.%s", r->bank, r->name);
	if (r->count > 1)
		add(t, "[%u]", (uint32_t)(offset - r->offset) / r->bytes);
	if ((offset - r->offset) % r->bytes)
		add(t, "+%u", (uint32_t)(offset - r->offset) % r->bytes);
}

static void value_add(struct text *t, const char *type, uint64_t value)
{
	if (!strcmp(type, "register"))
		register_add(t, value);
	else if (!strcmp(type, "bits"))
		add(t, "0x%" PRIx64, value);
	else if (!strcmp(type, "unit") && strcmp(unit_name((unsigned)value), "?"))
		add(t, "%s", unit_name((unsigned)value));
	else if (!code_add(t, type, value) && !flags_add(t, type, value) && !fields_add(t, type, value))
		add(t, "%" PRIu64, value);
}

static struct text text_begin(char *out, size_t size)
{
	*out = 0;
	return (struct text){ out, size, 0 };
}

char *register_name(char *out, size_t size, uint64_t offset)
{
	struct text t = text_begin(out, size);
	register_add(&t, offset);
	return out;
}

char *register_value(char *out, size_t size, uint64_t offset, uint64_t value)
{
	struct text t = text_begin(out, size);
	const struct reg *r = host_register(offset);
	const char *type = r ? type_of(r->name, "") : NULL;
	if (type)
		value_add(&t, type, value);
	else if (!r || !fields_add(&t, r->name, value))
		add(&t, "0x%" PRIx64, value);
	return out;
}

char *value_name(char *out, size_t size, const char *type, uint64_t value)
{
	struct text t = text_begin(out, size);
	value_add(&t, type, value);
	return out;
}
