#include "runtime/schema.h"

#include <string.h>

#include "runtime/registers.h"
#include "runtime/schema_blob.h"

struct hw_schema hw_schema;

static const char *const error_texts[] = {
    [HW_SCHEMA_OK] = "ok",
    [HW_SCHEMA_ALIGNMENT_ERROR] = "schema blob: its address is not a multiple of 64",
    [HW_SCHEMA_SIZE] = "schema blob: its size is out of range, or it was cut",
    [HW_SCHEMA_MAGIC] = "schema blob: no magic word, this is something else",
    [HW_SCHEMA_VERSION] = "schema blob: a version of the format that this firmware does not know",
    [HW_SCHEMA_INTERFACE] = "schema blob: made for another version of the hardware interface",
    [HW_SCHEMA_CRC] = "schema blob: the CRC-32 does not match, it was damaged",
    [HW_SCHEMA_SECTIONS] = "schema blob: a section outside the blob, not aligned, or out of order",
    [HW_SCHEMA_RECORD] = "schema blob: a type record points elsewhere than the format says",
    [HW_SCHEMA_TABLE] = "schema blob: a malformed descriptor table",
    [HW_SCHEMA_CONFLICT] = "schema blob: a type differs from that of the same name in a schema in force",
};

const char *hw_schema_error_text(enum hw_schema_error error) {
    return (unsigned)error < sizeof(error_texts) / sizeof(error_texts[0]) ? error_texts[error] : "unknown error";
}

static const struct schema_header *before(const struct schema_header *blob) { return hw_pointer(blob->reserved_link); }

static const struct schema_header *latest(void) { return hw_pointer(hw_schema.base); }

static const struct hw_type *type_of(const struct schema_header *blob, uint32_t index) {
    return (const struct hw_type *)((const char *)blob + schema_records(blob)[index].table);
}

static const char *name_of(const struct schema_header *blob, uint32_t index) {
    return (const char *)blob + schema_records(blob)[index].name;
}

/* Returns the index of the record with this name, or of the one with this table; the count of types if there is none.
 */
static uint32_t named(const struct schema_header *blob, const char *name) {
    uint32_t i = 0;

    while (i < blob->type_count && strcmp(name_of(blob, i), name) != 0) i++;
    return i;
}

static uint32_t of_table(const struct schema_header *blob, const struct hw_type *type) {
    uint32_t i = 0;

    while (i < blob->type_count && type_of(blob, i) != type) i++;
    return i;
}

/* Returns the type of this name in `blob` or a schema that was loaded before it. The eldest counts. */
static const struct hw_type *eldest(const struct schema_header *blob, const char *name) {
    const struct hw_type *found = NULL;

    for (; blob; blob = before(blob)) {
        uint32_t index = named(blob, name);
        if (index < blob->type_count) found = type_of(blob, index);
    }
    return found;
}

static const uint32_t *enum_lists(const struct hw_type *type) {
    uint32_t distance = HW_GET(type, ADT_ENUM_LISTS) * HW_ENUM_LISTS_UNIT;

    return distance != 0 ? (const uint32_t *)((const char *)type + distance) : NULL;
}

static bool lists_alike(const uint32_t *a, const uint32_t *b) {
    if (!a || !b) return a == b;
    for (; *a != 0; a += 2 + a[1], b += 2 + b[1])
        if (memcmp(a, b, 8) != 0 || memcmp(a + 2, b + 2, a[1] * sizeof *a) != 0) return false;
    return *b == 0;
}

/* Returns whether a type of a new blob is the same as one in force. The tables of fields' types lie elsewhere, but have
 * the same names. */
