/* Relays: messages are read with their strings left in the input, changed, and written again, all by the unit. In
 * arenas, with commands in flight, too; and in the managed heap, where the input is an array that only the views keep
 * alive, with a collection at every allocation. Parameter: HW_ADOPT_*. */
#include "heap.h"
#include "runtime/accessors/build.h"
#include "runtime/heap/card.h"
#include "runtime/regions.h"
#include "runtime/registers.h"

#define HALF (1u << 20)
#define OUTPUT (HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES / 2)
#define OUTPUT_BYTES (1u << 16)
#define LANES 4
#define DAMAGED 1 /* messages */

static const char changed[] = "another string, in the place of a view";
static uint32_t views, copies, relays, changes, refused;

static const struct hw_klass *klass_of(uint32_t index) { return hw_pointer(hw_registers[index]); }

static void write(struct hw_protobuf *context, uint32_t index, hw_handle message, uint32_t lane,
                  struct hw_bytes *bytes) {
    EXPECT(hw_protobuf_write(context, heap_case_type(index), message, hw_pointer(OUTPUT + lane * OUTPUT_BYTES),
                             OUTPUT_BYTES, bytes));
    relays++;
}

static bool same(struct hw_bytes a, struct hw_bytes b) {
    return a.length == b.length && (a.length == 0 || __builtin_memcmp(a.data, b.data, a.length) == 0);
}

static void open_arenas(struct hw_arenas *arenas, struct hw_protobuf *context, uint32_t number) {
    uint32_t base = HW_FIXED_BASE + number * 2 * HALF;

    EXPECT(hw_arena_init(&arenas->fixed, base, HALF) && hw_arena_init(&arenas->flexible, base + HALF, HALF));
    hw_protobuf_open(context, arenas);
    EXPECT(context->read_by_unit && context->written_by_unit);
}

static void leave(struct hw_protobuf *context) {
    hw_protobuf_leave_strings(context, 1, hw_pointer(HW_LOAD_BASE), HW_LOAD_BYTES / 2);
}

static void count_views(const struct hw_arena *arena) {
    for (hw_ref at = arena->base; at < arena->top; at += hw_object_bytes(hw_pointer(at))) {
        views += hw_klass_of(hw_pointer(at)) == klass_of(HW_REG_KLASS_BYTE_VIEW);
        copies += hw_klass_of(hw_pointer(at)) == klass_of(HW_REG_KLASS_BYTE_STRING) && hw_byte_string_bytes(at).length;
    }
}

/* Views and copies of the same message make the same bytes, by the unit and by software. */
static void relay_in_arenas(void) {
    static struct hw_arenas arenas[3];
    struct hw_protobuf viewing, copying, software;

    open_arenas(&arenas[0], &viewing, 0);
    open_arenas(&arenas[1], &copying, 1);
    open_arenas(&arenas[2], &software, 2);
    hw_protobuf_software_only(&software);
    leave(&viewing);
    leave(&software);
    for (uint32_t i = 0; i < heap_case_count; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle message, copy;
        uint32_t length;
        const void *input = heap_case_input(i, &length);
        struct hw_bytes by_view, by_copy, by_software;

        EXPECT(hw_protobuf_read(&viewing, heap_case_type(i), input, length, &message) && heap_is_case(message, i));
        EXPECT(hw_protobuf_read(&copying, heap_case_type(i), input, length, &copy));
        write(&viewing, i, message, 0, &by_view);
        write(&copying, i, copy, 1, &by_copy);
        EXPECT(same(by_view, by_copy));
        write(&software, i, message, 2, &by_software);
        EXPECT(same(by_view, by_software));
        EXPECT(hw_protobuf_read(&software, heap_case_type(i), input, length, &copy) && heap_is_case(copy, i));
        count_views(&arenas[0].fixed);
        for (int which = 0; which < 3; which++) {
            hw_arena_reset(&arenas[which].fixed);
            hw_arena_reset(&arenas[which].flexible);
        }
        hw_scope_close(scope);
    }
    EXPECT(viewing.fallbacks == 0 && copying.fallbacks == 0);
    EXPECT(views != 0 && copies == 0);
}

