/* Reads kernel objects (abi/kernel_note.h). They come from the application (clCreateProgramWithBinary)
 * and from a cache on disk, so nothing in them is believed: whatever is used later has been checked
 * here, once. */
#include "runtime/compiler/compiler.h"
#include "runtime/compiler/line_table.h"
#include "abi/address_map.h"
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, MAX_SEGMENTS = 16, MAX_ALIGN = 4096 };
static const uint64_t max_image = 1ull << 30;
static const uint32_t max_arg_bytes = 1u << 20;
static const uint32_t max_count = 1u << 20;

struct kernel_object {
	char *bytes;              /* the file */
	size_t size;
	char *note;               /* the note section, aligned */
	size_t note_size;
	const struct note_header *header;
	const struct note_kernel *kernels;
	const struct note_arg *args;
	const struct note_printf *printfs;
	const char *strings;
	struct kernel_segment segments[MAX_SEGMENTS];
	size_t num_segments;
	uint64_t image_size;
	const Elf64_Rela *relocations; /* aligned copy */
	size_t num_relocations;
	bool has_bitcode;
	struct { const char *data; size_t size; } lines, line_strings; /* in bytes; size 0: none */
};

static pthread_once_t elf_once = PTHREAD_ONCE_INIT;
static void elf_start(void) { elf_version(EV_CURRENT); }

static bool in_file(const struct kernel_object *o, uint64_t offset, uint64_t size)
{
	return offset <= o->size && size <= o->size - offset;
}

/* A copy of a part of the file, aligned for any type. */
static void *aligned_copy(const struct kernel_object *o, uint64_t offset, uint64_t size)
{
	void *p = malloc(size ? size : 1);
	if (p && size)
		memcpy(p, o->bytes + offset, size);
	return p;
}

static const char *read_sections(struct kernel_object *o, Elf *elf)
{
	size_t names = 0;
	Elf_Scn *scn = NULL;
	if (elf_getshdrstrndx(elf, &names))
		return "not a kernel object: no section names";
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr h;
		if (!gelf_getshdr(scn, &h))
			return "damaged kernel object: section header";
		const char *name = elf_strptr(elf, names, h.sh_name);
		if (!name)
			return "damaged kernel object: section name";
		bool note = !strcmp(name, NOTE_SECTION), relocations = !strcmp(name, ".rela.dyn");
		bool bitcode = !strcmp(name, ".llvmbc"), lines = !strcmp(name, ".debug_line"), strings = !strcmp(name, ".debug_line_str");
		if (!note && !relocations && !bitcode && !lines && !strings)
			continue;
		if (h.sh_type == SHT_NOBITS || !in_file(o, h.sh_offset, h.sh_size))
			return "damaged kernel object: section lies outside the file";
		if (lines) {
			o->lines.data = o->bytes + h.sh_offset;
			o->lines.size = h.sh_size;
		} else if (strings) {
			o->line_strings.data = o->bytes + h.sh_offset;
			o->line_strings.size = h.sh_size;
		} else if (bitcode) {
			o->has_bitcode = h.sh_size > 0;
		} else if (note) {
			if (o->note)
				return "damaged kernel object: two notes";
			o->note_size = h.sh_size;
			if (!(o->note = aligned_copy(o, h.sh_offset, h.sh_size)))
				return "out of memory";
		} else {
			if (o->relocations || h.sh_size % sizeof(Elf64_Rela))
				return "damaged kernel object: relocations";
			o->num_relocations = h.sh_size / sizeof(Elf64_Rela);
			if (!(o->relocations = aligned_copy(o, h.sh_offset, h.sh_size)))
				return "out of memory";
		}
	}
	return o->note ? NULL : "not a kernel object: no section " NOTE_SECTION;
}

static const char *read_segments(struct kernel_object *o, Elf *elf)
{
	size_t count = 0;
	if (elf_getphdrnum(elf, &count))
		return "damaged kernel object: program headers";
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr h;
		if (i > 1024 || !gelf_getphdr(elf, (int)i, &h))
			return "damaged kernel object: program header";
		if (h.p_type != PT_LOAD)
			continue;
		if (o->num_segments == MAX_SEGMENTS)
			return "damaged kernel object: too many segments";
		if (h.p_vaddr % PAGE || h.p_vaddr < o->image_size || h.p_memsz > max_image || h.p_vaddr > max_image)
			return "damaged kernel object: segment address";
		if (h.p_filesz > h.p_memsz || !in_file(o, h.p_offset, h.p_filesz))
			return "damaged kernel object: segment lies outside the file";
		if ((h.p_flags & PF_W) && (h.p_flags & PF_X))
			return "damaged kernel object: segment is writable and executable";
		o->segments[o->num_segments++] = (struct kernel_segment){
			.address = h.p_vaddr, .file_size = h.p_filesz, .mem_size = h.p_memsz,
			.data = o->bytes + h.p_offset, .write = h.p_flags & PF_W, .execute = h.p_flags & PF_X };
		o->image_size = (h.p_vaddr + h.p_memsz + PAGE - 1) / PAGE * PAGE;
	}
	return o->image_size > max_image ? "damaged kernel object: image too large" : NULL;
}

