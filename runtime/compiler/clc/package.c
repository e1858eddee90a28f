/* Splits a module into one small module a function or table (package.h), at build time. On the text
 * of the IR, like retargeting: its top level is one line a thing, or one block a function, and what
 * a thing uses are the tokens @name, #number and !number in it. */
#include "runtime/compiler/clc/package.h"
#include "runtime/compiler/clc/clc.h"
#include <ctype.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>
#include <stdlib.h>
#include <string.h>

struct span { const char *text; size_t size; };

struct symbol {
	struct span name;         /* as in the text, with quotes if it has them */
	struct span definition;   /* empty for what the module only declares */
	struct span declaration;  /* the line, for what is only declared */
	bool function;
	unsigned number;          /* entry of the package */
	unsigned stamp;           /* last module that this one was written to */
};

struct splitter {
	struct bytes types, head;
	struct symbol *symbols; size_t num_symbols;
	struct symbol **sorted;
	struct numbered { struct span line; unsigned stamp; } *attributes, *metadata;
	size_t num_attributes, num_metadata;
	unsigned stamp;
};

static bool is_name(char c) { return isalnum((unsigned char)c) || strchr("_.$-", c); }

/* The name at '@' or '%', without that character. */
static struct span name_at(const char *p, const char *end)
{
	struct span s = { ++p, 0 };
	if (p < end && *p == '"') {
		const char *q = memchr(p + 1, '"', (size_t)(end - p - 1));
		s.size = q ? (size_t)(q + 1 - p) : 0;
	} else {
		while (p + s.size < end && is_name(p[s.size]))
			s.size++;
	}
	return s;
}

static int compare_spans(struct span a, struct span b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int c = memcmp(a.text, b.text, n);
	return c ? c : a.size < b.size ? -1 : a.size > b.size;
}

static int compare_symbols(const void *a, const void *b)
{
	return compare_spans((*(struct symbol *const *)a)->name, (*(struct symbol *const *)b)->name);
}

static struct symbol *symbol_find(struct splitter *s, struct span name)
{
	struct symbol key = { .name = name }, *k = &key, **found;
	found = bsearch(&k, s->sorted, s->num_symbols, sizeof *s->sorted, compare_symbols);
	return found ? *found : NULL;
}

static struct symbol *symbol_add(struct splitter *s, struct span name)
{
	if (s->num_symbols % 1024 == 0)
		s->symbols = clc_realloc(s->symbols, (s->num_symbols + 1024) * sizeof *s->symbols);
	struct symbol *symbol = &s->symbols[s->num_symbols++];
	*symbol = (struct symbol){ .name = name };
	return symbol;
}

static void numbered_add(struct numbered **list, size_t *count, const char *digits, struct span line)
{
	size_t n = strtoul(digits, NULL, 10);
	if (n >= *count) {
		*list = clc_realloc(*list, (n + 1) * sizeof **list);
		memset(*list + *count, 0, (n + 1 - *count) * sizeof **list);
		*count = n + 1;
	}
	(*list)[n].line = line;
}

static bool starts(struct span s, const char *text)
{
	return s.size >= strlen(text) && !memcmp(s.text, text, strlen(text));
}

/* Splits the module's text. */
static void read_module(struct splitter *s, const char *text)
{
	const char *end = text + strlen(text);
	for (const char *p = text, *next; p < end; p = next) {
		const char *n = memchr(p, '\n', (size_t)(end - p));
		next = n ? n + 1 : end;
		struct span line = { p, (size_t)(next - p) };
		if (starts(line, "define ")) {
			const char *close = strstr(next, "\n}\n");
			const char *name = memchr(p, '@', line.size);
			next = close ? close + 3 : end;
			struct symbol *symbol = symbol_add(s, name_at(name, end));
			symbol->function = true;
			symbol->definition = (struct span){ p, (size_t)(next - p) };
		} else if (starts(line, "declare ")) {
			symbol_add(s, name_at(memchr(p, '@', line.size), end))->declaration = line;
		} else if (*p == '@') {
			symbol_add(s, name_at(p, end))->definition = line;
		} else if (*p == '%') {
			bytes_add(&s->types, p, line.size);
		} else if (starts(line, "target ")) {
			bytes_add(&s->head, p, line.size);
		} else if (starts(line, "attributes #")) {
			numbered_add(&s->attributes, &s->num_attributes, p + 12, line);
		} else if (*p == '!' && isdigit((unsigned char)p[1])) {
			numbered_add(&s->metadata, &s->num_metadata, p + 1, line);
		}
	}
	s->sorted = clc_alloc(s->num_symbols * sizeof *s->sorted);
	for (size_t i = 0; i < s->num_symbols; i++)
		s->sorted[i] = &s->symbols[i];
	qsort(s->sorted, s->num_symbols, sizeof *s->sorted, compare_symbols);
}

