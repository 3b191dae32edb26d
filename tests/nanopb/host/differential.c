/* differential CASES: decodes and encodes each case by nanopb, by the twin (from the table alone), and by the driver
 * with the twin as its unit. CASES is a sequence of {u32 type, u32 kind, u32 length, bytes padded to a multiple of 4}.
 * Prints one line per difference; the last line is JSON. */
#include <pb_decode.h>
#include <pb_encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protobuf/nanopb/nanopb.h"
#include "compare.h"
#include "spoil.h"
#include "types.h"
#include "protobuf/nanopb/unit.h"

#define STRUCT_BYTES (1u << 19)
#define ARENA_BYTES (1u << 20)
#define OUTPUT_BYTES (1u << 18)
#define FILL 0xa5

enum maker { NANOPB, TWIN, DRIVER, MAKERS };

static _Alignas(16) uint8_t structs[MAKERS][STRUCT_BYTES];
static _Alignas(16) uint8_t memory[MAKERS][ARENA_BYTES];
static uint8_t outputs[MAKERS][OUTPUT_BYTES];
static struct hw_arena arenas[MAKERS];
static unsigned case_index, differences, accepted, malformed, declined_inputs, encoded, refused, declined_by[256];
static const struct test_type *type;
static const struct hw_nanopb_type *native;

static bool report(const char *what, const char *detail) {
    differences++;
    if (differences <= 50) printf("case %u (%s): %s %s\n", case_index, type->name, what, detail);
    return false;
}

static void use(enum maker maker) { hw_nanopb_allocate_in(&arenas[maker]); }

/* Fills the structs. If nanopb executes the type, they must be zero, because it would call callbacks and extensions
 * found in them. */
static void prepare(void) {
    for (int i = 0; i < MAKERS; i++) {
        memset(structs[i], FILL, type->size + 64);
        memset(structs[i], native->table ? FILL : 0, type->size);
        hw_arena_init(&arenas[i], hw_reference(memory[i]), ARENA_BYTES);
    }
}

static bool nothing_behind(void) {
    for (int i = 0; i < MAKERS; i++)
        for (int j = 0; j < 64; j++)
            if (structs[i][type->size + j] != FILL) return report("written behind the struct", "");
    return true;
}

static const char *text(const char *message) { return message ? message : "(none)"; }

static bool same_errors(const char *left, const char *right) {
    return strcmp(text(left), text(right)) == 0 || report("errmsg", text(right));
}

/* After an error, nanopb leaves the struct partly written. To find the bytes that it wrote, nanopb decodes into a
 * second struct with another fill: equal bytes were written. */
static bool same_partly(pb_istream_t input, unsigned flags) {
    static _Alignas(16) uint8_t other[STRUCT_BYTES];

    memset(other, FILL ^ 0xff, type->size);
    hw_arena_init(&arenas[TWIN], hw_reference(memory[TWIN]), ARENA_BYTES);
    use(TWIN);
    if (pb_decode_ex(&input, type->fields, other, flags)) return report("nanopb", "changes its mind");
    for (uint32_t i = 0; i < type->size; i++)
        if (other[i] == structs[NANOPB][i] && structs[DRIVER][i] != other[i])
            return report("driver's struct after an error", "");
    return true;
}

/* Checks that the driver is indistinguishable from nanopb for its caller. */
static void decode_by_driver(pb_istream_t input, unsigned flags) {
    pb_istream_t left = input, right = input;
    char where[200];

    prepare();
    use(NANOPB);
    bool expected = pb_decode_ex(&left, type->fields, structs[NANOPB], flags);
    use(DRIVER);
    bool answer = hw_pb_decode_ex(&right, type->fields, structs[DRIVER], flags);

    if (answer != expected) report("driver answers", answer ? "true" : "false");
    if (left.bytes_left != right.bytes_left || left.state != right.state) report("driver", "bytes_left");
    same_errors(left.errmsg, right.errmsg);
    if (expected && answer && !same_struct(type->fields, structs[NANOPB], structs[DRIVER], false, where, sizeof(where)))
        report("driver's struct", where);
    nothing_behind();
    if (!expected && !answer && native->table) same_partly(input, flags);
}

static bool decode_by_twin(const uint8_t *input, uint32_t length) {
    pb_istream_t stream = pb_istream_from_buffer(input, length);
    uint32_t top = arenas[TWIN].top;
    char where[200];
    int status;

    prepare();
    use(NANOPB);
    bool good = pb_decode(&stream, type->fields, structs[NANOPB]);
    status = hw_nanopb_unit_decode(native->table, structs[TWIN], input, length, &top, arenas[TWIN].limit);
    nothing_behind();
    if (status != HW_STATUS_OK && !good) {
        malformed++;
        if (status == HW_STATUS_UNSUPPORTED) declined_inputs++;
        return false;
    }
    accepted++;
    if (status != HW_STATUS_OK) {
        declined_by[status & 255]++;
        return false;
    }
    if (!good) return report("the twin accepts what nanopb refuses:", text(stream.errmsg));
    if (!same_struct(type->fields, structs[NANOPB], structs[TWIN], true, where, sizeof(where)))
        return report("twin's struct", where);
    return true;
}

