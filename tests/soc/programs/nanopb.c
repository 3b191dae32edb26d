/* hw_pb_decode and hw_pb_encode on the SoC, compared with nanopb: the same structs and bytes, messages that are cut
 * off, outputs that are too small, and the cycles of a call. Prints a line of JSON per message, or what is wrong. */
#include <stdio.h>
#include <string.h>

#include "../../nanopb/host/compare.h"
#include "../../common/expect.h"
#include "protobuf/nanopb/nanopb.h"
#include "media.pb.h"
#include "options.pb.h"
#include "platform/cycles.h"
#include "runtime/regions.h"
#include "units/capability.h"

#define LARGEST 16384u
#define ARENA_BYTES 65536u
#define WARM 4
#define FILL 0xa5

static _Alignas(8) uint8_t original[LARGEST], by_nanopb[LARGEST], by_unit[LARGEST];
static uint8_t wire[LARGEST], again[LARGEST];
static struct hw_arena arena;

static uint32_t encode(const pb_msgdesc_t *fields, const void *message, uint8_t *output) {
    pb_ostream_t stream = pb_ostream_from_buffer(output, LARGEST);

    EXPECT(pb_encode(&stream, fields, message));
    return (uint32_t)stream.bytes_written;
}

/* Returns the cycles of the fastest of several calls. */
static uint32_t decode(bool (*function)(pb_istream_t *, const pb_msgdesc_t *, void *), const pb_msgdesc_t *fields,
                       void *message, uint32_t length) {
    uint32_t best = UINT32_MAX;

    for (int i = 0; i < WARM; i++) {
        pb_istream_t stream = pb_istream_from_buffer(wire, length);
        hw_arena_reset(&arena);
        uint32_t start = cycles_now();
        bool ok = function(&stream, fields, message);
        uint32_t taken = cycles_now() - start;
        EXPECT(ok && stream.bytes_left == 0);
        if (taken < best) best = taken;
    }
    return best;
}

/* Returns the cycles of the fastest of several calls. */
static uint32_t encode_timed(bool (*function)(pb_ostream_t *, const pb_msgdesc_t *, const void *),
                             const pb_msgdesc_t *fields, const void *message, uint32_t length) {
    uint32_t best = UINT32_MAX;

    for (int i = 0; i < WARM; i++) {
        pb_ostream_t stream = pb_ostream_from_buffer(again, sizeof(again));
        memset(again, 0, length);
        uint32_t start = cycles_now();
        bool ok = function(&stream, fields, message);
        uint32_t taken = cycles_now() - start;
        EXPECT(ok && stream.bytes_written == length && (uint8_t *)stream.state == again + length &&
               memcmp(wire, again, length) == 0);
        if (taken < best) best = taken;
    }
    return best;
}

/* Decodes by both into structs full of FILL, with pointers into separate arenas. The structs must be equal, unwritten
 * bytes included. */
static void compare(const pb_msgdesc_t *fields, uint32_t size, uint32_t length) {
    pb_istream_t left = pb_istream_from_buffer(wire, length), right = left;
    struct hw_arena other;
    char where[200];

    memset(by_nanopb, FILL, size);
    memset(by_unit, FILL, size);
    EXPECT(hw_arena_init(&other, arena.base + ARENA_BYTES, ARENA_BYTES));
    hw_nanopb_allocate_in(&other);
    EXPECT(pb_decode(&left, fields, by_nanopb));
    hw_nanopb_allocate_in(&arena);
    hw_arena_reset(&arena);
    EXPECT(hw_pb_decode(&right, fields, by_unit));
    EXPECT(left.bytes_left == right.bytes_left && left.state == right.state);
    if (!same_struct(fields, by_nanopb, by_unit, true, where, sizeof(where))) {
        puts(where);
        EXPECT(false);
    }
}

/* Beginnings of the message, among them all of the shortest, must end as with nanopb; so must outputs that are too
 * small. */
static void cut(const pb_msgdesc_t *fields, uint32_t length) {
    for (uint32_t bytes = 0; bytes < length; bytes += 1 + bytes / 12) {
        pb_istream_t left = pb_istream_from_buffer(wire, bytes), right = left;
        hw_arena_reset(&arena);
        bool expected = pb_decode(&left, fields, by_nanopb);
        hw_arena_reset(&arena);
        bool answer = hw_pb_decode(&right, fields, by_unit);
        EXPECT(answer == expected && left.bytes_left == right.bytes_left);
        EXPECT(expected || strcmp(PB_GET_ERROR(&left), PB_GET_ERROR(&right)) == 0);
    }
    for (uint32_t room = 1; room < length; room += 1 + room / 8) {
        pb_ostream_t left = pb_ostream_from_buffer(again, room), right = left;
        bool expected = pb_encode(&left, fields, original), answer = hw_pb_encode(&right, fields, original);
        EXPECT(!expected && !answer && left.bytes_written == right.bytes_written);
        EXPECT(strcmp(PB_GET_ERROR(&left), PB_GET_ERROR(&right)) == 0);
    }
}

