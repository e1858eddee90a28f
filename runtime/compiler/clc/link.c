/* Lays out the back end's object files as one image that can be loaded anywhere, and resolves the
 * relocations. What no kernel reaches is left out. */
#include "runtime/compiler/clc/clc.h"
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

struct section {
	unsigned input;
	GElf_Shdr header;
	const char *data;
	const Elf64_Rela *relas;
	size_t num_relas;
	enum segment segment;
	bool live;
	uint64_t offset; /* in its segment */
};

struct symbol_name { const char *name; unsigned section; uint64_t value, size; bool function; };
struct input { Elf *elf; unsigned first; const Elf64_Sym *symbols; size_t num_symbols; size_t strings; };

struct linker {
	struct image *image;
	struct input *inputs;
	struct section *sections; size_t num_sections;
	struct symbol_name *names; size_t num_names;
	struct strings *missing;
	bool failed;
};

static bool read_input(struct linker *l, unsigned n, const struct elf_input *in)
{
	struct input *input = &l->inputs[n];
	Elf_Scn *scn = NULL;
	size_t names = 0;
	input->elf = elf_memory((char *)in->data, in->size);
	input->first = (unsigned)l->num_sections;
	if (!input->elf || elf_getshdrstrndx(input->elf, &names)) {
		clc_error("code generator gave no ELF file: %s", elf_errmsg(-1));
		return false;
	}
	size_t count = 0;
	elf_getshdrnum(input->elf, &count);
	l->sections = clc_realloc(l->sections, (l->num_sections + count) * sizeof *l->sections);
	memset(l->sections + l->num_sections, 0, count * sizeof *l->sections);
	l->num_sections += count;
	while ((scn = elf_nextscn(input->elf, scn))) {
		struct section *s = &l->sections[input->first + elf_ndxscn(scn)];
		Elf_Data *data = elf_getdata(scn, NULL);
		gelf_getshdr(scn, &s->header);
		s->input = n;
		s->data = data ? data->d_buf : NULL;
		s->segment = s->header.sh_flags & SHF_EXECINSTR ? SEG_TEXT :
			     s->header.sh_type == SHT_NOBITS ? SEG_BSS :
			     s->header.sh_flags & SHF_WRITE ? SEG_DATA : SEG_RODATA;
		if (s->header.sh_type == SHT_SYMTAB) {
			input->symbols = data->d_buf;
			input->num_symbols = data->d_size / sizeof *input->symbols;
			input->strings = s->header.sh_link;
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct section *s = &l->sections[input->first + i];
		if (s->header.sh_type == SHT_RISCV_ATTRIBUTES && !l->image->attributes.size)
			bytes_add(&l->image->attributes, s->data, s->header.sh_size);
		if (s->header.sh_type == SHT_RELA && s->header.sh_info < count) {
			struct section *target = &l->sections[input->first + s->header.sh_info];
			target->relas = (const Elf64_Rela *)s->data;
			target->num_relas = s->header.sh_size / sizeof *target->relas;
		}
	}
	for (size_t i = 1; i < input->num_symbols; i++) {
		const Elf64_Sym *sym = &input->symbols[i];
		unsigned type = ELF64_ST_TYPE(sym->st_info);
		if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= count || type == STT_SECTION || type == STT_FILE)
			continue;
		if (ELF64_ST_BIND(sym->st_info) == STB_LOCAL && type != STT_FUNC)
			continue;
		*CLC_ADD(l->names, l->num_names) = (struct symbol_name){
			.name = elf_strptr(input->elf, input->strings, sym->st_name),
			.section = input->first + sym->st_shndx, .value = sym->st_value, .size = sym->st_size,
			.function = type == STT_FUNC };
	}
	return true;
}

/* Where a relocation's symbol is: section and value. False when no input defines it. */
static bool resolve(struct linker *l, const struct section *from, uint32_t index, unsigned *section, uint64_t *value)
{
	struct input *input = &l->inputs[from->input];
	const Elf64_Sym *sym = &input->symbols[index];
	if (sym->st_shndx != SHN_UNDEF && sym->st_shndx < SHN_LORESERVE) {
		*section = input->first + sym->st_shndx;
		*value = sym->st_value;
		return true;
	}
	const char *name = elf_strptr(input->elf, input->strings, sym->st_name);
	for (size_t i = 0; name && i < l->num_names; i++) {
		if (!strcmp(l->names[i].name, name)) {
			*section = l->names[i].section;
			*value = l->names[i].value;
			return true;
		}
	}
	for (size_t i = 0; i < l->missing->count; i++)
		if (!strcmp(l->missing->items[i], name ? name : "?"))
			return false;
	strings_add(l->missing, name ? name : "?");
	return false;
}

