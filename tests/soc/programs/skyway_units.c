/* Skyway by software and by Cereal's units: the same graphs must give the same streams, and the objects received must
 * make the same stream again. Prints the cycles of each, a name and a number per line. */
#include "platform/cycles.h"
#include "runtime/heap/walk.h"
#include "skyway_shapes.h"
#include "copy/copy.h"

static _Alignas(64) uint8_t output_work[64u << 10], input_work[16u << 10];
static struct hw_skyway_output output;
static struct hw_skyway_input input;

/* Returns the cycles of sending a buffer with this root. Sets `*bytes` to its size. */
static uint32_t sent(hw_handle root, uint8_t *stream, uint32_t *bytes) {
    struct hw_skyway_memory_sink sink;

    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    hw_skyway_memory_sink(&sink, stream, STREAM_BYTES);
    uint32_t start = cycles_now();

    hw_skyway_output_open(&output, &sink.sink, output_work, sizeof output_work, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(hw_skyway_write(&output, root) && hw_skyway_output_close(&output));
    uint32_t cycles = cycles_now() - start;

    *bytes = (uint32_t)(sink.sink.at - stream);
    return cycles;
}

static uint32_t received(const uint8_t *stream, uint32_t bytes, hw_handle *root) {
    struct hw_skyway_source source;
    uint32_t start = cycles_now();

    hw_skyway_memory_source(&source, stream, bytes);
    hw_skyway_input_open(&input, &source, input_work, sizeof input_work, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(hw_skyway_read(&input, root));
    return cycles_now() - start;
}

/* Compares streams, whose sizes are multiples of 8, by words: picolibc's memcmp goes byte by byte. */
static bool are_same(const uint8_t *left, const uint8_t *right, uint32_t bytes) {
    const uint32_t *a = (const uint32_t *)(const void *)left, *b = (const uint32_t *)(const void *)right;

    for (uint32_t i = 0; i < bytes / 4; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static void compare(const char *name, hw_handle (*make)(uint32_t), uint32_t size) {
    uint8_t *stream[3];
    uint32_t bytes[3], send[2], receive[2];
    const uint32_t header = sizeof(struct skyway_header);
    hw_scope scope = hw_scope_open();
    hw_handle root = make(size);
    struct hw_walk walked;

    EXPECT(root && hw_error_clear() == HW_STATUS_OK);
    for (int i = 0; i < 3; i++) stream[i] = (uint8_t *)hw_pointer(HW_FLEXIBLE_BASE + STREAM_BYTES * (uint32_t)i);
    for (int by = 0; by < 2; by++) {
        hw_skyway_assist_by(by ? hw_skyway_units() : NULL);
        EXPECT(!by || hw_skyway_assist);
        hw_scope inner = hw_scope_open();
        hw_handle copy;

        send[by] = sent(root, stream[by], &bytes[by]);
        EXPECT(output.commands == (uint32_t)by && output.fallbacks == 0);
        receive[by] = received(stream[by], bytes[by], &copy);
        EXPECT(input.commands == (uint32_t)by && input.fallbacks == 0);
        sent(copy, stream[2], &bytes[2]);
        EXPECT(bytes[2] == bytes[by] && are_same(stream[2] + header, stream[by] + header, bytes[2] - header));
        EXPECT(hw_heap_walk(&walked));
        hw_scope_close(inner);
        hw_skyway_free(input.buffer);
    }
    EXPECT(bytes[0] == bytes[1] && are_same(stream[0] + header, stream[1] + header, bytes[0] - header));
    printf("%s_bytes %u\n%s_send_sw %u\n%s_send_hw %u\n%s_receive_sw %u\n%s_receive_hw %u\n", name, (unsigned)bytes[0],
           name, (unsigned)send[0], name, (unsigned)send[1], name, (unsigned)receive[0], name, (unsigned)receive[1]);
    hw_scope_close(scope);
    hw_collect(true);
}

int main(void) {
    begin();
    compare("list", list, 500);
    compare("tree", tree, TREE_DEPTH);
    compare("array", array, 800);
    compare("values", values, 16384);
    compare("small", list, 3);
    printf("copy_fallbacks %u\n", (unsigned)hw_copy_state.fallbacks);
    return 0;
}
