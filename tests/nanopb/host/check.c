#include "check.h"

#include "twin.h"

static unsigned fault(const struct expected_field *expected, const char *what, long is, long should) {
    printf("%s: %s is %ld, not %ld\n", expected->name, what, is, should);
    return 1;
}

#define COMPARE(what, is, should)                                                                      \
    do {                                                                                               \
        if ((long)(is) != (long)(should)) faults += fault(expected, what, (long)(is), (long)(should)); \
    } while (0)

static bool is(const struct expected_field *expected, const char *names) {
    size_t length = strlen(expected->proto_type);

    for (const char *at = names; (at = strstr(at, expected->proto_type)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

/* Returns the HW_TYPE_* of the field: by the name of its type and the width of its value. */
static uint32_t type_of(const struct expected_field *expected) {
    bool wide = expected->value == 8;

    if (is(expected, "BOOL")) return HW_TYPE_BOOL;
    if (is(expected, "INT32 INT64 ENUM")) return wide ? HW_TYPE_INT64 : HW_TYPE_INT32;
    if (is(expected, "UINT32 UINT64 UENUM")) return wide ? HW_TYPE_UINT64 : HW_TYPE_UINT32;
    if (is(expected, "SINT32 SINT64")) return wide ? HW_TYPE_SINT64 : HW_TYPE_SINT32;
    if (is(expected, "FLOAT FIXED32 SFIXED32")) return HW_TYPE_FIXED32;
    if (is(expected, "DOUBLE FIXED64 SFIXED64")) return HW_TYPE_FIXED64;
    if (is(expected, "STRING")) return HW_TYPE_STRING;
    return is(expected, "MESSAGE") ? HW_TYPE_MESSAGE : HW_TYPE_BYTES;
}

static unsigned check_entry(const struct hw_type *table, const struct hw_field *entry,
                            const struct expected_field *expected) {
    unsigned faults = 0;
    uint32_t type = type_of(expected);
    bool fixed_length = is(expected, "FIXED_LENGTH_BYTES");

    COMPARE("offset", HW_GET(entry, ENTRY_OFFSET), expected->offset);
    COMPARE("pointer", HW_GET(entry, NATIVE_ENTRY_POINTER), expected->pointer);
    COMPARE("repeated", HW_GET(entry, ENTRY_REPEATED), expected->repeated);
    COMPARE("fixed count", HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT), expected->fixed_count);
    COMPARE("fixed length", HW_GET(entry, NATIVE_ENTRY_FIXED_LENGTH), fixed_length);
    COMPARE("oneof", HW_GET(entry, ENTRY_IN_ONEOF), expected->oneof);
    COMPARE("most elements, or bytes", HW_GET(entry, NATIVE_ENTRY_MAX_COUNT),
            type == HW_TYPE_MESSAGE && !expected->count ? expected->value : expected->count);
    COMPARE("required", HW_GET(entry, NATIVE_ENTRY_HASBIT) < HW_GET(table, ADT_REQUIRED_COUNT), expected->required);
    if (expected->presence >= 0) COMPARE("presence", HW_GET(entry, NATIVE_ENTRY_PRESENCE_OFFSET), expected->presence);
    if (type == HW_TYPE_MESSAGE)
        COMPARE("submessage", twin_stride(twin_sub_type(table, entry)),
                HW_GET(twin_sub_type(table, entry), ADT_FIELD_COUNT) ? expected->value : 0);
    else if (twin_is_scalar(entry))
        COMPARE("value", 1u << HW_GET(entry, NATIVE_ENTRY_SIZE_LOG2), expected->value);
    else if (!expected->pointer)
        COMPARE("element", HW_GET(entry, NATIVE_ENTRY_ELEMENT_SIZE), expected->value);
    return faults;
}

static const struct hw_field *ordered(const struct hw_type *table, uint32_t number) {
    const struct hw_field *entry = hw_type_slots(table) + hw_type_slot_count(table);

    for (uint32_t i = 0; i < HW_GET(table, ADT_FIELD_COUNT); i++)
        if (HW_GET(&entry[i], ENTRY_KEY) >> 3 == number) return &entry[i];
    return NULL;
}

unsigned check_field(const struct hw_type *table, const struct expected_field *expected) {
    const struct hw_field *hashed = hw_type_find(table, expected->number);
    const struct hw_field *walked = ordered(table, expected->number);
    unsigned faults = 0;

    if (!hashed || !walked) return fault(expected, "entry", hashed != NULL, 1);
    faults += check_entry(table, hashed, expected) + check_entry(table, walked, expected);
    COMPARE("type", HW_GET(hashed, ENTRY_TYPE), type_of(expected));
#ifdef PB_ENCODE_ARRAYS_UNPACKED
    COMPARE("packed", HW_GET(walked, ENTRY_PACKED), 0);
    COMPARE("type", HW_GET(walked, ENTRY_TYPE), type_of(expected));
#else
    COMPARE("packed", HW_GET(walked, ENTRY_PACKED), expected->repeated && twin_is_scalar(walked));
#endif
    return faults;
}

unsigned check_type(const struct hw_type *table, const char *name, size_t size, unsigned fields) {
    const struct expected_field *expected = &(struct expected_field){.name = name};
    const struct hw_field *entry = hw_type_slots(table) + hw_type_slot_count(table);
    unsigned faults = 0, found = 0;

    COMPARE("size", fields ? twin_stride(table) : size, size);
    COMPARE("fields", HW_GET(table, ADT_FIELD_COUNT), fields);
    for (uint32_t i = 0; i < hw_type_slot_count(table); i++)
        found += HW_GET(&hw_type_slots(table)[i], ENTRY_NUMBER) != 0;
    COMPARE("hashed fields", found, fields);
    for (uint32_t i = 1; i < fields; i++)
        COMPARE("order", HW_GET(&entry[i - 1], ENTRY_KEY) > HW_GET(&entry[i], ENTRY_KEY), 1);
    COMPARE("model", HW_GET(table, ADT_MODEL), HW_ADT_MODEL_NANOPB);
    COMPARE("alignment", (uintptr_t)table % HW_ADT_ALIGNMENT, 0);
    return faults;
}
