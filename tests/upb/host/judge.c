/* upb as the judge of the engine: with RV32's layout of structs, and the engine's memory at the same addresses.
 * Requests come on stdin and are answered on stdout, in 32-bit words:
 *
 *   'T' messages, enums, {length, mini descriptor, links, {field, type}*}* -> the messages' {size, fields,
 *       {number, offset, presence, mode}*}*. Types are numbered, messages first.
 *   'L' address, length, bytes      writes memory
 *   'R' address, length             -> bytes
 *   'M' type, length                decodes the input at INPUT, into memory from FIXED on; strings stay there
 *                                   -> status, and the message's address, the end of what was used
 *   'D' type, length                the same into memory that the engine does not have -> status, the encoding
 *   'C' type, address               makes maps of the lists of entries of a message, and encodes it
 *                                   -> number of entries, the encoding
 * An encoding is: status, length, bytes. */
#include <rv32/library.h>
#include <stdlib.h>
#include <string.h>

#include "upb/base/status.h"
#include "upb/mem/arena.h"
#include "upb/message/accessors.h"
#include "upb/message/array.h"
#include "upb/message/map.h"
#include "upb/message/message.h"
#include "upb/mini_descriptor/decode.h"
#include "upb/mini_table/enum.h"
#include "upb/mini_table/field.h"
#include "upb/mini_table/message.h"
#include "upb/wire/decode.h"
#include "upb/wire/encode.h"

#include "upb/port/def.inc"

enum { SLICE = 4 << 20, TYPES = 256, DEPTH = 200 };
#define INPUT 0x44000000ul
#define FIXED 0x48000000ul
#define FLEXIBLE 0x4C000000ul

static upb_MiniTable *messages[TYPES];
static upb_MiniTableEnum *enums[TYPES];
static char descriptor[1 << 20], scratch[32 << 20];
static uint32_t inserted;

static uint32_t word(void) {
    uint32_t value;

    library_read(&value, 4);
    return value;
}

static void answer(uint32_t value) { library_write(&value, 4); }

static void must(bool good) {
    if (!good) abort();
}

