/* The printf of LiteX's liblitedram: `%d`, `%u`, `%x`, a width, a leading 0, `l`. */
#ifndef HEAPWIRE_BOOT_LITEDRAM_STDIO_H
#define HEAPWIRE_BOOT_LITEDRAM_STDIO_H

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
