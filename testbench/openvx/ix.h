/* What tests of vx_khr_ix share: exports, imports, what the log says of them. */
#ifndef GALENA_TESTBENCH_OPENVX_IX_H
#define GALENA_TESTBENCH_OPENVX_IX_H
#include "testbench/openvx/compare.h"
#include <VX/vx_khr_ix.h>

__attribute__((unused)) static const vx_enum with_values = VX_IX_USE_EXPORT_VALUES, without_values = VX_IX_USE_NO_EXPORT_VALUES,
					     application = VX_IX_USE_APPLICATION_CREATE;

/* ---- contexts: one that exports, and another one that imports ---- */
static vx_context there;
static char last_log[VX_MAX_LOG_MESSAGE_LEN];
static vx_status last_status;

static inline void VX_CALLBACK keep_log(vx_context c, vx_reference ref, vx_status status, const vx_char string[])
{
	(void)c;
	(void)ref;
	last_status = status;
	snprintf(last_log, sizeof last_log, "%s", string);
}

static inline int open_both(void **state)
{
	(void)state;
	context = vxCreateContext();
	there = vxCreateContext();
	if (vxGetStatus((vx_reference)context) || vxGetStatus((vx_reference)there))
		return -1;
	vxRegisterLogCallback(context, keep_log, vx_false_e);
	vxRegisterLogCallback(there, keep_log, vx_false_e);
	return 0;
}

static inline int close_both(void **state)
{
	(void)state;
	return vxReleaseContext(&context) || vxReleaseContext(&there);
}

/* The last entry of the log has a word. */
static inline void expect_log(const char *word, int line)
{
	if (!strstr(last_log, word))
		fail_msg("%s: line %d, the log says \"%s\", not \"%s\"; seed %llu", what, line, last_log, word,
			 (unsigned long long)seed_first);
}
#define LOGGED(word) expect_log((word), __LINE__)

static inline vx_uint32 references_of(vx_context c)
{
	vx_uint32 count = 0;
	RAN(vxQueryContext(c, VX_CONTEXT_REFERENCES, &count, sizeof count));
	return count;
}

static inline vx_uint32 count_of(vx_reference ref)
{
	vx_uint32 count = 0;
	RAN(vxQueryReference(ref, VX_REFERENCE_COUNT, &count, sizeof count));
	return count;
}

static inline void name(void *ref, const char *text) { RAN(vxSetReferenceName(ref, text)); }

static inline const char *name_of(vx_reference ref)
{
	const vx_char *text = NULL;
	RAN(vxQueryReference(ref, VX_REFERENCE_NAME, &text, sizeof text));
	return text;
}

/* ---- blobs ---- */
struct blob {
	uint8_t *bytes;
	vx_size length;
};

/* A copy of the export: its memory is released at once. */
static inline struct blob exported(vx_size count, const vx_reference *refs, const vx_enum *uses)
{
	const vx_uint8 *bytes = NULL;
	struct blob b = {NULL, 0};
	if (vxExportObjectsToMemory(context, count, refs, uses, &bytes, &b.length))
		fail_msg("%s: not exported, the log says \"%s\"; seed %llu", what, last_log, (unsigned long long)seed_first);
	assert_non_null(bytes);
	assert_true(b.length > 0);
	b.bytes = malloc(b.length);
	assert_non_null(b.bytes);
	memcpy(b.bytes, bytes, b.length);
	RAN(vxReleaseExportedMemory(context, &bytes));
	assert_null(bytes);
	return b;
}

static inline void not_exported(vx_status status, vx_size count, const vx_reference *refs, const vx_enum *uses, int line)
{
	const vx_uint8 *bytes = (const vx_uint8 *)"x";
	vx_size length = 1;
	expect_status(status, vxExportObjectsToMemory(context, count, refs, uses, &bytes, &length), "an export", line);
	assert_null(bytes);
	assert_int_equal(length, 0);
}
#define NOT_EXPORTED(status, count, refs, uses) not_exported((status), (count), (refs), (uses), __LINE__)

/* Ends the blob, as what is imported does not need it. */
static inline vx_import imported(vx_size count, vx_reference *refs, const vx_enum *uses, struct blob *b)
{
	vx_import import = vxImportObjectsFromMemory(there, count, refs, uses, b->bytes, b->length);
	vx_enum type = 0;
	if (vxGetStatus((vx_reference)import))
		fail_msg("%s: not imported, the log says \"%s\"; seed %llu", what, last_log, (unsigned long long)seed_first);
	RAN(vxQueryReference((vx_reference)import, VX_REFERENCE_TYPE, &type, sizeof type));
	assert_int_equal(type, VX_TYPE_IMPORT);
	memset(b->bytes, 0xa5, b->length);
	free(b->bytes);
	*b = (struct blob){NULL, 0};
	return import;
}

/* Nothing is left of an import that fails, and the list is as it was. */
static inline void not_imported(vx_status status, vx_size count, vx_reference *refs, const vx_enum *uses, const struct blob *b, int line)
{
	const vx_uint32 before = references_of(there);
	vx_reference *same = malloc(count * sizeof *same + 1);
	memcpy(same, refs, count * sizeof *same);
	*last_log = 0;
	last_status = VX_SUCCESS;
	const vx_import import = vxImportObjectsFromMemory(there, count, refs, uses, b->bytes, b->length);
	expect_status(status, vxGetStatus((vx_reference)import), "an import", line);
	expect_status(status, last_status, "the entry of the log", line);
	if (!*last_log)
		fail_msg("%s: line %d, nothing in the log", what, line);
	assert_memory_equal(same, refs, count * sizeof *same);
	assert_int_equal(references_of(there), before);
	free(same);
}
#define NOT_IMPORTED(status, count, refs, uses, b) not_imported((status), (count), (refs), (uses), (b), __LINE__)

static inline void release_all(vx_reference *refs, vx_size count)
{
	for (vx_size i = 0; i < count; i++)
		if (refs[i])
			RAN(vxReleaseReference(&refs[i]));
}
#endif