static void types(void) {
    static uint32_t links[TYPES][TYPES][2], counts[TYPES];
    upb_Arena *arena = upb_Arena_New();
    uint32_t count = word(), others = word();
    upb_Status status;

    upb_Status_Clear(&status);
    must(count + others <= TYPES);
    for (uint32_t i = 0; i < count + others; i++) {
        uint32_t length = word();
        must(length <= sizeof descriptor);
        library_read(descriptor, length);
        if (i < count)
            must((messages[i] = upb_MiniTable_Build(descriptor, length, arena, &status)) != NULL);
        else
            must((enums[i] = upb_MiniTableEnum_Build(descriptor, length, arena, &status)) != NULL);
        must((counts[i] = word()) <= TYPES);
        library_read(links[i], 8 * counts[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < counts[i]; k++) {
            upb_MiniTableField *field =
                (upb_MiniTableField *)upb_MiniTable_FindFieldByNumber(messages[i], links[i][k][0]);
            uint32_t type = links[i][k][1];
            must(field && (type < count ? upb_MiniTable_SetSubMessage(messages[i], field, messages[type])
                                        : upb_MiniTable_SetSubEnum(messages[i], field, enums[type])));
        }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t fields = (uint32_t)upb_MiniTable_FieldCount(messages[i]);
        answer(messages[i]->UPB_PRIVATE(size));
        answer(fields);
        for (uint32_t k = 0; k < fields; k++) {
            const upb_MiniTableField *field = upb_MiniTable_GetFieldByIndex(messages[i], k);
            answer(upb_MiniTableField_Number(field));
            answer(field->UPB_ONLYBITS(offset));
            answer((uint32_t)(int32_t)field->presence);
            answer(field->UPB_ONLYBITS(mode));
        }
    }
}

static void encode(const upb_Message *message, uint32_t type, upb_Arena *arena) {
    char *bytes = NULL;
    size_t length = 0;
    upb_EncodeStatus status =
        upb_Encode(message, messages[type], kUpb_EncodeOption_Deterministic | upb_EncodeOptions_MaxDepth(DEPTH), arena,
                   &bytes, &length);

    answer((uint32_t)status);
    answer(status == kUpb_EncodeStatus_Ok ? (uint32_t)length : 0);
    if (status == kUpb_EncodeStatus_Ok) library_write(bytes, length);
}

static upb_Message *decode(uint32_t type, uint32_t length, int options, upb_Arena *arena) {
    upb_Message *message = upb_Message_New(messages[type], arena);
    must(message != NULL);
    answer((uint32_t)upb_Decode((const char *)INPUT, length, message, messages[type], NULL,
                                options | upb_DecodeOptions_MaxDepth(DEPTH), arena));
    return message;
}

static void convert(upb_Message *message, const upb_MiniTable *table, upb_Arena *arena);

/* The engine does not set upb's hasbits of an entry. What is absent is 0. */
static upb_MessageValue part(const upb_Message *entry, const upb_MiniTableField *field) {
    upb_MessageValue value;

    memset(&value, 0, sizeof value);
    UPB_PRIVATE(_upb_MiniTableField_DataCopy)
    (field, &value, (const char *)entry + field->UPB_ONLYBITS(offset));
    return value;
}

static void insert(upb_Message *message, const upb_MiniTable *table, const upb_MiniTableField *field,
                   upb_Arena *arena) {
    const upb_MiniTable *entry = upb_MiniTable_SubMessage(table, field);
    const upb_MiniTableField *key = upb_MiniTable_MapKey(entry), *value = upb_MiniTable_MapValue(entry);
    void **slot = (void **)((char *)message + field->UPB_ONLYBITS(offset));
    const upb_Array *list = *slot;
    upb_Map *map = upb_Map_New(arena, upb_MiniTableField_CType(key), upb_MiniTableField_CType(value));

    for (size_t i = 0; i < upb_Array_Size(list); i++) {
        upb_Message *element = (upb_Message *)upb_Array_Get(list, i).msg_val;
        upb_MessageValue found = part(element, value);
        convert(element, entry, arena);
        if (upb_MiniTableField_CType(value) == kUpb_CType_Message && !found.msg_val)
            found.msg_val = upb_Message_New(upb_MiniTable_SubMessage(entry, value), arena);
        must(upb_Map_Set(map, part(element, key), found, arena));
        inserted++;
    }
    *slot = map;
}

/* Lists of entries become maps. */
static void convert(upb_Message *message, const upb_MiniTable *table, upb_Arena *arena) {
    for (int i = 0; i < upb_MiniTable_FieldCount(table); i++) {
        const upb_MiniTableField *field = upb_MiniTable_GetFieldByIndex(table, (uint32_t)i);
        const void *slot = *(void **)((char *)message + field->UPB_ONLYBITS(offset));

        if (upb_MiniTableField_IsMap(field)) {
            if (slot) insert(message, table, field, arena);
        } else if (!upb_MiniTableField_IsSubMessage(field))
            continue;
        else if (upb_MiniTableField_IsArray(field)) {
            for (size_t k = 0; slot && k < upb_Array_Size(slot); k++)
                convert((upb_Message *)upb_Array_Get(slot, k).msg_val, upb_MiniTable_SubMessage(table, field), arena);
        } else if (upb_MiniTableField_IsInOneof(field) ? upb_Message_HasBaseField(message, field) : slot != NULL)
            convert((upb_Message *)slot, upb_MiniTable_SubMessage(table, field), arena);
    }
}

int main(void) {
    char kind;

    library_map(INPUT, SLICE);
    library_map(FIXED, SLICE);
    library_map(FLEXIBLE, SLICE);
    for (;;) {
        library_read(&kind, 1);
        if (kind == 'T') {
            types();
            continue;
        }
        uint32_t first = word(), second = word();
        if (kind == 'L')
            library_read((void *)first, second);
        else if (kind == 'R')
            library_write((void *)first, second);
        else {
            upb_Arena *arena =
                upb_Arena_Init(kind == 'M' ? (void *)FIXED : scratch, kind == 'M' ? SLICE : sizeof scratch, NULL);
            if (kind == 'C') {
                inserted = 0;
                convert((upb_Message *)second, messages[first], arena);
                answer(inserted);
                encode((upb_Message *)second, first, arena);
            } else if (kind == 'D') {
                encode(decode(first, second, 0, arena), first, arena);
            } else {
                answer((uint32_t)(uintptr_t)decode(first, second, kUpb_DecodeOption_AliasString, arena));
                answer((uint32_t)(uintptr_t)upb_Arena_Malloc(arena, 8));
            }
        }
    }
}
