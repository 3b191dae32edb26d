/* Names of a schema, for the functions that want them: what a program does not call is linked without the names. */
#ifndef HW_RUNTIME_ACCESSORS_NAMES_H
#define HW_RUNTIME_ACCESSORS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/accessors/info.h"

struct hw_enum_info {
    uint32_t count;
    const struct hw_enum_value {
        int32_t number;
        const char *name;
    } *values; /* in the order of declaration */
};

/* Returns the name of a value, the first one that was declared; NULL if the enum declares no such number. */
const char *hw_enum_name(const struct hw_enum_info *info, int32_t number);

/* Stores the number of a value of this name. Returns false if there is none; no error. */
bool hw_enum_parse(const struct hw_enum_info *info, const char *name, int32_t *number);

/* The names of a message type's fields, in the order of its info. */
struct hw_message_names {
    const struct hw_message_info *info;
    const struct hw_field_names {
        const char *name;
        const struct hw_message_names *message; /* of a message's type; NULL for others */
        const struct hw_enum_info *values;      /* of an enum's type; NULL for others */
    } *fields;
};

/* Writes a message as protobuf's text format, a field a line, without unknown fields: at most `size` - 1 bytes, and a 0
 * behind them. Returns the bytes of the whole text; 0 also with HW_STATUS_DEPTH_EXCEEDED. No safepoint. */
uint32_t hw_message_text(hw_handle message, const struct hw_message_names *names, char *text, uint32_t size);

#endif
