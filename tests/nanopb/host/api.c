/* The driver beyond one message in memory: streams of all kinds, flags, callbacks, extensions, tables without room.
 * The twin takes the place of the unit. protos/options.proto has the types. */
#include <stdio.h>
#include <string.h>

#include "../../common/expect.h"
#include "protobuf/nanopb/nanopb.h"
#include "schema.pb.h"

static const uint8_t sizes[] = {0x08, 0x05, 0x18, 0x07}; /* i8 = 5, i32 = 7 */

static struct hw_nanopb_counters before;

/* Returns the calls since the previous use of this function, or since `before` was set. */
static struct hw_nanopb_counters since(const struct hw_nanopb_counters *now) {
    struct hw_nanopb_counters difference = {now->by_unit - before.by_unit, now->software - before.software,
                                            now->redone - before.redone, now->overruled - before.overruled};

    before = *now;
    return difference;
}

#ifndef PB_BUFFER_ONLY
static bool read_from(pb_istream_t *stream, pb_byte_t *buffer, size_t count) {
    memcpy(buffer, stream->state, count);
    stream->state = (uint8_t *)stream->state + count;
    return true;
}

static bool count_writes(pb_ostream_t *stream, const pb_byte_t *buffer, size_t count) {
    (void)buffer;
    *(size_t *)stream->state += count;
    return true;
}

static void streams_of_callbacks(void) {
    opt_Sizes message;
    size_t written = 0;
    pb_istream_t input = {.callback = read_from, .state = (void *)sizes, .bytes_left = sizeof(sizes)};
    pb_ostream_t output = {.callback = count_writes, .state = &written, .max_size = SIZE_MAX};

    before = hw_nanopb_decodes;
    EXPECT(hw_pb_decode(&input, opt_Sizes_fields, &message));
    EXPECT(message.i8 == 5 && message.i32 == 7 && input.bytes_left == 0);
    EXPECT(since(&hw_nanopb_decodes).software == 1);
    before = hw_nanopb_encodes;
    EXPECT(hw_pb_encode(&output, opt_Sizes_fields, &message));
    EXPECT(written == sizeof(sizes) && since(&hw_nanopb_encodes).software == 1);
}
#endif

static void in_memory(void) {
    opt_Sizes message;
    uint8_t buffer[32];
    pb_istream_t input = pb_istream_from_buffer(sizes, sizeof(sizes));
    pb_ostream_t output = pb_ostream_from_buffer(buffer, sizeof(buffer)), sizing = PB_OSTREAM_SIZING;

    before = hw_nanopb_decodes;
    EXPECT(hw_pb_decode(&input, opt_Sizes_fields, &message));
    EXPECT(input.bytes_left == 0 && message.has_i8 && message.i8 == 5 && !message.has_i16);
    EXPECT(since(&hw_nanopb_decodes).by_unit == 1);
    before = hw_nanopb_encodes;
    EXPECT(pb_write(&output, (const pb_byte_t *)"ab", 2));
    EXPECT(hw_pb_encode(&output, opt_Sizes_fields, &message));
    EXPECT(output.bytes_written == 6 && memcmp(buffer, "ab\x08\x05\x18\x07", 6) == 0);
    EXPECT(since(&hw_nanopb_encodes).by_unit == 1);
    EXPECT(hw_pb_encode(&sizing, opt_Sizes_fields, &message) && sizing.bytes_written == 4);
    EXPECT(since(&hw_nanopb_encodes).software == 1);
}

/* Existing values stay; a zero ends the message. */
static void other_flags(void) {
    opt_Sizes message = opt_Sizes_init_zero;
    pb_istream_t input = pb_istream_from_buffer(sizes, sizeof(sizes));
    static const uint8_t ended[] = {0x08, 0x06, 0x00, 0x18, 0x09};
    pb_istream_t until_zero = pb_istream_from_buffer(ended, sizeof(ended));

    before = hw_nanopb_decodes;
    message.has_u8 = true;
    message.u8 = 77;
    EXPECT(hw_pb_decode_noinit(&input, opt_Sizes_fields, &message));
    EXPECT(message.u8 == 77 && message.i8 == 5);
    EXPECT(hw_pb_decode_nullterminated(&until_zero, opt_Sizes_fields, &message));
    EXPECT(message.i8 == 6 && !message.has_u8 && until_zero.bytes_left == 2);
    EXPECT(since(&hw_nanopb_decodes).software == 2);
}

