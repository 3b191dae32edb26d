/* Runtime registers: what every command shares (class words, singletons, the
 * bounds of the tables). Software keeps the values here for its own codecs and
 * writes them through to the units. */
#ifndef HW_RUNTIME_REGISTERS_H
#define HW_RUNTIME_REGISTERS_H

#include "runtime/object.h"

#define HW_REGISTERS 32

extern uint32_t hw_registers[HW_REGISTERS];

/* Gives every register to the units; call again after any of them has changed. */
void hw_registers_publish(void);

#endif
