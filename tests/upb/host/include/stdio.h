#ifndef JUDGE_STDIO_H
#define JUDGE_STDIO_H

#include <stdarg.h>
#include <stddef.h>

int vsnprintf(char *to, size_t size, const char *format, va_list arguments);

#endif