static void first_error(void) {
    static const uint8_t wrong[] = {0x08, 0x05, 0x08, 0xac, 0x02, 0x18, 0x07}; /* i8 = 5, then 300 */
    opt_Sizes message;
    pb_istream_t input = pb_istream_from_buffer(wrong, sizeof(wrong));

    before = hw_nanopb_decodes;
    EXPECT(!hw_pb_decode(&input, opt_Sizes_fields, &message));
    EXPECT(strcmp(PB_GET_ERROR(&input), "integer too large") == 0);
    EXPECT(input.bytes_left == 2 && message.has_i8);
    struct hw_nanopb_counters counted = since(&hw_nanopb_decodes);
    EXPECT(counted.redone == 1 && counted.overruled == 0);
}

/* A struct so aligned that only nanopb can access its members goes to nanopb: the unit reads and writes nothing. */
static void unaligned(void) {
    static _Alignas(8) uint8_t memory[sizeof(opt_Empty) + 8];
    const struct hw_nanopb_type *type = hw_nanopb_find(opt_Sizes_fields);
    pb_istream_t input = pb_istream_from_buffer(sizes, 0);

    EXPECT(type && type->alignment == 8 && hw_nanopb_find(opt_Empty_fields)->alignment == 1);
    before = hw_nanopb_decodes;
    EXPECT(hw_pb_decode(&input, opt_Empty_fields, memory + 1) && since(&hw_nanopb_decodes).by_unit == 1);
    pb_msgdesc_t strict = opt_Empty_msg;
    EXPECT(hw_nanopb_find(&strict)->table);
    ((struct hw_nanopb_type *)hw_nanopb_find(&strict))->alignment = 4;
    EXPECT(hw_pb_decode(&input, &strict, memory + 1) && since(&hw_nanopb_decodes).software == 1);
}

static bool called;

static bool on_text(pb_istream_t *stream, const pb_field_t *field, void **argument) {
    (void)field, (void)argument;
    called = true;
    return pb_read(stream, NULL, stream->bytes_left);
}

static void callbacks(void) {
    static const uint8_t bytes[] = {0x0a, 0x02, 'h', 'i', 0x10, 0x09};
    opt_Callback message = {.text.funcs.decode = on_text};
    pb_istream_t input = pb_istream_from_buffer(bytes, sizeof(bytes));

    before = hw_nanopb_decodes;
    EXPECT(hw_pb_decode(&input, opt_Callback_fields, &message));
    EXPECT(called && message.x == 9 && since(&hw_nanopb_decodes).software == 1);
    EXPECT(hw_nanopb_find(opt_Callback_fields)->reason == HW_NANOPB_CALLBACK);
    EXPECT(hw_nanopb_find(opt_HoldsCallback_fields)->reason == HW_NANOPB_CALLBACK);
}

static void extensions(void) {
    static const uint8_t bytes[] = {0x08, 0x01, 0xa0, 0x06, 0x2a}; /* x = 1, more = 42 */
    int32_t more = 0;
    pb_extension_t extension = {.type = &opt_more, .dest = &more};
    opt_Extended message = {.extensions = &extension};
    pb_istream_t input = pb_istream_from_buffer(bytes, sizeof(bytes));

    before = hw_nanopb_decodes;
    EXPECT(hw_pb_decode(&input, opt_Extended_fields, &message));
    EXPECT(extension.found && more == 42 && since(&hw_nanopb_decodes).software == 1);
    EXPECT(hw_nanopb_find(opt_Extended_fields)->reason == HW_NANOPB_EXTENSION);
}

/* The core would trap: no call gets as far as nanopb, though a callback field alone would be nanopb's. The descriptors
 * are opt_Packed's and opt_HoldsPacked's, or copies of them. */
