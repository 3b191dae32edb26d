#include <string.h>

#include "peers/upb/tables.h"
#include "programs/bench/accessors.h"
#include "programs/measure/engine.h"
#include "runtime/crc32.h"
#include "runtime/object.h"
#include "runtime/regions.h"
#include "upb/mem/arena.h"
#include "upb/message/accessors.h"
#include "upb/message/array.h"
#include "upb/message/map.h"
#include "upb/mini_table/message.h"

/* Constants, as in the code that upb's plugin makes, which the compiler folds into the accessors. They are compared
 * with the fields of the table. */
static const upb_MiniTableField number = {1, 12, 64, 0xffff, 5, 0x42}, note = {2, 36, 65, 0xffff, 12, 0x92};
static const upb_MiniTableField item = {3, 16, 66, 0, 11, 0x42}, items = {4, 20, 0, 1, 11, 0x41};
static const upb_MiniTableField counts = {5, 24, 0, 2, 11, 0x40}, tags = {6, 28, 0, 3, 11, 0x40};

static bool constants_agree(const upb_MiniTable *table) {
    const upb_MiniTableField *const fields[] = {&number, &note, &item, &items, &counts, &tags};
    bool agree = true;

    for (uint32_t i = 0; i < sizeof fields / sizeof *fields; i++)
        agree &= memcmp(fields[i], upb_MiniTable_FindFieldByNumber(table, i + 1), sizeof *fields[i]) == 0;
    return agree;
}

static void set_string(upb_Message *order, upb_Arena *arena) {
    char *data = upb_Arena_Malloc(arena, 15);

    memcpy(data, "fifteen letters", 15);
    upb_Message_SetBaseFieldString(order, &note, upb_StringView_FromDataAndSize(data, 15));
}

static bool add(upb_Message *order, const upb_MiniTable *type, upb_Arena *arena) {
    upb_Array *array = upb_Message_GetOrCreateMutableArray(order, &items, arena);
    upb_MessageValue added = {.msg_val = upb_Message_New(type, arena)};

    return added.msg_val && upb_Array_Append(array, added, arena);
}

static bool put(upb_Message *order, const upb_MiniTable *entry, const upb_MiniTableField *field, upb_MessageValue key,
                upb_MessageValue value, upb_Arena *arena) {
    upb_Map *map = upb_Message_GetOrCreateMutableMap(order, entry, field, arena);

    return upb_Map_Insert(map, key, value, arena) == kUpb_MapInsertStatus_Inserted;
}

static upb_MessageValue copy(const char *data, upb_Arena *arena) {
    char *copied = upb_Arena_Malloc(arena, 5);

    memcpy(copied, data, 5);
    return (upb_MessageValue){.str_val = upb_StringView_FromDataAndSize(copied, 5)};
}

static uint32_t digest_of(const upb_Message *order, const upb_MiniTable *table) {
    struct hw_arena output;

    hw_arena_init(&output, HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES / 2, HW_FLEXIBLE_BYTES / 2);
    engine_peers->write(table, order, true, &output);
    return hw_crc32(0, hw_pointer(output.base), output.top - output.base);
}

/* All calls are inline, as upb's accessors mostly are, so that the constants reach all of them. */
__attribute__((flatten)) void accessors_upb(void) {
    const upb_MiniTable *table = upb_peer_table("accessors.Order", true);
    const upb_MiniTable *item_type = upb_peer_table("accessors.Item", true);
    const upb_MiniTable *count = upb_peer_table("accessors.Order.CountsEntry", true);
    const upb_MiniTable *tag = upb_peer_table("accessors.Order.TagsEntry", true);
    upb_Arena *arena = upb_Arena_Init(hw_pointer(HW_FLEXIBLE_BASE), HW_FLEXIBLE_BYTES / 2, NULL);
    upb_Message *order = table ? upb_Message_New(table, arena) : NULL;
    bool ok = item_type && count && tag && order && constants_agree(table);
    upb_MessageValue value = {0};
    const upb_Message *got;
    int32_t scalar;

    /* right: whether the last call's result is. */
#define CALLS(name, calls, before, call, right)                             \
    do {                                                                    \
        struct timing timing;                                               \
        ACCESSORS_TIME(&timing, calls, before, call);                       \
        ok &= (right);                                                      \
        accessors_report(name, "upb", timing, digest_of(order, table), ok); \
    } while (0)
#define INT(number) ((upb_MessageValue){.int32_val = (int32_t)(number)})
#define KEY(index) ((upb_MessageValue){.str_val = upb_StringView_FromDataAndSize(accessors_keys[index], 5)})
    if (!ok) {
        accessors_report("set_scalar", "upb", (struct timing){0}, 0, false);
        return;
    }
    const upb_MiniTableField *a = upb_MiniTable_FindFieldByNumber(item_type, 1);

    CALLS("set_scalar", 8, , upb_Message_SetBaseFieldInt32(order, &number, (int32_t)i_), true);
    CALLS("get_scalar", 8, , (scalar = upb_Message_GetInt32(order, &number, 0), accessors_used((uint32_t)scalar)),
          scalar == 7);
    CALLS("set_string_15", 8, , set_string(order, arena), true);
    CALLS("mutable_absent_48", 1, upb_Message_ClearBaseField(order, &item),
          ok &= upb_Message_GetOrCreateMutableMessage(order, table, &item, arena) != NULL, true);
    CALLS("get_message", 8, , (got = upb_Message_GetMessage(order, &item), accessors_used((uintptr_t)got)),
          (upb_Message_SetBaseFieldInt32((upb_Message *)got, a, 5), true));
    CALLS("add_message", 8, upb_Message_ClearBaseField(order, &items), ok &= add(order, item_type, arena), true);
    CALLS("put_int_new/8", 8, upb_Message_ClearBaseField(order, &counts),
          ok &= put(order, count, &counts, INT(i_ * 7), INT(i_ + 1), arena), true);
    CALLS("get_int/8", 8, , upb_Map_Get(upb_Message_GetMap(order, &counts), INT(i_ * 7), &value), value.int32_val == 8);
    CALLS("put_string_new/8", 8, upb_Message_ClearBaseField(order, &tags),
          ok &= put(order, tag, &tags, KEY(i_), copy(accessors_keys[i_], arena), arena), true);
    CALLS("get_string/8", 8, , upb_Map_Get(upb_Message_GetMap(order, &tags), KEY(i_), &value),
          value.str_val.size == 5 && memcmp(value.str_val.data, "key-7", 5) == 0);
    CALLS("put_int_new/64", 64, upb_Message_ClearBaseField(order, &counts),
          ok &= put(order, count, &counts, INT(i_ * 7), INT(i_ + 1), arena), true);
    CALLS("get_int/64", 64, , upb_Map_Get(upb_Message_GetMap(order, &counts), INT(i_ * 7), &value),
          value.int32_val == 64);
}
