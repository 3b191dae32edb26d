#include "runtime/accessors/names.h"

#include <string.h>

const char *hw_enum_name(const struct hw_enum_info *info, int32_t number) {
    for (uint32_t i = 0; i < info->count; i++)
        if (info->values[i].number == number) return info->values[i].name;
    return NULL;
}

bool hw_enum_parse(const struct hw_enum_info *info, const char *name, int32_t *number) {
    for (uint32_t i = 0; i < info->count; i++)
        if (strcmp(info->values[i].name, name) == 0) {
            *number = info->values[i].number;
            return true;
        }
    return false;
}
