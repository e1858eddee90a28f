/* What a program is told of its faults: every code has a row, which provokes it in a process of its own and compares the whole
 * message, or says why no OpenCL program can provoke it; then the text alone is compared. */
#define _GNU_SOURCE
#include "testbench/opencl/cl_test.h"
#include "abi/codes.h"
#include "include/galena/heap.h"
#include "runtime/opencl/fault_text.h"
#include <elf.h>
#include <fcntl.h>
#include <regex.h>
#include <sys/wait.h>

/* A kernel a line; the numbers of lines are in the messages. */
static const char source[] =
	"kernel void absent(global int *p) { *(global int *)64 = get_global_id(0); }\n"
	"constant int table[4] = { 1, 2, 3, 4 };\n"
	"kernel void constants(global int *p) { ((volatile global int *)(ulong)table)[get_local_id(0)] = p[0]; }\n"
	"kernel void jump(global int *p) { p[0] = 1; }\n"
	"kernel void unaligned(global char *p) { atomic_inc((volatile global int *)(p + 1)); }\n"
	"kernel void shared(global int *p) { volatile local int l[4]; l[p[1] + 1000] = 3; p[0] = l[1]; }\n"
	"kernel void stack(global int *p) { int a[16]; for (int i = 0; i < 16; i++) a[i] = p[i]; a[p[1] + 1000000] = 1; p[0] = a[p[2]]; }\n"
	"kernel void reads(global int *p) { p[get_global_id(0)] += 1; }\n"
	"kernel void ends(global int *p) { p[0] = 1; }\n"
	"global int variable;\n"
	"kernel void leaks(global int *p) { variable = p[0]; }\n"
	"kernel void spin(global volatile int *p) { for (;;) p[0]; }\n";

/* How a row's child provokes it. */
enum how {
	NO_PROGRAM,  /* none can: reason says why */
	LAUNCH,      /* a kernel, on a plain buffer */
	PATCHED,     /* the same, its first instructions overwritten in the program's binary */
	IN_PROTECTED, /* a kernel, on a protected buffer */
	TRANSFER,    /* a copy from buffer to buffer */
	DEPENDENT,   /* a kernel that waits for a user event, which fails */
};

#define LANE " by work-item \\(0,0,0\\) of work-group \\(0,0,0\\): "
#define PC " \\(pc 0x[0-9a-f]+, kernel entry \\+ 0x[0-9a-f]+\\)"
#define KILLED "WATCHDOG, command ran longer than the watchdog allows without getting on"
#define RAISE "; GALENA_WATCHDOG=N, or galena run --watchdog N, sets the limit in cycles, 0 for none"
#define WATCHDOG KILLED RAISE

