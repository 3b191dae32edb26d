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
};

const char *hw_schema_error_text(enum hw_schema_error error) {
    return (unsigned)error < sizeof(error_texts) / sizeof(error_texts[0]) ? error_texts[error] : "unknown error";
}

static void patch(const struct schema_header *blob) {
    hw_ref base = hw_reference(blob);

    for (uint32_t i = 0; i < blob->type_count; i++) {
        const struct schema_record *record = &schema_records(blob)[i];
        struct hw_klass *klass = hw_pointer(base + record->klass);
        struct hw_type *type = hw_pointer(base + record->table);

        type->words[HW_ADT_KLASS_OFFSET / 4] = base + record->klass;
        klass->name = base + record->name;
        klass->super = hw_reference(&hw_message_klass);
        if (record->bitmap) klass->reference_bitmap = SCHEMA_LONG_BITMAP | (base + record->bitmap) >> 1;
    }
}

enum hw_schema_error hw_schema_load(void *blob, uint32_t available) {
    const struct schema_header *header = blob;
    enum hw_schema_error error = hw_schema_check(header, available);

    if (error != HW_SCHEMA_OK) return error;
    patch(header);
    hw_schema = (struct hw_schema){
        .base = hw_reference(blob),
        .size = header->size,
        .id = header->schema_id,
        .load = hw_schema.load + 1,
        .type_count = header->type_count,
        .root = header->root,
        .collectable = true,
    };
    for (uint32_t i = 0; i < header->type_count; i++)
        hw_schema.collectable &= hw_schema_table_collectable(hw_schema_type(i));
    hw_well_known_init();
    hw_registers_tables(HW_TABLES_SCHEMA, hw_schema.base + header->tables,
                        hw_schema.base + header->tables + header->tables_size);
    hw_registers_publish();
    return HW_SCHEMA_OK;
}

static const struct schema_record *record_at(uint32_t index) {
    if (hw_schema.base == 0 || index >= hw_schema.type_count) return NULL;
    return &schema_records(hw_pointer(hw_schema.base))[index];
}

const struct hw_type *hw_schema_type(uint32_t index) {
    const struct schema_record *record = record_at(index);

    return record ? hw_pointer(hw_schema.base + record->table) : NULL;
}

const char *hw_schema_type_name(uint32_t index) {
    const struct schema_record *record = record_at(index);

    return record ? hw_pointer(hw_schema.base + record->name) : NULL;
}

const struct hw_type *hw_schema_find(const char *full_name) {
    for (uint32_t i = 0; i < hw_schema.type_count; i++)
        if (strcmp(hw_schema_type_name(i), full_name) == 0) return hw_schema_type(i);
    return NULL;
}
