/* galena-translate: makes host code for a superblock of a kernel (model/engine/superblock.h). */
#include "translate/translate.h"
#include "superblock_hash.h"
#include "base/file.h"
#include "base/hash.h"
#include "compile_server/compile_server.h"
#include <argp.h>
#include <fcntl.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

enum {
	MOST_SECONDS = 60, /* of CPU for a superblock: code that takes longer to make does not pay */
	NICENESS = 10,
};

struct command {
	const char *input, *output;
	bool dump_ir, dump_encodings, nice;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "galena-translate: %s\n", what);
	exit(1);
}

static void on_fatal(const char *reason)
{
	fprintf(stderr, "galena-translate: LLVM: %s\n", reason);
	_exit(1);
}

/* ---- in and out ---- */

/* All of the file, at most what a request can have and a byte more. */
static uint8_t *read_request(const char *path, size_t *size)
{
	const size_t most = sizeof(struct superblock_request) + SUPERBLOCK_MAX_CODE + 1;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	uint8_t *data = malloc(most);
	if (!data)
		die("no memory");
	ssize_t n = fd < 0 ? -1 : file_read_all(fd, data, most, FILE_POSITION);
	if (n < 0)
		die("cannot read the request");
	if (path)
		close(fd);
	*size = (size_t)n;
	return data;
}

static void write_code_entry(const char *path, const uint8_t *data, size_t size)
{
	const struct iovec part = { (void *)(uintptr_t)data, size };
	if (!strcmp(path, "-") ? !file_write_all(STDOUT_FILENO, data, size, FILE_POSITION) : !file_replace(path, 0644, &part, 1))
		die("cannot write the code-cache entry");
}

/* ---- a request ---- */

static struct code_entry code_entry_header(const struct superblock_request *q)
{
	return (struct code_entry){ .magic = CODE_ENTRY_MAGIC, .version = GALENA_SUPERBLOCK_VERSION,
				     .key = { q->key[0], q->key[1] }, .low = q->entry, .high = q->entry + 4 };
}

static void translate(const struct command *c, const struct superblock_request *q, const uint8_t *code)
{
	struct code_entry code_entry = code_entry_header(q);
	struct lowered needs = { 0 };
	struct image image = { 0 };
	const char *why = NULL;
	struct superblock *r = superblock_build(q, code, &why);
	if (r && !encodings_solve(r))
		die("no memory");
	if (r && q->flags & SUPERBLOCK_MASKED && !r->num_divergent) {
		why = "too many blocks for divergent lanes";
		superblock_free(r);
		r = NULL;
	}
	if (r && c->dump_encodings) {
		superblock_dump(r);
		encodings_dump(r);
	}
	if (r) {
		LLVMContextRef context = LLVMContextCreate();
		LLVMModuleRef module = lower_superblock(r, context, &needs);
		if (!emit_image(module, q->simd, c->dump_ir, &image))
			exit(1);
		code_entry.low = r->low;
		code_entry.high = r->high;
		code_entry.needs = needs.needs;
		code_entry.needs_ids = needs.needs_ids;
	} else if (c->dump_encodings) {
		printf("nothing to translate: %s\n", why);
	}
	enum { TEXT = 4096 };
	if (image.size > SUPERBLOCK_MAX_TEXT)
		die("the code is too large");
	size_t size = r ? TEXT + image.size : sizeof(code_entry);
	uint8_t *out = calloc(1, size);
	if (!out)
		die("no memory");
	code_entry.text_offset = r ? TEXT : (uint32_t)sizeof(code_entry);
	code_entry.text_bytes = (uint32_t)image.size;
	code_entry.entry_offset = (uint32_t)image.entry;
	memcpy(out, &code_entry, sizeof(code_entry));
	if (image.size)
		memcpy(out + TEXT, image.bytes, image.size);
	size_t from = offsetof(struct code_entry, checksum) + sizeof(code_entry.checksum);
	code_entry.checksum = hash64(out + from, size - from);
	memcpy(out, &code_entry, sizeof(code_entry));
	if (c->output)
		write_code_entry(c->output, out, size);
	free(out);
	free(image.bytes);
	superblock_free(r);
}

/* ---- command line ---- */

enum { KEY_IR = 256, KEY_ENCODINGS, KEY_NICE };

static const struct argp_option option_table[] = {
	{ NULL, 'o', "FILE", 0, "Write the code-cache entry to FILE; - is standard output", 0 },
	{ "nice", KEY_NICE, NULL, 0, "Run at low priority (without it the model starts it for what processors have left over, or waits for it)", 0 },
	{ "dump-encodings", KEY_ENCODINGS, NULL, 0, "Print the control-flow graph and the encodings of the registers", 0 },
	{ "dump-ir", KEY_IR, NULL, 0, "Print LLVM's code before and after its passes", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct command *c = state->input;
	switch (key) {
	case 'o': c->output = arg; break;
	case KEY_IR: c->dump_ir = true; break;
	case KEY_NICE: c->nice = true; break;
	case KEY_ENCODINGS: c->dump_encodings = true; break;
	case ARGP_KEY_ARG:
		if (c->input)
			argp_error(state, "one request at a time");
		c->input = arg;
		break;
	case ARGP_KEY_END:
		if (!c->output && !c->dump_ir && !c->dump_encodings)
			argp_error(state, "nothing to do: name an output with -o");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const char doc[] =
	"Makes host code for a hot superblock of a kernel. REQUEST is what the device model has written "
	"(standard input without it); the model starts this program itself, in the background.\v"
	"Exit status: 0 done, 1 the request or the translation failed, 64 bad command line.";

static int run(int argc, char **argv, char **envp)
{
	struct command c = { 0 };
	size_t size;
	(void)envp;
	argp_program_version = "galena-translate " GALENA_VERSION;
	argp_err_exit_status = 64;
	static const struct argp parser = { option_table, parse_option, "[REQUEST]", doc, NULL, NULL, NULL };
	argp_parse(&parser, argc, argv, 0, NULL, &c);
	LLVMInstallFatalErrorHandler(on_fatal);
	if (c.nice)
		setpriority(PRIO_PROCESS, 0, NICENESS);
	setrlimit(RLIMIT_CPU, &(struct rlimit){ MOST_SECONDS, MOST_SECONDS });
	uint8_t *data = read_request(c.input, &size);
	const struct superblock_request *q = (const struct superblock_request *)data;
	const char *wrong = request_check(q, size);
	if (wrong)
		die(wrong);
	translate(&c, q, data + sizeof(*q));
	fflush(NULL);
	_exit(0); /* nothing of LLVM's is given back one by one */
}

int main(int argc, char **argv)
{
	int socket = compile_server_socket();
	emit_prepare();
	if (socket < 0)
		return run(argc, argv, environ);
	compile_server_serve(socket, run);
}
