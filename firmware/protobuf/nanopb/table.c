#include "protobuf/nanopb/build.h"

#include <string.h>

#define SUB_TABLE_UNIT HW_ADT_ALIGNMENT

static uint32_t log2_of(uint32_t power) {
    uint32_t log2 = 0;

    while (power >> log2 > 1) log2++;
    return log2;
}

/* nanopb knows how a value is encoded, but not its protobuf type. Each encoding gets one type that has it. */
static uint32_t type_of(const pb_field_iter_t *iter) {
    bool wide = iter->data_size == 8;

    switch (PB_LTYPE(iter->type)) {
        case PB_LTYPE_BOOL:
            return HW_TYPE_BOOL;
        case PB_LTYPE_VARINT:
            return wide ? HW_TYPE_INT64 : HW_TYPE_INT32;
        case PB_LTYPE_UVARINT:
            return wide ? HW_TYPE_UINT64 : HW_TYPE_UINT32;
        case PB_LTYPE_SVARINT:
            return wide ? HW_TYPE_SINT64 : HW_TYPE_SINT32;
        case PB_LTYPE_FIXED32:
            return HW_TYPE_FIXED32;
        case PB_LTYPE_FIXED64:
            return HW_TYPE_FIXED64;
        case PB_LTYPE_STRING:
            return HW_TYPE_STRING;
        case PB_LTYPE_SUBMESSAGE:
            return HW_TYPE_MESSAGE;
        default:
            return HW_TYPE_BYTES;
    }
}

static bool packs(const struct hw_nanopb_field *field) {
#ifdef PB_ENCODE_ARRAYS_UNPACKED
    (void)field;
    return false;
#else
    return hw_nanopb_is_repeated(field) && PB_LTYPE(field->iter.type) <= PB_LTYPE_LAST_PACKABLE;
#endif
}

static uint32_t wire_type(const struct hw_nanopb_field *field) {
    if (packs(field)) return PB_WT_STRING;
    switch (PB_LTYPE(field->iter.type)) {
        case PB_LTYPE_FIXED32:
            return PB_WT_32BIT;
        case PB_LTYPE_FIXED64:
            return PB_WT_64BIT;
        default:
            return PB_LTYPE(field->iter.type) <= PB_LTYPE_LAST_PACKABLE ? PB_WT_VARINT : PB_WT_STRING;
    }
}

/* Returns the rule by which nanopb serializes the field (encode_field and the functions that it calls). */
static uint32_t presence(const struct hw_nanopb_field *field) {
    bool pointer = hw_nanopb_is_pointer(field);

    switch (PB_HTYPE(field->iter.type)) {
        case PB_HTYPE_REQUIRED:
            return pointer ? HW_ADT_PRESENCE_REQUIRED : HW_ADT_PRESENCE_ALWAYS;
        case PB_HTYPE_REPEATED:
            return HW_ADT_PRESENCE_REFERENCE;
        case PB_HTYPE_ONEOF:
            return HW_ADT_PRESENCE_CASE;
        default:
            if (field->has_presence) return HW_ADT_PRESENCE_HASBIT;
            if (pointer) return HW_ADT_PRESENCE_REFERENCE;
            /* The default may be non-zero, so a zero must be written. */
            if (field->iter.descriptor->default_value || PB_LTYPE(field->iter.type) == PB_LTYPE_FIXED_LENGTH_BYTES)
                return HW_ADT_PRESENCE_ALWAYS;
            return HW_ADT_PRESENCE_IMPLICIT;
    }
}

/* Writes an entry except for its first word and the sub-table. */
static void put_entry(uint32_t *entry, const struct hw_nanopb_field *field, uint32_t hasbit) {
    const pb_field_iter_t *iter = &field->iter;
    pb_type_t kind = PB_LTYPE(iter->type);
    bool repeated = hw_nanopb_is_repeated(field);

    HW_NANOPB_PUT(entry, ENTRY_OFFSET, field->offset);
    HW_NANOPB_PUT(entry, ENTRY_TYPE, type_of(iter));
    HW_NANOPB_PUT(entry, ENTRY_REPEATED, repeated);
    HW_NANOPB_PUT(entry, ENTRY_IN_ONEOF, PB_HTYPE(iter->type) == PB_HTYPE_ONEOF);
    HW_NANOPB_PUT(entry, ENTRY_PACKED, packs(field));
    HW_NANOPB_PUT(entry, ENTRY_PRESENCE, presence(field));
    if (kind <= PB_LTYPE_LAST_PACKABLE)
        HW_NANOPB_PUT(entry, NATIVE_ENTRY_SIZE_LOG2, log2_of(iter->data_size));
    else if (!PB_LTYPE_IS_SUBMSG(iter->type) && (!hw_nanopb_is_pointer(field) || kind == PB_LTYPE_FIXED_LENGTH_BYTES))
        HW_NANOPB_PUT(entry, NATIVE_ENTRY_ELEMENT_SIZE, iter->data_size);
    if (repeated && (!hw_nanopb_is_pointer(field) || field->fixed_count))
        HW_NANOPB_PUT(entry, NATIVE_ENTRY_MAX_COUNT, iter->array_size);
    else if (PB_LTYPE_IS_SUBMSG(iter->type))
        HW_NANOPB_PUT(entry, NATIVE_ENTRY_MAX_COUNT, iter->data_size);
    HW_NANOPB_PUT(entry, NATIVE_ENTRY_HASBIT, hasbit);
    HW_NANOPB_PUT(entry, NATIVE_ENTRY_POINTER, hw_nanopb_is_pointer(field));
    HW_NANOPB_PUT(entry, NATIVE_ENTRY_FIXED_COUNT, field->fixed_count);
    HW_NANOPB_PUT(entry, NATIVE_ENTRY_FIXED_LENGTH, kind == PB_LTYPE_FIXED_LENGTH_BYTES);
    HW_NANOPB_PUT(entry, NATIVE_ENTRY_PRESENCE_OFFSET, field->presence);
}

