#ifndef JUDGE_STDLIB_H
#define JUDGE_STDLIB_H

#include <stddef.h>

void *malloc(size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);
_Noreturn void abort(void);
void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