static void packed_as(const pb_msgdesc_t *fields, const pb_msgdesc_t *holder_fields) {
    static const uint8_t bytes[] = {0x10, 0x09};
    uint8_t buffer[32];
    opt_Packed message = opt_Packed_init_zero;
    opt_HoldsPacked holder = opt_HoldsPacked_init_zero;
    pb_istream_t input = pb_istream_from_buffer(bytes, sizeof(bytes));
    pb_ostream_t output = pb_ostream_from_buffer(buffer, sizeof(buffer));

    before = hw_nanopb_decodes;
    EXPECT(!hw_pb_decode(&input, fields, &message) && strstr(PB_GET_ERROR(&input), "packed_struct"));
    input.errmsg = NULL;
    EXPECT(!hw_pb_decode(&input, holder_fields, &holder) && strstr(PB_GET_ERROR(&input), "packed_struct"));
    EXPECT(input.bytes_left == sizeof(bytes));
    EXPECT(!hw_pb_encode(&output, fields, &message) && strstr(PB_GET_ERROR(&output), "packed_struct"));
    output.errmsg = NULL;
    EXPECT(!hw_pb_encode(&output, holder_fields, &holder) && strstr(PB_GET_ERROR(&output), "packed_struct"));
    EXPECT(output.bytes_written == 0 && since(&hw_nanopb_decodes).software == 0);
}

static void packed(void) { packed_as(opt_Packed_fields, opt_HoldsPacked_fields); }

/* nanopb looks for a value that is not zero in all of the submessage, which tables cannot express. */
static void singular(void) {
    uint8_t buffer[32];
    opt_Singular message = {.sizes = {.has_i8 = true, .i8 = 5}}, back;
    pb_ostream_t output = pb_ostream_from_buffer(buffer, sizeof(buffer));

    before = hw_nanopb_encodes;
    EXPECT(hw_pb_encode(&output, opt_Singular_fields, &message) && output.bytes_written == 4);
    EXPECT(since(&hw_nanopb_encodes).software == 1);
    pb_istream_t input = pb_istream_from_buffer(buffer, output.bytes_written);
    before = hw_nanopb_decodes;
    EXPECT(hw_pb_decode(&input, opt_Singular_fields, &back) && back.sizes.i8 == 5);
    EXPECT(since(&hw_nanopb_decodes).by_unit == 1);
    EXPECT(strstr(hw_nanopb_reason_text(hw_nanopb_find(opt_Singular_fields)->reason), "written by software"));
}

/* Without an arena pointer fields fail as they do in nanopb without memory. A full arena is told. */
static void pointers(void) {
    static const uint8_t bytes[] = {0x12, 0x02, 'h', 'i'};
    static _Alignas(8) uint8_t memory[64];
    struct hw_arena arena;
    opt_Pointers message;
    pb_istream_t input = pb_istream_from_buffer(bytes, sizeof(bytes));

    before = hw_nanopb_decodes;
    hw_nanopb_allocate_in(NULL);
    EXPECT(!hw_pb_decode(&input, opt_Pointers_fields, &message));
    EXPECT(strcmp(PB_GET_ERROR(&input), "realloc failed") == 0 && message.text == NULL);
    EXPECT(since(&hw_nanopb_decodes).redone == 1);
    EXPECT(hw_arena_init(&arena, hw_reference(memory), sizeof(memory)));
    hw_nanopb_allocate_in(&arena);
    input = pb_istream_from_buffer(bytes, sizeof(bytes));
    EXPECT(hw_pb_decode(&input, opt_Pointers_fields, &message));
    EXPECT(strcmp(message.text, "hi") == 0 && hw_arena_used(&arena) == 16 && since(&hw_nanopb_decodes).by_unit == 1);
    /* Memory that a unit allocated can grow like nanopb's own: a NOINIT decode reallocates it. */
    static const uint8_t longer[] = {0x12, 0x0c, 'h', 'e', 'l', 'l', 'o', ' ', 't', 'h', 'e', 'r', 'e', '!'};
    input = pb_istream_from_buffer(longer, sizeof(longer));
    EXPECT(hw_pb_decode_noinit(&input, opt_Pointers_fields, &message) && strcmp(message.text, "hello there!") == 0);
    arena.top = arena.limit;
    input = pb_istream_from_buffer(bytes, sizeof(bytes));
    since(&hw_nanopb_decodes);
    EXPECT(!hw_pb_decode(&input, opt_Pointers_fields, &message));
    EXPECT(strstr(PB_GET_ERROR(&input), "the arena of hw_nanopb_allocate_in is full"));
    EXPECT(since(&hw_nanopb_decodes).redone == 1);
    hw_arena_reset(&arena);
    input = pb_istream_from_buffer(bytes + 1, sizeof(bytes) - 1); /* another error keeps nanopb's text */
    EXPECT(!hw_pb_decode(&input, opt_Pointers_fields, &message) && !strstr(PB_GET_ERROR(&input), "arena"));
}

