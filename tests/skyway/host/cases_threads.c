/* The cases about threads: units that claim objects for one thread while another sends by software, and two threads
 * that ask the driver. */
#include <string.h>
#include <ucontext.h>

#include "cases.h"
#include "skyway/sender/output.h"
#include "skyway/registry/registry.h"
#include "packet/body.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/safepoint.h"

/* A command of another serialization is in flight: after software has asked `asks` times whether units are claiming,
 * the unit has claimed the nodes from `next` on. Software must not see a half of that. */
static uint32_t asks, asked, sends, unit_epoch;
static hw_handle next;

static bool unit_claims(void) {
    EXPECT(hw_claiming == 1 && hw_critical_depth == 1);
    asked++;
    if (asks == 0) return false;
    if (--asks == 0)
        for (hw_ref at = next->reference; at; at = *(hw_ref *)hw_pointer(at + HW_CLASS_ListNode_next)) {
            uint32_t *owner = hw_pointer(at + HW_OBJECT_METADATA_INSTANCE);

            /* The unit has read that they are free, and does not check again. */
            EXPECT(*owner >> HW_EPOCH_SHIFT != skyway_phase_epoch());
            *owner = unit_epoch << HW_EPOCH_SHIFT;
        }
    return asks != 0;
}

static void begin_command(hw_handle from) {
    next = from;
    asks = 3;
}

static hw_handle rest, whole;

/* Other threads may run while a sink sends: software is not claiming then. A command begins at the third send. */
static bool send_meanwhile(struct hw_skyway_sink *to, uint32_t bytes) {
    (void)to;
    (void)bytes;
    EXPECT(hw_claiming == 0 && asks == 0);
    if (++sends == 3) begin_command(rest);
    hw_collect(sends % 2);
    return true;
}

static uint32_t fields(const struct hw_klass *klass, uint32_t crc) {
    EXPECT(hw_claiming == 0);
    return hw_skyway_java_loader.fields(klass, crc);
}

static hw_handle node_of(hw_handle from, uint32_t number) {
    hw_ref at = from->reference;

    while (number--) at = *(hw_ref *)hw_pointer(at + HW_CLASS_ListNode_next);
    return hw_handle_new(at);
}

CASE(claims) {
    static const struct hw_skyway_loader loader = {.fields = fields};
    static _Alignas(8) uint8_t buffer[256], work[1 << 12];
    struct hw_skyway_sink draining = {
        .at = buffer, .limit = buffer + sizeof buffer, .send = send_meanwhile, .drains = true};

    begin(false);
    unit_epoch = hw_epoch_open();
    hw_claims_by_units = unit_claims;
    /* The command claims all nodes, from the root on; all of them end up in the table. In either layout. */
    for (int adjusts = 0; adjusts < 2; adjusts++) {
        hw_handle root = list(20);

        hw_skyway_memory_sink(&sink, memory, sizeof memory);
        hw_skyway_output_open(&output, &sink.sink, work, sizeof work,
                              adjusts ? HW_SKYWAY_LAYOUT_PLAIN : HW_SKYWAY_LAYOUT_METADATA);
        begin_command(root);
        EXPECT(hw_skyway_write(&output, root) && output.shared.count == 20 && hw_claiming == 0 && asks == 0);
        EXPECT(hw_skyway_output_close(&output));
    }
    /* The command begins in the middle, between two output buffers. There is an object larger than these buffers,
     * classes are loaded meanwhile, and there are more objects than the queue holds. */
    for (uint32_t bytes = sizeof work; bytes >= 1024; bytes = bytes == 1024 ? 0 : 1024) {
        hw_skyway_drive(8, &loader);
        whole = list(60);
        rest = node_of(whole, 40);
        hw_handle items = hw_new_array(HW_CLASS_Object_array, 400);

        for (uint32_t i = 0; i < 400; i += 2) hw_set_element(items, i, i ? list(1) : whole);
        sends = asked = 0;
        hw_skyway_output_open(&output, &draining, work, bytes, HW_SKYWAY_LAYOUT_METADATA);
        EXPECT(hw_skyway_write(&output, items) && output.shared.count == 20 && sends > 5 && asked > 5);
        EXPECT((output.refills != 0) == (bytes == 1024));
        EXPECT(hw_skyway_output_close(&output) && hw_claiming == 0);
    }
    hw_claims_by_units = NULL;
    hw_epoch_close(unit_epoch);
    walk();
}

/* Threads of this program, which switch when they yield. */
static ucontext_t contexts[2], ended;
static struct hw_thread second;
static char stack[1 << 20];
static volatile bool running, first_over, second_over;

