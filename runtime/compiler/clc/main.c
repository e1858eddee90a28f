/* galena-clc: command line and phases. */
#include "runtime/compiler/clc/clc.h"
#include "runtime/compiler/clc/spirv.h"
#include "base/file.h"
#include "base/setting.h"
#include "base/limit.h"
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EMIT_OBJECT, EMIT_LLVM, EMIT_ASSEMBLY };

struct command {
	enum clc_action action;
	struct bytes options;        /* for options_parse */
	const char *output, *headers, *source_name, *dependencies;
	const char **inputs; size_t num_inputs;
	int emit;
	bool debug;
};

static bool timing;
static double phase_wall, phase_cpu;

static double clock_ms(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* GALENA_CLC_TIME: what a phase took, by the clock and of this process's processor time. */
static void phase(const char *name)
{
	if (!timing)
		return;
	double wall = clock_ms(CLOCK_MONOTONIC), cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
	if (name)
		fprintf(stderr, "galena-clc: %-9s %7.2f ms, cpu %7.2f ms\n", name, wall - phase_wall, cpu - phase_cpu);
	phase_wall = wall;
	phase_cpu = cpu;
}

/* ---- files ---- */

/* A path of the form /proc/self/fd/N is that descriptor, whether there is a /proc or not; "-" is the standard one. Others are opened. */
static int file_open(const char *path, int standard, int flags)
{
	int n, length = 0;
	if (!strcmp(path, "-"))
		return standard;
	if (sscanf(path, "/proc/self/fd/%d%n", &n, &length) == 1 && !path[length])
		return fcntl(n, F_GETFD) < 0 ? -1 : n;
	return open(path, flags | O_CLOEXEC, 0666);
}

static bool read_file(const char *path, struct bytes *out)
{
	int fd = file_open(path, STDIN_FILENO, O_RDONLY);
	out->data = fd < 0 ? NULL : clc_load(fd, &out->size, FILE_POSITION);
	out->room = out->size;
	if (!out->data)
		clc_error("cannot read %s: %s%s", path, strerror(errno), limit_advice(errno));
	if (fd > STDIN_FILENO)
		close(fd);
	return out->data;
}

static bool write_file(const char *path, const char *data, size_t size)
{
	int fd = file_open(path, STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
	if (fd >= 0 && file_write_all(fd, data, size, FILE_POSITION) && (fd <= STDOUT_FILENO || !close(fd)))
		return true;
	clc_error("cannot write %s: %s%s", path, strerror(errno), limit_advice(errno));
	return false;
}

/* ---- phases ---- */

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
	bool *failed = arg;
	LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
	if (severity != LLVMDSError && severity != LLVMDSWarning)
		return;
	char *text = LLVMGetDiagInfoDescription(info);
	fprintf(stderr, "galena-clc: %s: %s\n", severity == LLVMDSError ? "error" : "warning", text);
	LLVMDisposeMessage(text);
	if (severity == LLVMDSError)
		*failed = true;
}

static void on_fatal(const char *reason)
{
	clc_error("code generator: %s", reason);
	_exit(CLC_FAILED);
}

struct job {
	struct command *command;
	struct clc_options options;
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMTargetMachineRef machine;
	LLVMTargetDataRef data;
	struct note note;
	struct bytes dependencies; /* depend.h */
	bool failed;
};

/* A SPIR-V module to a module of the back end. */
static enum clc_exit compile_spirv(struct job *j, const struct clc_source *source, const char *layout)
{
	struct bytes ir = { 0 };
	if (j->command->action != CLC_BUILD) {
		clc_error("a SPIR-V module is a whole program: it is built, not compiled for linking");
		return CLC_FAILED;
	}
	if (!spirv_translate(source->data, source->size, &j->options.spirv, &ir))
		return CLC_FAILED;
	phase("front end");
	if (!library_open())
		return CLC_NO_COMPILER;
	j->module = retarget_parse(j->context, "program", ir.data, ir.size - 1, layout, 0);
	free(ir.data);
	char *message = NULL;
	const bool broken = j->module && LLVMVerifyModule(j->module, LLVMReturnStatusAction, &message);
	if (broken)
		clc_error("SPIR-V: the module is not valid: %s", message);
	LLVMDisposeMessage(message);
	phase("retarget");
	return j->module && !broken ? CLC_OK : CLC_FAILED;
}

/* OpenCL C to module: clang runs while this process gets the back end ready. */
static enum clc_exit compile_opencl(struct job *j, const char *path, const struct clc_source *text, const char *layout)
{
	struct frontend frontend;
	char *ir = NULL;
	size_t size = 0;
	if (j->options.spirv.count) {
		clc_error("option '%s' is one of SPIR-V modules", j->options.spirv.items[0]);
		return CLC_BAD_OPTIONS;
	}
	const char *name = j->command->source_name;
	enum clc_exit status = frontend_start(&frontend, &j->options, text, j->command->headers,
					      name ? name : strcmp(path, "-") ? path : "<stdin>");
	if (status)
		return status;
	bool library = j->options.action == CLC_COMPILE || library_open();
	status = frontend_finish(&frontend, &ir, &size);
	phase("front end");
	if (!status && !(j->module = retarget_parse(j->context, "program", ir, size, layout,
						   j->options.no_lines ? 0 : RETARGET_DEBUG)))
		status = CLC_NO_COMPILER;
	free(ir);
	if (!status && j->options.debug && frontend.debug_name)
		debug_sources_note(j->module, frontend.debug_name, text);
	if (!status && j->command->dependencies && frontend.rule)
		depend_list(&j->dependencies, &j->options, j->command->headers, text, frontend.rule);
	free(frontend.rule);
	free(frontend.debug_name);
	if (!status && !library)
		status = CLC_NO_COMPILER;
	phase("retarget");
	return status;
}

static enum clc_exit compile_source(struct job *j, const char *path, const char *layout)
{
	struct bytes source = { 0 };
	enum clc_exit status = CLC_FAILED;
	if (!read_file(path, &source))
		return CLC_FAILED;
	const struct clc_source text = { source.data, source.size };
	if (limits_source(text.size))
		status = spirv_is_module(text.data, text.size) ? compile_spirv(j, &text, layout) : compile_opencl(j, path, &text, layout);
	free(source.data);
	return status;
}

static enum clc_exit link_objects(struct job *j)
{
	for (size_t i = 0; i < j->command->num_inputs; i++) {
		struct bytes file = { 0 };
		size_t size = 0;
		const char *name = j->command->inputs[i];
		if (!read_file(name, &file))
			return CLC_FAILED;
		const void *bitcode = object_bitcode(file.data, file.size, name, &size);
		LLVMModuleRef module;
		if (!bitcode) {
			free(file.data);
			return CLC_FAILED;
		}
		LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, size, name);
		free(file.data);
		if (LLVMParseBitcodeInContext2(j->context, buffer, &module)) {
			clc_error("%s: its bitcode is damaged", name);
			return CLC_FAILED;
		}
		LLVMDisposeMemoryBuffer(buffer);
		if (!j->module)
			j->module = module;
		else if (LLVMLinkModules2(j->module, module))
			return CLC_FAILED;
	}
	if (!j->options.create_library && !library_open())
		return CLC_NO_COMPILER;
	bytes_add(&j->dependencies, "", 1); /* none */
	phase("inputs");
	return CLC_OK;
}

