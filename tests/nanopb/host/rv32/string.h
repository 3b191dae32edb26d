/* A part of a C library for programs whose structs have RV32's layout on this machine: i386 with 64-bit types aligned
 * to 8 bytes, for which there is no library. */
#ifndef RV32_STRING_H
#define RV32_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *left, const void *right, size_t bytes);
int strcmp(const char *left, const char *right);
size_t strlen(const char *text);

#endif