static void try(const char *name, const pb_msgdesc_t *fields, uint32_t size) {
    uint32_t length = encode(fields, original, wire);
    struct hw_nanopb_counters decodes = hw_nanopb_decodes, encodes = hw_nanopb_encodes;

    compare(fields, size, length);
    uint32_t decode_nanopb = decode(pb_decode, fields, by_nanopb, length);
    uint32_t decode_hw = decode(hw_pb_decode, fields, by_unit, length);
    EXPECT(encode(fields, by_unit, again) == length && memcmp(wire, again, length) == 0);
    uint32_t encode_nanopb = encode_timed(pb_encode, fields, original, length);
    uint32_t encode_hw = encode_timed(hw_pb_encode, fields, original, length);
    printf(
        "{\"message\":\"%s\",\"bytes\":%u,\"decode_nanopb\":%u,\"decode_hw\":%u,\"encode_nanopb\":%u,\"encode_hw\":%u,"
        "\"decoded_by_unit\":%u,\"encoded_by_unit\":%u,\"redone\":%u}\n",
        name, (unsigned)length, (unsigned)decode_nanopb, (unsigned)decode_hw, (unsigned)encode_nanopb,
        (unsigned)encode_hw, (unsigned)(hw_nanopb_decodes.by_unit - decodes.by_unit),
        (unsigned)(hw_nanopb_encodes.by_unit - encodes.by_unit),
        (unsigned)(hw_nanopb_decodes.redone - decodes.redone + hw_nanopb_encodes.redone - encodes.redone));
    cut(fields, length);
}

/* Initialises `original` as an empty struct of this type. */
#define FRESH(type) ((type *)memcpy(original, &(type)type##_init_zero, sizeof(type)))

static void fill_image(media_Image *image, const char *uri, int32_t width) {
    strcpy(image->uri, uri);
    image->has_title = true;
    strcpy(image->title, "Javaone Keynote");
    image->width = width;
    image->height = width * 3 / 4;
}

static void media(void) {
    media_Content *content = FRESH(media_Content);

    content->image_count = 2;
    fill_image(&content->image[0], "http://javaone.com/keynote_large.jpg", 1024);
    fill_image(&content->image[1], "http://javaone.com/keynote_small.jpg", 320);
    strcpy(content->media.uri, "http://javaone.com/keynote.mpg");
    content->media.has_title = true;
    strcpy(content->media.title, "Javaone Keynote");
    content->media.width = 640;
    content->media.height = 480;
    content->media.duration = 18000000;
    content->media.size = 58982400;
    content->media.has_bitrate = true;
    content->media.bitrate = 262144;
    strcpy(content->media.format, "video/mpg4");
    content->media.person_count = 2;
    strcpy(content->media.person[0], "Bill Gates");
    strcpy(content->media.person[1], "Steve Jobs");
    try("media", media_Content_fields, sizeof(*content));
}

static void packed(void) {
    media_Numbers *message = FRESH(media_Numbers);

    message->value_count = 300;
    for (uint32_t i = 0; i < 300; i++) message->value[i] = i * i;
    try("packed", media_Numbers_fields, sizeof(*message));
}

static void scalars(opt_Scalars *message) {
    message->a_int32 = -5;
    message->has_an_int64 = true;
    message->an_int64 = INT64_MIN;
    message->a_uint64 = UINT64_MAX;
    message->has_a_sint32 = true;
    message->a_sint32 = -70000;
    message->has_a_double = true;
    message->a_double = 2.5;
    message->has_with_sign = true;
    message->with_sign = opt_Signed_N1;
    message->has_text = true;
    strcpy(message->text, "eighteen characters");
    message->has_data = true;
    message->data.size = 3;
    memcpy(message->data.bytes, "\1\0\2", 3);
    strcpy(message->last, "last");
}

static void oneofs(void) {
    opt_Oneofs *message = FRESH(opt_Oneofs);

    message->which_first = opt_Oneofs_c_tag;
    scalars(&message->first.c);
    message->which_second = opt_Oneofs_g_tag;
    message->second.g = 1e10;
    message->has_k = true;
    message->k = 12;
    try("oneofs", opt_Oneofs_fields, sizeof(*message));
}

static void pointers(void) {
    opt_Pointers *message = FRESH(opt_Pointers);
    static opt_Sizes sizes[3] = {
        {.has_i8 = true, .i8 = -1}, {.has_u16 = true, .u16 = 65535}, {.many_s16_count = 2, .many_s16 = {-300, 300}}};
    static int64_t numbers[20];
    static char *texts[] = {"one", "two", "", "a text of more than sixteen bytes", "five"};
    static int32_t number = 77;
    static uint64_t three = 3;

    for (int i = 0; i < 20; i++) numbers[i] = (int64_t)i * i * i - 1000;
    message->number = &number;
    message->text = "required";
    message->message = &sizes[0];
    message->numbers = numbers;
    message->numbers_count = 20;
    message->texts = texts;
    message->texts_count = 5;
    message->messages = sizes;
    message->messages_count = 3;
    message->which_choice = opt_Pointers_three_tag;
    message->choice.three = &three;
    message->has_flag = true;
    try("pointers", opt_Pointers_fields, sizeof(*message));
}

int main(void) {
    hw_capability_discover();
    EXPECT(hw_arena_init(&arena, HW_FLEXIBLE_BASE, ARENA_BYTES));
    hw_nanopb_allocate_in(&arena);
    scalars(FRESH(opt_Scalars));
    try("scalars", opt_Scalars_fields, sizeof(opt_Scalars));
    media();
    packed();
    oneofs();
    pointers();
    printf("{\"tables\":%u,\"software\":[%u,%u],\"overruled\":[%u,%u]}\n", (unsigned)hw_nanopb_tables_used(),
           (unsigned)hw_nanopb_decodes.software, (unsigned)hw_nanopb_encodes.software,
           (unsigned)hw_nanopb_decodes.overruled, (unsigned)hw_nanopb_encodes.overruled);
    return 0;
}