static const char *check_relocations(const struct kernel_object *o)
{
	for (size_t i = 0; i < o->num_relocations; i++) {
		const Elf64_Rela *r = &o->relocations[i];
		if (r->r_info != ELF64_R_INFO(0, R_RISCV_RELATIVE))
			return "damaged kernel object: relocation type";
		if (r->r_addend < 0 || (uint64_t)r->r_addend > o->image_size)
			return "damaged kernel object: relocation value";
		bool placed = false;
		for (size_t s = 0; s < o->num_segments && !placed; s++) {
			const struct kernel_segment *segment = &o->segments[s];
			placed = r->r_offset >= segment->address && segment->mem_size >= 8 &&
				 r->r_offset - segment->address <= segment->mem_size - 8;
		}
		if (!placed)
			return "damaged kernel object: relocation lies outside the image";
	}
	return NULL;
}

static bool is_power_of_two(uint32_t x) { return x && !(x & (x - 1)); }

static const char *check_arg(const struct kernel_object *o, const struct note_kernel *k, const struct note_arg *a)
{
	uint32_t n = o->header->string_bytes;
	if (a->name >= n || a->type_name >= n)
		return "damaged kernel object: name of an argument";
	if (a->kind > NOTE_ARG_SAMPLER || !is_power_of_two(a->align) || a->align > MAX_ALIGN)
		return "damaged kernel object: kind of an argument";
	if (!a->size || (a->kind != NOTE_ARG_VALUE && a->size != 8))
		return "damaged kernel object: size of an argument";
	if (a->offset > k->arg_bytes || a->size > k->arg_bytes - a->offset)
		return "damaged kernel object: argument lies outside the block";
	return NULL;
}

static const char *check_kernel(const struct kernel_object *o, const struct note_kernel *k)
{
	const struct note_header *h = o->header;
	if (k->name >= h->string_bytes || !o->strings[k->name] || k->attributes >= h->string_bytes)
		return "damaged kernel object: name of a kernel";
	if (k->first_arg > h->num_args || k->num_args > h->num_args - k->first_arg || k->arg_bytes > max_arg_bytes)
		return "damaged kernel object: arguments of a kernel";
	if (k->private_bytes % 16 || k->private_bytes > VA_PRIVATE_SIZE)
		return "damaged kernel object: private memory of a kernel";
	bool placed = false;
	for (size_t s = 0; s < o->num_segments && !placed; s++) {
		const struct kernel_segment *segment = &o->segments[s];
		placed = segment->execute && k->entry % 4 == 0 && k->entry >= segment->address &&
			 segment->file_size >= 4 && k->entry - segment->address <= segment->file_size - 4;
	}
	if (!placed)
		return "damaged kernel object: entry of a kernel";
	for (uint32_t i = 0; i < k->num_args; i++) {
		const char *error = check_arg(o, k, &o->args[k->first_arg + i]);
		if (error)
			return error;
	}
	return NULL;
}

static const char *read_note(struct kernel_object *o, unsigned elf_type)
{
	if (o->note_size < sizeof *o->header)
		return "damaged kernel object: note too short";
	const struct note_header *h = o->header = (const struct note_header *)o->note;
	if (h->magic != NOTE_MAGIC)
		return "not a kernel object: wrong magic";
	if (h->version != NOTE_VERSION || h->toolchain != GALENA_TOOLCHAIN_HASH)
		return "kernel object of another version of the compiler: build the program from source again";
	if (h->num_kernels > max_count || h->num_args > max_count || h->num_printfs > max_count)
		return "damaged kernel object: counts";
	uint64_t at = sizeof *h;
	o->kernels = (const struct note_kernel *)(o->note + at);
	at += (uint64_t)h->num_kernels * sizeof *o->kernels;
	uint64_t args = at;
	at += (uint64_t)h->num_args * sizeof *o->args;
	uint64_t printfs = at;
	at += (uint64_t)h->num_printfs * sizeof *o->printfs;
	if (at > o->note_size || h->string_bytes != o->note_size - at || !h->string_bytes)
		return "damaged kernel object: note size";
	o->args = (const struct note_arg *)(o->note + args);
	o->printfs = (const struct note_printf *)(o->note + printfs);
	o->strings = o->note + at;
	if (o->strings[0] || o->strings[h->string_bytes - 1])
		return "damaged kernel object: strings";
	if (h->options >= h->string_bytes)
		return "damaged kernel object: options";
	bool executable = h->type == NOTE_EXECUTABLE;
	if (!executable && h->type != NOTE_COMPILED && h->type != NOTE_LIBRARY)
		return "damaged kernel object: type";
	if (elf_type != (executable ? ET_DYN : ET_REL))
		return "damaged kernel object: type of the file";
	if (!executable && (!o->has_bitcode || h->num_kernels || o->num_segments))
		return "damaged kernel object: compiled program";
	for (uint32_t i = 0; i < h->num_kernels; i++) {
		const char *error = check_kernel(o, &o->kernels[i]);
		if (error)
			return error;
	}
	for (uint32_t i = 0; i < h->num_printfs; i++)
		if (o->printfs[i].format >= h->string_bytes || o->printfs[i].num_args > max_count)
			return "damaged kernel object: printf";
	return NULL;
}

