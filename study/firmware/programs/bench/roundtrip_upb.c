#include "peers/upb/tables.h"
#include "programs/bench/roundtrip.h"
#include "upb/mem/arena.h"
#include "upb/message/accessors.h"
#include "upb/message/array.h"
#include "upb/mini_table/message.h"
#include "upb/wire/decode.h"
#include "upb/wire/encode.h"

/* Constants, as in the code that upb's plugin makes, which the compiler folds into the accessors. They are compared
 * with the fields of the tables. */
static const upb_MiniTableField content_image = {1, 12, 0, 0, 11, 0x41}, content_media = {2, 16, 64, 1, 11, 0x42};
static const upb_MiniTableField media_uri = {1, 32, 0, 0xffff, 9, 0x82}, media_width = {3, 12, 0, 0xffff, 5, 0x42};
static const upb_MiniTableField media_height = {4, 16, 0, 0xffff, 5, 0x42}, media_format = {5, 48, 0, 0xffff, 9, 0x82};
static const upb_MiniTableField media_duration = {6, 56, 0, 0xffff, 3, 0xc2}, media_size = {7, 64, 0, 0xffff, 3, 0xc2};
static const upb_MiniTableField media_bitrate = {8, 20, 64, 0xffff, 5, 0x42},
                                media_person = {9, 24, 0, 0xffff, 9, 0x41};
static const upb_MiniTableField media_player = {10, 28, 0, 0xffff, 5, 0x52},
                                media_copyright = {11, 72, 0, 0xffff, 9, 0x82};
static const upb_MiniTableField image_uri = {1, 20, 0, 0xffff, 9, 0x82}, image_width = {3, 8, 0, 0xffff, 5, 0x42};
static const upb_MiniTableField image_height = {4, 12, 0, 0xffff, 5, 0x42};

struct constant {
    const upb_MiniTableField *field;
    uint32_t number;
};

static bool agree(const char *type, const struct constant *constants, uint32_t count) {
    const upb_MiniTable *table = upb_peer_table(type, true);

    for (uint32_t i = 0; table && i < count; i++)
        if (memcmp(constants[i].field, upb_MiniTable_FindFieldByNumber(table, constants[i].number),
                   sizeof *constants[i].field) != 0)
            return false;
    return table != NULL;
}

static bool constants_agree(void) {
    const struct constant content[] = {{&content_image, 1}, {&content_media, 2}};
    const struct constant image[] = {{&image_uri, 1}, {&image_width, 3}, {&image_height, 4}};
    const struct constant media[] = {
        {&media_uri, 1},  {&media_width, 3},   {&media_height, 4}, {&media_format, 5},  {&media_duration, 6},
        {&media_size, 7}, {&media_bitrate, 8}, {&media_person, 9}, {&media_player, 10}, {&media_copyright, 11},
    };

#define AGREE(type, constants) agree("heapwire.demo." type, constants, sizeof(constants) / sizeof *(constants))
    return AGREE("MediaContent", content) && AGREE("Image", image) && AGREE("Media", media);
}

static uint32_t seen(upb_StringView text) { return roundtrip_seen(text.data, text.size); }

static upb_StringView string(const upb_Message *message, const upb_MiniTableField *field) {
    return upb_Message_GetString(message, field, upb_StringView_FromDataAndSize(NULL, 0));
}

static uint32_t number(const upb_Message *message, const upb_MiniTableField *field) {
    return (uint32_t)upb_Message_GetInt32(message, field, 0);
}

/* A string is not copied: the message refers to the program's constant. */
static void change(upb_Message *content) {
    upb_Message *media = upb_Message_GetMutableMessage(content, &content_media);
    upb_Array *images = upb_Message_GetMutableArray(content, &content_image);
    const upb_Array *persons = upb_Message_GetArray(media, &media_person);
    uint32_t count = images ? upb_Array_Size(images) : 0;
    uint32_t sum = count + seen(string(media, &media_uri)) + number(media, &media_width) +
                   seen(string(media, &media_format)) + (uint32_t)upb_Message_GetInt64(media, &media_duration, 0) +
                   number(media, &media_bitrate) + number(media, &media_player) +
                   seen(((const upb_StringView *)upb_Array_DataPtr(persons))[1]);

    if (count != 0) {
        upb_Message *image = ((upb_Message *const *)upb_Array_DataPtr(images))[count - 1];

        sum += seen(string(image, &image_uri)) + number(image, &image_width);
        upb_Message_SetBaseFieldInt32(image, &image_height, ROUNDTRIP_HEIGHT);
    } else {
        sum += number(media, &media_height) + (uint32_t)upb_Message_GetInt64(media, &media_size, 0);
        upb_Message_SetBaseFieldInt32(media, &media_height, ROUNDTRIP_HEIGHT);
    }
    upb_Message_SetBaseFieldInt32(media, &media_bitrate, roundtrip_bitrate(sum));
    upb_Message_SetBaseFieldString(media, &media_copyright,
                                   upb_StringView_FromDataAndSize(ROUNDTRIP_COPYRIGHT, sizeof ROUNDTRIP_COPYRIGHT - 1));
}

/* All that is inline in upb is inline here, so that the constants reach the accessors. */
static __attribute__((flatten)) struct hw_bytes round_trip(const struct roundtrip *message, const upb_MiniTable *table,
                                                           int options) {
    static _Alignas(16) uint8_t memory[8192];
    upb_Arena *arena = upb_Arena_Init(memory, sizeof memory, NULL);
    const char *input = (const char *)roundtrip_receive(message);
    upb_Message *content = upb_Message_New(table, arena);
    char *written = NULL;
    size_t length = 0;

    if (upb_Decode(input, message->length, content, table, NULL, options, arena) != kUpb_DecodeStatus_Ok)
        return (struct hw_bytes){0};
    change(content);
    if (upb_Encode(content, table, 0, arena, &written, &length) != kUpb_EncodeStatus_Ok) return (struct hw_bytes){0};
    return (struct hw_bytes){(const uint8_t *)written, length};
}

static void measure(const struct roundtrip *message, const char *engine, const upb_MiniTable *table, int options) {
    struct hw_bytes written;
    struct timing timing;

    TIME(&timing, ROUNDTRIP_WARM, written = round_trip(message, table, options));
    roundtrip_report(message, (struct row){.engine = engine, .model = "upb"}, timing, written);
}

void roundtrip_upb(const struct roundtrip *message) {
    const upb_MiniTable *table = upb_peer_table("heapwire.demo.MediaContent", true);

    if (!constants_agree()) return;
    measure(message, "upb", table, 0);
    measure(message, "upb-alias", table, kUpb_DecodeOption_AliasString);
}
