#include "runtime/schema_blob.h"

#include <string.h>

#include "runtime/crc32.h"
#include "runtime/registers.h"

_Static_assert(SCHEMA_FIRST_ID + SCHEMA_MAX_TYPES <= HW_FIRST_CLASS_ID, "ids of schemas and of Java classes");

static uint32_t checksum(const struct schema_header *blob) {
    static const uint32_t zero;
    const char *bytes = (const char *)blob;
    size_t before = offsetof(struct schema_header, crc), after = before + sizeof(zero);
    uint32_t crc = hw_crc32(0, bytes, before);

    crc = hw_crc32(crc, &zero, sizeof(zero));
    return hw_crc32(crc, bytes + after, blob->size - after);
}

static const struct hw_type *table_of(const struct schema_header *blob, const struct schema_record *record) {
    return (const struct hw_type *)((const char *)blob + record->table);
}

/* Returns whether a section of `bytes` bytes is aligned, starts at or after `*end` and ends within the blob. Moves
 * `*end` to the section's end. */
static bool follows(const struct schema_header *blob, uint32_t offset, uint32_t bytes, uint32_t alignment,
                    uint32_t *end) {
    if (offset % alignment != 0 || offset < *end || offset > blob->size || bytes > blob->size - offset) return false;
    *end = offset + bytes;
    return true;
}

/* Sections have the order of the header's words and do not overlap. Patching one section therefore never changes
 * another that was checked. */
static bool sections_valid(const struct schema_header *blob) {
    uint32_t end = sizeof(*blob);

    return blob->type_count > 0 && blob->type_count <= SCHEMA_MAX_TYPES && blob->root < blob->type_count &&
           follows(blob, blob->types, blob->type_count * (uint32_t)sizeof(struct schema_record), 16, &end) &&
           follows(blob, blob->klasses, blob->type_count * HW_KLASS_SIZE, 16, &end) &&
           follows(blob, blob->tables, blob->tables_size, 64, &end) &&
           follows(blob, blob->strings, blob->strings_size, 1, &end) && blob->strings_size > 0 &&
           ((const char *)blob)[blob->strings + blob->strings_size - 1] == 0;
}

/* Returns whether the record's bitmap is that of the table's references. A short bitmap lies in the klass. A long one
 * lies between klasses and tables: a count, then that many words. */
static bool bitmap_valid(const struct schema_header *blob, const struct schema_record *record,
                         const struct hw_klass *klass) {
    uint32_t slots = (record->object_size - HW_OBJECT_HEADER_SIZE) / 4, words = (slots + 31) / 32;
    const uint32_t *references = hw_schema_table_references(table_of(blob, record));
    uint32_t at = record->bitmap;

    if (slots <= SCHEMA_INLINE_SLOTS) return at == 0 && klass->reference_bitmap == references[0];
    const uint32_t *bitmap = (const uint32_t *)((const char *)blob + at);

    return klass->reference_bitmap == 0 && at % 4 == 0 && at >= blob->klasses + blob->type_count * HW_KLASS_SIZE &&
           at < blob->tables && (blob->tables - at) / 4 > words && bitmap[0] == words &&
           memcmp(bitmap + 1, references, words * sizeof(*references)) == 0;
}

/* Returns whether the klass is one of messages. A flag, for example, would move the fields of its objects. Words that
 * loading patches must be 0. */
static bool klass_valid(const struct hw_klass *klass, const struct schema_record *record, uint32_t index) {
    return klass->object_size == record->object_size && klass->kind == HW_KLASS_KIND_MESSAGE &&
           klass->element_shift == 0 && klass->super == 0 && klass->id == SCHEMA_FIRST_ID + index && klass->name == 0 &&
           klass->flags == 0 && klass->type_id == 0;
}

static bool record_agrees(const struct schema_record *record, const struct hw_type *type, uint32_t index) {
    bool software_only = HW_GET(type, ADT_HASBITS_WORDS) > HW_ADT_MAX_HASBITS_WORDS ||
                         HW_GET(type, ADT_REQUIRED_COUNT) > HW_ADT_MAX_REQUIRED;

    return record->object_size == HW_GET(type, ADT_OBJECT_SIZE) &&
           record->field_count == HW_GET(type, ADT_FIELD_COUNT) && record->id == SCHEMA_FIRST_ID + index &&
           record->flags == (software_only ? SCHEMA_SOFTWARE_ONLY : 0);
}

