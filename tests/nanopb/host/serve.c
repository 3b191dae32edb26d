/* Judges how a unit has handled messages. Reads requests from standard input: binary, little-endian words.
 *   'T' -> {bytes, tables ..., types, {table's offset or -1, struct's bytes, facts} ...}
 *   'J' type, status, length, input, struct, bytes, memory -> {twin's status, text's length, text}
 *       The text tells how the unit and nanopb differ; it is empty if they do not.
 *   'E' type, struct, bytes, memory -> {nanopb encodes it, length, bytes, twin's status}
 *   'M' type, choice, length, input -> {nanopb decodes it; then struct, bytes, memory, and as 'E'}
 * If `choice` is not 0, the struct is spoilt before it is encoded (spoil.h). `memory` holds what the struct's pointers
 * refer to, from MEMORY on. Built for i386 with RV32's layout of structs (rv32/). */
#include <pb_decode.h>
#include <pb_encode.h>
#include <string.h>

#include "protobuf/nanopb/nanopb.h"
#include "compare.h"
#include "rv32/library.h"
#include "spoil.h"
#include "types.h"
#include "protobuf/nanopb/unit.h"

#define LARGEST (1u << 20)
#define FILL 0xa5
#define MEMORY 0x4c000000u
#define MEMORY_BYTES (1u << 20)

static _Alignas(16) uint8_t tables[1u << 19], expected[1u << 16], found[1u << 16], modelled[1u << 16], input[LARGEST],
    output[LARGEST];
static _Alignas(16) uint8_t own_memory[2][1u << 20];

static uint32_t word(void) {
    uint32_t value;

    library_read(&value, sizeof(value));
    return value;
}

static void give(uint32_t value) { library_write(&value, sizeof(value)); }

static bool has_pointers(const pb_msgdesc_t *fields) {
    pb_field_iter_t at;

    if (!pb_field_iter_begin(&at, fields, NULL)) return false;
    do {
        if (PB_ATYPE(at.type) == PB_ATYPE_POINTER || (PB_LTYPE_IS_SUBMSG(at.type) && has_pointers(at.submsg_desc)))
            return true;
    } while (pb_field_iter_next(&at));
    return false;
}

/* Returns the value of each byte of a struct before it is decoded. If the struct has pointers it is 0, because an
 * absent array of fixed count is not written, and its pointers would be followed. */
static int filling(const struct test_type *type) { return has_pointers(type->fields) ? 0 : FILL; }

static void tell_tables(void) {
    for (unsigned i = 0; i < test_type_count; i++) hw_nanopb_find(test_types[i].fields);
    give(hw_nanopb_tables_used());
    library_write(tables, hw_nanopb_tables_used());
    give(test_type_count);
    for (unsigned i = 0; i < test_type_count; i++) {
        const struct hw_nanopb_type *type = hw_nanopb_find(test_types[i].fields);
        give(type->table ? (uint32_t)((const uint8_t *)type->table - tables) : UINT32_MAX);
        give(test_types[i].size);
        give(type->alignment | (uint32_t)type->decode_only << 8 | (uint32_t)filling(&test_types[i]) << 16);
    }
}

static void take_struct(const struct test_type *type) {
    library_read(found, type->size);
    uint32_t bytes = word();
    library_read((void *)MEMORY, bytes);
}

static void judge(void) {
    const struct test_type *type = &test_types[word()];
    uint32_t status = word(), length = word(), top;
    char where[400] = "";
    const char *text = "";
    struct hw_arena arena, model_arena;

    library_read(input, length);
    take_struct(type);
    memset(expected, filling(type), type->size);
    memset(modelled, filling(type), type->size);
    hw_arena_init(&arena, hw_reference(own_memory[0]), sizeof(own_memory[0]));
    hw_arena_init(&model_arena, hw_reference(own_memory[1]), sizeof(own_memory[1]));
    hw_nanopb_allocate_in(&arena);
    top = model_arena.top;
    pb_istream_t stream = pb_istream_from_buffer(input, length);
    bool good = pb_decode(&stream, type->fields, expected);
    int model =
        hw_nanopb_unit_decode(hw_nanopb_find(type->fields)->table, modelled, input, length, &top, model_arena.limit);

    if (status == HW_STATUS_OK && !good)
        text = PB_GET_ERROR(&stream);
    else if (status == HW_STATUS_OK && !same_struct(type->fields, expected, found, true, where, sizeof(where)))
        text = where;
    give((uint32_t)model);
    give((uint32_t)strlen(text));
    library_write(text, strlen(text));
}

/* Answers how nanopb and the twin encode the struct in `found`. */
static void tell_encoding(const struct test_type *type) {
    pb_ostream_t stream = pb_ostream_from_buffer(output, sizeof(output));
    uint8_t *start;

    give(pb_encode(&stream, type->fields, found));
    give((uint32_t)stream.bytes_written);
    library_write(output, stream.bytes_written);
    give((uint32_t)hw_nanopb_unit_encode(hw_nanopb_find(type->fields)->table, found, input, sizeof(input), &start));
}

static void encode(void) {
    const struct test_type *type = &test_types[word()];

    take_struct(type);
    tell_encoding(type);
}

static void make(void) {
    const struct test_type *type = &test_types[word()];
    uint32_t choice = word(), length = word();
    struct hw_arena arena;

    library_read(input, length);
    memset(found, filling(type), type->size);
    hw_arena_init(&arena, MEMORY, MEMORY_BYTES);
    hw_nanopb_allocate_in(&arena);
    pb_istream_t stream = pb_istream_from_buffer(input, length);
    bool good = pb_decode(&stream, type->fields, found);
    give(good);
    if (!good) return;
    for (; choice; choice >>= 16) spoil(type->fields, found, choice);
    library_write(found, type->size);
    give(arena.top - MEMORY);
    library_write((const void *)MEMORY, arena.top - MEMORY);
    tell_encoding(type);
}

int main(void) {
    uint8_t command;

    library_map(MEMORY, MEMORY_BYTES);
    hw_nanopb_tables_init(tables, sizeof(tables));
    for (;;) {
        library_read(&command, 1);
        if (command == 'T')
            tell_tables();
        else if (command == 'J')
            judge();
        else if (command == 'E')
            encode();
        else if (command == 'M')
            make();
        else
            return 1;
    }
}
