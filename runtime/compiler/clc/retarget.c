/* From the SPIR front end's IR to the device's, on the text: one pass over the tokens.
 *
 * On the text, because LLVM's C interface cannot change types, and types are what changes: all
 * address spaces become one (the device's pointers are flat, and its back end has no use for the
 * difference), images become pointers, samplers and events 64-bit integers. */
#include "runtime/compiler/clc/clc.h"
#include <ctype.h>
#include <llvm-c/IRReader.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || strchr("_.$-", c); }

static bool starts(const char *p, const char *end, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(end - p) >= n && !memcmp(p, text, n);
}

static const char *line_end(const char *p, const char *end)
{
	const char *n = memchr(p, '\n', (size_t)(end - p));
	return n ? n + 1 : end;
}

/* attributes #N = { ... }: string attributes belong to the target that was, but for one (kernels.c). */
static void attributes_line(struct bytes *out, const char *p, const char *end)
{
	static const char kept[] = "\"uniform-work-group-size\"=\"false\"";
	while (p < end && *p != '{')
		bytes_add(out, p++, 1);
	while (p < end) {
		if ((size_t)(end - p) >= sizeof kept && !memcmp(p, kept, sizeof kept - 1)) {
			bytes_add(out, p, sizeof kept - 1);
			p += sizeof kept - 1;
		} else if (*p == '"') {
			const char *q = memchr(p + 1, '"', (size_t)(end - p - 1));
			p = q ? q + 1 : end;
			if (p < end && *p == '=')
				p++;
		} else if (*p == '}') {
			bytes_text(out, "\"no-builtins\" }\n");
			return;
		} else {
			bytes_add(out, p++, 1);
		}
	}
}

/* The name that a global's line begins with, unquoted and unescaped. */
static char *global_name(const char *p, const char *end)
{
	struct bytes name = { 0 };
	bool quoted = p + 1 < end && p[1] == '"';
	for (p += quoted ? 2 : 1; p < end && (quoted ? *p != '"' : is_word(*p)); p++) {
		if (quoted && *p == '\\' && end - p > 2 && isxdigit((unsigned char)p[1])) {
			char hex[3] = { p[1], p[2], 0 };
			char c = (char)strtol(hex, NULL, 16);
			bytes_add(&name, &c, 1);
			p += 2;
		} else {
			bytes_add(&name, p, 1);
		}
	}
	bytes_add(&name, "", 1);
	return name.data;
}

/* Is this line of a global a variable in local memory? */
static bool is_local(const char *p, const char *end)
{
	for (; p < end && *p != '='; p++) {
		if (*p == '"') {
			const char *q = memchr(p + 1, '"', (size_t)(end - p - 1));
			p = q ? q : end - 1;
		}
	}
	static const char mark[] = "addrspace(3) global ";
	const char *found = memmem(p, (size_t)(end - p), mark, sizeof mark - 1);
	/* a type with that address space may follow the word global, not precede it */
	const char *global = found ? memmem(p, (size_t)(end - p), "global ", 7) : NULL;
	const char *constant = found ? memmem(p, (size_t)(found - p), "constant ", 9) : NULL;
	return found && !constant && global == found + sizeof mark - 1 - 7;
}

