#include "runtime/schema.h"

#include <string.h>

#include "runtime/crc32.h"
#include "runtime/klass.h"
#include "runtime/registers.h"
#include "runtime/well_known.h"

#define MAGIC 0x42535748u
#define VERSION 1
#define MAX_TYPES 4096
#define LONG_BITMAP 0x80000000u

struct blob_header {
    uint32_t magic, version, size, crc, interface;
    uint32_t type_count, types, klasses, tables, tables_size, strings, strings_size;
    uint32_t root, schema_id, reserved[2];
};

struct type_record {
    uint32_t name, klass, table, object_size, flags, id, bitmap, field_count;
};

_Static_assert(sizeof(struct blob_header) == 64, "blob header");
_Static_assert(sizeof(struct type_record) == 32, "type record");

struct hw_schema hw_schema;

static const char *const error_texts[] = {
    [HW_SCHEMA_OK] = "ok",
    [HW_SCHEMA_ALIGNMENT_ERROR] = "schema blob: its address is not a multiple of 64",
    [HW_SCHEMA_SIZE] = "schema blob: its size is out of range, or it was cut",
    [HW_SCHEMA_MAGIC] = "schema blob: no magic word, this is something else",
    [HW_SCHEMA_VERSION] = "schema blob: a version of the format that this firmware does not know",
    [HW_SCHEMA_INTERFACE] = "schema blob: made for another version of the hardware interface",
    [HW_SCHEMA_CRC] = "schema blob: the CRC-32 does not match, it was damaged",
    [HW_SCHEMA_SECTIONS] = "schema blob: a section outside the blob or not aligned",
    [HW_SCHEMA_RECORD] = "schema blob: a type record points outside its sections",
    [HW_SCHEMA_TABLE] = "schema blob: a malformed descriptor table",
};

const char *hw_schema_error_text(enum hw_schema_error error)
{
    return (unsigned)error < sizeof(error_texts) / sizeof(error_texts[0]) ? error_texts[error] : "unknown error";
}

static bool within(uint32_t offset, uint32_t size, uint32_t alignment, uint32_t limit)
{
    return offset % alignment == 0 && offset <= limit && size <= limit - offset;
}

static const struct type_record *records(const struct blob_header *blob)
{
    return (const struct type_record *)((const char *)blob + blob->types);
}

static uint32_t checksum(const struct blob_header *blob)
{
    static const uint32_t zero;
    const char *bytes = (const char *)blob;
    size_t before = offsetof(struct blob_header, crc), after = before + sizeof(zero);
    uint32_t crc = hw_crc32(0, bytes, before);

    crc = hw_crc32(crc, &zero, sizeof(zero));
    return hw_crc32(crc, bytes + after, blob->size - after);
}

static bool sections_valid(const struct blob_header *blob)
{
    uint32_t size = blob->size;

    return blob->type_count > 0 && blob->type_count <= MAX_TYPES && blob->root < blob->type_count &&
           within(blob->types, blob->type_count * (uint32_t)sizeof(struct type_record), 16, size) &&
           within(blob->klasses, blob->type_count * HW_KLASS_SIZE, 16, size) &&
           within(blob->tables, blob->tables_size, 64, size) && within(blob->strings, blob->strings_size, 1, size) &&
           blob->strings_size > 0 && ((const char *)blob)[blob->strings + blob->strings_size - 1] == 0;
}

/* A long bitmap: a count, then that many words. */
static bool bitmap_valid(const struct blob_header *blob, uint32_t bitmap)
{
    if (bitmap == 0)
        return true;
    if (!within(bitmap, 4, 4, blob->size))
        return false;
    uint32_t words = *(const uint32_t *)((const char *)blob + bitmap);

    return words <= (blob->size - bitmap - 4) / 4;
}

static enum hw_schema_error check_record(const struct blob_header *blob, const struct type_record *record)
{
    hw_ref base = hw_reference(blob), tables = base + blob->tables;
    const uint32_t klasses_limit = blob->klasses + blob->type_count * HW_KLASS_SIZE;