static const char *read_all(struct kernel_object *o)
{
	const char *error;
	Elf64_Ehdr h;
	if (o->size < sizeof h)
		return "not a kernel object: too short";
	memcpy(&h, o->bytes, sizeof h);
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_RISCV)
		return "not a kernel object: no RISC-V ELF file";
	pthread_once(&elf_once, elf_start);
	Elf *elf = elf_memory(o->bytes, o->size);
	if (!elf)
		return "not a kernel object: damaged ELF file";
	if (elf_kind(elf) != ELF_K_ELF)
		error = "not a kernel object: no ELF file";
	else if (!(error = read_segments(o, elf)) && !(error = read_sections(o, elf)) &&
		 !(error = read_note(o, h.e_type)))
		error = check_relocations(o);
	elf_end(elf);
	return error;
}

struct kernel_object *kernel_object_read(const void *data, size_t size, const char **error)
{
	const char *why = "out of memory";
	struct kernel_object *o = calloc(1, sizeof *o);
	if (!o)
		goto fail;
	o->size = size;
	if (!(o->bytes = malloc(size ? size : 1)))
		goto fail;
	if (size)
		memcpy(o->bytes, data, size);
	why = read_all(o);
	if (!why)
		return o;
fail:
	kernel_object_free(o);
	if (error)
		*error = why;
	return NULL;
}

void kernel_object_free(struct kernel_object *o)
{
	if (!o)
		return;
	free(o->bytes);
	free(o->note);
	free((void *)o->relocations);
	free(o);
}

enum note_type kernel_object_type(const struct kernel_object *o) { return (enum note_type)o->header->type; }

const char *kernel_object_string(const struct kernel_object *o, uint32_t offset)
{
	return offset < o->header->string_bytes ? o->strings + offset : "";
}

size_t kernel_object_num_kernels(const struct kernel_object *o) { return o->header->num_kernels; }

const struct note_kernel *kernel_object_kernel(const struct kernel_object *o, size_t i)
{
	return i < o->header->num_kernels ? &o->kernels[i] : NULL;
}

const struct note_arg *kernel_object_args(const struct kernel_object *o, const struct note_kernel *kernel)
{
	return o->args + kernel->first_arg;
}

size_t kernel_object_num_printfs(const struct kernel_object *o) { return o->header->num_printfs; }

const struct note_printf *kernel_object_printf(const struct kernel_object *o, size_t i)
{
	return i < o->header->num_printfs ? &o->printfs[i] : NULL;
}

uint64_t kernel_object_global_bytes(const struct kernel_object *o) { return o->header->global_bytes; }

bool kernel_object_line(const struct kernel_object *o, uint64_t address, struct line_place *out)
{
	return line_table_find(o->lines.data, o->lines.size, o->line_strings.data, o->line_strings.size, address, out);
}

const char *kernel_object_options(const struct kernel_object *o)
{
	return kernel_object_string(o, o->header->options);
}

uint64_t kernel_object_image_size(const struct kernel_object *o) { return o->image_size; }
size_t kernel_object_num_segments(const struct kernel_object *o) { return o->num_segments; }

const struct kernel_segment *kernel_object_segment(const struct kernel_object *o, size_t i)
{
	return i < o->num_segments ? &o->segments[i] : NULL;
}

void kernel_object_place(const struct kernel_object *o, uint64_t base, void *image)
{
	memset(image, 0, o->image_size);
	for (size_t i = 0; i < o->num_segments; i++)
		memcpy((char *)image + o->segments[i].address, o->segments[i].data, o->segments[i].file_size);
	for (size_t i = 0; i < o->num_relocations; i++) {
		uint64_t value = base + (uint64_t)o->relocations[i].r_addend;
		memcpy((char *)image + o->relocations[i].r_offset, &value, sizeof value);
	}
}