static void relay_in_flight(void) {
    static struct hw_arenas arenas[LANES];
    static struct hw_protobuf contexts[LANES];
    struct hw_protobuf_reading reading[LANES];
    struct hw_protobuf_writing writing[LANES];
    uint32_t before = views;

    for (uint32_t lane = 0; lane < LANES; lane++) {
        open_arenas(&arenas[lane], &contexts[lane], lane);
        leave(&contexts[lane]);
    }
    for (uint32_t first = 0; first + LANES <= heap_case_count; first += LANES) {
        hw_scope scope = hw_scope_open();
        hw_handle message[LANES];

        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t length;
            const void *input = heap_case_input(first + lane, &length);

            EXPECT(
                hw_protobuf_read_begin(&contexts[lane], heap_case_type(first + lane), input, length, &reading[lane]));
        }
        for (uint32_t lane = 0; lane < LANES; lane++) {
            EXPECT(hw_protobuf_read_end(&reading[lane], &message[lane]) && heap_is_case(message[lane], first + lane));
            EXPECT(hw_protobuf_write_begin(&contexts[lane], heap_case_type(first + lane), message[lane],
                                           hw_pointer(OUTPUT + lane * OUTPUT_BYTES), OUTPUT_BYTES, &writing[lane]));
        }
        for (uint32_t lane = 0; lane < LANES; lane++) {
            struct hw_bytes bytes, expected;

            EXPECT(hw_protobuf_write_end(&writing[lane], &bytes));
            count_views(&arenas[lane].fixed);
            write(&contexts[lane], first + lane, message[lane], LANES, &expected);
            EXPECT(same(bytes, expected));
            hw_arena_reset(&arenas[lane].fixed);
            hw_arena_reset(&arenas[lane].flexible);
        }
        hw_scope_close(scope);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) EXPECT(contexts[lane].fallbacks == 0);
    EXPECT(views > before && copies == 0);
}

/* Returns a field of the message whose value is a view; NULL if it has none. */
static const struct hw_field *view_of(hw_handle message, const struct hw_type *type) {
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);

    for (; field < end; field++) {
        uint32_t kind = HW_GET(field, ENTRY_TYPE);

        if ((kind != HW_TYPE_STRING && kind != HW_TYPE_BYTES) || HW_GET(field, ENTRY_REPEATED) ||
            HW_GET(field, ENTRY_IN_ONEOF))
            continue;
        hw_ref string = *(const hw_ref *)hw_message_slot(hw_handle_object(message), field);
        if (string && hw_is_byte_view(string)) return field;
    }
    return NULL;
}

/* Replaces the field's string by one with these bytes, which lie outside the heap. */
static void put(hw_handle message, const struct hw_field *field, const void *data, uint32_t length) {
    hw_scope scope = hw_scope_open();
    hw_handle string = hw_handle_hold(hw_object_new_bytes(data, length));

    EXPECT(string);
    hw_set(message, HW_GET(field, ENTRY_OFFSET), string);
    hw_scope_close(scope);
}

/* Changes one field of a message of views, writes it, and reads what it has written. */
static void change(struct hw_protobuf *context, uint32_t index, hw_handle message) {
    static uint8_t kept[OUTPUT_BYTES];
    const struct hw_type *type = heap_case_type(index);
    const struct hw_field *field = view_of(message, type);
    struct hw_bytes old, bytes;
    hw_handle again;

    if (!field) return;
    old = hw_message_bytes(hw_handle_object(message), field);
    EXPECT(old.length <= sizeof(kept));
    __builtin_memcpy(kept, old.data, old.length);
    uint32_t length = old.length;

    put(message, field, changed, sizeof(changed));
    write(context, index, message, 0, &bytes);
    EXPECT(hw_protobuf_read(context, type, bytes.data, bytes.length, &again) && !heap_is_case(again, index));
    EXPECT(same(hw_message_bytes(hw_handle_object(again), hw_type_find(type, HW_GET(field, ENTRY_KEY) >> 3)),
                (struct hw_bytes){(const uint8_t *)changed, sizeof(changed)}));
    put(message, field, kept, length);
    put(again, field, kept, length);
    EXPECT(heap_is_case(message, index) && heap_is_case(again, index));
    changes++;
}

/* Returns a message whose input is an array that nothing but its views refers to. */
static hw_handle read_array(struct hw_protobuf *context, uint32_t index) {
    hw_scope scope = hw_scope_open();
    hw_handle message = hw_handle_new(0), array, made;
    uint32_t length;
    const void *input = heap_case_input(index, &length);

    array = hw_new_array(klass_of(HW_REG_KLASS_BYTE_ARRAY), length + 3);
    EXPECT(array);
    __builtin_memcpy(hw_array_bytes(array->reference), input, length);
    EXPECT(hw_protobuf_read_array(context, heap_case_type(index), array, length, 1, &made));
    message->reference = made->reference;
    hw_scope_close(scope);
    return hw_handle_new(message->reference);
}

static void relay_in_heap(bool stress, enum hw_adoption way) {
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .bytes = 160u << 10,
        .eden_bytes = 24u << 10,
        .region_bytes = 2048,
        .large_bytes = 32u << 10,
        .buffer_bytes = 512,
        .unit_bytes = 1024,
        .tenure = 2,
        .stress = stress,
        .poison = true,
        .verify = hw_heap_verify,
    };
    struct hw_protobuf context;

    heap_start(&options, way);
    hw_protobuf_open_heap(&context);
    for (uint32_t i = 0; i < heap_case_count; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle message = read_array(&context, i);
        struct hw_bytes before, after;

        EXPECT(heap_is_case(message, i));
        write(&context, i, message, 0, &before);
        for (int full = 0; full < 2; full++) {
            hw_collect(full);
            EXPECT(heap_is_case(message, i));
            write(&context, i, message, 1, &after);
            EXPECT(same(before, after));
        }
        change(&context, i, message);
        hw_scope_close(scope);
    }
    heap_check_walk();
    EXPECT(context.fallbacks == 0 && hw_error_clear() == HW_STATUS_OK);
}