/* The name in a mangled name, for messages. */
static void undefined(const char *symbol)
{
	char *end;
	if (!strncmp(symbol, "_Z", 2)) {
		unsigned long n = strtoul(symbol + 2, &end, 10);
		if (n && n <= strlen(end)) {
			clc_error("function '%.*s' is used but not defined (%s)", (int)n, end, symbol);
			return;
		}
	}
	clc_error("'%s' is used but not defined", symbol);
}

/* A second object of functions that the back end called on its own account. */
static LLVMMemoryBufferRef emit_runtime(struct job *j, const struct strings *names)
{
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("runtime", j->context);
	LLVMMemoryBufferRef object = NULL;
	char *layout = LLVMCopyStringRepOfTargetData(j->data);
	LLVMSetTarget(module, CLC_TRIPLE);
	LLVMSetDataLayout(module, layout);
	LLVMDisposeMessage(layout);
	for (size_t i = 0; i < names->count; i++)
		LLVMAddFunction(module, names->items[i],
				LLVMFunctionType(LLVMVoidTypeInContext(j->context), NULL, 0, false));
	if (library_link(module)) {
		for (size_t i = 0; i < names->count; i++) {
			LLVMValueRef f = LLVMGetNamedFunction(module, names->items[i]);
			if (f && !LLVMIsDeclaration(f))
				LLVMSetLinkage(f, LLVMExternalLinkage);
		}
		if (backend_run(module, j->machine, "default<O2>"))
			object = backend_emit(module, j->machine, false);
	}
	LLVMDisposeModule(module);
	return object;
}

