/* Two threads that a timer preempts at any instruction send the same graph in software, each with a stream of its own.
 * Wherever a thread is preempted, every object must be claimed by exactly one of them. Each node is met twice, so a
 * stream whose claim was lost would send it twice. Prints how many objects both found claimed, and the number of
 * preemptions. */
#include "runtime/heap/epoch.h"
#include "runtime/heap/walk.h"
#include "skyway_shapes.h"
#include "thread/thread.h"

#define NODES 12u
#define ROUNDS 40
#define TICK 787 /* in cycles: the time of a few objects; it differs between rounds */
#define BYTES (32u << 10)

static _Alignas(64) uint8_t works[2][16u << 10];
static struct hw_thread other;
static _Alignas(16) uint32_t stack[1024];
static struct hw_skyway_output outputs[2];
static struct hw_skyway_memory_sink sinks[2];
static hw_handle graph;
static volatile bool ready[2];

/* Makes an array with every node twice. */
static void make_graph(void) {
    graph = hw_new_array(HW_CLASS_Object_array, 2 * NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle node = hw_new(HW_CLASS_ListNode);

        hw_set_element(graph, i, node);
        hw_set_element(graph, NODES + i, node);
        hw_scope_close(scope);
    }
}

static void send(uint32_t index) {
    for (ready[index] = true; !ready[0] || !ready[1];) hw_thread_yield();
    EXPECT(hw_skyway_write(&outputs[index], graph));
    EXPECT(outputs[index].free ==
           SKYWAY_FIRST + hw_object_bytes(hw_pointer(graph->reference)) + NODES * HW_CLASS_ListNode->object_size);
}

static void work(void *argument) {
    (void)argument;
    send(1);
}

int main(void) {
    uint32_t shared = 0;
    struct hw_walk walked;

    begin_heap();
    make_graph();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
        ready[0] = ready[1] = false;
        for (uint32_t i = 0; i < 2; i++) {
            hw_skyway_memory_sink(&sinks[i], hw_pointer(HW_FLEXIBLE_BASE + i * BYTES), BYTES);
            hw_skyway_output_open(&outputs[i], &sinks[i].sink, works[i], sizeof works[i], HW_SKYWAY_LAYOUT_METADATA);
        }
        hw_thread_preempt(TICK + 3 * round);
        EXPECT(hw_thread_start(&other, stack, sizeof stack, work, NULL));
        send(0);
        hw_thread_join(&other);
        hw_thread_preempt(0);
        shared += outputs[0].shared.count + outputs[1].shared.count;
        /* Each object is in exactly one table: that of the stream that has not claimed it. */
        EXPECT(outputs[0].shared.count + outputs[1].shared.count == NODES + 1 && hw_claiming == 0);
        for (uint32_t i = 0; i < 2; i++) EXPECT(hw_skyway_output_close(&outputs[i]));
    }
    printf("shared %u cut %u\n", (unsigned)shared, (unsigned)hw_thread_preemptions);
    EXPECT(hw_heap_walk(&walked));
    return 0;
}