/* One token at p outside quotes that has to change; returns its end, or NULL to copy. */
static const char *replace(struct bytes *out, const char *p, const char *end, unsigned flags)
{
	switch (*p) {
	case 'a':
		if (starts(p, end, "addrspace(")) {
			const char *q = memchr(p, ')', (size_t)(end - p));
			if (!q)
				return NULL;
			if (out->size && out->data[out->size - 1] == ' ')
				out->size--;
			return q + 1;
		}
		if (starts(p, end, "addrspacecast") && !is_word(p[13])) {
			bytes_text(out, "bitcast");
			return p + 13;
		}
		return NULL;
	case ',':
		/* OpenCL C programs read memory by other types than it was written by, and vectors of which they
		 * set a part; what clang and libclc say of types and of undefined values must not be used against them. */
		if (starts(p, end, ", !tbaa !") || starts(p, end, ", !noundef !")) {
			p += p[3] == 't' ? 9 : 12;
			while (p < end && isdigit((unsigned char)*p))
				p++;
			return p;
		}
		return NULL;
	case 'n':
		/* A vector that is set in part may be given to a function, whose code gives each element to others. */
		if (starts(p, end, "noundef") && end - p > 7 && !is_word(p[7]))
			return p[7] == ' ' ? p + 8 : p + 7;
		return NULL;
	case 's':
		return starts(p, end, "spir_func ") ? p + 10 : starts(p, end, "spir_kernel ") ? p + 12 : NULL;
	case 't':
		if (starts(p, end, "target(\"")) {
			const char *q = memchr(p, ')', (size_t)(end - p));
			bytes_text(out, starts(p, end, "target(\"spirv.Image\"") ? "ptr" : "i64");
			return q ? q + 1 : end;
		}
		return NULL;
	case '@':
		if ((flags & RETARGET_NVPTX) && starts(p, end, "@_Z")) {
			for (; p < end && (is_word(*p) || *p == '@'); p++) {
				if (starts(p, end, "U3AS4")) {
					bytes_text(out, "U3AS2");
					p += 4;
				} else {
					bytes_add(out, p, 1);
				}
			}
			return p;
		}
		return NULL;
	default:
		return NULL;
	}
}

void retarget_text(struct bytes *out, const char *ir, size_t size, const char *layout, unsigned flags,
		   struct strings *locals)
{
	const char *p = ir, *end = ir + size;
	while (p < end) {
		const char *next = line_end(p, end);
		if (starts(p, next, "target datalayout")) {
			bytes_format(out, "target datalayout = \"%s\"\n", layout);
			p = next;
		} else if (starts(p, next, "target triple")) {
			bytes_text(out, "target triple = \"" CLC_TRIPLE "\"\n");
			p = next;
		} else if (starts(p, next, "attributes #")) {
			attributes_line(out, p, next);
			p = next;
		} else if ((flags & RETARGET_DEBUG) && starts(p, next, "!llvm.module.flags")) {
			/* numbers that the front end does not come to */
			bytes_text(out, "!llvm.module.flags = !{!99999998, !99999999}\n"
					"!99999998 = !{i32 7, !\"Dwarf Version\", i32 5}\n"
					"!99999999 = !{i32 2, !\"Debug Info Version\", i32 3}\n");
			p = next;
		} else if (*p == ';' || starts(p, next, "!llvm.module.flags") || starts(p, next, "!llvm.ident")) {
			p = next;
		} else if (*p == '@' && is_local(p, next)) {
			strings_take(locals, global_name(p, next));
		}
		while (p < next) {
			if (p == ir || *p == ',' || (!is_word(p[-1]) && p[-1] != '%' && p[-1] != '@')) {
				const char *after = replace(out, p, next, flags);
				if (after) {
					p = after;
					continue;
				}
			}
			const char *q = p + 1;
			if (*p == '"') {
				q = memchr(q, '"', (size_t)(end - q));
				q = q ? q + 1 : end;
				if (q > next)
					next = line_end(q, end);
			}
			bytes_add(out, p, (size_t)(q - p));
			p = q;
		}
	}
	bytes_add(out, "", 1);
}

LLVMModuleRef retarget_parse(LLVMContextRef context, const char *name, const char *ir, size_t size,
			     const char *layout, unsigned flags)
{
	struct bytes text = { 0 };
	struct strings locals = { 0 };
	LLVMModuleRef module;
	char *message = NULL;
	retarget_text(&text, ir, size, layout, flags, &locals);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data, text.size - 1, name);
	free(text.data);
	if (LLVMParseIRInContext(context, buffer, &module, &message)) {
		clc_error("cannot read the front end's output (is it clang 19?): %s", message);
		LLVMDisposeMessage(message);
		strings_free(&locals);
		return NULL;
	}
	for (size_t i = 0; i < locals.count; i++) {
		LLVMValueRef variable = LLVMGetNamedGlobal(module, locals.items[i]);
		if (variable)
			LLVMSetSection(variable, CLC_LOCAL_SECTION);
	}
	strings_free(&locals);
	return module;
}