/* The line that declares a function that is defined: its header without linkage and body. */
static void declare_function(struct bytes *out, const struct symbol *symbol)
{
	static const char *const linkages[] = { "linkonce_odr ", "linkonce ", "internal ", "private ", "hidden ", "weak_odr ", "weak " };
	const char *p = symbol->definition.text + strlen("define ");
	const char *end = memchr(p, '\n', symbol->definition.size);
	bytes_text(out, "declare ");
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
			if (!strncmp(p, linkages[i], strlen(linkages[i]))) {
				p += strlen(linkages[i]);
				again = true;
			}
	}
	while (end > p && (*end == '{' || *end == '\n' || *end == ' '))
		end--;
	bytes_add(out, p, (size_t)(end + 1 - p));
	bytes_text(out, "\n");
}

/* The length of the type at p: brackets balance, and it ends at a blank outside of them. */
static size_t type_length(const char *p, const char *end)
{
	int depth = 0;
	const char *start = p;
	for (; p < end; p++) {
		if (strchr("[{<(", *p))
			depth++;
		else if (strchr("]}>)", *p))
			depth--;
		else if (*p == ' ' && !depth)
			break;
	}
	return (size_t)(p - start);
}

static void declare_global(struct bytes *out, const struct symbol *symbol)
{
	const char *p = symbol->definition.text, *end = p + symbol->definition.size;
	const char *constant = memmem(p, symbol->definition.size, " constant ", 10);
	const char *global = memmem(p, symbol->definition.size, " global ", 8);
	bool is_constant = constant && (!global || constant < global);
	p = is_constant ? constant + 10 : global + 8;
	bytes_text(out, "@");
	bytes_add(out, symbol->name.text, symbol->name.size);
	bytes_text(out, is_constant ? " = external constant " : " = external global ");
	bytes_add(out, p, type_length(p, end));
	const char *align = memmem(p, (size_t)(end - p), ", align ", 8);
	bytes_text(out, align ? "" : "\n");
	if (align)
		bytes_add(out, align, (size_t)(end - align));
}

struct uses { unsigned *items; size_t count; };

/* Follows the tokens of a text: declares what it names, notes which attributes and metadata it needs. */
static void follow(struct splitter *s, struct span text, struct symbol *self, struct bytes *out, struct uses *uses)
{
	const char *end = text.text + text.size;
	for (const char *p = text.text; p < end; p++) {
		if (*p == '"') {
			const char *q = memchr(p + 1, '"', (size_t)(end - p - 1));
			p = q ? q : end;
		} else if (*p == '@') {
			struct span name = name_at(p, end);
			struct symbol *used = symbol_find(s, name);
			p = name.text + name.size - 1;
			if (!used || used == self || used->stamp == s->stamp)
				continue;
			used->stamp = s->stamp;
			if (!used->definition.size) {
				bytes_add(out, used->declaration.text, used->declaration.size);
				follow(s, used->declaration, used, out, uses);
				continue;
			}
			struct bytes line = { 0 };
			if (used->function)
				declare_function(&line, used);
			else
				declare_global(&line, used);
			bytes_add(out, line.data, line.size);
			follow(s, (struct span){ line.data, line.size }, used, out, uses);
			free(line.data);
			*CLC_ADD(uses->items, uses->count) = used->number;
		} else if ((*p == '#' || *p == '!') && p + 1 < end && isdigit((unsigned char)p[1])) {
			struct numbered *list = *p == '#' ? s->attributes : s->metadata;
			size_t n = strtoul(p + 1, NULL, 10);
			if (n >= (*p == '#' ? s->num_attributes : s->num_metadata) || list[n].stamp == s->stamp)
				continue;
			list[n].stamp = s->stamp;
			bytes_add(out, list[n].line.text, list[n].line.size);
			if (*p == '!')
				follow(s, list[n].line, NULL, out, uses);
		}
	}
}

