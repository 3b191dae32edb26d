/* Suite `memory`: what the copy unit achieves on the memory system, and that it is coherent with the core.
 *
 * Copies of 64 KB cover every distance of source and target in DRAM banks. A row's read_bytes and write_bytes are the
 * unit's counters, so their sum divided by the cycles is the traffic. */
#include <stdio.h>
#include <string.h>

#include "programs/bench/row.h"
#include "runtime/object.h"
#include "runtime/regions.h"
#include "units/capability.h"
#include "copy/copy.h"

#define WARM 3
#define COPY_BYTES (64u << 10)
#define BANKS 8
#define BANK_BYTES 2048u /* in consecutive addresses: 1,024 columns of 2 bytes */
#define GATHER_COUNT 1024u
#define GATHER_BYTES 16u
#define GATHER_SPAN (8u << 20)
#define HIT_SPAN 2048u
#define BLOCK_SPAN 64u
#define HIT_SPAN_CORE 8192u /* more than the data cache holds, less than the shared cache */
#define CHASE_COUNT 1024u

static uint32_t dice(void) {
    static uint32_t state = 12345;

    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static void fill_words(uint32_t address, uint32_t bytes, uint32_t salt) {
    uint32_t *words = hw_pointer(address);

    for (uint32_t i = 0; i < bytes / 4; i++) words[i] = (address + 4 * i) * 0x9e3779b1u + salt;
}

static bool words_are(uint32_t address, uint32_t bytes, uint32_t from, uint32_t salt) {
    const uint32_t *words = hw_pointer(address);

    for (uint32_t i = 0; i < bytes / 4; i++)
        if (words[i] != (from + 4 * i) * 0x9e3779b1u + salt) return false;
    return true;
}

static void touch(uint32_t address, uint32_t bytes) {
    const volatile char *memory = hw_pointer(address);

    for (uint32_t i = 0; i < bytes; i += 32) (void)memory[i];
}

struct counters {
    uint32_t read, written, fallbacks;
};

static struct counters counters_now(void) {
    return (struct counters){hw_unit_counter(HW_UNIT_COPY, HW_COUNTER_READ_BYTES),
                             hw_unit_counter(HW_UNIT_COPY, HW_COUNTER_WRITE_BYTES), hw_copy_state.fallbacks};
}

/* Prints a row for `WARM + 1` commands since `before`. */
static void report(const char *name, const char *operation, const char *engine, struct timing timing, uint32_t bytes,
                   struct counters before, hw_status status, bool ok) {
    struct counters after = counters_now();
    uint32_t commands = WARM + 1;

    row_print(&(struct row){
        .suite = "memory",
        .name = name,
        .operation = operation,
        .engine = engine,
        .model = "bytes",
        .cycles = timing.cycles,
        .cold_cycles = timing.cold_cycles,
        .instructions = timing.instructions,
        .wire_bytes = bytes,
        .object_bytes = bytes,
        .counts = {.read_bytes = (after.read - before.read) / commands,
                   .write_bytes = (after.written - before.written) / commands},
        .fallbacks = after.fallbacks - before.fallbacks,
        .status = (uint32_t)status,
        .ok = ok && status == HW_STATUS_OK,
    });
}

/* The core has old lines of the target in its cache and has just written the source. */
static void copy_at(uint32_t offset, uint32_t bytes, const char *name) {
    uint32_t source = HW_FIXED_BASE, target = HW_FLEXIBLE_BASE + offset;
    struct counters before;
    struct timing timing;
    hw_status status = 0;

    fill_words(source, bytes, offset);
    memset(hw_pointer(target), 0, bytes);
    touch(target, bytes);
    before = counters_now();
    TIME(&timing, WARM, status |= hw_copy(hw_pointer(target), hw_pointer(source), bytes));
    report(name, "copy", "hw", timing, bytes, before, status, words_are(target, bytes, source, offset));
}

static void measure_copies(void) {
    static const uint32_t sizes[] = {64, 256, 1024, 4096, 16384};
    char name[40];

    for (uint32_t bank = 0; bank < BANKS; bank++) {
        sprintf(name, "copy_64K_bank_offset_%lu", (unsigned long)bank);
        copy_at(bank * BANK_BYTES, COPY_BYTES, name);
    }
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        sprintf(name, "copy/%lu", (unsigned long)sizes[i]);
        copy_at(4 * BANK_BYTES, sizes[i], name);
    }
}

static void measure_unaligned(void) {
    uint8_t *source = hw_pointer(HW_FIXED_BASE + 3), *target = hw_pointer(HW_FLEXIBLE_BASE + 4 * BANK_BYTES + 13);
    struct counters before;
    struct timing timing;
    hw_status status = 0;

    fill_words(HW_FIXED_BASE, COPY_BYTES + 64, 1);
    memset(target - 13, 0x5a, COPY_BYTES + 64);
    before = counters_now();
    TIME(&timing, WARM, status |= hw_copy(target, source, COPY_BYTES));
    bool ok = memcmp(source, target, COPY_BYTES) == 0 && target[-1] == 0x5a && target[COPY_BYTES] == 0x5a;
    report("copy_64K_unaligned", "copy", "hw", timing, COPY_BYTES, before, status, ok);
}

