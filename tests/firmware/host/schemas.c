/* schemas LIBRARY PROGRAM OTHER: blobs of three schemas with a type shared.Stamp, which is another one in OTHER.
 * library.Log and program.Order have a Stamp as field 1. */
#include <string.h>

#include "memory.h"
#include "protobuf/messages/messages.h"
#include "protobuf/protobuf.h"
#include "runtime/heap/space.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "units/capability.h"
#include "../../common/expect.h"

#define ROOM (1u << 16)

static uint8_t *blobs[3];
static uint32_t sizes[3];

static const struct hw_klass *klass_of_stamp(const struct hw_type *type) {
    return hw_pointer(HW_GET(hw_field_type(type, hw_type_find(type, 1)), ADT_KLASS));
}

static hw_handle read(const char *name, const char *wire, uint32_t length) {
    struct hw_protobuf context;
    hw_handle handle = NULL;

    hw_protobuf_open_heap(&context);
    EXPECT(hw_protobuf_read(&context, hw_schema_find(name), wire, length, &handle));
    return handle;
}

/* Two schemas in force, whose common type is one class. A third that contradicts is refused and changes nothing. */
static void test_several_schemas(void) {
    EXPECT(hw_schema_load(blobs[0], sizes[0]) == HW_SCHEMA_OK && hw_schema_find("library.Log"));
    EXPECT(!hw_schema_find("program.Order"));
    EXPECT(hw_schema_add(blobs[1], sizes[1]) == HW_SCHEMA_OK);
    const struct hw_type *log = hw_schema_find("library.Log"), *order = hw_schema_find("program.Order");
    const struct hw_type *stamp = hw_schema_find("shared.Stamp");
    uint32_t load = hw_schema.load, first = hw_reference(blobs[0]), last = hw_reference(blobs[1]) + sizes[1];

    EXPECT(log && order && stamp && hw_schema.base == hw_reference(blobs[1]));
    EXPECT(klass_of_stamp(log) == klass_of_stamp(order) &&
           HW_GET(stamp, ADT_KLASS) == hw_reference(klass_of_stamp(log)));
    EXPECT(strcmp(hw_pointer(klass_of_stamp(order)->name), "shared.Stamp") == 0);
    EXPECT(hw_registers[HW_REG_TABLE_BASE] >= first && hw_registers[HW_REG_TABLE_BASE] <= hw_reference(log));
    EXPECT(hw_registers[HW_REG_TABLE_LIMIT] <= last && hw_registers[HW_REG_TABLE_LIMIT] > hw_reference(order));
    EXPECT(hw_start() && hw_schema.load == load); /* there is no program_schema */
    for (int i = 0; i < 2; i++) {
        hw_handle message = read(i ? "program.Order" : "library.Log", "\x0a\x02\x08\x05", 4);
        const struct hw_message *sub = hw_message_message(hw_handle_object(message), hw_type_find(i ? order : log, 1));
        EXPECT(hw_klass_of(sub) == klass_of_stamp(log) && hw_message_int32(sub, hw_type_find(stamp, 1)) == 5);
    }
    EXPECT(hw_schema_add(blobs[0], sizes[0]) == HW_SCHEMA_OK && hw_schema.load == load);

    static uint8_t before[ROOM];
    memcpy(before, blobs[2], sizes[2]);
    EXPECT(hw_schema_add(blobs[2], sizes[2]) == HW_SCHEMA_CONFLICT && hw_schema.load == load);
    EXPECT(memcmp(before, blobs[2], sizes[2]) == 0 && hw_schema_find("library.Log") == log);
    EXPECT(strstr(hw_schema_error_text(HW_SCHEMA_CONFLICT), "same name"));
    EXPECT(hw_schema_load(blobs[2], sizes[2]) == HW_SCHEMA_OK && !hw_schema_find("library.Log"));
    EXPECT(hw_registers[HW_REG_TABLE_BASE] >= hw_reference(blobs[2]));
}

