/* The functions that the linker puts in place of the C library's in a library with a heap of its own (HEAP_FUNCTIONS in the
 * Makefile), and those that they stand in for. */
#ifndef GALENA_ICD_HEAP_H
#define GALENA_ICD_HEAP_H
#include <stdarg.h>
#include <stddef.h>

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void __real_free(void *);
void *__real_aligned_alloc(size_t, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void __wrap_free(void *);
char *__wrap_strdup(const char *);
void *__wrap_aligned_alloc(size_t, size_t);
int __wrap_vasprintf(char **, const char *, va_list);

#endif
