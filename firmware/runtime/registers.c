#include "runtime/registers.h"

#include "units/capability.h"
#include "units/command.h"

uint32_t hw_registers[HW_REGISTERS];

void hw_registers_publish(void)
{
    if (!hw_front_end_present())
        return;
    for (uint32_t i = 0; i < HW_REGISTERS; i++)
        hw_command_set(i, hw_registers[i]);
}