static const struct row {
	const char *name;
	int code;
	enum how how;
	const char *kernel, *inject, *watchdog;
	const char *text; /* a regular expression for the whole line */
	const char *reason;
} rows[] = {
	{ "absent", FAULT_PAGE_NOT_PRESENT, LAUNCH, "absent", .text = "kernel absent: write at address 0x40" LANE
	  "PAGE_NOT_PRESENT, no valid translation for the virtual address" PC },
	{ "read", FAULT_PAGE_READ, NO_PROGRAM, .reason = "every page that the driver maps can be read",
	  .text = "kernel k: read at address 0x1234" LANE "PAGE_READ, page is not readable" PC },
	{ "constants", FAULT_PAGE_WRITE, LAUNCH, "constants", .text = "kernel constants: write at address 0x[0-9a-f]+" LANE
	  "PAGE_WRITE, page is not writable" PC },
	{ "jump", FAULT_PAGE_EXEC, PATCHED, "jump", .text = "kernel jump: instruction fetch at address 0x[0-9a-f]+" LANE
	  "PAGE_EXEC, page is not executable" PC },
	{ "walk", FAULT_PAGE_TABLE, LAUNCH, "reads", "WALK_ERROR,unit=16", .text = "kernel reads: (read|instruction fetch) at address 0x[0-9a-f]+" LANE
	  "PAGE_TABLE, malformed page-table entry, or a table outside memory" PC },
	{ "bus", FAULT_BUS_ERROR, LAUNCH, "reads", "BUS_ERROR,unit=16,nth=2", .text = "kernel reads: (read|instruction fetch|write) at address 0x[0-9a-f]+" LANE
	  "BUS_ERROR, physical address is not populated, or system page is not pinned" PC },
	{ "bus-transfer", FAULT_BUS_ERROR, TRANSFER, NULL, "BUS_ERROR,unit=8", .text = "command: (read|write) at address 0x[0-9a-f]+ by DMA0: "
	  "BUS_ERROR, physical address is not populated, or system page is not pinned" },
	{ "unaligned", FAULT_MISALIGNED, LAUNCH, "unaligned", .text = "kernel unaligned: atomic at address 0x[0-9a-f]+1" LANE
	  "MISALIGNED, atomic access, semaphore payload or instruction that is not naturally aligned" PC },
	{ "shared", FAULT_LOCAL_RANGE, LAUNCH, "shared", .text = "kernel shared: write at address 0x[0-9a-f]+" LANE
	  "LOCAL_RANGE, access beyond the work-group's local memory" PC },
	{ "stack", FAULT_PRIVATE_RANGE, LAUNCH, "stack", .text = "kernel stack: write at address 0x[0-9a-f]+" LANE
	  "PRIVATE_RANGE, access beyond the lane's private memory \\(stack overflow\\)" PC },
	{ "illegal", FAULT_ILLEGAL_INSN, PATCHED, "ends", .text = "kernel ends: instruction" LANE
	  "ILLEGAL_INSN, illegal or unsupported instruction" PC },
	{ "ebreak", FAULT_EBREAK, PATCHED, "ends", .text = "kernel ends: instruction" LANE
	  "EBREAK, kernel executed ebreak or ecall" PC },
	{ "packet", FAULT_BAD_PACKET, NO_PROGRAM, .reason = "the runtime makes no malformed packet",
	  .text = "kernel k: BAD_PACKET, unknown packet type or malformed packet" PC },
	{ "dispatch", FAULT_BAD_DISPATCH, NO_PROGRAM, .reason = "clEnqueueNDRangeKernel refuses what the device cannot run",
	  .text = "kernel k: BAD_DISPATCH, dispatch that the device cannot run: size, local memory, private memory" PC },
	{ "protected", FAULT_PROTECTED, IN_PROTECTED, "leaks", .text = "kernel leaks: write by a protected job; the device does not tell where: "
	  "PROTECTED, access that the protection unit forbids" },
	{ "absent-protected", FAULT_PAGE_NOT_PRESENT, IN_PROTECTED, "absent", .text = "kernel absent: write by a protected job; the device does not tell where: "
	  "PAGE_NOT_PRESENT, no valid translation for the virtual address" },
	{ "hang", FAULT_WATCHDOG, LAUNCH, "ends", "KERNEL_HANG", "100000", .text = "kernel ends: no work-group ended for 100000 cycles, ended after 10[0-9]{4} cycles and 0 work-groups: " WATCHDOG },
	{ "spin", FAULT_WATCHDOG, LAUNCH, "spin", NULL, "100000", .text = "kernel spin: no work-group ended for 100000 cycles, ended after 10[0-9]{4} cycles and 0 work-groups: "
	  KILLED PC RAISE },
	{ "hang-protected", FAULT_WATCHDOG, IN_PROTECTED, "reads", "KERNEL_HANG", "100000", .text = "kernel reads: no work-group ended for 100000 cycles, ended after 10[0-9]{4} cycles and 0 work-groups: " WATCHDOG },
	{ "stall", FAULT_WATCHDOG, TRANSFER, NULL, "DMA_STALL", "100000", .text = "command: no byte moved for 100000 cycles, ended after 10[0-9]{4} cycles and 0 bytes: " WATCHDOG },
	{ "aborted", FAULT_ABORTED, NO_PROGRAM, .reason = "vulkan/wait_limit has programs that do",
	  .text = "kernel k: ABORTED, command was aborted by a queue reset" PC
	  "; no signal of the semaphore that it waited for was submitted: GALENA_WAIT_LIMIT=N sets how many seconds it waits, 0 for no limit" },
	{ "dependent", FAULT_DEPENDENCY, DEPENDENT, "ends", .text = NULL }, /* what it waited for is told of, or the application's own */
	{ "firmware", FAULT_FIRMWARE, LAUNCH, "ends", "CP_CRASH,arg=2000", .text = "kernel ends: FIRMWARE, firmware crashed; "
	  "nothing runs on the device until the program is started again" },
	{ "queue", FAULT_QUEUE, NO_PROGRAM, .reason = "the driver's descriptors are valid",
	  .text = "kernel k: QUEUE, queue descriptor or write index is not valid" PC "; nothing of its queue runs any more" },
	{ "ecc", FAULT_ECC, LAUNCH, "reads", "ECC_DOUBLE,unit=16", .text = "kernel reads: read at address 0x[0-9a-f]+" LANE
	  "ECC, uncorrectable memory error" PC },
	{ "lost", FAULT_LOST, NO_PROGRAM, .reason = "an injected memory error hits accesses of units, which end a command alone",
	  .text = "kernel k: LOST, the device is lost: nothing runs until it is reset" PC "; it is reset when the program is started again" },
	{ "unmapped", FAULT_UNMAPPED, NO_PROGRAM, .reason = "opencl/import_unmapped has programs that do",
	  .text = "kernel k: UNMAPPED, the process has unmapped memory that it has imported" PC
	  "; release an import, and wait for its commands, before its memory is unmapped" },
	{ "bad stream", FAULT_BAD_STREAM, NO_PROGRAM, .reason = "the runtime decodes no pictures",
	  .text = "kernel k: BAD_STREAM, coded picture that cannot be decoded" PC },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- the child ---- */

static const Elf64_Phdr *segment_with(const uint8_t *image, uint32_t flags)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)image;
	const Elf64_Phdr *p = (const Elf64_Phdr *)(image + h->e_phoff);
	for (unsigned i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && (p[i].p_flags & (PF_X | PF_W)) == flags)
			return &p[i];
	fail_msg("the program has no such segment");
	return NULL;
}