static void mark_live(struct linker *l, unsigned index)
{
	struct section *s = &l->sections[index];
	if (s->live)
		return;
	s->live = true;
	for (size_t i = 0; i < s->num_relas; i++) {
		unsigned target;
		uint64_t value;
		uint32_t type = (uint32_t)ELF64_R_TYPE(s->relas[i].r_info);
		if (type == R_RISCV_NONE || type == R_RISCV_RELAX)
			continue;
		if (resolve(l, s, (uint32_t)ELF64_R_SYM(s->relas[i].r_info), &target, &value))
			mark_live(l, target);
	}
}

static uint64_t address_of(struct linker *l, unsigned section, uint64_t value)
{
	struct section *s = &l->sections[section];
	return l->image->address[s->segment] + s->offset + value;
}

static uint32_t load32(const char *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static void store32(char *p, uint32_t v) { memcpy(p, &v, 4); }

static bool fits(int64_t v, unsigned bits) { return v >= -(1ll << (bits - 1)) && v < 1ll << (bits - 1); }

static uint32_t imm_i(uint32_t insn, int64_t v) { return (insn & 0xfffff) | (uint32_t)(v & 0xfff) << 20; }
static uint32_t imm_s(uint32_t insn, int64_t v)
{
	return (insn & 0x1fff07f) | (uint32_t)(v & 0x1f) << 7 | (uint32_t)(v >> 5 & 0x7f) << 25;
}
static uint32_t imm_u(uint32_t insn, int64_t v) { return (insn & 0xfff) | (uint32_t)((v + 0x800) & 0xfffff000); }
static uint32_t imm_b(uint32_t insn, int64_t v)
{
	return (insn & 0x1fff07f) | (uint32_t)(v >> 11 & 1) << 7 | (uint32_t)(v >> 1 & 0xf) << 8 |
	       (uint32_t)(v >> 5 & 0x3f) << 25 | (uint32_t)(v >> 12 & 1) << 31;
}
static uint32_t imm_j(uint32_t insn, int64_t v)
{
	return (insn & 0xfff) | (uint32_t)(v >> 12 & 0xff) << 12 | (uint32_t)(v >> 11 & 1) << 20 |
	       (uint32_t)(v >> 1 & 0x3ff) << 21 | (uint32_t)(v >> 20 & 1) << 31;
}

/* The distance that the AUIPC at a place of this section holds the upper part of. */
static bool pcrel_distance(struct linker *l, const struct section *s, uint64_t place, int64_t *distance)
{
	for (size_t i = 0; i < s->num_relas; i++) {
		unsigned target;
		uint64_t value;
		const Elf64_Rela *r = &s->relas[i];
		if (r->r_offset != place || ELF64_R_TYPE(r->r_info) != R_RISCV_PCREL_HI20)
			continue;
		if (!resolve(l, s, (uint32_t)ELF64_R_SYM(r->r_info), &target, &value))
			return false;
		*distance = (int64_t)(address_of(l, target, value) + (uint64_t)r->r_addend -
				      address_of(l, (unsigned)(s - l->sections), place));
		return true;
	}
	return false;
}

static void add_in_place(char *at, size_t bytes, uint64_t value)
{
	uint64_t word = 0;
	memcpy(&word, at, bytes);
	word += value;
	memcpy(at, &word, bytes);
}

static bool apply(struct linker *l, struct section *s, const Elf64_Rela *r)
{
	unsigned target;
	uint64_t value;
	uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
	if (type == R_RISCV_NONE || type == R_RISCV_RELAX)
		return true;
	if (!resolve(l, s, (uint32_t)ELF64_R_SYM(r->r_info), &target, &value))
		return false;
	char *at = l->image->bytes[s->segment].data + s->offset + r->r_offset;
	uint64_t place = address_of(l, (unsigned)(s - l->sections), r->r_offset);
	uint64_t sa = address_of(l, target, value) + (uint64_t)r->r_addend;
	int64_t distance = (int64_t)(sa - place);
	bool reaches = true;
	switch (type) {
	case R_RISCV_BRANCH:
		reaches = fits(distance, 13);
		store32(at, imm_b(load32(at), distance));
		break;
	case R_RISCV_JAL:
		reaches = fits(distance, 21);
		store32(at, imm_j(load32(at), distance));
		break;
	case R_RISCV_CALL: case R_RISCV_CALL_PLT:
		store32(at + 4, imm_i(load32(at + 4), distance));
		/* fall through */
	case R_RISCV_PCREL_HI20:
		reaches = fits(distance + 0x800, 32);
		store32(at, imm_u(load32(at), distance));
		break;
	case R_RISCV_PCREL_LO12_I: case R_RISCV_PCREL_LO12_S:
		/* the symbol is the AUIPC, in the same section */
		reaches = pcrel_distance(l, &l->sections[target], value, &distance);
		store32(at, type == R_RISCV_PCREL_LO12_I ? imm_i(load32(at), distance) : imm_s(load32(at), distance));
		break;
	case R_RISCV_64:
		*CLC_ADD(l->image->relative, l->image->num_relative) =
			(Elf64_Rela){ .r_offset = place, .r_info = ELF64_R_INFO(0, R_RISCV_RELATIVE), .r_addend = (int64_t)sa };
		break;
	case R_RISCV_32_PCREL:
		reaches = fits(distance, 32);
		store32(at, (uint32_t)distance);
		break;
	case R_RISCV_ADD8: case R_RISCV_ADD16: case R_RISCV_ADD32: case R_RISCV_ADD64:
		add_in_place(at, (size_t)1 << (type - R_RISCV_ADD8), sa);
		break;
	case R_RISCV_SUB8: case R_RISCV_SUB16: case R_RISCV_SUB32: case R_RISCV_SUB64:
		add_in_place(at, (size_t)1 << (type - R_RISCV_SUB8), -sa);
		break;
	default:
		clc_error("cannot link: relocation of type %u is not known", type);
		l->failed = true;
	}
	if (!reaches) {
		clc_error("cannot link: the program is too large (relocation of type %u)", type);
		l->failed = true;
	}
	return !l->failed;
}

/* Gives every live section its place. */
static void lay_out(struct linker *l)
{
	struct image *image = l->image;
	uint64_t size[SEG_COUNT] = { 0 };
	for (size_t i = 0; i < l->num_sections; i++) {
		struct section *s = &l->sections[i];
		if (!s->live || !(s->header.sh_flags & SHF_ALLOC))
			continue;
		uint64_t align = s->header.sh_addralign ? s->header.sh_addralign : 1;
		s->offset = (size[s->segment] + align - 1) / align * align;
		size[s->segment] = s->offset + s->header.sh_size;
		struct bytes *b = &image->bytes[s->segment];
		if (s->segment == SEG_BSS) {
			b->size = size[SEG_BSS];
			continue;
		}
		while (b->size < s->offset)
			bytes_add(b, "", 1);
		bytes_add(b, s->data, s->header.sh_size);
	}
	uint64_t address = 0;
	for (int i = 0; i < SEG_COUNT; i++) {
		/* bss follows data in its segment */
		uint64_t align = i == SEG_BSS && size[SEG_DATA] ? 256 : 4096;
		address = (address + align - 1) / align * align;
		image->address[i] = address;
		address += size[i];
	}
}

/* ---- debug information ---- */

/* younger than some systems' elf.h */
enum { RELOCATION_SET_ULEB128 = 60, RELOCATION_SUB_ULEB128 = 61 };

static size_t debug_index(const char *name)
{
	size_t i = 0;
	while (i < CLC_DEBUG_SECTIONS && strcmp(name, clc_debug_sections[i]))
		i++;
	return i;
}

/* The value of a symbol in debug information: an address of the image, or an offset in a section that was left out
 * (then *dead) or has no address. False when it is none of these. */
static bool debug_value(struct linker *l, const struct section *from, uint32_t index, uint64_t *value, bool *dead)
{
	unsigned target;
	uint64_t offset;
	if (!resolve(l, from, index, &target, &offset))
		return false;
	const struct section *s = &l->sections[target];
	*dead = (s->header.sh_flags & SHF_ALLOC) && !s->live;
	*value = s->live && (s->header.sh_flags & SHF_ALLOC) ? address_of(l, target, offset) : offset;
	return true;
}

/* A number of seven bits a byte, in as many bytes as it has been given. It comes as a difference of two places,
 * one after the other, and is right modulo what fits. */
static bool uleb_apply(struct bytes *out, uint64_t at, uint32_t type, uint64_t value)
{
	uint64_t old = 0;
	unsigned n = 0;
	do {
		if (at + n >= out->size || n == 9)
			return false;
		old |= (uint64_t)(out->data[at + n] & 0x7f) << 7 * n;
	} while (out->data[at + n++] & 0x80);
	value = type == RELOCATION_SET_ULEB128 ? value : old - value;
	for (unsigned i = 0; i < n; i++, value >>= 7)
		out->data[at + i] = (char)((value & 0x7f) | (i + 1 < n ? 0x80 : 0));
	return true;
}

static bool debug_apply(struct linker *l, const struct section *s, const Elf64_Rela *r, struct bytes *out)
{
	uint64_t value = 0, word = 0;
	uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
	size_t size;
	bool dead = false;
	switch (type) {
	case R_RISCV_NONE: case R_RISCV_RELAX: return true;
	case RELOCATION_SET_ULEB128: case RELOCATION_SUB_ULEB128:
		return debug_value(l, s, (uint32_t)ELF64_R_SYM(r->r_info), &value, &dead) &&
		       uleb_apply(out, r->r_offset, type, value + (uint64_t)r->r_addend);
	case R_RISCV_ADD8: case R_RISCV_SUB8: case R_RISCV_SET8: case R_RISCV_SUB6: case R_RISCV_SET6: size = 1; break;
	case R_RISCV_ADD16: case R_RISCV_SUB16: case R_RISCV_SET16: size = 2; break;
	case R_RISCV_ADD32: case R_RISCV_SUB32: case R_RISCV_SET32: case R_RISCV_32: size = 4; break;
	case R_RISCV_ADD64: case R_RISCV_SUB64: case R_RISCV_64: size = 8; break;
	default: return false;
	}
	if (r->r_offset > out->size || size > out->size - r->r_offset ||
	    !debug_value(l, s, (uint32_t)ELF64_R_SYM(r->r_info), &value, &dead))
		return false;
	char *at = out->data + r->r_offset;
	value += (uint64_t)r->r_addend;
	memcpy(&word, at, size);
	switch (type) {
	case R_RISCV_ADD8: case R_RISCV_ADD16: case R_RISCV_ADD32: case R_RISCV_ADD64: word += value; break;
	case R_RISCV_SUB8: case R_RISCV_SUB16: case R_RISCV_SUB32: case R_RISCV_SUB64: word -= value; break;
	case R_RISCV_SET6: word = (word & 0xc0) | (value & 0x3f); break;
	case R_RISCV_SUB6: word = (word & 0xc0) | ((word - value) & 0x3f); break;
	default: word = dead ? UINT64_MAX : value; break; /* no code is there: 0 would be an address */
	}
	memcpy(at, &word, size);
	return true;
}

/* That of the program's own code, which comes first: the library has none. */
static void debug_link(struct linker *l)
{
	size_t names = 0;
	if (elf_getshdrstrndx(l->inputs[0].elf, &names))
		return;
	for (size_t i = 0; i < l->num_sections && !l->sections[i].input; i++) {
		struct section *s = &l->sections[i];
		const char *name = elf_strptr(l->inputs[0].elf, names, s->header.sh_name);
		size_t d = name && s->header.sh_type == SHT_PROGBITS ? debug_index(name) : CLC_DEBUG_SECTIONS;
		if (d == CLC_DEBUG_SECTIONS)
			continue;
		struct bytes *out = &l->image->debug[d];
		bytes_add(out, s->data, s->header.sh_size);
		for (size_t r = 0; r < s->num_relas; r++)
			if (!debug_apply(l, s, &s->relas[r], out)) {
				clc_error("cannot link: relocation of type %u in %s is not known",
					  (unsigned)ELF64_R_TYPE(s->relas[r].r_info), name);
				l->failed = true;
				return;
			}
	}
}

static int compare_functions(const void *a, const void *b)
{
	const struct image_function *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void record_functions(struct linker *l)
{
	struct image *image = l->image;
	for (size_t i = 0; i < l->num_names; i++) {
		struct symbol_name *n = &l->names[i];
		if (!n->function || !l->sections[n->section].live)
			continue;
		*CLC_ADD(image->functions, image->num_functions) = (struct image_function){
			.name = clc_format("%s", n->name), .address = address_of(l, n->section, n->value),
			.size = n->size };
	}
	if (image->num_functions)
		qsort(image->functions, image->num_functions, sizeof *image->functions, compare_functions);
}

/* An entry has no caller and never returns, so what its prologue saves of the callers' registers
 * is never read: the entry begins behind the stores, with the instruction that makes the frame. */
static void skip_saves(struct image *image, struct image_function *entry)
{
	char *code = image->bytes[SEG_TEXT].data + (entry->address - image->address[SEG_TEXT]);
	uint32_t frame = entry->size >= 4 ? load32(code) : 0;
	uint64_t at = 4;
	if ((frame & 0xfffff) != 0x10113) /* addi sp, sp, n */
		return;
	for (; at + 4 <= entry->size; at += 4) {
		uint32_t x = load32(code + at);
		unsigned reg = x >> 20 & 31;
		bool saved = reg == 8 || reg == 9 || (reg >= 18 && reg <= 27);
		bool integer = (x & 0x707f) == 0x3023 && (saved || reg == 1); /* sd */
		bool floating = (x & 0x707f) == 0x3027 && saved;             /* fsd */
		if ((x >> 15 & 31) != 2 || !(integer || floating))
			break;
	}
	memmove(code, code + 4, at - 4);
	store32(code + at - 4, frame);
	entry->address += at - 4;
	entry->size -= at - 4;
}

bool image_link(struct image *image, const struct elf_input *inputs, size_t count, struct strings *missing)
{
	struct linker l = { .image = image, .missing = missing };
	*image = (struct image){ 0 };
	l.inputs = clc_alloc(count * sizeof *l.inputs);
	elf_version(EV_CURRENT);
	for (unsigned i = 0; !l.failed && i < count; i++)
		l.failed = !read_input(&l, i, &inputs[i]);
	for (size_t i = 0; !l.failed && i < l.num_names; i++)
		if (clc_is_entry(l.names[i].name))
			mark_live(&l, l.names[i].section);
	/* a variable in global memory is part of the program, used or not */
	for (size_t i = 0; !l.failed && i < l.num_sections; i++)
		if ((l.sections[i].header.sh_flags & (SHF_ALLOC | SHF_WRITE)) == (SHF_ALLOC | SHF_WRITE))
			mark_live(&l, (unsigned)i);
	if (!l.failed && !missing->count) {
		lay_out(&l);
		record_functions(&l);
		for (size_t i = 0; i < l.num_sections && !l.failed; i++)
			for (size_t r = 0; l.sections[i].live && r < l.sections[i].num_relas; r++)
				if (!apply(&l, &l.sections[i], &l.sections[i].relas[r]) && !l.failed) {
					clc_error("cannot link: a symbol went away");
					l.failed = true;
				}
	}
	if (!l.failed && !missing->count)
		debug_link(&l);
	for (size_t i = 0; !l.failed && i < image->num_functions; i++)
		if (clc_is_entry(image->functions[i].name))
			skip_saves(image, &image->functions[i]);
	for (size_t i = 0; i < count; i++)
		elf_end(l.inputs[i].elf);
	free(l.inputs);
	free(l.sections);
	free(l.names);
	return !l.failed && !missing->count;
}

const struct image_function *image_function_find(const struct image *image, const char *name)
{
	for (size_t i = 0; i < image->num_functions; i++)
		if (!strcmp(image->functions[i].name, name))
			return &image->functions[i];
	return NULL;
}

void image_free(struct image *image)
{
	for (int i = 0; i < SEG_COUNT; i++)
		free(image->bytes[i].data);
	for (size_t i = 0; i < image->num_functions; i++)
		free(image->functions[i].name);
	free(image->functions);
	free(image->attributes.data);
	for (int i = 0; i < CLC_DEBUG_SECTIONS; i++)
		free(image->debug[i].data);
	free(image->sources.data);
	free(image->relative);
	*image = (struct image){ 0 };
}