static enum clc_exit link_image(struct job *j, LLVMMemoryBufferRef code, struct bytes *out)
{
	struct strings missing = { 0 };
	struct image image;
	LLVMMemoryBufferRef runtime = NULL;
	struct elf_input inputs[2] = { { LLVMGetBufferStart(code), LLVMGetBufferSize(code) } };
	bool ok = image_link(&image, inputs, 1, &missing);
	bool known = false;
	for (size_t i = 0; i < missing.count; i++)
		known |= library_has(missing.items[i]);
	if (!ok && known && (runtime = emit_runtime(j, &missing))) {
		inputs[1] = (struct elf_input){ LLVMGetBufferStart(runtime), LLVMGetBufferSize(runtime) };
		image_free(&image);
		strings_free(&missing);
		ok = image_link(&image, inputs, 2, &missing);
	}
	for (size_t i = 0; i < missing.count; i++)
		undefined(missing.items[i]);
	for (uint32_t k = 0; ok && k < j->note.header.num_kernels; k++) {
		struct note_kernel *kernel = &j->note.kernels[k];
		char *name = clc_format(CLC_ENTRY_PREFIX "%s", j->note.strings.data + kernel->name);
		const struct image_function *entry = image_function_find(&image, name);
		free(name);
		ok = entry && stack_depth(&image, entry, &kernel->private_bytes);
		kernel->entry = entry ? entry->address : 0;
	}
	debug_sources_write(j->module, &image.sources);
	ok = ok && object_write(out, &image, &j->note, NULL, 0);
	image_free(&image);
	strings_free(&missing);
	if (runtime)
		LLVMDisposeMemoryBuffer(runtime);
	phase("link");
	return ok ? CLC_OK : CLC_FAILED;
}

