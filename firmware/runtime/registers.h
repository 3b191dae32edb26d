/* Runtime registers: the values that all commands share (class words, singletons, the bounds of the tables). Software
 * keeps them here for its own codecs and copies every change to the units. */
#ifndef HW_RUNTIME_REGISTERS_H
#define HW_RUNTIME_REGISTERS_H

#include "runtime/klass.h"

#define HW_REGISTERS 32

extern uint32_t hw_registers[HW_REGISTERS];

/* The owners of descriptor tables. */
enum hw_tables_owner { HW_TABLES_SCHEMA, HW_TABLES_NANOPB, HW_TABLES_OWNERS };

/* Announces that the tables of `owner` lie in [base, limit) from now on and are new to the units. TABLE_BASE and
 * TABLE_LIMIT enclose the tables of all owners. */
void hw_registers_tables(enum hw_tables_owner owner, uint32_t base, uint32_t limit);

/* Sets a register to `value`, in the units too. */
void hw_registers_set(uint32_t index, uint32_t value);

/* Writes every register to the units. Call it again after any of them has changed. It leaves out the registers that
 * announce a class of Cereal: these are a sequence of writes, not a state. */
void hw_registers_publish(void);

/* The classes of every program: arrays, byte strings, array lists, the superclass of messages; and the empty list of
 * unknown fields. */

/* The first id of Java classes, which are numbered in the order of their table (java/class.h). */
#define HW_FIRST_CLASS_ID 8192

/* The superclass of all message classes. */
extern const struct hw_klass hw_message_klass;

/* Sets the registers of class words, the mark prototype and the singletons. */
void hw_well_known_init(void);

#endif
