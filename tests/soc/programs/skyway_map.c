/* The machine whose first word is 0 sends a HashMap with strings as keys to the other, over the second UART. The other
 * looks keys up in it: nothing is rehashed or relinked, and identity hashes have not changed. */
#include <string.h>

#include "../../common/expect.h"
#include "classes.h"
#include "skyway/skyway.h"
#include "skyway/transfer/transfer.h"
#include "platform/link_uart.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/walk.h"
#include "runtime/java/map.h"
#include "runtime/java/string.h"
#include "runtime/regions.h"
#include "runtime/registers.h"

#define ENTRIES 14
#define PATIENCE 2000000u
#define IDLE 10

static struct hw_skyway_line line;
static struct skyway_link link;
static struct hw_skyway_receiver receiver;
static uint8_t work[1 << 15] __attribute__((aligned(64))), buffer[2048] __attribute__((aligned(64)));
static hw_handle received;

static hw_handle text(const char *prefix, uint32_t number) {
    char name[32];
    int bytes = snprintf(name, sizeof name, "%s %u", prefix, (unsigned)number);

    return hw_string_from_utf8(name, (uint32_t)bytes);
}

static hw_ref field(hw_ref object, uint32_t offset) { return *(hw_ref *)hw_pointer(object + offset); }

static void arrived(struct hw_skyway_receiver *from) {
    hw_handle root;

    while (hw_skyway_read(&from->input, &root)) received = hw_global_new(root);
}

static void serve(struct skyway_link *on, const struct packet *request, struct packet *response) {
    (void)on;
    if (!skyway_driver_answer(request, response)) hw_skyway_receivers_answer(&receiver, 1, request, response);
}

/* Sends an array of the map's keys in order, with the map behind them. */
static void send(void) {
    struct hw_skyway_link_sink sink;
    struct hw_skyway_output output;
    hw_handle map = hw_new(HW_CLASS_HashMap), pair = hw_new_array(HW_CLASS_Object_array, ENTRIES + 1);

    EXPECT(map && pair);
    hw_hash_map_init(map, 16);
    hw_set_element(pair, ENTRIES, map);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle key = text("key", i), value = text("value", i);

        EXPECT(key && value && hw_hash_map_put(map, key, value));
        hw_set_element(pair, i, key);
        printf("%lx ", (unsigned long)hw_identity_hash(key));
        hw_scope_close(scope);
    }
    printf("%lx\n", (unsigned long)hw_identity_hash(map));
    EXPECT(hw_skyway_join(&link, &hw_skyway_java_loader) == HW_STATUS_OK && hw_skyway_shuffle_start() == HW_STATUS_OK);
    hw_skyway_link_sink(&sink, &link, buffer, sizeof buffer);
    hw_skyway_output_open(&output, &sink.sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(hw_skyway_write(&output, pair) && hw_skyway_output_close(&output));
}

static void receive(void) {
    hw_skyway_drive(77, &hw_skyway_java_loader);
    hw_skyway_receiver_open(&receiver, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA, arrived);
    for (uint32_t idle = 0, heard = 0; !received && idle < IDLE;
         idle = link.heard == heard ? idle + 1 : 0, heard = link.heard)
        EXPECT(skyway_link_poll(&link, true));
    EXPECT(received);
    hw_handle map = hw_get_element(received, ENTRIES);
    hw_ref table = field(map->reference, HW_CLASS_HashMap_table);

    for (uint32_t i = 0; i < ENTRIES; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle key = text("key", i), value = text("value", i);
        hw_ref node = hw_hash_map_find(map, key);

        EXPECT(node && field(node, HW_CLASS_HashMap_Node_key) == hw_get_element(received, i)->reference);
        EXPECT(hw_string_equals(hw_handle_new(field(node, HW_CLASS_HashMap_Node_value)), value));
        printf("%lx ", (unsigned long)hw_identity_hash(hw_get_element(received, i)));
        if (i % 10 == 0) hw_collect(i % 20 == 0);
        hw_scope_close(scope);
    }
    printf("%lx\n", (unsigned long)hw_identity_hash(map));
    EXPECT(field(map->reference, HW_CLASS_HashMap_table) == table && !hw_hash_map_find(map, text("key", ENTRIES)));
    EXPECT(hw_hash_map_put(map, text("key", ENTRIES), text("value", 0)) && hw_hash_map_find(map, text("key", ENTRIES)));
    hw_collect(false);
    EXPECT(hw_hash_map_find(map, text("key", ENTRIES)));
}

int main(void) {
    const uint32_t *words = hw_pointer(HW_LOAD_BASE);
    struct hw_heap_options options = {
        .base = HW_FLEXIBLE_BASE + words[1], .bytes = 128u << 10, .poison = true, .verify = hw_heap_verify};
    struct hw_walk walk;

    hw_well_known_init();
    EXPECT(hw_link_uart_present() && hw_heap_init(&options));
    hw_classes_init();
    uart_line_open(&line, PATIENCE);
    skyway_link_open(&link, &line);
    link.serve = serve;
    hw_skyway_sender = words[0] + 1;
    if (words[0] == 0)
        send();
    else
        receive();
    EXPECT(hw_heap_walk(&walk));
    hw_link_uart_flush();
    return 0;
}