static uint64_t symbol_address(const uint8_t *image, const char *name)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)image;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(image + h->e_shoff);
	for (unsigned i = 0; i < h->e_shnum; i++) {
		if (s[i].sh_type != SHT_DYNSYM && s[i].sh_type != SHT_SYMTAB)
			continue;
		const Elf64_Sym *sym = (const Elf64_Sym *)(image + s[i].sh_offset);
		const char *names = (const char *)image + s[s[i].sh_link].sh_offset;
		for (unsigned k = 0; k < s[i].sh_size / sizeof *sym; k++)
			if (!strcmp(names + sym[k].st_name, name))
				return sym[k].st_value;
	}
	fail_msg("the program has no symbol %s", name);
	return 0;
}

/* The program again from its binary, with other instructions at the kernel's entry. */
static cl_program patched(cl_program from, const struct row *r)
{
	size_t size;
	cl_int code;
	CL_OK(clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
	uint8_t *image = malloc(size);
	CL_OK(clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof image, &image, NULL));
	const Elf64_Phdr *text = segment_with(image, PF_X);
	char name[64];
	snprintf(name, sizeof name, "__galena_entry.%s", r->kernel);
	uint64_t entry = symbol_address(image, name);
	uint32_t put[2] = { r->code == FAULT_EBREAK ? 0x00100073 : 0 };
	if (r->code == FAULT_PAGE_EXEC) { /* auipc t0, %hi; jr %lo(t0): to the variables */
		uint64_t far = segment_with(image, PF_W)->p_vaddr - entry;
		put[0] = 0x00000297 | ((uint32_t)(far + 0x800) & 0xfffff000);
		put[1] = 0x00028067 | (uint32_t)far << 20;
	}
	memcpy(image + text->p_offset + (entry - text->p_vaddr), put, put[1] ? 8 : 4);
	cl_program p = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, (const unsigned char **)&image, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	free(image);
	return p;
}

