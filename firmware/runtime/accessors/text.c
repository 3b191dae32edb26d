/* Messages as text. This file alone prints floating point. */
#undef PICOLIBC_INTEGER_PRINTF_SCANF
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/accessors/find.h"
#include "runtime/accessors/names.h"

struct printer {
    char *text;
    uint32_t size, length; /* length: of the whole text so far */
    uint32_t indentation;
};

static void put(struct printer *out, char byte) {
    if (out->length + 1 < out->size) out->text[out->length] = byte;
    out->length++;
}

static void put_text(struct printer *out, const char *text) {
    while (*text) put(out, *text++);
}

static __attribute__((format(printf, 2, 3))) void put_formatted(struct printer *out, const char *format, ...) {
    char text[32];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_text(out, text);
}

static void put_bytes(struct printer *out, struct hw_bytes bytes) {
    put(out, '"');
    for (uint32_t i = 0; i < bytes.length; i++) {
        uint8_t byte = bytes.data[i];

        if (byte == '"' || byte == '\\') {
            put(out, '\\');
            put(out, (char)byte);
        } else if (byte >= 0x20 && byte < 0x7f) {
            put(out, (char)byte);
        } else {
            put_formatted(out, "\\%03o", byte);
        }
    }
    put(out, '"');
}

/* With as many digits as tell it from all other numbers. */
static void put_real(struct printer *out, double value, int digits) {
    if (value != value)
        put_text(out, "nan");
    else
        put_formatted(out, "%.*g", digits, value); /* "inf", "-inf" */
}

static void put_scalar(struct printer *out, uint64_t bits, uint32_t type, const struct hw_enum_info *values) {
    const char *name = values ? hw_enum_name(values, (int32_t)bits) : NULL;

    switch (type) {
        case HW_TYPE_BOOL:
            put_text(out, bits ? "true" : "false");
            break;
        case HW_TYPE_FLOAT:
            put_real(out, (double)hw_float((uint32_t)bits), 9);
            break;
        case HW_TYPE_DOUBLE:
            put_real(out, hw_double(bits), 17);
            break;
        case HW_TYPE_UINT32:
        case HW_TYPE_FIXED32:
        case HW_TYPE_UINT64:
        case HW_TYPE_FIXED64:
            put_formatted(out, "%" PRIu64, bits);
            break;
        case HW_TYPE_INT64:
        case HW_TYPE_SFIXED64:
        case HW_TYPE_SINT64:
            put_formatted(out, "%" PRId64, (int64_t)bits);
            break;
        default:
            if (name)
                put_text(out, name);
            else
                put_formatted(out, "%" PRId32, (int32_t)bits);
    }
}

static bool put_message(struct printer *out, hw_ref message, const struct hw_message_names *names, uint32_t depth);

static void put_indented(struct printer *out, const char *name) {
    for (uint32_t i = 0; i < out->indentation; i++) put_text(out, "  ");
    put_text(out, name);
}

static bool put_value(struct printer *out, const void *at, const struct hw_field_info *field,
                      const struct hw_field_names *names, uint32_t depth) {
    uint64_t bits = hw_value_load(at, field->type);
    bool whole = true;

    put_indented(out, names->name);
    if (hw_value_is_message(field->type)) {
        put_text(out, " {\n");
        out->indentation++;
        whole = put_message(out, (hw_ref)bits, names->message, depth);
        out->indentation--;
        put_indented(out, "}");
    } else {
        put_text(out, ": ");
        if (hw_value_is_bytes(field->type))
            put_bytes(out, hw_byte_string_bytes((hw_ref)bits));
        else
            put_scalar(out, bits, field->type, names->values);
    }
    put(out, '\n');
    return whole;
}

/* Of a map, the entries that count. */
static bool put_list(struct printer *out, hw_ref message, const struct hw_field_info *field,
                     const struct hw_field_names *names, uint32_t depth) {
    struct hw_values values = hw_field_elements(message, field);

    for (uint32_t i = 0; i < values.count; i++)
        if ((!(field->flags & HW_FIELD_MAP) || hw_entry_counts(values, hw_entry_key_field(field->message), i)) &&
            !put_value(out, values.at + (i << hw_value_shift(field->type)), field, names, depth))
            return false;
    return true;
}

/* `depth` counts this message, too. */
static bool put_message(struct printer *out, hw_ref message, const struct hw_message_names *names, uint32_t depth) {
    const struct hw_message_info *info = names->info;

    if (depth == 0) {
        hw_error_raise(HW_STATUS_DEPTH_EXCEEDED);
        return false;
    }
    for (uint32_t i = 0; i < info->field_count; i++) {
        const struct hw_field_info *field = &info->fields[i];
        bool whole = true;

        if (field->flags & HW_FIELD_REPEATED)
            whole = put_list(out, message, field, &names->fields[i], depth - 1);
        else if (hw_field_has(message, info, field))
            whole = put_value(out, hw_pointer(message + field->offset), field, &names->fields[i], depth - 1);
        if (!whole) return false;
    }
    return true;
}

uint32_t hw_message_text(hw_handle message, const struct hw_message_names *names, char *text, uint32_t size) {
    struct printer out = {.text = text, .size = size};
    uint32_t depth;
    bool whole = hw_message_depth(&depth) && put_message(&out, message ? message->reference : 0, names, depth + 1);

    if (size != 0) text[out.length < size ? out.length : size - 1] = 0;
    return whole ? out.length : 0;
}
