#include "runtime/registers.h"

#include "units/capability.h"

uint32_t hw_registers[HW_REGISTERS];

static struct {
    uint32_t base, limit;
} tables[HW_TABLES_OWNERS];

static void publish(uint32_t index) {
    if (hw_front_end_present()) hw_command_set(index, hw_registers[index]);
}

void hw_registers_set(uint32_t index, uint32_t value) {
    hw_registers[index] = value;
    publish(index);
}

void hw_registers_tables(enum hw_tables_owner owner, uint32_t base, uint32_t limit) {
    uint32_t lowest = base, highest = limit;

    tables[owner].base = base;
    tables[owner].limit = limit;
    for (unsigned i = 0; i < HW_TABLES_OWNERS; i++) {
        if (tables[i].limit == 0) continue;
        if (tables[i].base < lowest) lowest = tables[i].base;
        if (tables[i].limit > highest) highest = tables[i].limit;
    }
    hw_registers[HW_REG_TABLE_BASE] = lowest;
    hw_registers[HW_REG_TABLE_LIMIT] = highest;
    publish(HW_REG_TABLE_BASE);
    publish(HW_REG_TABLE_LIMIT);
}

void hw_registers_publish(void) {
    if (!hw_front_end_present()) return;
    for (uint32_t i = 0; i < HW_REG_CEREAL_CLASS_ID; i++) hw_command_set(i, hw_registers[i]);
}
