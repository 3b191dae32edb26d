#include "runtime/accessors/info.h"

#include "runtime/accessors/view.h"

static bool field_agrees(const struct hw_type *type, const struct hw_field_info *field) {
    const struct hw_field *entry = hw_type_find(type, field->number);
    bool repeated = field->flags & HW_FIELD_REPEATED;

    if (!entry || HW_GET(entry, ENTRY_TYPE) != field->type || HW_GET(entry, ENTRY_REPEATED) != repeated ||
        HW_GET(entry, ENTRY_OFFSET) != field->offset || HW_GET(entry, ENTRY_HASBIT) != field->hasbit ||
        HW_GET(entry, ENTRY_IN_ONEOF) != (field->case_offset != 0) ||
        (field->case_offset != 0 && HW_GET(entry, ENTRY_CASE_OFFSET) != field->case_offset))
        return false;
    if (!hw_value_is_message(field->type)) return true;
    const struct hw_type *found = hw_schema_find(field->message->name);

    return found && HW_GET(hw_field_type(type, entry), ADT_KLASS) == HW_GET(found, ADT_KLASS);
}

static bool layout_agrees(const struct hw_type *type, const struct hw_message_info *info) {
    return HW_GET(type, ADT_OBJECT_SIZE) == info->object_size && HW_GET(type, ADT_FIELD_COUNT) == info->field_count &&
           HW_GET(type, ADT_HASBITS_WORDS) == info->hasbits_words &&
           (info->hasbits_words == 0 || HW_GET(type, ADT_HASBITS_OFFSET) == info->hasbits) &&
           HW_GET(type, ADT_MEMOIZED_SIZE_OFFSET) == info->memoized_size &&
           HW_GET(type, ADT_MEMOIZED_IS_INITIALIZED_OFFSET) == info->memoized_is_initialized &&
           HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET) == info->unknown_fields;
}

/* Binds the type if the schema in force agrees with it. Leaves the types of its fields to the caller. */
static bool bind(const struct hw_message_info *info) {
    const struct hw_type *type = hw_schema_find(info->name);

    if (!type || !layout_agrees(type, info)) return false;
    for (uint32_t i = 0; i < info->field_count; i++)
        if (!field_agrees(type, &info->fields[i])) return false;
    info->binding->klass = hw_pointer(HW_GET(type, ADT_KLASS));
    info->binding->type = type;
    return true;
}

static void mark(const struct hw_message_info *info) {
    *info->binding = (struct hw_message_binding){.load = hw_schema.load};
}

/* Binds all types that `root` reaches, or none. Pending types form a list instead of a recursion, because chains of
 * types may be long. */
static bool bind_closure(const struct hw_message_info *root) {
    const struct hw_message_info *last = root, *info = root;

    mark(root);
    for (; info && bind(info); info = info->binding->next)
        for (uint32_t i = 0; i < info->field_count; i++) {
            const struct hw_message_info *reached = info->fields[i].message;
            if (reached && !hw_message_bound(reached)) {
                mark(reached);
                last->binding->next = reached;
                last = reached;
            }
        }
    if (!info) return true;
    while (root) {
        const struct hw_message_info *next = root->binding->next;
        *root->binding = (struct hw_message_binding){0};
        root = next;
    }
    return false;
}

const struct hw_klass *hw_message_bind(const struct hw_message_info *info) {
    bool agrees = false;

    if (hw_schema.base != 0) {
        hw_critical_enter(); /* no other thread may see a partly compared closure */
        agrees = bind_closure(info);
        hw_critical_leave();
    }
    if (!agrees) hw_error_raise(HW_STATUS_NO_TYPE);
    return agrees ? info->binding->klass : NULL;
}

const struct hw_field_info *hw_message_field(const struct hw_message_info *info, uint32_t number) {
    uint32_t low = 0, high = info->field_count;

    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (info->fields[middle].number <= number)
            low = middle;
        else
            high = middle;
    }
    return &info->fields[low];
}

hw_handle hw_message_from(hw_handle object, const struct hw_message_info *info) {
    const struct hw_klass *klass = object ? hw_message_klass_of(info) : NULL;

    if (!klass) return NULL;
    if (hw_klass_of(hw_handle_object(object)) == klass) return object;
    hw_error_raise(HW_STATUS_WRONG_TYPE);
    return NULL;
}