/* Memory that holds some types but not all: the others go to nanopb, and give the reason. Nothing is written outside
 * the memory. */
static void little_room(void) {
    static _Alignas(16) uint8_t memory[4096 + 16];
    const struct hw_nanopb_type *small, *large;

    for (uint32_t bytes = 0; bytes <= 4096; bytes += 40) {
        memset(memory, 0xee, sizeof(memory));
        hw_nanopb_tables_init(memory, bytes);
        large = hw_nanopb_find(opt_Nested_fields);
        small = hw_nanopb_find(opt_Unsorted_fields);
        EXPECT(large && small && hw_nanopb_tables_used() <= bytes);
        EXPECT(small->table || small->reason == HW_NANOPB_NO_ROOM);
        EXPECT(large->table || large->reason == HW_NANOPB_NO_ROOM);
        EXPECT(bytes < 400 || small->table);
        for (uint32_t i = bytes; i < sizeof(memory); i++)
            if (memory[i] != 0xee) {
                EXPECT(!"written behind the memory");
                break;
            }
        opt_Nested message = opt_Nested_init_zero;
        static const uint8_t nothing_required[] = {0x12, 0x00};
        pb_istream_t input = pb_istream_from_buffer(nothing_required, sizeof(nothing_required));
        EXPECT(hw_pb_decode(&input, opt_Nested_fields, &message));
        packed();
    }
    hw_nanopb_tables_init(memory + 3, sizeof(memory) - 3);
    EXPECT(hw_nanopb_find(opt_Unsorted_fields)->table);
    EXPECT(strstr(hw_nanopb_reason_text(HW_NANOPB_NO_ROOM), "hw_nanopb_tables_init"));
    hw_nanopb_tables_init(NULL, 0);
    EXPECT(hw_nanopb_find(opt_Nested_fields)->table);
    printf("%u bytes of tables\n", (unsigned)hw_nanopb_tables_used());
    EXPECT(hw_nanopb_find(opt_Nested_fields) == hw_nanopb_find(opt_Nested_fields));
}

/* More types than the cache holds: nanopb executes the calls for the rest. */
static void full_cache(void) {
    static pb_msgdesc_t copies[HW_NANOPB_TYPES + 8], packed_copy, holder_copy;
    static _Alignas(16) uint8_t memory[1u << 19];
    opt_Sizes message;

    hw_nanopb_tables_init(memory, sizeof(memory));
    for (unsigned i = 0; i < HW_NANOPB_TYPES + 8; i++) {
        pb_istream_t input = pb_istream_from_buffer(sizes, sizeof(sizes));
        memcpy(&copies[i], &opt_Sizes_msg, sizeof(copies[i]));
        EXPECT(hw_pb_decode(&input, &copies[i], &message) && message.i8 == 5);
    }
    memcpy(&packed_copy, &opt_Packed_msg, sizeof(packed_copy));
    memcpy(&holder_copy, &opt_HoldsPacked_msg, sizeof(holder_copy));
    packed_as(&packed_copy, &holder_copy);
    EXPECT(hw_nanopb_find(&copies[HW_NANOPB_TYPES + 7])->reason == HW_NANOPB_NO_ROOM);
    EXPECT(hw_nanopb_find(&holder_copy)->reason == HW_NANOPB_PACKED);
    EXPECT(hw_nanopb_find(&copies[0])->table);
    hw_nanopb_tables_init(NULL, 0);
}

int main(void) {
    static _Alignas(8) uint8_t memory[4096];
    static struct hw_arena arena;

    hw_arena_init(&arena, hw_reference(memory), sizeof(memory));
    hw_nanopb_allocate_in(&arena);
#ifndef PB_BUFFER_ONLY
    streams_of_callbacks();
#endif
    in_memory();
    other_flags();
    first_error();
    unaligned();
    callbacks();
    extensions();
    packed();
    singular();
    little_room();
    full_cache();
    pointers();
    return 0;
}