/* Tables follow each other: `*tables_end` is the end of the previous table. */
static enum hw_schema_error check_record(const struct schema_header *blob, uint32_t index, uint32_t *tables_end) {
    const struct schema_record *record = &schema_records(blob)[index];
    const struct hw_klass *klass = (const struct hw_klass *)((const char *)blob + blob->klasses) + index;
    const struct hw_type *type = table_of(blob, record);
    const uint32_t limit = blob->tables + blob->tables_size;
    uint32_t bytes;

    if (record->name < blob->strings || record->name - blob->strings >= blob->strings_size ||
        record->klass != blob->klasses + index * HW_KLASS_SIZE || record->table % 64 != 0 ||
        record->table < *tables_end || record->table > limit || limit - record->table < HW_ADT_HEADER_SIZE)
        return HW_SCHEMA_RECORD;
    if (!hw_type_valid(hw_reference(type), hw_reference(blob) + blob->tables, hw_reference(blob) + limit) ||
        (bytes = hw_schema_table_sound(type, limit - record->table)) == 0)
        return HW_SCHEMA_TABLE;
    if (!record_agrees(record, type, index) || !klass_valid(klass, record, index) || !bitmap_valid(blob, record, klass))
        return HW_SCHEMA_RECORD;
    *tables_end = record->table + bytes;
    return HW_SCHEMA_OK;
}

/* Returns whether a record's table is at this offset. Records are in the order of their tables. */
static bool is_table(const struct schema_header *blob, uint32_t offset) {
    const struct schema_record *record = schema_records(blob);
    uint32_t low = 0, high = blob->type_count;

    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (record[middle].table <= offset)
            low = middle;
        else
            high = middle;
    }
    return record[low].table == offset;
}

static bool sub_tables_valid(const struct schema_header *blob, const struct schema_record *record) {
    const struct hw_type *type = table_of(blob, record);
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);

    for (; field < end; field++) {
        uint32_t kind = HW_GET(field, ENTRY_TYPE);
        if (kind != HW_TYPE_MESSAGE && kind != HW_TYPE_GROUP) continue;
        if (!is_table(blob, record->table + HW_GET(field, ENTRY_SUB_TABLE))) return false;
        const struct hw_type *sub = hw_field_type(type, field);

        if ((HW_GET(sub, ADT_MAP_ENTRY) && (kind != HW_TYPE_MESSAGE || !HW_GET(field, ENTRY_REPEATED))) ||
            (HW_GET(sub, ADT_HAS_REQUIRED) && !HW_GET(type, ADT_HAS_REQUIRED)))
            return false;
    }
    return true;
}

enum hw_schema_error hw_schema_check(const struct schema_header *blob, uint32_t available) {
    if (hw_reference(blob) % SCHEMA_ALIGNMENT != 0) return HW_SCHEMA_ALIGNMENT_ERROR;
    if (available < sizeof(*blob)) return HW_SCHEMA_SIZE;
    if (blob->magic != SCHEMA_MAGIC) return HW_SCHEMA_MAGIC;
    if (blob->version != SCHEMA_VERSION) return HW_SCHEMA_VERSION;
    if (blob->size < sizeof(*blob) || blob->size > available || blob->size > SCHEMA_MAX_BYTES || blob->size % 64 != 0)
        return HW_SCHEMA_SIZE;
    if (blob->interface != HW_INFO_VERSION) return HW_SCHEMA_INTERFACE;
    if (blob->crc != checksum(blob)) return HW_SCHEMA_CRC;
    if (!sections_valid(blob)) return HW_SCHEMA_SECTIONS;

    uint32_t tables_end = blob->tables;
    for (uint32_t i = 0; i < blob->type_count; i++) {
        enum hw_schema_error error = check_record(blob, i, &tables_end);
        if (error != HW_SCHEMA_OK) return error;
    }
    for (uint32_t i = 0; i < blob->type_count; i++)
        if (!sub_tables_valid(blob, &schema_records(blob)[i])) return HW_SCHEMA_TABLE;
    return HW_SCHEMA_OK;
}
