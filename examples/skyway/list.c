/* Skyway: machine 1 sends a ring of objects to machine 0. Both run this program. The objects go over the line as they
 * lie in the heap; the receiver only puts classes for class ids and its own addresses for relative ones. */
#include <stdio.h>

#include "platform/link_uart.h"
#include "programs/program.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "skyway/skyway.h"
#include "skyway/transfer/transfer.h"

/* Objects that are sent have two words of metadata behind their header. Bit 3 says that word 3, `next`, is a reference.
 * Machines know a class by its name, and find out whether their layouts agree. */
struct node {
    struct hw_object header;
    uint32_t metadata[2], value;
    hw_ref next;
};
static struct hw_klass node_klass = {sizeof(struct node), .reference_bitmap = 1u << 3, .name = (hw_ref) "example.Node",
                                     .flags = HW_KLASS_FLAG_METADATA};
#define NEXT offsetof(struct node, next)

static struct hw_skyway_line line;
static struct skyway_link link;
static struct hw_skyway_receiver receiver;
static uint8_t work[1 << 14] __attribute__((aligned(64))), buffer[1024] __attribute__((aligned(64)));
static hw_handle arrived;

/* Returns where a node's value lies until the next allocation, which may move the node. */
static uint32_t *value(hw_handle node) { return &((struct node *)hw_handle_object(node))->value; }

static void print_ring(hw_handle first) {
    hw_scope scope = hw_scope_open(); /* for the handles that hw_get makes */
    hw_handle at = first;

    do printf("%lu ", (unsigned long)*value(at));
    while ((at = hw_get(at, NEXT))->reference != first->reference);
    printf("and around, identity hash %07lx\n", (unsigned long)hw_identity_hash(first));
    hw_scope_close(scope);
}

static int send(void) {
    hw_handle first = hw_new(&node_klass), last = first;
    struct hw_skyway_link_sink sink;
    struct hw_skyway_output output;

    for (uint32_t i = 1; i < 5; i++) {
        hw_handle next = hw_new(&node_klass);

        if (!next) return 2; /* no room */
        hw_set(last, NEXT, next);
        *value(last = next) = i * i;
    }
    hw_set(last, NEXT, first);
    print_ring(first);
    if (hw_skyway_join(&link, NULL) != HW_STATUS_OK || hw_skyway_shuffle_start() != HW_STATUS_OK) return 3;
    hw_skyway_link_sink(&sink, &link, buffer, sizeof buffer);
    hw_skyway_output_open(&output, &sink.sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
    return hw_skyway_write(&output, first) && hw_skyway_output_close(&output) ? 0 : 4;
}

/* Called when a buffer is complete and good. The global handle keeps the root beyond this call. */
static void take(struct hw_skyway_receiver *from) {
    hw_handle root;

    if (hw_skyway_read(&from->input, &root)) arrived = hw_global_new(root);
}

/* Answers the other machine: what it asks about classes, and the parts of its buffer. */
static void serve(struct skyway_link *on, const struct packet *request, struct packet *response) {
    (void)on;
    if (!skyway_driver_answer(request, response)) hw_skyway_receivers_answer(&receiver, 1, request, response);
}

static int receive(void) {
    hw_skyway_drive(77, NULL); /* this machine numbers the classes */
    if (hw_skyway_load_class(&node_klass) != HW_STATUS_OK) return 5;
    hw_skyway_receiver_open(&receiver, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA, take);
    link.serve = serve;
    for (int waits = 0; !arrived; waits++)
        if (waits == 100 || !skyway_link_poll(&link, true)) return 6;
    hw_skyway_free(receiver.input.buffer); /* until now the buffer lived as a whole; now what is referred to lives */
    hw_collect(true);
    print_ring(arrived);
    return 0;
}

int main(void) {
    /* The heaps of the machines lie at different addresses. */
    struct hw_heap_options heap = {.base = HW_FLEXIBLE_BASE + (program_machine << 24), .bytes = 256u << 10};

    hw_well_known_init();
    if (!hw_link_uart_present() || !hw_heap_init(&heap)) return 1;
    uart_line_open(&line, 2000000); /* cycles that an answer may take */
    skyway_link_open(&link, &line);
    hw_skyway_sender = program_machine + 1;
    int code = program_machine ? send() : receive();

    hw_link_uart_flush(); /* what is still in the UART */
    return code;
}
