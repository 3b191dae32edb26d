#include "protobuf/model.h"

#include "units/capability.h"
#include "units/command.h"

enum hw_protobuf_load hw_protobuf_load_model(const uint32_t *words, uint32_t count) {
    if (!hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE) || count == 0) return HW_PROTOBUF_LOAD_NO_UNIT;
    if (words[0] != hw_command_info(HW_INFO_PROGRAM)) return HW_PROTOBUF_LOAD_OTHER_BUILD;
    for (uint32_t i = 1; i < count; i++)
        if (hw_command_set(HW_REG_PROTOBUF_PROGRAM, words[i])) return HW_PROTOBUF_LOAD_LOCKED;
    return HW_PROTOBUF_LOADED;
}
