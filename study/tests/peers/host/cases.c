/* cases CASE FOLDER: runs one case, of this file or of hostile.c; some of them use streams that a JVM has written to
 * the folder. */
#include "../../../../tests/common/cases.h"
#include "classes.h"
#include "engines.h"
#include "runtime/java/map.h"
#include "runtime/java/string.h"

#define DEEP 500000u
#define CAPACITY (64u << 20)

/* A list of half a million nodes through each engine. */
CASE(deep) {
    engines_renew(160u << 20);
    hw_handle list = load("deep", engines);
    uint8_t *output = malloc(CAPACITY);

    for (uint32_t i = 0; i < ENGINES; i++) {
        struct hw_objects_result written = engines[i].write(list, output, CAPACITY);
        hw_scope scope = hw_scope_open();
        uint32_t count = 0;

        EXPECT(written.status == HW_OBJECTS_OK);
        hw_handle copy = read_as(&engines[i], output, written.bytes, HW_OBJECTS_OK, written.bytes);
        hw_ref one = list->reference, other = copy->reference;

        for (; one && other; count++) {
            EXPECT(one != other && memcmp(hw_pointer(one + HW_CLASS_ListNode_value),
                                          hw_pointer(other + HW_CLASS_ListNode_value), 8) == 0);
            one = *(hw_ref *)hw_pointer(one + HW_CLASS_ListNode_next);
            other = *(hw_ref *)hw_pointer(other + HW_CLASS_ListNode_next);
        }
        EXPECT(count == DEEP && one == 0 && other == 0);
        hw_scope_close(scope);
    }
    EXPECT(walks());
    free(output);
}

static hw_ref node_value(hw_ref node) { return node ? *(hw_ref *)hw_pointer(node + HW_CLASS_HashMap_Node_value) : 0; }

/* Maps that were filled on a real JVM can be searched here, and accept more entries. */
CASE(lookup) {
    for (uint32_t i = 0; i < 2; i++) {
        hw_handle map = load("map-strings", &engines[i]), kinds = load("map-kinds", &engines[i]);
        char text[32];

        for (uint32_t k = 0; k < 1200; k++) {
            hw_scope scope = hw_scope_open();

            snprintf(text, sizeof text, "key-%u", k);
            hw_ref value = node_value(hw_hash_map_find(map, string(text)));

            EXPECT(k < 1000 ? *(uint32_t *)hw_pointer(value + HW_CLASS_Integer_value) == k : value == 0);
            hw_scope_close(scope);
        }
        for (uint32_t k = 900; k < 2000; k++) {
            hw_scope scope = hw_scope_open();

            snprintf(text, sizeof text, "key-%u", k);
            hw_handle key = string(text);

            EXPECT(hw_hash_map_put(map, key, key) && node_value(hw_hash_map_find(map, string(text))) == key->reference);
            hw_scope_close(scope);
        }
        EXPECT(FIELD(map, uint32_t, HashMap_size) == 2000);
        hw_ref null = hw_hash_map_find(kinds, NULL);

        EXPECT(node_value(null) != 0 && hw_hash_map_find(kinds, string("null")) != 0 &&
               node_value(hw_hash_map_find(kinds, string("null"))) == 0);
        EXPECT(hw_hash_map_find(kinds, string("BB")) != hw_hash_map_find(kinds, string("Aa")) &&
               hw_hash_map_find(kinds, string("AaA")) == 0);
        EXPECT(!hw_hash_map_put(kinds, map, map) && hw_error_clear() == HW_STATUS_WRONG_TYPE);
        EXPECT(walks());
    }
}

CASE(enums) {
    uint32_t size = HW_CLASS_Image_Size->id - HW_FIRST_CLASS_ID, player = HW_CLASS_Media_Player->id - HW_FIRST_CLASS_ID;

    for (uint32_t i = 0; i < 2; i++) {
        EXPECT(load("enum", &engines[i])->reference == hw_enum_constant(hw_serial_classes[size].first_constant + 1u));
        hw_handle media = hw_get(load("media", &engines[i]), HW_CLASS_MediaContent_media);

        EXPECT(FIELD(media, hw_ref, Media_player) == hw_enum_constant(hw_serial_classes[player].first_constant));
    }
    EXPECT(hw_string_equals(hw_get(load("enum", engines), HW_CLASS_Enum_name), string("LARGE")));
}

/* Every output that is too small, and every prefix of the input, ends in an error, without access beyond it. */
CASE(bounds) {
    static const char *const names[] = {
        "media",      "string-utf16", "list-mixed",     "map-kinds",          "objects",      "boxes",  "grid",
        "fields",     "tree-leaf",    "WeightedVertex", "Document",           "SortRecord",   "ints",   "longs",
        "map-nested", "list-nodes-2", "string-32",      "string-latin1-long", "LabeledPoint", "Rating", "media-bare"};

    for (uint32_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (uint32_t i = 0; i < ENGINES; i++) {
            uint32_t length, size;
            hw_scope scope = hw_scope_open();
            hw_handle root = load(names[n], engines), other;
            uint8_t whole[16384];
            struct hw_objects_result result = engines[i].write(root, whole, sizeof whole);

            if (result.status == HW_OBJECTS_UNSUPPORTED && i == 2) {
                hw_scope_close(scope);
                continue;
            }
            EXPECT(result.status == HW_OBJECTS_OK);
            for (size = 0; size <= result.bytes; size += size > 600 && size + 20 < result.bytes ? 13 : 1) {
                uint8_t *exact = malloc(size ? size : 1);
                struct hw_objects_result full = engines[i].write(root, exact, size);

                EXPECT(full.status == (size < result.bytes ? HW_OBJECTS_OUTPUT_FULL : HW_OBJECTS_OK));
                free(exact);
            }
            uint8_t *bytes = stream(names[n], engines[i].name, &length);

            for (size = 0; size < length; size += size > 600 ? 13 : 1) {
                struct hw_objects_result cut = read_by(&engines[i], bytes, size, &other);

                EXPECT(cut.status == HW_OBJECTS_TRUNCATED || cut.status == HW_OBJECTS_BAD_CLASS);
                EXPECT(cut.bytes <= size && !other);
            }
            free(bytes);
            hw_scope_close(scope);
        }
    }
    EXPECT(walks());
}