    if (record->name < blob->strings || record->name - blob->strings >= blob->strings_size ||
        record->klass < blob->klasses || !within(record->klass, HW_KLASS_SIZE, 16, klasses_limit) ||
        record->table < blob->tables || !within(record->table, HW_ADT_HEADER_SIZE, 64, blob->tables + blob->tables_size) ||
        !bitmap_valid(blob, record->bitmap))
        return HW_SCHEMA_RECORD;
    return hw_type_valid(base + record->table, tables, tables + blob->tables_size) ? HW_SCHEMA_OK : HW_SCHEMA_TABLE;
}

static enum hw_schema_error check(const struct blob_header *blob, uint32_t available)
{
    if (hw_reference(blob) % HW_SCHEMA_ALIGNMENT != 0)
        return HW_SCHEMA_ALIGNMENT_ERROR;
    if (available < sizeof(*blob))
        return HW_SCHEMA_SIZE;
    if (blob->magic != MAGIC)
        return HW_SCHEMA_MAGIC;
    if (blob->version != VERSION)
        return HW_SCHEMA_VERSION;
    if (blob->size < sizeof(*blob) || blob->size > available || blob->size > HW_SCHEMA_MAX_BYTES || blob->size % 64 != 0)
        return HW_SCHEMA_SIZE;
    if (blob->interface != HW_INFO_VERSION)
        return HW_SCHEMA_INTERFACE;
    if (blob->crc != checksum(blob))
        return HW_SCHEMA_CRC;
    if (!sections_valid(blob))
        return HW_SCHEMA_SECTIONS;
    for (uint32_t i = 0; i < blob->type_count; i++) {
        enum hw_schema_error error = check_record(blob, &records(blob)[i]);
        if (error != HW_SCHEMA_OK)
            return error;
    }
    return HW_SCHEMA_OK;
}

static void patch(const struct blob_header *blob)
{
    hw_ref base = hw_reference(blob);

    for (uint32_t i = 0; i < blob->type_count; i++) {
        const struct type_record *record = &records(blob)[i];
        struct hw_klass *klass = hw_pointer(base + record->klass);
        struct hw_type *type = hw_pointer(base + record->table);

        type->words[HW_ADT_KLASS_OFFSET / 4] = base + record->klass;
        klass->name = base + record->name;
        klass->super = hw_reference(&hw_message_klass);
        if (record->bitmap)
            klass->reference_bitmap = LONG_BITMAP | (base + record->bitmap) >> 1;
    }
}

enum hw_schema_error hw_schema_load(void *blob, uint32_t available)
{
    const struct blob_header *header = blob;
    enum hw_schema_error error = check(header, available);

    if (error != HW_SCHEMA_OK)
        return error;
    patch(header);
    hw_schema = (struct hw_schema){
        .base = hw_reference(blob),
        .size = header->size,
        .id = header->schema_id,
        .type_count = header->type_count,
        .root = header->root,
    };
    hw_well_known_init();
    hw_registers[HW_REG_TABLE_BASE] = hw_schema.base + header->tables;
    hw_registers[HW_REG_TABLE_LIMIT] = hw_schema.base + header->tables + header->tables_size;
    hw_registers_publish();
    return HW_SCHEMA_OK;
}

static const struct type_record *record_at(uint32_t index)
{
    if (hw_schema.base == 0 || index >= hw_schema.type_count)
        return NULL;
    return &records(hw_pointer(hw_schema.base))[index];
}

const struct hw_type *hw_schema_type(uint32_t index)
{
    const struct type_record *record = record_at(index);

    return record ? hw_pointer(hw_schema.base + record->table) : NULL;
}

const char *hw_schema_type_name(uint32_t index)
{
    const struct type_record *record = record_at(index);

    return record ? hw_pointer(hw_schema.base + record->name) : NULL;
}

const struct hw_type *hw_schema_find(const char *full_name)
{
    for (uint32_t i = 0; i < hw_schema.type_count; i++)
        if (strcmp(hw_schema_type_name(i), full_name) == 0)
            return hw_schema_type(i);
    return NULL;
}