/* What a caller may not do. */
static void misuse(void) {
    struct hw_protobuf context;
    struct hw_arenas arenas;
    hw_scope scope = hw_scope_open();
    hw_handle array = hw_new_array(klass_of(HW_REG_KLASS_BYTE_ARRAY), 8), made;

    hw_protobuf_open_heap(&context);
    EXPECT(!hw_protobuf_read_array(&context, heap_case_type(0), array, 9, 1, &made));
    EXPECT(!made && context.status == HW_STATUS_OUT_OF_BOUNDS);
    hw_protobuf_clear(&context);
    EXPECT(!hw_protobuf_read_array(&context, heap_case_type(0), array, 8, 1u << 15, &made));
    EXPECT(context.status == HW_STATUS_BAD_COMMAND);
    hw_protobuf_clear(&context);
    leave(&context);
    EXPECT(context.status == HW_STATUS_BAD_COMMAND);
    open_arenas(&arenas, &context, 5);
    EXPECT(!hw_protobuf_read_array(&context, heap_case_type(0), array, 0, 1, &made));
    EXPECT(context.status == HW_STATUS_BAD_COMMAND);
    hw_protobuf_clear(&context);
    hw_protobuf_leave_strings(&context, 1, hw_pointer(UINT32_MAX - 7), 9);
    EXPECT(context.status == HW_STATUS_OUT_OF_BOUNDS);
    hw_scope_close(scope);
}

/* Writes a message by the unit and by software. Both must say the same of it, and name the same object. */
static void write_damaged(struct hw_protobuf *unit, struct hw_protobuf *software, uint32_t index, hw_handle message) {
    struct hw_bytes first, second;
    void *output = hw_pointer(OUTPUT);
    bool good = hw_protobuf_write(unit, heap_case_type(index), message, output, OUTPUT_BYTES, &first);

    EXPECT(hw_protobuf_write(software, heap_case_type(index), message, hw_pointer(OUTPUT + OUTPUT_BYTES), OUTPUT_BYTES,
                             &second) == good);
    EXPECT(unit->status == software->status && unit->offset == software->offset);
    if (good) EXPECT(same(first, second));
    EXPECT(good || unit->status == HW_STATUS_BAD_OBJECT || unit->status == HW_STATUS_INVALID_UTF8);
    refused += !good;
    hw_protobuf_clear(unit);
    hw_protobuf_clear(software);
}

/* Views whose bytes do not lie in their owner, or not within the bounds, are refused. */
static void damaged(void) {
    static struct hw_arenas arenas;
    struct hw_protobuf unit, software;

    open_arenas(&arenas, &unit, 0);
    hw_protobuf_open(&software, &arenas);
    hw_protobuf_software_only(&software);
    leave(&unit);
    leave(&software);
    for (uint32_t i = 0, left = DAMAGED; i < heap_case_count && left; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle message;
        uint32_t length;
        const void *input = heap_case_input(i, &length);

        EXPECT(hw_protobuf_read(&unit, heap_case_type(i), input, length, &message));
        const struct hw_field *field = view_of(message, heap_case_type(i));

        if (field) {
            hw_ref array = hw_object_round(arenas.flexible.top);
            struct hw_byte_view *view = hw_pointer(*(const hw_ref *)hw_message_slot(hw_handle_object(message), field));
            const struct hw_byte_view was = *view;
            const uint32_t owners[] = {0, array, array + 4, unit.bound - 8, unit.limit - 8};
            const uint32_t offsets[] = {was.offset, 0, 3, 17, unit.limit - array - 16, -array - 16};
            const uint32_t lengths[] = {was.length, 0, 13, 16, UINT32_MAX};

            *(struct hw_array *)hw_pointer(array) = (struct hw_array){.length = left % 2 ? 16 : UINT32_MAX};
            for (uint32_t j = 0; j < 16; j++) hw_array_bytes(array)[j] = (uint8_t)(0x41 + j);
            for (uint32_t j = 0; j < 5 * 6 * 5; j++) {
                view->owner = owners[j % 5];
                view->offset = offsets[j / 5 % 6];
                view->length = lengths[j / 30];
                write_damaged(&unit, &software, i, message);
            }
            *view = was;
            left--;
        }
        hw_arena_reset(&arenas.fixed);
        hw_arena_reset(&arenas.flexible);
        hw_scope_close(scope);
    }
    EXPECT(unit.fallbacks == 0);
}

int main(void) {
    heap_open();
    relay_in_arenas();
    relay_in_flight();
    damaged();
    relay_in_heap(false, (enum hw_adoption)heap_parameter(0));
    misuse();
    relay_in_heap(true, (enum hw_adoption)heap_parameter(0));
    printf("views %lu relays %lu changes %lu refused %lu young %lu\n", (unsigned long)views, (unsigned long)relays,
           (unsigned long)changes, (unsigned long)refused, (unsigned long)hw_heap_statistics.young_collections);
    return 0;
}