static void measure_software_copy(void) {
    uint32_t source = HW_FIXED_BASE, target = HW_FLEXIBLE_BASE + 4 * BANK_BYTES;
    struct counters before = counters_now();
    struct timing timing;

    fill_words(source, COPY_BYTES, 7);
    TIME(&timing, WARM, memcpy(hw_pointer(target), hw_pointer(source), COPY_BYTES));
    report("copy_64K_bank_offset_4", "copy", "memcpy", timing, COPY_BYTES, before, 0,
           words_are(target, COPY_BYTES, source, 7));
}

static void measure_fill(void) {
    const uint32_t *words = hw_pointer(HW_FLEXIBLE_BASE);
    struct counters before = counters_now();
    struct timing timing;
    bool ok = true;
    hw_status status = 0;

    touch(HW_FLEXIBLE_BASE, COPY_BYTES);
    TIME(&timing, WARM, status |= hw_fill(hw_pointer(HW_FLEXIBLE_BASE), 0xa7, COPY_BYTES));
    for (uint32_t i = 0; i < COPY_BYTES / 4; i++) ok = ok && words[i] == 0xa7a7a7a7u;
    report("fill_64K", "fill", "hw", timing, COPY_BYTES, before, status, ok);
}

/* The words are scattered over `span` bytes. If that is small, the shared cache has them, because the core has just
 * written them. */
static void measure_gather(const char *name, uint32_t span, uint32_t in_flight) {
    uint32_t *list = hw_pointer(HW_LOAD_BASE), target = HW_FLEXIBLE_BASE, limit = HW_FIXED_BASE + GATHER_SPAN;
    struct counters before;
    struct timing timing;
    bool ok = true;
    hw_status status = 0;

    for (uint32_t i = 0; i < GATHER_COUNT; i++) {
        list[i] = HW_FIXED_BASE + dice() % (span / GATHER_BYTES) * GATHER_BYTES;
        fill_words(list[i], GATHER_BYTES, 9);
    }
    before = counters_now();
    TIME(&timing, WARM, status |= hw_gather(hw_pointer(target), list, GATHER_COUNT, in_flight, HW_FIXED_BASE, limit));
    for (uint32_t i = 0; i < GATHER_COUNT; i++)
        ok = ok && words_are(target + i * GATHER_BYTES, GATHER_BYTES, list[i], 9);
    report(name, "gather", "hw", timing, GATHER_COUNT * GATHER_BYTES, before, status, ok);
}

static void *chase(void *node) {
    for (uint32_t i = 0; i < CHASE_COUNT; i += 4) {
        node = *(void **)node;
        node = *(void **)node;
        node = *(void **)node;
        node = *(void **)node;
    }
    return node;
}

/* The core follows a ring of `nodes` pointers, `stride` bytes apart, in an order that a prefetcher would not guess. */
static void measure_chase(const char *name, uint32_t nodes, uint32_t stride) {
    struct counters before = counters_now();
    uint32_t step = nodes / 2 + 1; /* coprime to `nodes`, which is odd or a multiple of 4 */
    struct timing timing;
    void *node = hw_pointer(HW_FIXED_BASE);

    for (uint32_t i = 0; i < nodes; i++)
        *(void **)hw_pointer(HW_FIXED_BASE + i * stride) = hw_pointer(HW_FIXED_BASE + (i + step) % nodes * stride);
    TIME(&timing, WARM, node = chase(node));
    bool ok = hw_reference(node) == HW_FIXED_BASE + (WARM + 1) * CHASE_COUNT % nodes * step % nodes * stride;
    report(name, "read", "core", timing, CHASE_COUNT * 4, before, 0, ok);
}

/* Checks that a unit's compare-and-swap sees the core's last store, and that the core sees the unit's. */
static void measure_compare_and_swap(void) {
    uint32_t *word = hw_pointer(HW_FIXED_BASE), old = 0, expected = 0;
    struct counters before = counters_now();
    struct timing timing;
    bool ok = true;
    hw_status status = 0;

    TIME(&timing, WARM, {
        *word = ++expected;
        status |= hw_compare_and_swap(word, expected, expected + 100, &old);
        ok = ok && old == expected && *word == expected + 100;
    });
    status |= hw_compare_and_swap(word, 1, 2, &old);
    ok = ok && old == expected + 100 && *word == expected + 100;
    report("compare_and_swap", "compare_and_swap", "hw", timing, 4, before, status, ok);
}

int main(void) {
    hw_capability_discover();
    measure_copies();
    measure_unaligned();
    measure_software_copy();
    measure_fill();
    measure_gather("gather_1024_in_flight_1", GATHER_SPAN, 1);
    measure_gather("gather_1024_in_flight_2", GATHER_SPAN, 2);
    measure_gather("gather_1024_in_flight_4", GATHER_SPAN, 4);
    measure_gather("gather_1024_in_flight_8", GATHER_SPAN, 8);
    measure_gather("gather_1024_in_flight_0", GATHER_SPAN, 0);
    measure_gather("gather_1024_hits_in_flight_1", HIT_SPAN, 1);
    measure_gather("gather_1024_hits_of_a_block", BLOCK_SPAN, 0);
    measure_chase("chase_1024_hits", HIT_SPAN_CORE / 64, 64);
    measure_chase("chase_1024_misses", GATHER_SPAN / 2112, 2112);
    measure_compare_and_swap();
    return bench_exit_code();
}
