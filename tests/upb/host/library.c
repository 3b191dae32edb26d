/* What upb takes of a C library, beside rv32/library.c. Nothing is freed. */
#include <rv32/library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *malloc(size_t bytes) {
    static unsigned char heap[64 << 20] __attribute__((aligned(16)));
    static size_t used;
    void *block = heap + used;

    if (bytes > sizeof heap - used - 16) abort();
    used += (bytes + 15) & ~(size_t)15;
    return block;
}

void free(void *block) { (void)block; }

void *realloc(void *block, size_t bytes) {
    void *other = malloc(bytes);

    if (block) memcpy(other, block, bytes);
    return other;
}

void abort(void) { __builtin_trap(); }

void *memchr(const void *in, int byte, size_t bytes) {
    for (const unsigned char *at = in; bytes--; at++)
        if (*at == (unsigned char)byte) return (void *)at;
    return NULL;
}

int strncmp(const char *left, const char *right, size_t bytes) {
    for (; bytes && *left && *left == *right; left++, right++, bytes--);
    return bytes ? (unsigned char)*left - (unsigned char)*right : 0;
}

char *strncpy(char *to, const char *from, size_t bytes) {
    size_t i = 0;

    for (; i < bytes && from[i]; i++) to[i] = from[i];
    for (; i < bytes; i++) to[i] = 0;
    return to;
}

int vsnprintf(char *to, size_t size, const char *format, va_list arguments) {
    (void)arguments;
    strncpy(to, format, size);
    return (int)strlen(format);
}

void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *elements = array, held[64];

    if (size > sizeof held) abort();
    for (size_t i = 1; i < count; i++) {
        size_t k = i;
        memcpy(held, elements + i * size, size);
        for (; k && compare(elements + (k - 1) * size, held) > 0; k--)
            memcpy(elements + k * size, elements + (k - 1) * size, size);
        memcpy(elements + k * size, held, size);
    }
}
