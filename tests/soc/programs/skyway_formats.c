/* The cycles of sending the same graphs to heaps of other formats, by software. Prints a name and a number per line. */
#include "platform/cycles.h"
#include "skyway_shapes.h"

static _Alignas(64) uint8_t output_work[64u << 10];
static struct hw_skyway_output output;

/* This machine's heap; without metadata; HotSpot's with references of 8 and of 4 bytes. */
static const struct hw_skyway_heap heaps[] = {
    {.name = "own", .format = {HW_SKYWAY_LAYOUT_METADATA, HW_SKYWAY_OWN_WORDS}},
    {.name = "plain", .format = {HW_SKYWAY_LAYOUT_PLAIN, HW_SKYWAY_OWN_WORDS}},
    {.name = "wide", .format = {{16, 24, 8}, {8, 8, 8, 16, 8, 31, 1, 0}}},
    {.name = "narrow", .format = {{12, 16, 8}, {4, 8, 4, 12, 8, 31, 1, 0}}},
};

static void measure(const char *name, hw_handle (*make)(uint32_t), uint32_t size) {
    hw_scope scope = hw_scope_open();
    hw_handle root = make(size);

    for (uint32_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
        uint32_t cycles = UINT32_MAX;

        for (int turn = 0; turn < TIMES; turn++) {
            struct hw_skyway_memory_sink sink;

            EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
            hw_skyway_memory_sink(&sink, hw_pointer(HW_FLEXIBLE_BASE), STREAM_BYTES);
            uint32_t start = cycles_now();

            hw_skyway_output_open(&output, &sink.sink, output_work, sizeof output_work, HW_SKYWAY_LAYOUT_METADATA);
            if (i) EXPECT(hw_skyway_output_for(&output, &heaps[i].format));
            EXPECT(hw_skyway_write(&output, root) && hw_skyway_output_close(&output));
            least(&cycles, cycles_now() - start);
        }
        printf("%s_%s %u\n", name, heaps[i].name, (unsigned)cycles);
    }
    hw_scope_close(scope);
    hw_collect(true);
}

int main(void) {
    begin();
    measure("list", list, 500);
    measure("tree", tree, TREE_DEPTH);
    measure("array", array, 800);
    measure("values", values, 16384);
    return 0;
}
