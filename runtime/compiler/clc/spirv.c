/* SPIR-V to IR: the module's words, the options, the text. */
#include "abi/spirv_block.h"
#include "runtime/compiler/clc/spirv.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool spirv_is_module(const void *data, size_t size)
{
	uint32_t magic;
	if (size < SPIRV_HEADER_WORDS * sizeof magic || size % sizeof magic)
		return false;
	memcpy(&magic, data, sizeof magic);
	return magic == SPIRV_MAGIC;
}

bool spv_fail(struct spv *s, const char *format, ...)
{
	va_list args;
	if (s->failed)
		return false;
	s->failed = true;
	va_start(args, format);
	char *text = clc_vformat(format, args);
	va_end(args);
	const char *name = s->at ? spv_opcode_name((uint16_t)*s->at) : NULL;
	if (name)
		clc_error("SPIR-V, word %zu (Op%s): %s", (size_t)(s->at - s->words), name, text);
	else if (s->at)
		clc_error("SPIR-V, word %zu (opcode %u): %s", (size_t)(s->at - s->words), *s->at & 0xffff, text);
	else
		clc_error("SPIR-V: %s", text);
	free(text);
	return false;
}

void spv_emit(struct spv *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	bytes_vformat(&s->code, format, args);
	va_end(args);
}

static void emit_value(struct spv *s, const char *name, const char *format, va_list args)
{
	spv_emit(s, "  %s = ", name);
	bytes_vformat(&s->code, format, args);
	spv_emit(s, "\n");
}

const char *spv_let(struct spv *s, const char *format, ...)
{
	va_list args;
	const char *name = clc_format("%%t%u", s->temporaries++);
	va_start(args, format);
	emit_value(s, name, format, args);
	va_end(args);
	return name;
}

bool spv_result(struct spv *s, const char *format, ...)
{
	va_list args;
	struct spv_id *r = spv_id(s, s->at[2]);
	if (!r || !spv_type(s, s->at[1]) || !spv_becomes(s, r, s->at[1]))
		return false;
	va_start(args, format);
	emit_value(s, spv_value(s, s->at[2]), format, args);
	va_end(args);
	spv_pointer_track(s, s->at[2]);
	return !s->failed;
}

void spv_declare(struct spv *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *line = clc_vformat(format, args);
	va_end(args);
	for (size_t i = 0; i < s->declarations.count; i++)
		if (!strcmp(s->declarations.items[i], line)) {
			free(line);
			return;
		}
	strings_take(&s->declarations, line);
}

/* ---- options ---- */
static bool option(struct spv *s, const char *word)
{
	unsigned set, binding, offset, id;
	unsigned long long value;
	static const char entry[] = "-spirv-entry=";
	if (!strncmp(word, entry, sizeof entry - 1))
		s->entry_name = word + sizeof entry - 1;
	else if (sscanf(word, "-spirv-constant=%u:%llu", &id, &value) == 2)
		*CLC_ADD(s->specials, s->num_specials) = (struct spv_special){ id, value };
	else if (sscanf(word, "-spirv-binding=%u:%u:%u", &set, &binding, &offset) == 3)
		*CLC_ADD(s->bindings, s->num_bindings) = (struct spv_binding){ set, binding, offset };
	else if (!strcmp(word, "-spirv-robust"))
		s->robust = true;
	else
		return spv_fail(s, "option '%s' is not known", word);
	return true;
}

static bool options_read(struct spv *s, const struct strings *options)
{
	bool ok = true;
	s->entry_name = "main";
	for (size_t i = 0; ok && i < options->count; i++)
		ok = option(s, options->items[i]);
	return ok;
}

/* ---- the text ---- */
static void kernel(struct spv *s, struct bytes *out)
{
	char *name = clc_format("%s", s->entry_name);
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	bytes_format(out,
		"%%block = type { [%zu x i64] }\n"
		"define spir_kernel void @%s(ptr byval(%%block) align 8 %%block) #0 !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 "
		"!kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !reqd_work_group_size !5 {\n",
		sizeof(struct spirv_block) / sizeof(uint64_t), name);
	free(name);
	bytes_add(out, s->code.data, s->code.size);
	bytes_format(out, "}\nattributes #0 = { nounwind }\nattributes #1 = { nounwind alwaysinline convergent }\nattributes #2 = { nounwind convergent }\n"
			  "!1 = !{i32 0}\n!2 = !{!\"none\"}\n!3 = !{!\"block\"}\n!4 = !{!\"\"}\n!5 = !{i32 %u, i32 %u, i32 %u}\n",
			  s->local_size[0], s->local_size[1], s->local_size[2]);
}

static bool translate(struct spv *s, struct bytes *ir)
{
	struct bytes functions = { 0 };
	if (!spv_read_module(s) || !spv_variables_place(s) || !spv_functions(s))
		return false;
	functions = s->code;
	s->code = (struct bytes){ 0 };
	if (!spv_frame_fill(s))
		return false;
	bytes_text(ir, "target datalayout = \"\"\ntarget triple = \"\"\n");
	bytes_add(ir, s->globals.data, s->globals.size);
	for (size_t i = 0; i < s->declarations.count; i++) {
		bytes_text(ir, s->declarations.items[i]);
		bytes_text(ir, "\n");
	}
	bytes_add(ir, functions.data, functions.size);
	kernel(s, ir);
	bytes_add(ir, "", 1);
	return true;
}

bool spirv_translate(const void *module, size_t size, const struct strings *options, struct bytes *ir)
{
	struct spv s = { .words = module, .num_words = size / sizeof(uint32_t) };
	if (!spirv_is_module(module, size))
		return spv_fail(&s, "not a module: its first word is not 0x%08x", SPIRV_MAGIC);
	s.bound = s.words[3];
	if (!s.bound || s.bound > SPIRV_MAX_BOUND || s.words[4])
		return spv_fail(&s, "the header says %u ids and schema %u", s.bound, s.words[4]);
	s.ids = clc_alloc(s.bound * sizeof *s.ids);
	return options_read(&s, options) && translate(&s, ir);
}
