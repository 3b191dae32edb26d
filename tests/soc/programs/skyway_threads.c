/* Two threads with Cereal's units: while one has a command in flight, the other sends in software, or changes the
 * classes. Prints a name and a number per line. */
#include "cereal/cereal.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/walk.h"
#include "skyway_shapes.h"
#include "thread/thread.h"

#define NODES 1000u
#define BYTES (128u << 10)

static _Alignas(64) uint8_t output_work[64u << 10], cereal_work[64u << 10];
static struct hw_thread other;
static _Alignas(16) uint32_t stack[1024];
static struct hw_cereal context;
static struct hw_skyway_output output;
static uint8_t *stream, *image;
static hw_handle graph;
static volatile bool begun, go_on;
static uint32_t length;

static uint32_t length_of(hw_handle handle) {
    uint32_t nodes = 0;

    for (hw_ref at = handle->reference; at; at = *(hw_ref *)hw_pointer(at + HW_CLASS_ListNode_next)) nodes++;
    return nodes;
}

/* Leaves the command to the unit while other threads run. Not a safepoint. */
static void others_run(void) {
    for (begun = true; !go_on;) hw_thread_yield();
}

static void write_other(void *argument) {
    struct hw_cereal_output to;

    (void)argument;
    hw_cereal_output_open(&to, image, BYTES);
    EXPECT(hw_cereal_write_begin(&context, &to, graph));
    others_run();
    EXPECT(hw_cereal_write_end(&context, &to) && context.fallbacks == 0);
    length = (uint32_t)(to.at - image);
}

static void read_other(void *argument) {
    struct hw_cereal_input from;
    hw_handle copy;

    (void)argument;
    hw_cereal_input_open(&from, image, length);
    EXPECT(hw_cereal_read_begin(&context, &from));
    others_run();
    EXPECT(hw_cereal_read_end(&context, &from, &copy) && context.fallbacks == 0 && length_of(copy) == NODES);
}

static void begin_other(void (*function)(void *)) {
    begun = go_on = false;
    EXPECT(hw_thread_start(&other, stack, sizeof stack, function, NULL));
    while (!begun) hw_thread_yield();
}

static void end_other(void) {
    go_on = true;
    hw_thread_join(&other);
}

int main(void) {
    struct hw_skyway_memory_sink sink;
    struct hw_walk walked;

    begin();
    stream = hw_pointer(HW_FLEXIBLE_BASE);
    image = hw_pointer(HW_FLEXIBLE_BASE + BYTES);
    hw_cereal_initialize(false);
    EXPECT(hw_cereal_register_class(HW_CLASS_ListNode) == 0);
    hw_cereal_open(&context, cereal_work, sizeof cereal_work);
    hw_skyway_assist_by(hw_skyway_units());
    EXPECT(hw_skyway_assist && context.written_by_unit && context.read_by_unit);
    graph = list(NODES);
    hw_ref node = graph->reference;

    for (uint32_t i = 1; i < NODES; i++) node = *(hw_ref *)hw_pointer(node + HW_CLASS_ListNode_next);
    hw_handle last = hw_handle_new(node);

    /* Sends in software while a unit claims the graph, beginning with the object that the unit reaches last. The unit
     * claims all of it, so all of it is in the stream's table. */
    const struct hw_skyway_assist *units = hw_skyway_assist;

    hw_skyway_assist_by(NULL);
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    hw_skyway_memory_sink(&sink, stream, BYTES);
    hw_skyway_output_open(&output, &sink.sink, output_work, sizeof output_work, HW_SKYWAY_LAYOUT_METADATA);
    begin_other(write_other);
    EXPECT(hw_skyway_write(&output, last) && hw_skyway_write(&output, graph) && hw_skyway_output_close(&output) &&
           hw_claiming == 0);
    printf("shared %u\n", (unsigned)output.shared.count);
    end_other();

    /* The classes of both formats are forgotten and announced again while a unit reads. */
    begin_other(read_other);
    hw_skyway_assist_by(units);
    hw_skyway_drive(8, &hw_skyway_java_loader);
    EXPECT(hw_skyway_load_java_classes() == HW_STATUS_OK);
    end_other();
    hw_skyway_memory_sink(&sink, stream, BYTES);
    hw_skyway_output_open(&output, &sink.sink, output_work, sizeof output_work, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(hw_skyway_write(&output, graph) && hw_skyway_output_close(&output));
    printf("commands %u\n", (unsigned)output.commands);
    EXPECT(hw_heap_walk(&walked));
    return 0;
}