static bool alike(const struct schema_header *blob, const struct hw_type *new, const struct hw_type *old) {
    const struct hw_field *a = hw_type_slots(new), *b = hw_type_slots(old);

    for (uint32_t i = HW_ADT_KLASS_OFFSET / 4 + 1; i < sizeof new->words / 4; i++)
        if (new->words[i] != old->words[i]) return false;
    for (uint32_t left = hw_type_slot_count(new) + HW_GET(new, ADT_FIELD_COUNT); left != 0; left--, a++, b++) {
        bool message = HW_GET(a, ENTRY_KEY) != 0 &&
                       (HW_GET(a, ENTRY_TYPE) == HW_TYPE_MESSAGE || HW_GET(a, ENTRY_TYPE) == HW_TYPE_GROUP);

        for (uint32_t i = 0; i < sizeof a->words / 4; i++)
            if (a->words[i] != b->words[i] && !(message && i == HW_ENTRY_SUB_TABLE_OFFSET / 4)) return false;
        if (!message) continue;
        const struct hw_klass *klass = hw_pointer(HW_GET(hw_field_type(old, b), ADT_KLASS));
        if (strcmp(hw_pointer(klass->name), name_of(blob, of_table(blob, hw_field_type(new, a)))) != 0) return false;
    }
    return lists_alike(enum_lists(new), enum_lists(old));
}

static bool all_alike(const struct schema_header *blob, const struct schema_header *beside) {
    for (uint32_t i = 0; i < blob->type_count; i++) {
        const struct hw_type *old = eldest(beside, name_of(blob, i));
        if (old && !alike(blob, type_of(blob, i), old)) return false;
    }
    return true;
}

static void patch(struct schema_header *blob, const struct schema_header *beside) {
    hw_ref base = hw_reference(blob);

    for (uint32_t i = 0; i < blob->type_count; i++) {
        const struct schema_record *record = &schema_records(blob)[i];
        struct hw_klass *klass = hw_pointer(base + record->klass);
        struct hw_type *type = hw_pointer(base + record->table);
        const struct hw_type *old = eldest(beside, name_of(blob, i));

        type->words[HW_ADT_KLASS_OFFSET / 4] = old ? HW_GET(old, ADT_KLASS) : base + record->klass;
        klass->name = base + record->name;
        klass->super = hw_reference(&hw_message_klass);
        if (record->bitmap) klass->reference_bitmap = SCHEMA_LONG_BITMAP | (base + record->bitmap) >> 1;
    }
    blob->reserved_link = hw_reference(beside);
}

/* Tells the units where the tables of all schemas lie. */
static void announce(void) {
    uint32_t base = UINT32_MAX, limit = 0;

    for (const struct schema_header *blob = latest(); blob; blob = before(blob)) {
        hw_ref tables = hw_reference(blob) + blob->tables;
        if (tables < base) base = tables;
        if (tables + blob->tables_size > limit) limit = tables + blob->tables_size;
    }
    hw_registers_tables(HW_TABLES_SCHEMA, base, limit);
    hw_registers_publish();
}

static enum hw_schema_error put_in_force(struct schema_header *blob, uint32_t available,
                                         const struct schema_header *beside) {
    enum hw_schema_error error = hw_schema_check(blob, available);
    bool collectable = !beside || hw_schema.collectable;

    if (error != HW_SCHEMA_OK) return error;
    if (!all_alike(blob, beside)) return HW_SCHEMA_CONFLICT;
    patch(blob, beside);
    for (uint32_t i = 0; i < blob->type_count; i++) collectable &= hw_schema_table_collectable(type_of(blob, i));
    hw_schema = (struct hw_schema){
        .base = hw_reference(blob),
        .size = blob->size,
        .id = blob->schema_id,
        .load = hw_schema.load + 1,
        .type_count = blob->type_count,
        .root = blob->root,
        .collectable = collectable,
    };
    if (!beside) hw_well_known_init();
    announce();
    return HW_SCHEMA_OK;
}

enum hw_schema_error hw_schema_load(void *blob, uint32_t available) { return put_in_force(blob, available, NULL); }

enum hw_schema_error hw_schema_add(void *blob, uint32_t available) {
    for (const struct schema_header *each = latest(); each; each = before(each))
        if (each == blob) return HW_SCHEMA_OK;
    return put_in_force(blob, available, latest());
}

const struct hw_type *hw_schema_type(uint32_t index) {
    return index < hw_schema.type_count ? type_of(latest(), index) : NULL;
}

const char *hw_schema_type_name(uint32_t index) {
    return index < hw_schema.type_count ? name_of(latest(), index) : NULL;
}

const struct hw_type *hw_schema_find(const char *full_name) { return eldest(latest(), full_name); }
