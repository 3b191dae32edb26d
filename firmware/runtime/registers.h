/* Runtime registers: what every command shares (class words, singletons, the
 * bounds of the tables). Software keeps the values here for its own codecs and
 * writes them through to the units. */
#ifndef HW_RUNTIME_REGISTERS_H
#define HW_RUNTIME_REGISTERS_H

#include "runtime/object.h"

#define HW_REGISTERS 32

extern uint32_t hw_registers[HW_REGISTERS];

/* Who has descriptor tables. */
enum hw_tables_owner { HW_TABLES_SCHEMA, HW_TABLES_NANOPB, HW_TABLES_OWNERS };

/* The tables of `owner` lie in [base, limit) from now on, and are new to the units. TABLE_BASE and TABLE_LIMIT
 * enclose those of all owners. */
void hw_registers_tables(enum hw_tables_owner owner, uint32_t base, uint32_t limit);

/* A register becomes `value`, for the units too. */
void hw_registers_set(uint32_t index, uint32_t value);

/* Gives every register to the units; call again after any of them has changed. Not those that announce a class of Cereal: they
 * are a sequence, not a state. */
void hw_registers_publish(void);

#endif
