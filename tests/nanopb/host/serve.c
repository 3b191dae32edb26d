/* Judges what a unit has made of messages: asked on its standard input, binary, little-endian words.
 *   'T'                                            -> {bytes, tables ..., types, {table's offset or -1, struct's bytes, alignment} ...}
 *   'J' type, status, length, input, struct ...    -> {twin's status, text's length, text}: nothing, or how the unit and nanopb differ
 *   'E' type, struct ...                           -> {nanopb encodes it, length, bytes, twin's status}
 * Structs are without pointers: then RV32's layout is this machine's. */
#include <pb_decode.h>
#include <pb_encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codecs/nanopb/allocate.h"
#include "compare.h"
#include "types.h"
#include "units/nanopb/tables.h"
#include "units/nanopb/unit.h"

#define LARGEST (1u << 20)
#define FILL 0xa5

static _Alignas(16) uint8_t tables[1u << 19], expected[1u << 16], found[1u << 16], modelled[1u << 16], input[LARGEST], output[LARGEST];

static void take(void *to, size_t bytes)
{
    if (bytes && fread(to, bytes, 1, stdin) != 1)
        exit(0);
}

static uint32_t word(void)
{
    uint32_t value;

    take(&value, sizeof(value));
    return value;
}

static void give(uint32_t value)
{
    fwrite(&value, sizeof(value), 1, stdout);
}

static void tell_tables(void)
{
    for (unsigned i = 0; i < test_type_count; i++)
        hw_nanopb_find(test_types[i].fields);
    give(hw_nanopb_tables_used());
    fwrite(tables, hw_nanopb_tables_used(), 1, stdout);
    give(test_type_count);
    for (unsigned i = 0; i < test_type_count; i++) {
        const struct hw_nanopb_type *type = hw_nanopb_find(test_types[i].fields);
        give(type->table ? (uint32_t)((const uint8_t *)type->table - tables) : UINT32_MAX);
        give(test_types[i].size);
        give(type->alignment | (uint32_t)type->decode_only << 8);
    }
}

static void judge(void)
{
    const struct test_type *type = &test_types[word()];
    uint32_t status = word(), length = word(), top = 0;
    char where[200] = "", text[300] = "";

    take(input, length);
    take(found, type->size);
    memset(expected, FILL, type->size);
    memset(modelled, FILL, type->size);
    pb_istream_t stream = pb_istream_from_buffer(input, length);
    bool good = pb_decode(&stream, type->fields, expected);
    int model = hw_nanopb_unit_decode(hw_nanopb_find(type->fields)->table, modelled, input, length, &top, 0);

    if (status == HW_STATUS_OK && !good)
        snprintf(text, sizeof(text), "nanopb refuses: %s", PB_GET_ERROR(&stream));
    else if (status == HW_STATUS_OK && !same_struct(type->fields, expected, found, true, where, sizeof(where)))
        snprintf(text, sizeof(text), "structs differ: %s", where);
    give((uint32_t)model);
    give((uint32_t)strlen(text));
    fwrite(text, strlen(text), 1, stdout);
}

static void encode(void)
{
    const struct test_type *type = &test_types[word()];
    uint8_t *start;

    take(found, type->size);
    pb_ostream_t stream = pb_ostream_from_buffer(output, sizeof(output));
    give(pb_encode(&stream, type->fields, found));
    give((uint32_t)stream.bytes_written);
    fwrite(output, stream.bytes_written, 1, stdout);
    give((uint32_t)hw_nanopb_unit_encode(hw_nanopb_find(type->fields)->table, found, input, sizeof(input), &start));
}

int main(void)
{
    hw_nanopb_tables_init(tables, sizeof(tables));
    for (;;) {
        switch (getchar()) {
        case 'T':
            tell_tables();
            break;
        case 'J':
            judge();
            break;
        case 'E':
            encode();
            break;
        default:
            return 0;
        }
        fflush(stdout);
    }
}