/* One symbol's module, as bitcode. */
static LLVMMemoryBufferRef split_one(struct splitter *s, struct symbol *symbol, struct uses *uses)
{
	struct bytes text = { 0 };
	LLVMModuleRef module;
	char *message = NULL;
	LLVMContextRef context = LLVMContextCreate();
	s->stamp++;
	symbol->stamp = s->stamp;
	bytes_add(&text, s->head.data, s->head.size);
	bytes_add(&text, s->types.data, s->types.size);
	bytes_add(&text, symbol->definition.text, symbol->definition.size);
	follow(s, symbol->definition, symbol, &text, uses);
	bytes_add(&text, "", 1);
	LLVMMemoryBufferRef bitcode = NULL;
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data, text.size - 1, "library");
	if (LLVMParseIRInContext(context, buffer, &module, &message)) {
		clc_error("library, %.*s: %s", (int)symbol->name.size, symbol->name.text, message);
		LLVMDisposeMessage(message);
	} else {
		bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
		LLVMDisposeModule(module);
	}
	LLVMContextDispose(context);
	free(text.data);
	return bitcode;
}

/* The name without quotes; names with escapes do not occur in the library. */
static struct span plain_name(struct span name)
{
	if (name.size > 1 && *name.text == '"')
		return (struct span){ name.text + 1, name.size - 2 };
	return name;
}

static int compare_plain(const void *a, const void *b)
{
	return compare_spans(plain_name((*(struct symbol *const *)a)->name), plain_name((*(struct symbol *const *)b)->name));
}

bool package_write(LLVMModuleRef module, struct bytes *out)
{
	struct splitter s = { 0 };
	char *text = LLVMPrintModuleToString(module);
	read_module(&s, text);
	struct symbol **defined = clc_alloc(s.num_symbols * sizeof *defined);
	size_t count = 0;
	for (size_t i = 0; i < s.num_symbols; i++)
		if (s.symbols[i].definition.size)
			defined[count++] = &s.symbols[i];
	qsort(defined, count, sizeof *defined, compare_plain);
	for (size_t i = 0; i < count; i++)
		defined[i]->number = (unsigned)i;

	struct package_header header = { .magic = PACKAGE_MAGIC, .toolchain = GALENA_TOOLCHAIN_HASH, .num_entries = (uint32_t)count };
	struct package_entry *entries = clc_alloc(count * sizeof *entries);
	struct uses uses = { 0 };
	bytes_add(out, &header, sizeof header);
	size_t table = out->size;
	bytes_add(out, entries, count * sizeof *entries);
	bool ok = true;
	for (size_t i = 0; ok && i < count; i++) {
		struct span name = plain_name(defined[i]->name);
		entries[i].name = (uint32_t)out->size;
		entries[i].name_length = (uint32_t)name.size;
		bytes_add(out, name.text, name.size);
		bytes_add(out, "", 1);
		entries[i].first_use = (uint32_t)uses.count;
		LLVMMemoryBufferRef bitcode = split_one(&s, defined[i], &uses);
		entries[i].num_uses = (uint32_t)uses.count - entries[i].first_use;
		ok = bitcode != NULL;
		if (!ok)
			break;
		bytes_align(out, 8);
		entries[i].bitcode = (uint32_t)out->size;
		entries[i].bitcode_size = (uint32_t)LLVMGetBufferSize(bitcode);
		bytes_add(out, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
		LLVMDisposeMemoryBuffer(bitcode);
	}
	bytes_align(out, 8);
	header.uses = (uint32_t)out->size;
	bytes_add(out, uses.items, uses.count * sizeof *uses.items);
	header.size = out->size;
	if (out->size > UINT32_MAX) {
		clc_error("the kernel library is larger than 4 GiB");
		ok = false;
	}
	memcpy(out->data, &header, sizeof header);
	memcpy(out->data + table, entries, count * sizeof *entries);
	LLVMDisposeMessage(text);
	return ok;
}