static cl_mem protected_buffer(void)
{
	const cl_import_properties_arm list[] = { CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_TYPE_PROTECTED_ARM, CL_TRUE, 0 };
	__typeof__(clImportMemoryARM) *import = (__typeof__(clImportMemoryARM) *)clGetExtensionFunctionAddressForPlatform(cl.platform, "clImportMemoryARM");
	int fd = galena_heap_alloc("protected", 65536, 0);
	cl_int code;
	assert_true(fd >= 0);
	cl_mem m = import(cl.context, 0, list, &fd, 65536, &code);
	CL_OK(code);
	close(fd);
	return m;
}

static const struct row *mine;

static void child(void **state)
{
	static const char zero[65536];
	const struct row *r = mine;
	cl_int code, status = 1;
	cl_event event, user = NULL;
	(void)state;
	cl_command_queue queue = clCreateCommandQueue(cl.context, cl.device, 0, &code);
	CL_OK(code);
	const char *text = source;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	if (r->how == PATCHED)
		p = patched(p, r);
	cl_mem m = r->how == IN_PROTECTED ? protected_buffer() : clCreateBuffer(cl.context, 0, sizeof zero, NULL, &code);
	CL_OK(code);
	/* no transfer before it: an injected fault is for the command that the row is about */
	if (r->how == TRANSFER) {
		cl_mem to = clCreateBuffer(cl.context, CL_MEM_ALLOC_HOST_PTR, sizeof zero, NULL, &code);
		CL_OK(code);
		CL_OK(clEnqueueCopyBuffer(queue, m, to, 0, 0, sizeof zero, 0, NULL, &event));
	} else {
		cl_kernel k = clCreateKernel(p, r->kernel, &code);
		CL_OK(code);
		CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
		if (r->how == DEPENDENT) {
			user = clCreateUserEvent(cl.context, &code);
			CL_OK(code);
		}
		CL_OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &(size_t){ 1 }, &(size_t){ 1 }, user != NULL, user ? &user : NULL, &event));
		if (user)
			CL_OK(clSetUserEventStatus(user, -5));
	}
	clWaitForEvents(1, &event);
	CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status < 0);
}

/* ---- the parent ---- */

static const char *self;
static unsigned wrong; /* rows */

/* What the row's child writes to standard error. */
static void child_run(const struct row *r, char *out, size_t size)
{
	int ends[2], status;
	size_t have = 0;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setenv("GALENA_DEVICES", "1", 1);
		setenv("GALENA_INJECT", r->inject ? r->inject : "", 1);
		if (r->watchdog)
			setenv("GALENA_WATCHDOG", r->watchdog, 1);
		unsetenv("GALENA_CHECK"); /* that they fault is what is wanted */
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(self, self, "--child", r->name, NULL);
		_exit(127);
	}
	close(ends[1]);
	for (ssize_t n; have + 1 < size && (n = read(ends[0], out + have, size - 1 - have)) > 0;)
		have += (size_t)n;
	out[have] = 0;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		wrong++, print_error("%s: the child ended with 0x%x, and said\n%s\n", r->name, status, out);
}

/* The line of the source that the kernel is on. */
static unsigned line_of(const char *kernel)
{
	char head[64];
	unsigned line = 1;
	snprintf(head, sizeof head, "kernel void %s(", kernel);
	const char *at = strstr(source, head);
	assert_non_null(at);
	for (const char *p = source; p < at; p++)
		line += *p == '\n';
	return line;
}