void hw_thread_yield(void) {
    int self = hw_thread == &second;

    EXPECT(hw_critical_depth == 0);
    if (!running) return;
    hw_thread = self ? &hw_main_thread : &second;
    swapcontext(&contexts[self], &contexts[!self]);
}

/* A driver at the other end of a line, whose answers take a while. */
static struct skyway_link link;
static struct frame_reader reader;
static struct packet request, response;
static uint8_t plain_packet[PACKET_MAX], answer[FRAME_MAX + 2];
static uint32_t answer_bytes, answer_at, delay, requests, names;
static char given[8][SKYWAY_NAME_MAX + 1];
static uint32_t fingerprints[8];

static void take_request(void) {
    response.sequence = request.sequence;
    response.operation = request.operation | PACKET_RESPONSE;
    response.status = SKYWAY_OK;
    response.length = 0;
    if (request.operation == SKYWAY_LOOKUP) {
        uint32_t id = 0, length = request.length - 8;

        while (id < names && (strlen(given[id]) != length || memcmp(given[id], request.body + 8, length) != 0)) id++;
        EXPECT(id < 8 && length <= SKYWAY_NAME_MAX);
        if (id == names) {
            memcpy(given[names], request.body + 8, length);
            fingerprints[names++] = word_at(&request, 1);
        }
        append(&response, id + 1);
    } else {
        append(&response, 77);
        append(&response, names);
        for (uint32_t id = word_at(&request, 1); id <= names; id++) {
            uint32_t length = (uint32_t)strlen(given[id - 1]);

            append(&response, fingerprints[id - 1]);
            response.body[response.length++] = (uint8_t)length;
            response.body[response.length++] = 0;
            memcpy(response.body + response.length, given[id - 1], length);
            response.length += length;
        }
    }
    EXPECT(answer_at == answer_bytes);
    answer_bytes = hw_frame_pack(&response, plain_packet, answer);
    answer_at = 0;
    delay = 5;
    requests++;
}

static void put(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes) {
    (void)line;
    for (uint32_t i = 0; i < bytes; i++)
        if (hw_frame_read(&reader, data[i], &request) == FRAME_PACKET) take_request();
}

static int32_t get(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait) {
    uint32_t bytes;

    (void)line;
    for (; wait && delay; delay--) hw_thread_yield();
    bytes = answer_bytes - answer_at < capacity ? answer_bytes - answer_at : capacity;
    memcpy(data, answer + answer_at, bytes);
    answer_at += bytes;
    return (int32_t)bytes;
}

static uint32_t now(struct hw_skyway_line *line) {
    (void)line;
    return 0;
}

static int second_status;

static void second_main(void) {
    second_status = hw_skyway_load_class((struct hw_klass *)(uintptr_t)HW_CLASS_TreeNode);
    if (second_status == HW_STATUS_OK)
        second_status = hw_skyway_load_class((struct hw_klass *)(uintptr_t)HW_CLASS_ListNode);
    second_over = true;
    while (!first_over) hw_thread_yield();
    hw_thread = &hw_main_thread;
}

/* Two threads load classes at the same time, and both have to ask the driver: they do so one after the other, and each
 * gets its answer. */
CASE(two_lookups) {
    static struct hw_skyway_line line = {.put = put, .get = get, .now = now, .patience = 1};

    begin(false);
    strcpy(given[names], "first");
    fingerprints[names++] = 1;
    skyway_link_open(&link, &line);
    EXPECT(hw_skyway_join(&link, &hw_skyway_java_loader) == HW_STATUS_OK && skyway_registry.number == 77 &&
           skyway_registry.count == 1);
    second = (struct hw_thread){.next = &hw_main_thread};
    hw_handles_drop(&second);
    hw_main_thread.next = &second;
    getcontext(&contexts[1]);
    contexts[1].uc_stack.ss_sp = stack;
    contexts[1].uc_stack.ss_size = sizeof stack;
    contexts[1].uc_link = &ended;
    makecontext(&contexts[1], second_main, 0);
    running = true;
    requests = 0;
    EXPECT(hw_skyway_load_class((struct hw_klass *)(uintptr_t)HW_CLASS_ListNode) == HW_STATUS_OK);
    /* The second thread continues alone, to its end. */
    getcontext(&ended);
    if (!first_over) {
        first_over = true;
        running = false;
        hw_thread = &second;
        setcontext(&contexts[1]);
    }
    EXPECT(second_over && hw_thread == &hw_main_thread && second_status == HW_STATUS_OK && link.resent == 0);
    EXPECT(requests == 4 && skyway_registry.count == 3 && HW_CLASS_ListNode->type_id == 2 &&
           HW_CLASS_TreeNode->type_id == 3);
    hw_main_thread.next = &hw_main_thread;
}