/* A workspace that is too small ends in an error, and still serves smaller graphs. */
CASE(small_workspace) {
    static uint64_t memory[2048];
    static uint8_t output[200000];
    hw_handle graph = load("graph-middle", engines), many = load("objects-cycle", engines), root;
    uint32_t length;
    uint8_t *bytes = stream("graph-middle", "java", &length);

    EXPECT(!hw_java_open(&java_codec, memory, 512) && !hw_kryo_open(&kryo_codec, memory, 512));
    EXPECT(hw_java_open(&java_codec, memory, sizeof memory - 4096));
    EXPECT(hw_java_write(&java_codec, graph, output, sizeof output).status == HW_OBJECTS_NO_WORKSPACE);
    EXPECT(hw_java_read(&java_codec, bytes, length, &root).status == HW_OBJECTS_NO_WORKSPACE);
    EXPECT(hw_java_write(&java_codec, many, output, sizeof output).status == HW_OBJECTS_OK);
    EXPECT(hw_kryo_open(&kryo_codec, memory, 5000));
    EXPECT(hw_kryo_write(&kryo_codec, graph, output, sizeof output).status == HW_OBJECTS_NO_WORKSPACE);
    EXPECT(hw_kryo_write(&kryo_codec, many, output, sizeof output).status == HW_OBJECTS_OK);
    EXPECT(walks());
    free(bytes);
}

/* The heap is full, and usable afterwards. */
CASE(out_of_memory) {
    engines_renew(2u << 20);
    for (uint32_t i = 0; i < ENGINES; i++) {
        uint32_t length;
        uint8_t *bytes = stream("deep", engines[i].name, &length);
        hw_handle root;

        EXPECT(read_by(&engines[i], bytes, length, &root).status == HW_OBJECTS_NO_MEMORY && !root);
        EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_MEMORY && walks());
        free(bytes);
        EXPECT(load("media", &engines[i]));
    }
}

/* The identity numbers of objects wrap around, without an effect on the streams. */
CASE(numbers) {
    hw_handle media = load("media", engines);
    uint8_t before[2][4096], after[4096];
    struct hw_objects_result results[2];

    for (uint32_t i = 0; i < 2; i++) results[i] = engines[i].write(media, before[i], sizeof before[i]);
    java_codec.identity.next = kryo_codec.identity.next = 0xf0000000u - 20;
    for (uint32_t round = 0; round < 5; round++)
        for (uint32_t i = 0; i < 2; i++) {
            EXPECT(engines[i].write(media, after, sizeof after).bytes == results[i].bytes);
            EXPECT(memcmp(before[i], after, results[i].bytes) == 0);
        }
    EXPECT(java_codec.identity.next < 1000 && kryo_codec.identity.next < 1000);
}

/* One changed byte gives this status and offset. */
CASE(errors) {
    static const struct {
        const char *name;
        uint32_t engine, at;
        uint8_t value;
        enum hw_objects_status status;
        uint32_t offset;
    } all[] = {
        {"media", 0, 1, 0, HW_OBJECTS_MALFORMED, 0},
        {"media", 0, 4, 0x70 + 6, HW_OBJECTS_UNSUPPORTED, 4}, /* TC_CLASS */
        {"media", 0, 4, 0x20, HW_OBJECTS_MALFORMED, 4},
        {"media", 0, 10, 'x', HW_OBJECTS_BAD_CLASS, 5}, /* in a name */
        {"box-9", 0, 29, 1, HW_OBJECTS_BAD_CLASS, 5},   /* in a serialVersionUID */
        {"string-3", 0, 7, 0x80, HW_OBJECTS_MALFORMED, 7},
        {"string-nul", 0, 9, 0x41, HW_OBJECTS_MALFORMED, 8},
        {"grid-shared", 1, 0, 1, HW_OBJECTS_UNSUPPORTED, 0}, /* a class by its name */
        {"string-3", 1, 0, 0x7f, HW_OBJECTS_BAD_CLASS, 0},
        {"string-3", 1, 1, 5, HW_OBJECTS_BAD_REFERENCE, 0},
        {"enum", 1, 1, 9, HW_OBJECTS_MALFORMED, 1},
        {"tree-leaf", 2, 0, 99, HW_OBJECTS_BAD_CLASS, 0},
    };

    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t length;
        uint8_t *bytes = stream(all[i].name, engines[all[i].engine].name, &length);

        bytes[all[i].at] = all[i].value;
        read_as(&engines[all[i].engine], bytes, length, all[i].status, all[i].offset);
        free(bytes);
    }
}

int main(int argc, char **argv) {
    if (argc > 2) streams_open(argv[2]);
    return run_case(argc, argv);
}
