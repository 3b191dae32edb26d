#include "protobuf/model.h"

#include "units/capability.h"
#include "units/command.h"

bool hw_protobuf_load_model(const uint32_t *words, uint32_t count) {
    if (!hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (hw_command_set(HW_REG_PROTOBUF_PROGRAM, words[i])) return false;
    return true;
}