/* Writes an ordered entry. The serializer differs in one case: nanopb packs bools as signed bytes. */
static void put_ordered(uint32_t *entry, const struct hw_nanopb_field *field, uint32_t hasbit) {
    put_entry(entry, field, hasbit);
    HW_NANOPB_PUT(entry, ENTRY_KEY, (uint32_t)field->iter.tag << 3 | wire_type(field));
    if (packs(field) && PB_LTYPE(field->iter.type) == PB_LTYPE_BOOL) {
        entry[HW_ENTRY_TYPE_OFFSET / 4] &= ~((UINT32_MAX >> (32 - HW_ENTRY_TYPE_WIDTH)) << HW_ENTRY_TYPE_BIT);
        HW_NANOPB_PUT(entry, ENTRY_TYPE, HW_TYPE_INT32);
    }
}

/* The open hash table over the field numbers of a type, which hw_type_find searches: the index of its last
 * slot (the number of slots is a power of two), and the longest distance of a field from its own slot. */
struct hash {
    uint32_t last_slot, max_probe;
};

/* A table has at most 2^GROWTH_LOG2 times the smallest power of two of slots that holds the fields. */
#define GROWTH_LOG2 2

static uint32_t log2_up(uint32_t number) {
    uint32_t log2 = 0;

    while (1u << log2 < number) log2++;
    return log2;
}

/* Returns the words of scratch space that find_hash takes: 4 times the fields, rounded up to a power of two, at least
 * 1. */
static uint32_t hash_scratch(uint32_t fields) { return 1u << (log2_up(fields) + GROWTH_LOG2); }

/* Puts every number into the first free slot from its own slot on, and returns the longest probe. Stops as soon as the
 * probe exceeds `worst`. */
static uint32_t longest_probe(const pb_msgdesc_t *descriptor, uint32_t *slots, const struct hash *hash,
                              uint32_t worst) {
    uint32_t longest = 0;
    struct hw_nanopb_field field;

    memset(slots, 0, sizeof(uint32_t) * (hash->last_slot + 1));
    if (!hw_nanopb_first(&field, descriptor)) return 0;
    do {
        uint32_t number = field.iter.tag, distance = 0;
        uint32_t slot = hw_type_slot(number, hash->last_slot);
        for (; slots[slot]; slot = (slot + 1) & hash->last_slot) distance++;
        slots[slot] = number;
        if (distance > longest) longest = distance;
    } while (longest <= worst && hw_nanopb_next(&field));
    return longest;
}

/* Finds the hash table with the shortest probes. `scratch` has hash_scratch(fields) words. */
static struct hash find_hash(const pb_msgdesc_t *descriptor, uint32_t *scratch) {
    uint32_t smallest = log2_up(descriptor->field_count);
    struct hash best = {.max_probe = UINT32_MAX - 1};

    for (uint32_t log2 = smallest;
         log2 <= smallest + GROWTH_LOG2 && log2 <= HW_ADT_LAST_SLOT_WIDTH && best.max_probe != 0; log2++) {
        struct hash tried = {.last_slot = (1u << log2) - 1};
        tried.max_probe = longest_probe(descriptor, scratch, &tried, best.max_probe);
        if (tried.max_probe < best.max_probe) best = tried;
    }
    return best;
}

/* Returns the first free slot for `number`. */
static struct hw_field *free_slot(struct hw_field *slots, const struct hash *hash, uint32_t number) {
    uint32_t slot = hw_type_slot(number, hash->last_slot);

    while (HW_GET(&slots[slot], ENTRY_NUMBER) != 0) slot = (slot + 1) & hash->last_slot;
    return &slots[slot];
}

/* Returns the hasbit of a field. Required fields have the first bits, in order. Every other field has a bit behind
 * them, by its rank. All members of a oneof, which need not be adjacent, share the bit of the first member. */
