/* Writes kernel objects (abi/kernel_note.h) with libelf. */
#include "runtime/compiler/clc/clc.h"
#include "base/memory_file.h"
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct part {
	const char *name;
	uint32_t type;
	uint64_t flags, address, entry_size, align;
	const void *data;
	size_t size;
	uint32_t link, info;
	uint64_t offset;
};

enum { MAX_PARTS = 12 + CLC_DEBUG_SECTIONS };
struct parts { struct part part[MAX_PARTS]; size_t count; };

static struct part *part_add(struct parts *p, const char *name, uint32_t type, const void *data, size_t size)
{
	struct part *part = &p->part[p->count++];
	*part = (struct part){ .name = name, .type = type, .data = data, .size = size, .align = 8 };
	return part;
}

/* Adds a section at *at, aligned; *at is then the end of its bytes in the file. */
static bool section_add(Elf *elf, struct part *p, uint32_t name, uint64_t *at)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	Elf64_Shdr *section = scn ? elf64_getshdr(scn) : NULL;
	if (!data || !section)
		return false;
	p->offset = *at = (*at + p->align - 1) / p->align * p->align;
	data->d_buf = p->type == SHT_NOBITS ? NULL : (void *)p->data;
	data->d_size = p->size;
	data->d_align = p->align;
	data->d_type = ELF_T_BYTE;
	data->d_version = EV_CURRENT;
	section->sh_name = name;
	section->sh_type = p->type;
	section->sh_flags = p->flags;
	section->sh_addr = p->address;
	section->sh_offset = *at;
	section->sh_size = p->size;
	section->sh_link = p->link;
	section->sh_info = p->info;
	section->sh_addralign = p->align;
	section->sh_entsize = p->entry_size;
	if (p->type != SHT_NOBITS)
		*at += p->size;
	return true;
}

/* Segments begin in the file where their sections do. */
static void segments_add(Elf *elf, const struct parts *parts, const Elf64_Phdr *segments, size_t num_segments)
{
	Elf64_Phdr *program = elf64_newphdr(elf, num_segments);
	memcpy(program, segments, num_segments * sizeof *program);
	for (size_t s = 0; s < num_segments; s++)
		for (size_t i = 0; i < parts->count; i++)
			if ((parts->part[i].flags & SHF_ALLOC) && parts->part[i].address == program[s].p_vaddr &&
			    (parts->part[i].type != SHT_NOBITS || !program[s].p_filesz))
				program[s].p_offset = parts->part[i].offset;
}

static bool write_elf(struct bytes *out, unsigned type, struct parts *parts, const Elf64_Phdr *segments, size_t num_segments)
{
	bool ok = false;
	struct bytes names = { 0 };
	int fd = memory_file_open("object", 0);
	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_WRITE, NULL);
	Elf64_Ehdr *header = elf ? elf64_newehdr(elf) : NULL;
	if (!header)
		goto done;
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_type = (Elf64_Half)type;
	header->e_machine = EM_RISCV;
	header->e_version = EV_CURRENT;
	header->e_flags = EF_RISCV_FLOAT_ABI_DOUBLE;
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);

	bytes_add(&names, "", 1);
	uint64_t at = sizeof(Elf64_Ehdr) + num_segments * sizeof(Elf64_Phdr);
	part_add(parts, ".shstrtab", SHT_STRTAB, NULL, 0)->align = 1;
	uint32_t name_offset[MAX_PARTS];
	for (size_t i = 0; i < parts->count; i++) {
		name_offset[i] = (uint32_t)names.size;
		bytes_add(&names, parts->part[i].name, strlen(parts->part[i].name) + 1);
	}
	parts->part[parts->count - 1].data = names.data;
	parts->part[parts->count - 1].size = names.size;
	for (size_t i = 0; i < parts->count; i++)
		if (!section_add(elf, &parts->part[i], name_offset[i], &at))
			goto done;
	header->e_shstrndx = (Elf64_Half)parts->count;
	if (num_segments) {
		segments_add(elf, parts, segments, num_segments);
		header->e_phoff = sizeof(Elf64_Ehdr);
	}
	header->e_shoff = (at + 7) / 8 * 8;
	if (elf_update(elf, ELF_C_WRITE) < 0)
		goto done;
	size_t size;
	char *copy = clc_load(fd, &size, 0);
	ok = copy;
	bytes_add(out, copy, copy ? size : 0);
	free(copy);
done:
	if (!ok)
		clc_error("cannot write the object: %s", elf_errmsg(-1));
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	free(names.data);
	return ok;
}

static bool names_lines(const char *section)
{
	return !strcmp(section, CLC_DEBUG_PREFIX "line") || !strcmp(section, CLC_DEBUG_PREFIX "line_str");
}

