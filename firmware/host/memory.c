#define _GNU_SOURCE
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <sanitizer/asan_interface.h>

#include "generated/mem.h"

#define GUARD_BYTE 0xa5

void memory_map(void) {
    void *wanted = (void *)MAIN_RAM_BASE;
    void *mapped = mmap(wanted, MAIN_RAM_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (mapped != wanted) {
        perror("mmap of main memory");
        exit(2);
    }
}

uint32_t memory_load(const char *path, uint32_t address, uint32_t capacity) {
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        exit(2);
    }
    size_t size = fread((void *)(uintptr_t)address, 1, capacity, file);

    fclose(file);
    return (uint32_t)size;
}

static uint8_t *bytes_at(uint32_t address) { return (uint8_t *)(uintptr_t)address; }

void guard_set(uint32_t base, uint32_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(bytes_at(base - GUARD_BYTES), bytes + 2 * GUARD_BYTES);
    memset(bytes_at(base - GUARD_BYTES), GUARD_BYTE, GUARD_BYTES);
    memset(bytes_at(base), 0xcc, bytes);
    memset(bytes_at(base + bytes), GUARD_BYTE, GUARD_BYTES);
    ASAN_POISON_MEMORY_REGION(bytes_at(base - GUARD_BYTES), GUARD_BYTES);
    ASAN_POISON_MEMORY_REGION(bytes_at(base + bytes), GUARD_BYTES);
}

void guard_check(uint32_t base, uint32_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(bytes_at(base - GUARD_BYTES), bytes + 2 * GUARD_BYTES);
    for (uint32_t i = 0; i < GUARD_BYTES; i++)
        if (bytes_at(base - GUARD_BYTES)[i] != GUARD_BYTE || bytes_at(base + bytes)[i] != GUARD_BYTE) {
            printf("guard word overwritten at %u of the arena at %x\n", i, base);
            exit(3);
        }
}