static void encode(uint8_t *message, size_t room, unsigned flags) {
    pb_ostream_t left = pb_ostream_from_buffer(outputs[NANOPB], room),
                 right = pb_ostream_from_buffer(outputs[DRIVER], room);
    uint8_t *start;
    bool expected = pb_encode_ex(&left, type->fields, message, flags);
    bool answer = hw_pb_encode_ex(&right, type->fields, message, flags);

    if (answer != expected) report("driver encodes:", text(right.errmsg));
    if (left.bytes_written != right.bytes_written ||
        (uint8_t *)left.state - outputs[NANOPB] != (uint8_t *)right.state - outputs[DRIVER])
        report("driver", "bytes_written");
    else if (memcmp(outputs[NANOPB], outputs[DRIVER], left.bytes_written) != 0)
        report("driver's", "encoding");
    same_errors(left.errmsg, right.errmsg);
    if (flags || native->decode_only || room == 0) return;
    int status = hw_nanopb_unit_encode(native->table, message, outputs[TWIN], (uint32_t)room, &start);

    encoded++;
    refused += !expected;
    if ((status == HW_STATUS_OK) != expected)
        report("twin encodes:", expected ? "no" : text(left.errmsg));
    else if (expected && ((size_t)(outputs[TWIN] + room - start) != left.bytes_written ||
                          memcmp(start, outputs[NANOPB], left.bytes_written) != 0))
        report("twin's", "encoding");
}

static void run(const uint8_t *input, uint32_t length, uint32_t choice) {
    static uint8_t delimited[1u << 17];
    pb_istream_t stream = pb_istream_from_buffer(input, length);
    pb_ostream_t framed = pb_ostream_from_buffer(delimited, sizeof(delimited));

    decode_by_driver(stream, 0);
    if (pb_encode_string(&framed, input, length))
        decode_by_driver(pb_istream_from_buffer(delimited, framed.bytes_written + choice % 3), PB_DECODE_DELIMITED);
    decode_by_driver(stream, PB_DECODE_NULLTERMINATED);
    if (!native->table || !decode_by_twin(input, length)) return;
    use(NANOPB);
    encode(structs[NANOPB], OUTPUT_BYTES, 0);
    encode(structs[NANOPB], choice % (length + 8), 0);
    encode(structs[NANOPB], choice & 1 ? OUTPUT_BYTES : length + 2, PB_ENCODE_DELIMITED);
    encode(structs[NANOPB], choice & 2 ? OUTPUT_BYTES : length + 1, PB_ENCODE_NULLTERMINATED);
    for (unsigned i = 0; i < 3; i++) {
        spoil(type->fields, structs[NANOPB], choice * 31 + i * 7919);
        encode(structs[NANOPB], OUTPUT_BYTES, 0);
    }
}

static unsigned check_tables(void) {
    unsigned faults = 0;

    for (unsigned i = 0; i < test_type_count; i++) {
        const struct hw_nanopb_type *found = hw_nanopb_find(test_types[i].fields);
        if (found->reason == HW_NANOPB_NO_ROOM) {
            printf("%s: no room\n", test_types[i].name);
            faults++;
        } else if (found->table) {
            faults += test_types[i].check(found->table);
        } else {
            printf("software %s: %s\n", test_types[i].name, hw_nanopb_reason_text(found->reason));
        }
    }
    return faults;
}

static void summary(unsigned faults) {
    printf(
        "{\"cases\":%u,\"faults\":%u,\"differences\":%u,\"accepted\":%u,\"malformed\":%u,\"malformed_declined\":%u,"
        "\"encoded\":%u,"
        "\"refused\":%u,\"by_unit\":%u,\"redone\":%u,\"software\":%u,\"overruled\":%u,\"encodes_by_unit\":%u,"
        "\"declined\":{",
        case_index, faults, differences, accepted, malformed, declined_inputs, encoded, refused,
        hw_nanopb_decodes.by_unit, hw_nanopb_decodes.redone, hw_nanopb_decodes.software, hw_nanopb_decodes.overruled,
        hw_nanopb_encodes.by_unit);
    for (unsigned i = 0, first = 1; i < 256; i++)
        if (declined_by[i]) {
            printf("%s\"%u\":%u", first ? "" : ",", i, declined_by[i]);
            first = 0;
        }
    printf("}}\n");
}

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    static _Alignas(16) uint8_t table_memory[1u << 19];
    uint32_t header[3];

    hw_nanopb_tables_init(table_memory, sizeof(table_memory));
    unsigned faults = check_tables();
    for (; file && fread(header, sizeof(header), 1, file) == 1; case_index++) {
        uint8_t *input = malloc(header[2] ? header[2] : 1);
        uint8_t padding[4];
        type = &test_types[header[0]];
        native = hw_nanopb_find(type->fields);
        if (header[2] && fread(input, header[2], 1, file) != 1) return 2;
        if (header[2] % 4 && fread(padding, 4 - header[2] % 4, 1, file) != 1) return 2;
        run(input, header[2], header[1]);
        free(input);
    }
    summary(faults);
    return faults || differences;
}
