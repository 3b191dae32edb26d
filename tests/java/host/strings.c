/* strings FILE [stress]: makes a string of each line (UTF-8 in hex) in a small heap, and prints its contents: code
 * units in hex, coder, hash, UTF-8 in hex. Then runs single cases. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/expect.h"
#include "classes.h"
#include "generated/mem.h"
#include "memory.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/walk.h"
#include "runtime/java/string.h"
#include "runtime/registers.h"

#define MAX_BYTES 4096

static uint8_t text[MAX_BYTES];

static uint32_t read_hex(const char *line) {
    uint32_t length = 0;
    unsigned byte;

    for (; sscanf(line, "%2x", &byte) == 1; line += 2) text[length++] = (uint8_t)byte;
    return length;
}

static void print(hw_handle string) {
    uint8_t utf8[4 * MAX_BYTES];
    uint32_t length = hw_string_length(string), bytes = hw_string_to_utf8(string, utf8, sizeof utf8);
    int32_t hash = hw_string_hash(string);

    for (uint32_t i = 0; i < length; i++) printf("%04x", hw_string_char_at(string, i));
    printf(" %u %" PRId32 " ", ((const uint8_t *)hw_handle_object(string))[HW_CLASS_String_coder], hash);
    for (uint32_t i = 0; i < bytes; i++) printf("%02x", utf8[i]);
    printf("\n");
    EXPECT(hw_string_hash(string) == hash);
}

/* Makes the string from bytes outside the heap and from bytes inside it. Both must be equal. */
static void both_ways(uint32_t length) {
    hw_scope scope = hw_scope_open();
    hw_handle string = hw_string_from_utf8(text, length);
    hw_handle array = hw_new_array(HW_CLASS_byte_array, length + 3);

    EXPECT(string && array);
    EXPECT(hw_scope_open() == scope + 2);
    memcpy((char *)hw_handle_object(array) + HW_OBJECT_METADATA_ARRAY_ELEMENTS + 2, text, length);
    hw_handle other = hw_string_from_utf8_array(array, 2, length);

    EXPECT(other && hw_string_equals(string, other) && hw_string_equals(other, string));
    EXPECT(hw_string_compare(string, other) == 0 && hw_string_hash(string) == hw_string_hash(other));
    EXPECT(hw_klass_of(hw_handle_object(string)) == HW_CLASS_String);
    print(other);
    hw_scope_close(scope);
}

/* Makes the string of a protobuf string: a byte string, a view of an array, a view of memory. */
static void of_protobuf(uint32_t length) {
    hw_scope scope = hw_scope_open();
    hw_handle string = hw_string_from_utf8(text, length);
    hw_handle array = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY]), length);
    hw_handle bytes = hw_new(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_STRING]));

    memcpy(hw_array_bytes(array->reference), text, length);
    hw_set(bytes, HW_OBJECT_BYTE_STRING_BYTES, array);
    for (int kind = 0; kind < 3; kind++) {
        hw_scope inner = hw_scope_open();
        hw_handle from = kind ? hw_new(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_VIEW])) : bytes;

        if (kind) {
            struct hw_byte_view *view = hw_handle_object(from);

            view->mark = HW_OBJECT_BYTE_VIEW_MARK;
            view->offset = kind == 2 ? hw_reference(text) : 0;
            view->length = length;
            hw_set(from, HW_OBJECT_BYTE_VIEW_OWNER, kind == 1 ? array : NULL);
        }
        hw_handle first = hw_thread->handles.next;
        hw_handle made = hw_string_from_bytes(from);

        EXPECT(made && hw_string_equals(string, made) && made == first && hw_thread->handles.next == first + 1);
        hw_scope_close(inner);
    }
    hw_scope_close(scope);
}

static hw_handle literal(const char *characters) {
    hw_handle string = hw_string_from_utf8(characters, (uint32_t)strlen(characters));

    EXPECT(string);
    return string;
}

static void comparisons(void) {
    hw_handle a = literal("abc"), b = literal("abd"), longer = literal("abcd"), wide = literal("ab\xe2\x82\xac");

    EXPECT(hw_string_compare(a, b) == -1 && hw_string_compare(b, a) == 1);
    EXPECT(hw_string_compare(a, longer) == -1 && hw_string_compare(longer, a) == 1);
    EXPECT(hw_string_compare(wide, a) == 0x20ac - 'c' && hw_string_compare(a, wide) == 'c' - 0x20ac);
    EXPECT(!hw_string_equals(a, b) && !hw_string_equals(a, longer) && !hw_string_equals(a, wide) &&
           !hw_string_equals(a, NULL));
    EXPECT(hw_string_hash(literal("")) == 0);

    uint8_t part[4] = {0, 0, 0, 0x55};

    EXPECT(hw_string_to_utf8(wide, part, 3) == 5 && memcmp(part, "ab\xe2\x55", 4) == 0);
    EXPECT(hw_string_to_utf8(wide, NULL, 0) == 5);
}

/* Makes strings until there is no room: this raises an error and leaves no handle behind, and the heap stays
 * usable. */
static void out_of_memory(void) {
    hw_scope scope = hw_scope_open();
    uint32_t made = 0;

    memset(text, 'x', sizeof text);
    while (hw_string_from_utf8(text, 1000)) made++;
    EXPECT(made > 16 && hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    EXPECT(hw_scope_open() == scope + made);
    hw_scope_close(scope);
    EXPECT(hw_string_from_utf8(text, 1000));

    /* Making a string takes two handles, and only one is left. */
    scope = hw_scope_open();
    while (hw_handle_room()) hw_handle_new(0);
    hw_error_clear();
    hw_handle_drop_latest();
    EXPECT(!hw_string_from_utf8(text, 3) && hw_error_clear() == HW_STATUS_NO_HANDLE);
    EXPECT(hw_scope_open() == hw_thread->handles.limit - 1);
    hw_scope_close(scope);
}

int main(int argc, char **argv) {
    struct hw_heap_options options = {
        .base = MAIN_RAM_BASE + 4096u,
        .bytes = 128u * 1024,
        .region_bytes = 4096,
        .large_bytes = 32768,
        .poison = true,
        .verify = hw_heap_verify,
        .stress = argc > 2 && strcmp(argv[2], "stress") == 0,
    };
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    static char line[2 * MAX_BYTES + 2];
    struct hw_walk walk;

    EXPECT(file);
    memory_map();
    hw_well_known_init();
    hw_classes_init();
    EXPECT(hw_heap_init(&options));
    while (fgets(line, sizeof line, file)) {
        uint32_t length = read_hex(line);

        both_ways(length);
        of_protobuf(length);
    }
    fclose(file);
    comparisons();
    out_of_memory();
    EXPECT(hw_heap_walk(&walk));
    EXPECT(!options.stress || hw_heap_statistics.young_collections > 100);
    return 0;
}