/* Bitcode in an object, for compiled programs and libraries. */
static enum clc_exit write_bitcode(struct job *j, struct bytes *out)
{
	LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(j->module);
	j->note.header.type = j->options.create_library ? NOTE_LIBRARY : NOTE_COMPILED;
	bool ok = object_write(out, NULL, &j->note, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
	LLVMDisposeMemoryBuffer(bitcode);
	return ok ? CLC_OK : CLC_FAILED;
}

static enum clc_exit generate(struct job *j, struct bytes *out)
{
	bool optimise = !j->options.no_optimise;
	j->note.header.type = NOTE_EXECUTABLE;
	if (!kernels_lower(j->module, j->data, &j->note) || !lower_printf(j->module, &j->note))
		return CLC_FAILED;
	lower_own(j->module);
	phase("lower");
	if (!library_link(j->module) || j->failed)
		return CLC_FAILED;
	if (!lower_check_calls(j->module) || !lower_locals_place(j->module, j->data, &j->note))
		return CLC_FAILED;
	phase("builtins");
	lower_locals_open(j->module);
	division_guard(j->module);
	if (!backend_optimise(j->module, j->machine, optimise))
		return CLC_FAILED;
	lower_locals_close(j->module);
	order_lower(j->module);
	half_lower(j->module);
	vectors_lower(j->module);
	constants_lower(j->module);
	kernels_close(j->module);
	atomics_lower(j->module);
	layout_lower(j->module);
	lower_flags(j->module, &j->note);
	phase("optimise");
	if (j->command->emit == EMIT_LLVM) {
		char *text = LLVMPrintModuleToString(j->module);
		bytes_text(out, text);
		LLVMDisposeMessage(text);
		return CLC_OK;
	}
	LLVMMemoryBufferRef code = backend_emit(j->module, j->machine, j->command->emit == EMIT_ASSEMBLY);
	phase("code");
	if (!code || j->failed)
		return CLC_FAILED;
	enum clc_exit status = CLC_OK;
	if (j->command->emit == EMIT_ASSEMBLY)
		bytes_add(out, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
	else
		status = link_image(j, code, out);
	LLVMDisposeMemoryBuffer(code);
	return status;
}

static enum clc_exit run(struct command *command)
{
	struct job j = { .command = command };
	struct bytes out = { 0 };
	phase("load");
	bytes_add(&command->options, "", 1);
	if (!options_parse(&j.options, command->action, command->options.data))
		return CLC_BAD_OPTIONS;
	j.options.debug |= command->debug;
	j.options.no_lines &= !j.options.debug;
	j.context = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(j.context, on_diagnostic, &j.failed);
	j.machine = backend_machine(!j.options.no_optimise);
	if (!j.machine)
		return CLC_NO_COMPILER;
	j.data = LLVMCreateTargetDataLayout(j.machine);
	j.note.header.options = note_string(&j.note, j.options.text, strlen(j.options.text));
	char *layout = LLVMCopyStringRepOfTargetData(j.data);
	phase("start");
	enum clc_exit status = command->action == CLC_LINK ? link_objects(&j) :
							     compile_source(&j, command->inputs[0], layout);
	LLVMDisposeMessage(layout);
	if (!status && j.failed)
		status = CLC_FAILED;
	if (!status)
		status = command->action == CLC_COMPILE || j.options.create_library ? write_bitcode(&j, &out) :
										     generate(&j, &out);
	if (!status && !write_file(command->output, out.data, out.size))
		status = CLC_FAILED;
	if (!status && command->dependencies && !write_file(command->dependencies, j.dependencies.data, j.dependencies.size))
		status = CLC_FAILED;
	/* The process ends here: nothing of LLVM's is given back one by one. */
	free(out.data);
	free(j.dependencies.data);
	note_free(&j.note);
	options_free(&j.options);
	return status;
}

/* ---- command line ---- */

enum { KEY_COMPILE = 256, KEY_LINK, KEY_OPTIONS, KEY_HEADERS, KEY_EMIT, KEY_DEBUG, KEY_SOURCE_NAME, KEY_DEPENDENCIES };

static const struct argp_option option_table[] = {
	{ NULL, 'o', "FILE", 0, "Write the kernel object to FILE (default a.gko; - is standard output)", 0 },
	{ "compile", KEY_COMPILE, NULL, 0, "Compile only: the object can be linked later", 0 },
	{ "link", KEY_LINK, NULL, 0, "Link compiled objects and libraries", 0 },
	{ "options", KEY_OPTIONS, "TEXT", 0, "Build options in one string, as clBuildProgram takes them", 0 },
	{ "headers", KEY_HEADERS, "DIR", 0, "Directory of headers that go before all others", 0 },
	{ "debug", KEY_DEBUG, NULL, 0, "As with the option -g, which it does not add to the object's own options: line tables", 0 },
	{ "source-name", KEY_SOURCE_NAME, "NAME", 0, "What messages call the source (default: as it is given)", 0 },
	{ "dependencies", KEY_DEPENDENCIES, "FILE", 0, "Write the files that the object depends on to FILE, for the build cache", 0 },
	{ "emit", KEY_EMIT, "KIND", 0, "object (default), llvm or asm", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct command *c = state->input;
	switch (key) {
	case 'o': c->output = arg; break;
	case KEY_COMPILE: c->action = CLC_COMPILE; break;
	case KEY_LINK: c->action = CLC_LINK; break;
	case KEY_OPTIONS:
		bytes_text(&c->options, arg);
		break;
	case KEY_HEADERS: c->headers = arg; break;
	case KEY_DEBUG: c->debug = true; break;
	case KEY_SOURCE_NAME: c->source_name = arg; break;
	case KEY_DEPENDENCIES: c->dependencies = arg; break;
	case KEY_EMIT:
		c->emit = !strcmp(arg, "object") ? EMIT_OBJECT : !strcmp(arg, "llvm") ? EMIT_LLVM :
			  !strcmp(arg, "asm") ? EMIT_ASSEMBLY : -1;
		if (c->emit < 0)
			argp_error(state, "--emit knows object, llvm and asm, not '%s'", arg);
		break;
	case ARGP_KEY_ARG:
		*CLC_ADD(c->inputs, c->num_inputs) = arg;
		break;
	case ARGP_KEY_END:
		if (!c->num_inputs)
			argp_error(state, "no input; try: galena-clc kernel.cl -o kernel.gko");
		if (c->num_inputs > 1 && c->action != CLC_LINK)
			argp_error(state, "one source at a time; compile each with --compile, then --link them");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const char doc[] =
	"Compiles OpenCL C for the Galena device. INPUT is a source file or a compute shader in SPIR-V, or - for standard input; with "
	"--link, compiled objects and libraries. Build options are those of clBuildProgram (-D -I "
	"-cl-std= -cl-fast-relaxed-math -create-library ...); those of shaders are -spirv-entry=NAME, "
	"-spirv-constant=ID:VALUE, -spirv-binding=SET:BINDING:OFFSET, -spirv-robust.\v"
	"Examples:\n"
	"  galena-clc kernel.cl -o kernel.gko\n"
	"  galena-clc -cl-std=CL3.0 -D N=4 kernel.cl -o kernel.gko\n"
	"  galena-clc --emit=asm kernel.cl -o -\n"
	"  galena-clc --compile a.cl -o a.gko && galena-clc --link a.gko b.gko -o ab.gko\n"
	"  galena-clc --link -create-library a.gko b.gko -o lib.gko\n"
	"Exit status: 0 done, 1 the program is at fault, 2 bad build option, 3 clang or the kernel "
	"library is missing or broken, 4 out of memory, 64 bad command line.\n"
	"Environment: GALENA_CLANG (the clang to run), GALENA_KERNEL_LIBRARY, GALENA_CLC_TIME=1 (print "
	"the time of each phase), GALENA_CLC_SECONDS and GALENA_CLC_MEMORY (processor "
	"time and MiB that a build may take: 120 and 4096).";

static bool is_build_option(const char *w)
{
	return !strncmp(w, "-cl-", 4) || !strncmp(w, "-D", 2) || !strncmp(w, "-I", 2) || !strncmp(w, "-spir-", 6) || !strncmp(w, "-spirv-", 7) ||
	       !strcmp(w, "-w") || !strcmp(w, "-Werror") || !strcmp(w, "-g") || !strcmp(w, "-create-library") ||
	       !strcmp(w, "-enable-link-options");
}

/* One word of the command line as a word of an options string. */
static void add_word(struct bytes *out, const char *word)
{
	bytes_text(out, " ");
	bytes_quoted(out, word);
}

int clc_main(int argc, char **argv, char **envp)
{
	struct command command = { .output = "a.gko" };
	(void)envp;
	timing = setting("GALENA_CLC_TIME");
	phase_wall = clock_ms(CLOCK_MONOTONIC) - clock_ms(CLOCK_PROCESS_CPUTIME_ID); /* when loading began, about */
	argp_program_version = "galena-clc " GALENA_VERSION;
	argp_err_exit_status = 64;
	LLVMInstallFatalErrorHandler(on_fatal);
	limits_start();
	/* build options have one dash and more than one letter, which argp does not know: take them out */
	int kept = 1;
	for (int i = 1; i < argc; i++) {
		if (!is_build_option(argv[i])) {
			argv[kept++] = argv[i];
			continue;
		}
		add_word(&command.options, argv[i]);
		if ((!strcmp(argv[i], "-D") || !strcmp(argv[i], "-I")) && i + 1 < argc)
			add_word(&command.options, argv[++i]);
	}
	argv[kept] = NULL;
	static const struct argp parser = { option_table, parse_option, "INPUT...", doc, NULL, NULL, NULL };
	if (command.options.size)
		bytes_text(&command.options, " ");
	argp_parse(&parser, kept, argv, 0, NULL, &command);
	enum clc_exit status = run(&command);
	fflush(NULL);
	_exit(status);
}

