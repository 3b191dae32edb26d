#include <pb_decode.h>
#include <pb_encode.h>
#include <stdio.h>
#include <string.h>

#include "programs/bench/core.h"
#include "core.pb.h"
#include "records/core.h"
#include "runtime/crc32.h"

typedef bool encoder(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *message);

/* core_unpacked.c: a second copy of nanopb's encoder, which honours `packed = false`. */
encoder unpacked_encode;

/* Room for two structs of the largest type, and for their bytes. */
static union message {
    core_Unpacked unpacked;
    core_Packed packed;
    core_Strings strings;
    core_MediaContent media;
    core_Level1 levels;
} original, decoded;
static uint8_t wire[10240], again[10240];

static bool decode(const pb_msgdesc_t *fields, uint32_t bytes) {
    pb_istream_t stream = pb_istream_from_buffer(wire, bytes);

    return pb_decode(&stream, fields, &decoded);
}

static bool encode(encoder *function, const pb_msgdesc_t *fields, const void *message, uint8_t *output,
                   uint32_t *bytes) {
    pb_ostream_t stream = pb_ostream_from_buffer(output, sizeof(wire));
    bool ok = function(&stream, fields, message);

    *bytes = (uint32_t)stream.bytes_written;
    return ok;
}

/* Measures `original` in both directions. `expected` and `crc` are the size and the CRC-32 of its wire form as the
 * official library writes it. */
static void measure(const char *name, const char *type, const pb_msgdesc_t *fields, uint32_t size, uint32_t expected,
                    uint32_t crc, encoder *function) {
    struct timing encoding, decoding;
    uint32_t bytes = 0, second;
    bool encoded = true, parsed = true;

    TIME(&encoding, CORE_WARM, encoded = encoded && encode(function, fields, &original, wire, &bytes));
    encoded = encoded && bytes == expected && hw_crc32(0, wire, bytes) == crc;
    core_report(name, "serialize", "nanopb", encoding, bytes, size, encoded);
    TIME(&decoding, CORE_WARM, parsed = parsed && decode(fields, bytes));
    parsed = parsed && encode(function, fields, &decoded, again, &second) && second == expected &&
             hw_crc32(0, again, second) == crc;
    core_report(name, "deserialize", "nanopb", decoding, bytes, size, parsed);
    core_peers(name, type, wire, bytes);
}

static void measure_unpacked(void) {
    memset(&original, 0, sizeof(original));
    original.unpacked.value_count = 100;
    for (int i = 0; i < 100; i++) original.unpacked.value[i] = i % 2 ? -i / 2 : i / 2;
    measure("sint32_unpacked_100", "core.Unpacked", &core_Unpacked_msg, sizeof(core_Unpacked),
            SINT32_UNPACKED_100_BYTES, SINT32_UNPACKED_100_CRC, unpacked_encode);
}

static void measure_packed(void) {
    memset(&original, 0, sizeof(original));
    original.packed.value_count = 1000;
    for (uint32_t i = 0; i < 1000; i++) original.packed.value[i] = (uint64_t)1 << 63 | (uint64_t)i * 0x123456789abu;
    measure("uint64_packed_1000", "core.Packed", &core_Packed_msg, sizeof(core_Packed), UINT64_PACKED_1000_BYTES,
            UINT64_PACKED_1000_CRC, pb_encode);
}

static void measure_strings(void) {
    memset(&original, 0, sizeof(original));
    original.strings.value_count = 10;
    for (int i = 0; i < 10; i++) memset(original.strings.value[i], 'a' + i, 32);
    measure("strings_10_of_32", "core.Strings", &core_Strings_msg, sizeof(core_Strings), STRINGS_10_OF_32_BYTES,
            STRINGS_10_OF_32_CRC, pb_encode);
}

static void fill_image(core_Image *image, const char *uri, int32_t width, int32_t height, core_Image_Size size) {
    strcpy(image->uri, uri);
    image->has_title = true;
    strcpy(image->title, "Javaone Keynote");
    image->width = width;
    image->height = height;
    image->size = size;
}

static void measure_media(void) {
    core_Media *media = &original.media.media;

    memset(&original, 0, sizeof(original));
    original.media.image_count = 2;
    fill_image(&original.media.image[0], "http://javaone.com/keynote_large.jpg", 1024, 768, core_Image_Size_LARGE);
    fill_image(&original.media.image[1], "http://javaone.com/keynote_small.jpg", 320, 240, core_Image_Size_SMALL);
    strcpy(media->uri, "http://javaone.com/keynote.mpg");
    media->has_title = true;
    strcpy(media->title, "Javaone Keynote");
    media->width = 640;
    media->height = 480;
    strcpy(media->format, "video/mpg4");
    media->duration = 18000000;
    media->size = 58982400;
    media->has_bitrate = true;
    media->bitrate = 262144;
    media->person_count = 2;
    strcpy(media->person[0], "Bill Gates");
    strcpy(media->person[1], "Steve Jobs");
    media->player = core_Media_Player_JAVA;
    measure("media_content", "core.MediaContent", &core_MediaContent_msg, sizeof(core_MediaContent),
            MEDIA_CONTENT_BYTES, MEDIA_CONTENT_CRC, pb_encode);
}

static void measure_levels(void) {
    core_Level1 *one = &original.levels;

    memset(&original, 0, sizeof(original));
    one->has_number = one->has_text = one->has_next = true;
    one->next.has_number = one->next.has_text = one->next.has_next = true;
    one->next.next.has_number = one->next.next.has_text = one->next.next.has_next = true;
    one->next.next.next.has_number = one->next.next.next.has_text = true;
    one->number = 150, strcpy(one->text, "level 1");
    one->next.number = 200, strcpy(one->next.text, "level 2");
    one->next.next.number = 300, strcpy(one->next.next.text, "level 3");
    one->next.next.next.number = 4, strcpy(one->next.next.next.text, "level 4");
    measure("nested_4", "core.Level1", &core_Level1_msg, sizeof(core_Level1), NESTED_4_BYTES, NESTED_4_CRC, pb_encode);
}

void core_nanopb(void) {
    measure_unpacked();
    measure_packed();
    measure_strings();
    measure_media();
    measure_levels();
}
