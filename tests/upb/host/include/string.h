#ifndef JUDGE_STRING_H
#define JUDGE_STRING_H

#include <rv32/string.h>

void *memchr(const void *in, int byte, size_t bytes);
int strncmp(const char *left, const char *right, size_t bytes);
char *strncpy(char *to, const char *from, size_t bytes);

#endif
