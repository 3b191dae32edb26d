#include "runtime/initialized.h"

bool hw_message_has_required(const void *message, const struct hw_type *type)
{
    const uint32_t *words = (const uint32_t *)((const char *)message + HW_GET(type, ADT_HASBITS_OFFSET));
    uint32_t left = HW_GET(type, ADT_REQUIRED_COUNT);

    for (; left >= 32; left -= 32)
        if (*words++ != UINT32_MAX)
            return false;
    return left == 0 || (~*words & (UINT32_MAX >> (32 - left))) == 0;
}

/* The messages of a field; `single` is room for one. */
static struct hw_list messages_of(const struct hw_message *message, const struct hw_field *field, hw_ref *single)
{
    if (HW_GET(field, ENTRY_REPEATED))
        return hw_message_list(message, field);
    *single = *(const hw_ref *)hw_message_slot(message, field);
    if (HW_GET(field, ENTRY_IN_ONEOF) &&
        *(const uint32_t *)((const char *)message + HW_GET(field, ENTRY_CASE_OFFSET)) != HW_GET(field, ENTRY_KEY) >> 3)
        *single = 0;
    return (struct hw_list){.elements = single, .count = *single != 0};
}

bool hw_message_initialized(const struct hw_message *message, const struct hw_type *type, uint32_t depth)
{
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);
    hw_ref single;

    if (!HW_GET(type, ADT_HAS_REQUIRED))
        return true;
    if (!hw_message_has_required(message, type))
        return false;
    for (; field < end; field++) {
        uint32_t kind = HW_GET(field, ENTRY_TYPE);
        if (kind != HW_TYPE_MESSAGE && kind != HW_TYPE_GROUP)
            continue;
        const struct hw_type *sub = hw_field_type(type, field);
        struct hw_list list = HW_GET(sub, ADT_HAS_REQUIRED) ? messages_of(message, field, &single) : (struct hw_list){0};
        for (uint32_t i = 0; i < list.count; i++)
            if (depth == 0 || !hw_message_initialized(hw_pointer(((const hw_ref *)list.elements)[i]), sub, depth - 1))
                return false;
    }
    return true;
}
