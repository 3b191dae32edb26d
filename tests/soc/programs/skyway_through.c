/* Roots larger than the buffer through which they go, such as that of a link or a file: the unit stops in the first
 * root, and software goes on. The streams must equal those of software alone. Prints a name and a number per line,
 * among them the cycles. */
#include <string.h>

#include "platform/cycles.h"
#include "skyway_shapes.h"

#define BUFFER_BYTES 4096u
#define ROOTS 4

static _Alignas(64) uint8_t output_work[64u << 10];
static struct hw_skyway_output output;

struct draining_sink {
    struct hw_skyway_sink sink;
    uint8_t *to;
};

static bool drain(struct hw_skyway_sink *base, uint32_t bytes) {
    struct draining_sink *sink = (struct draining_sink *)base;

    memcpy(sink->to, base->at, bytes);
    sink->to += bytes;
    return true;
}

static void compare_draining(const char *name, hw_handle (*make)(uint32_t), uint32_t size) {
    static _Alignas(64) uint8_t buffer[BUFFER_BYTES];
    uint32_t bytes[2], least_cycles[2] = {UINT32_MAX, UINT32_MAX};
    uint8_t *stream[2] = {hw_pointer(HW_FLEXIBLE_BASE), hw_pointer(HW_FLEXIBLE_BASE + ROOTS * STREAM_BYTES)};
    const uint32_t header = sizeof(struct skyway_header);
    hw_scope scope = hw_scope_open();
    hw_handle roots[ROOTS];

    for (int i = 0; i < ROOTS; i++) EXPECT((roots[i] = make(size)) != NULL);
    for (int by = 0; by < 2; by++) {
        hw_skyway_assist_by(by ? hw_skyway_units() : NULL);
        for (int turn = 0; turn < TIMES; turn++) {
            struct draining_sink sink = {
                .sink = {.at = buffer, .limit = buffer + sizeof buffer, .send = drain, .drains = true},
                .to = stream[by]};

            EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
            uint32_t start = cycles_now();

            hw_skyway_output_open(&output, &sink.sink, output_work, sizeof output_work, HW_SKYWAY_LAYOUT_METADATA);
            for (int i = 0; i < ROOTS; i++) EXPECT(hw_skyway_write(&output, roots[i]));
            EXPECT(hw_skyway_output_close(&output));
            least(&least_cycles[by], cycles_now() - start);
            EXPECT(output.refills == 0 && (output.fallbacks != 0) == by);
            bytes[by] = (uint32_t)(sink.to - stream[by]);
        }
    }
    EXPECT(bytes[0] == bytes[1] && memcmp(stream[0] + header, stream[1] + header, bytes[0] - header) == 0);
    printf("%s_through_bytes %u\n%s_through_sw %u\n%s_through_hw %u\n", name, (unsigned)bytes[0], name,
           (unsigned)least_cycles[0], name, (unsigned)least_cycles[1]);
    hw_scope_close(scope);
    hw_collect(true);
}

int main(void) {
    begin();
    compare_draining("list", list, 300);
    compare_draining("tree", tree, TREE_DEPTH);
    compare_draining("array", array, 400);
    return 0;
}