/* Where the message tells an instruction, it tells its line, too; a binary's source has no name but that of its contents. What
 * jumped elsewhere stands on no line. */
static void matches(const struct row *r, const char *line)
{
	regex_t re;
	char whole[1024];
	const char *rest = r->kernel ? r->text + strlen("kernel ") + strlen(r->kernel) : NULL;
	if (r->how != NO_PROGRAM && strstr(r->text, "kernel entry") && r->code != FAULT_PAGE_EXEC)
		snprintf(whole, sizeof whole, "^kernel %s at program%s\\.cl:%u%s$", r->kernel, r->how == PATCHED ? "-[0-9a-f]{8}" : "",
			 line_of(r->kernel), rest);
	else
		snprintf(whole, sizeof whole, "^%s$", r->text);
	assert_int_equal(regcomp(&re, whole, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&re, line, 0, NULL, 0))
		wrong++, print_error("%s: the message is\n%s\nand should match\n%s\n", r->name, line, whole);
	regfree(&re);
}

/* The lines that tell of a command, without what the log puts in front. */
static unsigned told(char *out, char **line)
{
	unsigned count = 0;
	for (char *at = strtok(out, "\n"); at; at = strtok(NULL, "\n")) {
		char *text = strstr(at, "kernel ");
		text = text ? text : strstr(at, "command: ");
		if (strncmp(at, "galena: ", 8) || !text)
			continue;
		*line = text;
		count++;
	}
	return count;
}

/* The text of what no program provokes, of a record as the device would make it. */
static void described(const struct row *r)
{
	const struct fault_record record = { .code = (uint32_t)r->code, .unit = UNIT_CU, .address = 0x1234, .pc = 0x5678, .entry = 0x5600 };
	const struct fault_told f = { .kernel = "k", .code = r->code, .record = &record };
	char text[512];
	fault_describe(text, sizeof text, &f);
	matches(r, text);
}

static void every_fault_has_its_text(void **state)
{
	(void)state;
	static char out[16384];
	for (const struct row *r = rows; r < rows + ROWS; r++) {
		char *line = NULL;
		if (r->how == NO_PROGRAM) {
			printf("# %s: its text alone, %s\n", fault_name(r->code), r->reason);
			described(r);
			continue;
		}
		child_run(r, out, sizeof out);
		char *copy = strdup(out);
		unsigned count = told(out, &line);
		if (count != (r->text != NULL))
			wrong++, print_error("%s: %u messages:\n%s\n", r->name, count, copy);
		else if (r->text)
			matches(r, line);
		free(copy);
	}
	assert_int_equal(wrong, 0);
}

static void no_fault_is_left_out(void **state)
{
	(void)state;
	static const int codes[] = {
#define FAULT(name, code, doc) code,
#include "abi/faults.def"
#undef FAULT
	};
	for (size_t i = 1; i < sizeof codes / sizeof *codes; i++) { /* the first is no fault */
		bool there = false;
		for (int k = 0; k < ROWS; k++)
			there |= rows[k].code == codes[i];
		if (!there)
			fail_msg("%s has no row", fault_name(codes[i]));
	}
}

int main(int argc, char **argv)
{
	cl_test_init(argc > 2 ? 1 : argc, argv);
	for (int i = 0; argc > 2 && i < ROWS; i++)
		if (!strcmp(rows[i].name, argv[2]))
			mine = &rows[i];
	const struct CMUnitTest one[] = { cmocka_unit_test(child) };
	if (mine) { /* and a status of its own: testbench/tools/fail_on.sh */
		int failed = cmocka_run_group_tests(one, cl_test_setup, NULL);
		return failed || argc < 4 ? failed : atoi(argv[3]);
	}
	self = argv[0];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fault_has_its_text),
		cmocka_unit_test(no_fault_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