/* Messages of which one finds more than half of its arena full, again and again, all stay in eden. */
static void test_arena_half_full(void) {
    static char wire[4 + 120 * 12] = {0x0a};
    struct hw_heap_options options = {.base = HW_FIXED_BASE, .bytes = 192u << 10, .eden_bytes = 32u << 10};

    EXPECT(hw_heap_init(&options));
    for (uint32_t turn = 0; turn < 6; turn++)
        for (uint32_t tags = 60; tags <= 120; tags += 60) {
            hw_scope scope = hw_scope_open();

            wire[1] = (char)(tags * 12 | 0x80), wire[2] = (char)(tags * 12 >> 7);
            for (uint32_t i = 0; i < tags; i++) memcpy(wire + 3 + 12 * i, "\x1a\x0atag of ten", 12);
            read("other.Order", wire, 3 + 12 * tags);
            if (tags == 60) hw_scope_close(scope);
        }
    EXPECT(hw_heap_statistics.full_collections == 0 && hw_large_used() == 0);
}

/* The first error stays, with its words. */
static void test_errors(void) {
    struct hw_heap_options options = {.base = HW_FIXED_BASE, .bytes = 1024};

    EXPECT(hw_error_status() == HW_STATUS_OK && strcmp(hw_error_text(), "no error") == 0);
    hw_error_raise_at(HW_STATUS_TRUNCATED, 17);
    hw_error_raise(HW_STATUS_NULL_MESSAGE);
    EXPECT(hw_error_status() == HW_STATUS_TRUNCATED && hw_error_offset() == 17);
    EXPECT(strcmp(hw_error_text(), "TRUNCATED: the input ends inside a field, at byte 17") == 0);
    EXPECT(hw_error_clear() == HW_STATUS_TRUNCATED && hw_error_clear() == HW_STATUS_OK);
    EXPECT(!hw_start_heap(&options) && hw_error_offset() == HW_ERROR_NOWHERE);
    EXPECT(strcmp(hw_error_text(), "BAD_HEAP: the heap's options do not fit together") == 0);
    hw_error_clear();
    hw_error_raise_at(HW_STATUS_BAD_SCHEMA, HW_SCHEMA_CRC);
    EXPECT(strstr(hw_error_text(), "BAD_SCHEMA: ") == hw_error_text() && strstr(hw_error_text(), "CRC-32"));
    hw_error_clear();
    EXPECT(strcmp(hw_status_name(HW_STATUS_NO_HANDLE), "NO_HANDLE") == 0 && hw_status_meaning(HW_STATUS_NO_HANDLE));
    EXPECT(strcmp(hw_status_name(HW_SKYWAY_CUT), "SKYWAY_CUT") == 0 && !hw_status_name(0x7777));
}

/* A program that runs on another cluster than it was built for is told so. */
static void test_clusters(void) {
    uint32_t words = HW_CLUSTER_TAGS | HW_CLUSTER_QUEUEDEPTH << 8 | HW_CLUSTER_UNITCLOCKDIVIDER / 2 << 24;

    EXPECT(hw_cluster_fits()); /* there is none */
    hw_cluster = (struct hw_cluster_words){HW_INFO_VERSION | 0x110, words | 4u << 16};
    EXPECT(hw_cluster_fits() == (HW_CLUSTER_DATAWIDTH == 128));
    hw_cluster.sizes = words | 7u << 16;
    EXPECT(!hw_cluster_fits());
    hw_error_raise(HW_STATUS_OTHER_CLUSTER);
    EXPECT(strstr(hw_error_text(), "(built for " HW_CLUSTER_CONFIG "-") && strstr(hw_error_text(), "has 1024 bits,"));
    EXPECT(strstr(hw_error_text(), "units 110"));
    hw_error_clear();
    hw_cluster.capability = (HW_INFO_VERSION ^ 1) | 0x110;
    EXPECT(!hw_cluster_fits());
    hw_cluster = (struct hw_cluster_words){0};
}

int main(int count, char **arguments) {
    memory_map();
    for (int i = 0; i < 3 && i + 1 < count; i++) {
        blobs[i] = hw_pointer(HW_LOAD_BASE + (uint32_t)i * ROOM);
        sizes[i] = memory_load(arguments[i + 1], hw_reference(blobs[i]), ROOM);
    }
    test_several_schemas();
    EXPECT(hw_start());
    test_errors();
    test_clusters();
    test_arena_half_full();
    puts("ok");
    return 0;
}
