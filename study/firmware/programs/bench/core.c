/* Suite `core`: what the core itself achieves on this memory system: streaming reads and writes, memcpy, nanopb,
 * upb. */
#include <stdio.h>
#include <string.h>

#include "programs/bench/core.h"
#include "runtime/object.h"
#include "runtime/regions.h"

/* `bytes` must be a multiple of 32. A pass has eight loads, or eight stores, and nothing else: the row measures loads
 * alone, like the figures with which it is compared. The loaded words are checked separately. */
static __attribute__((noinline)) void read_words(const void *from, uint32_t bytes) {
    const char *end = (const char *)from + bytes;

    __asm__ volatile(
        "1: lw t0, 0(%0)\n lw t1, 4(%0)\n lw t2, 8(%0)\n lw t3, 12(%0)\n"
        "   lw t0, 16(%0)\n lw t1, 20(%0)\n lw t2, 24(%0)\n lw t3, 28(%0)\n"
        "   addi %0, %0, 32\n bne %0, %1, 1b"
        : "+r"(from)
        : "r"(end)
        : "t0", "t1", "t2", "t3", "memory");
}

static __attribute__((noinline)) void write_words(void *to, uint32_t bytes) {
    char *end = (char *)to + bytes;

    __asm__ volatile(
        "1: sw %1, 0(%0)\n sw %1, 4(%0)\n sw %1, 8(%0)\n sw %1, 12(%0)\n"
        "   sw %1, 16(%0)\n sw %1, 20(%0)\n sw %1, 24(%0)\n sw %1, 28(%0)\n"
        "   addi %0, %0, 32\n bne %0, %1, 1b"
        : "+r"(to)
        : "r"(end)
        : "memory");
}

/* Other code checks, word by word, what the timed code read or wrote. */
static uint32_t sum_of(const volatile uint32_t *words, uint32_t bytes) {
    uint32_t sum = 0;

    for (uint32_t i = 0; i < bytes / 4; i++) sum += words[i];
    return sum;
}

static bool all_are(const volatile uint32_t *words, uint32_t bytes, uint32_t value) {
    for (uint32_t i = 0; i < bytes / 4; i++)
        if (words[i] != value) return false;
    return true;
}

static bool same_words(const volatile uint32_t *left, const volatile uint32_t *right, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes / 4; i++)
        if (left[i] != right[i]) return false;
    return true;
}

static void measure_memory(uint32_t bytes) {
    uint32_t *source = hw_pointer(HW_FIXED_BASE), *target = hw_pointer(HW_FLEXIBLE_BASE + 8192);
    uint32_t words = bytes / 4, expected = 0x9e3779b1u * (words * (words - 1) / 2);
    struct timing timing;
    char name[32];

    for (uint32_t i = 0; i < words; i++) source[i] = i * 0x9e3779b1u;
    sprintf(name, "read_%lu", (unsigned long)bytes);
    TIME(&timing, CORE_WARM, read_words(source, bytes));
    core_report(name, "read", "core", timing, bytes, bytes, sum_of(source, bytes) == expected);

    sprintf(name, "write_%lu", (unsigned long)bytes);
    TIME(&timing, CORE_WARM, write_words(target, bytes));
    core_report(name, "write", "core", timing, bytes, bytes, all_are(target, bytes, hw_reference(target) + bytes));

    sprintf(name, "memcpy_%lu", (unsigned long)bytes);
    TIME(&timing, CORE_WARM, memcpy(target, source, bytes));
    core_report(name, "copy", "memcpy", timing, bytes, bytes, same_words(source, target, bytes));
}

int main(void) {
    measure_memory(1024);
    measure_memory(64 << 10);
    core_nanopb();
    return bench_exit_code();
}
