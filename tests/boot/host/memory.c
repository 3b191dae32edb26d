/* memory BYTES [LINE]: tests memory of BYTES bytes whose address line LINE (a power of two) is not connected. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory_test.h"

int main(int count, char **arguments) {
    if (count < 2) return 1;

    size_t bytes = strtoul(arguments[1], 0, 0), line = count > 2 ? strtoul(arguments[2], 0, 0) : 0,
           step = line ? line : bytes;
    int file = memfd_create("memory", 0);
    char *memory = mmap(0, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct memory_fault fault;

    if (file < 0 || memory == MAP_FAILED || ftruncate(file, (off_t)bytes)) return 1;
    for (size_t at = 0; at < bytes; at += step)
        if (mmap(memory + at, step, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, (off_t)(at & ~line)) ==
            MAP_FAILED)
            return 1;
    if (memory_test((volatile uint32_t *)memory, (uint32_t)bytes, &fault))
        puts("passed");
    else
        printf("%#x %#x %#x\n", fault.offset, fault.expected, fault.found);
    return 0;
}