static uint32_t hasbit_of(const struct hw_nanopb_field *field) {
    bool in_oneof = PB_HTYPE(field->iter.type) == PB_HTYPE_ONEOF;
    uint32_t bit = field->iter.descriptor->required_field_count;
    struct hw_nanopb_field other;

    if (PB_HTYPE(field->iter.type) == PB_HTYPE_REQUIRED) return field->iter.required_field_index;
    for (bool more = hw_nanopb_first(&other, field->iter.descriptor); more; more = hw_nanopb_next(&other)) {
        if (other.iter.index == field->iter.index ||
            (in_oneof && PB_HTYPE(other.iter.type) == PB_HTYPE_ONEOF && other.presence == field->presence))
            break;
        bit += PB_HTYPE(other.iter.type) != PB_HTYPE_REQUIRED;
    }
    return bit;
}

static void put_fields(struct hw_type *table, const pb_msgdesc_t *descriptor, const struct hash *hash) {
    struct hw_field *slots = (struct hw_field *)(table + 1);
    struct hw_field *ordered = slots + hash->last_slot + 1 + descriptor->field_count;
    struct hw_nanopb_field field;

    for (bool more = hw_nanopb_first(&field, descriptor); more; more = hw_nanopb_next(&field)) {
        uint32_t hasbit = hasbit_of(&field);
        uint32_t *hashed = free_slot(slots, hash, field.iter.tag)->words;
        put_entry(hashed, &field, hasbit);
        HW_NANOPB_PUT(hashed, ENTRY_NUMBER, field.iter.tag);
        put_ordered((--ordered)->words, &field, hasbit);
    }
}

struct hw_type *hw_nanopb_table(const pb_msgdesc_t *descriptor, struct hw_nanopb_memory *memory) {
    uint32_t fields = descriptor->field_count;
    size_t room = (size_t)(memory->limit - memory->top);
    struct hw_type *table = (struct hw_type *)(void *)memory->top;

    if (room < HW_ADT_HEADER_SIZE || (room - HW_ADT_HEADER_SIZE) / sizeof(uint32_t) < hash_scratch(fields)) return NULL;
    struct hash hash = find_hash(descriptor, (uint32_t *)(table + 1));
    uint32_t size = HW_ADT_HEADER_SIZE + (hash.last_slot + 1 + fields) * HW_ADT_ENTRY_SIZE;
    uint32_t data = 0;

    if (hash.max_probe >= 1u << HW_ADT_MAX_PROBE_WIDTH || size > room) return NULL;
    memset(table, 0, size);
    memory->top += size;
    int32_t records = hw_nanopb_initial(descriptor, memory, &data);
    if (records < 0) {
        memory->top -= size;
        return NULL;
    }
    memory->top += (uint32_t)records * sizeof(struct hw_nanopb_record);
    HW_NANOPB_PUT(table->words, NATIVE_INITIAL, records ? size : 0);
    HW_NANOPB_PUT(table->words, NATIVE_INITIAL_COUNT, records);
    HW_NANOPB_PUT(table->words, NATIVE_INITIAL_DATA, data);
    HW_NANOPB_PUT(table->words, ADT_OBJECT_SIZE, hw_nanopb_struct_end(descriptor));
    HW_NANOPB_PUT(table->words, ADT_LAST_SLOT, hash.last_slot);
    HW_NANOPB_PUT(table->words, ADT_MAX_PROBE, hash.max_probe);
    HW_NANOPB_PUT(table->words, ADT_HAS_REQUIRED, descriptor->required_field_count != 0);
    HW_NANOPB_PUT(table->words, ADT_MODEL, HW_ADT_MODEL_NANOPB);
    HW_NANOPB_PUT(table->words, ADT_WIDE_COUNT, sizeof(pb_size_t) == 4);
    HW_NANOPB_PUT(table->words, ADT_ALIGN_LOG2, log2_of(hw_nanopb_alignment(descriptor)));
    HW_NANOPB_PUT(table->words, ADT_FIELD_COUNT, fields);
    HW_NANOPB_PUT(table->words, ADT_REQUIRED_COUNT, descriptor->required_field_count);
    HW_NANOPB_PUT(table->words, ADT_MAGIC, HW_ADT_MAGIC);
    put_fields(table, descriptor, &hash);
    return table;
}

bool hw_nanopb_link(struct hw_type *table, uint32_t number, const struct hw_type *sub) {
    ptrdiff_t distance = ((const char *)sub - (const char *)table) / SUB_TABLE_UNIT;
    struct hw_field *entry = (struct hw_field *)(table + 1), *end = entry + hw_type_slot_count(table);

    if (distance < INT16_MIN || distance > INT16_MAX) return false;
    for (; entry < end; entry++)
        if (HW_GET(entry, ENTRY_NUMBER) == number) HW_NANOPB_PUT(entry->words, NATIVE_ENTRY_SUB_TABLE, distance);
    for (end += HW_GET(table, ADT_FIELD_COUNT); entry < end; entry++)
        if (HW_GET(entry, ENTRY_KEY) >> 3 == number) HW_NANOPB_PUT(entry->words, NATIVE_ENTRY_SUB_TABLE, distance);
    return true;
}