static bool write_image(struct bytes *out, const struct image *image, const struct bytes *note)
{
	static const char *const names[SEG_COUNT] = { ".text", ".rodata", ".data", ".bss" };
	static const uint64_t flags[SEG_COUNT] = { SHF_EXECINSTR, 0, SHF_WRITE, SHF_WRITE };
	static const uint32_t rights[SEG_COUNT] = { PF_R | PF_X, PF_R, PF_R | PF_W, PF_R | PF_W };
	struct parts parts = { 0 };
	Elf64_Phdr segments[SEG_COUNT];
	size_t num_segments = 0, text = 0;
	struct bytes symbols = { 0 }, strings = { 0 };

	for (int i = 0; i < SEG_COUNT; i++) {
		size_t size = image->bytes[i].size;
		if (!size)
			continue;
		struct part *p = part_add(&parts, names[i], i == SEG_BSS ? SHT_NOBITS : SHT_PROGBITS,
					  image->bytes[i].data, size);
		p->flags = SHF_ALLOC | flags[i];
		p->address = image->address[i];
		p->align = i == SEG_BSS && image->bytes[SEG_DATA].size ? 256 : 4096;
		if (i == SEG_TEXT)
			text = parts.count;
		if (i == SEG_BSS && image->bytes[SEG_DATA].size) {
			segments[num_segments - 1].p_memsz = p->address + size - segments[num_segments - 1].p_vaddr;
			continue;
		}
		segments[num_segments++] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = rights[i], .p_vaddr = p->address,
			.p_paddr = p->address, .p_filesz = i == SEG_BSS ? 0 : size, .p_memsz = size, .p_align = 4096 };
	}
	if (image->num_relative)
		part_add(&parts, ".rela.dyn", SHT_RELA, image->relative, image->num_relative * sizeof *image->relative)->entry_size = sizeof(Elf64_Rela);
	part_add(&parts, NOTE_SECTION, SHT_PROGBITS, note->data, note->size);
	if (image->attributes.size)
		part_add(&parts, ".riscv.attributes", SHT_RISCV_ATTRIBUTES, image->attributes.data, image->attributes.size)
			->align = 1;
	const bool whole = image->sources.size > 0; /* with -g; otherwise what names lines is enough */
	for (size_t i = 0; i < CLC_DEBUG_SECTIONS; i++)
		if (image->debug[i].size && (whole || names_lines(clc_debug_sections[i])))
			part_add(&parts, clc_debug_sections[i], SHT_PROGBITS, image->debug[i].data, image->debug[i].size)->align = 1;
	if (image->sources.size)
		part_add(&parts, NOTE_SOURCES, SHT_PROGBITS, image->sources.data, image->sources.size)->align = 1;
	bytes_add(&strings, "", 1);
	bytes_add(&symbols, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	for (size_t i = 0; i < image->num_functions; i++) {
		Elf64_Sym s = { .st_name = (Elf64_Word)strings.size, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
				.st_shndx = (Elf64_Section)text, .st_value = image->functions[i].address,
				.st_size = image->functions[i].size };
		bytes_add(&symbols, &s, sizeof s);
		bytes_add(&strings, image->functions[i].name, strlen(image->functions[i].name) + 1);
	}
	struct part *table = part_add(&parts, ".symtab", SHT_SYMTAB, symbols.data, symbols.size);
	table->entry_size = sizeof(Elf64_Sym);
	table->link = (uint32_t)parts.count + 1;
	table->info = (uint32_t)(symbols.size / sizeof(Elf64_Sym));
	part_add(&parts, ".strtab", SHT_STRTAB, strings.data, strings.size)->align = 1;
	bool ok = write_elf(out, ET_DYN, &parts, segments, num_segments);
	free(symbols.data);
	free(strings.data);
	return ok;
}

bool object_write(struct bytes *out, const struct image *image, struct note *note, const void *bitcode, size_t bitcode_size)
{
	struct bytes section = { 0 };
	bool ok;
	if (image)
		note->header.global_bytes = image->bytes[SEG_DATA].size + image->bytes[SEG_BSS].size;
	note_write(note, &section);
	if (image) {
		ok = write_image(out, image, &section);
	} else {
		struct parts parts = { 0 };
		part_add(&parts, ".llvmbc", SHT_PROGBITS, bitcode, bitcode_size);
		part_add(&parts, NOTE_SECTION, SHT_PROGBITS, section.data, section.size);
		ok = write_elf(out, ET_REL, &parts, NULL, 0);
	}
	free(section.data);
	return ok;
}

const void *object_bitcode(const void *data, size_t size, const char *name, size_t *bitcode_size)
{
	const void *bitcode = NULL;
	size_t names = 0;
	bool ours = false;
	Elf_Scn *scn = NULL;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)data, size);
	while (elf && !elf_getshdrstrndx(elf, &names) && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		Elf_Data *content = gelf_getshdr(scn, &header) ? elf_rawdata(scn, NULL) : NULL;
		const char *title = content ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (!title || !content->d_buf)
			continue;
		const char *at = content->d_buf;
		/* within the file, whatever the headers say */
		if (at < (const char *)data || content->d_size > size - (size_t)(at - (const char *)data))
			continue;
		if (!strcmp(title, ".llvmbc")) {
			bitcode = at;
			*bitcode_size = content->d_size;
		} else if (!strcmp(title, NOTE_SECTION) && content->d_size >= sizeof(struct note_header)) {
			struct note_header h;
			memcpy(&h, at, sizeof h);
			ours = h.magic == NOTE_MAGIC && h.version == NOTE_VERSION && h.toolchain == GALENA_TOOLCHAIN_HASH;
		}
	}
	if (elf)
		elf_end(elf);
	if (!ours || !bitcode) {
		clc_error("%s is no compiled program or library of this compiler", name);
		return NULL;
	}
	return bitcode;
}
