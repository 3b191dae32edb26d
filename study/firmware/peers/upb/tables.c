#include "peers/upb/tables.h"

#include <stdio.h>
#include <string.h>

#include "upb/mem/arena.h"
#include "upb/mini_descriptor/decode.h"
#include "upb/mini_table/message.h"

#include "upb/port/def.inc"

/* The tables of all messages, once as the schema says, and once without checks of UTF-8. */
struct tables {
    upb_MiniTable **checked, **unchecked;
};

/* Turns strings into bytes, which are the same but for the check. */
static void without_check(upb_MiniTable *table) {
    for (int i = 0; i < upb_MiniTable_FieldCount(table); i++) {
        upb_MiniTableField *field = (upb_MiniTableField *)upb_MiniTable_GetFieldByIndex(table, (uint32_t)i);

        if (field->UPB_PRIVATE(descriptortype) != kUpb_FieldType_String) continue;
        field->UPB_PRIVATE(descriptortype) = kUpb_FieldType_Bytes;
        field->UPB_ONLYBITS(mode) |= kUpb_LabelFlags_IsAlternate;
    }
}

static bool link_fields(upb_MiniTable **tables, upb_MiniTableEnum **enums) {
    for (uint32_t i = 0; i < upb_peer_messages; i++)
        for (uint32_t k = 0; k < upb_peer_types[i].link_count; k++) {
            const struct upb_peer_link *link = &upb_peer_types[i].links[k];
            upb_MiniTableField *field = (upb_MiniTableField *)upb_MiniTable_FindFieldByNumber(tables[i], link->field);
            bool linked =
                field && (link->type < upb_peer_messages
                              ? upb_MiniTable_SetSubMessage(tables[i], field, tables[link->type])
                              : upb_MiniTable_SetSubEnum(tables[i], field, enums[link->type - upb_peer_messages]));

            if (!linked) return false;
        }
    return true;
}

static upb_MiniTable **build_all(bool checked) {
    upb_Arena *arena = upb_Arena_New();
    upb_MiniTable **tables = upb_Arena_Malloc(arena, sizeof(*tables) * upb_peer_messages);
    upb_MiniTableEnum **enums = upb_Arena_Malloc(arena, sizeof(*enums) * upb_peer_enums);
    const struct upb_peer_type *type = upb_peer_types;
    bool built = tables && enums;
    upb_Status status;

    upb_Status_Clear(&status);
    for (uint32_t i = 0; built && i < upb_peer_messages; i++, type++) {
        tables[i] = upb_MiniTable_Build(type->descriptor, type->length, arena, &status);
        built = tables[i] != NULL;
        if (built && !checked) without_check(tables[i]);
    }
    for (uint32_t i = 0; built && i < upb_peer_enums; i++, type++) {
        enums[i] = upb_MiniTableEnum_Build(type->descriptor, type->length, arena, &status);
        built = enums[i] != NULL;
    }
    if (built && link_fields(tables, enums)) return tables;
    printf("# upb has no tables: %s\n", upb_Status_ErrorMessage(&status));
    return NULL;
}

const upb_MiniTable *upb_peer_table(const char *name, bool checked) {
    static struct tables tables;
    upb_MiniTable ***built = checked ? &tables.checked : &tables.unchecked;

    for (uint32_t i = 0; i < upb_peer_messages; i++)
        if (strcmp(upb_peer_types[i].name, name) == 0) {
            if (!*built) *built = build_all(checked);
            return *built ? (*built)[i] : NULL;
        }
    return NULL;
}
