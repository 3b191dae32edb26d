/* The classes of every program: arrays, byte strings, array lists, the superclass of messages; and the empty list of
 * unknown fields. */
#ifndef HW_RUNTIME_WELL_KNOWN_H
#define HW_RUNTIME_WELL_KNOWN_H

#include "runtime/klass.h"

/* The first id of Java classes, which are numbered in the order of their table (java/class.h). */
#define HW_FIRST_CLASS_ID 8192

/* The superclass of all message classes. */
extern const struct hw_klass hw_message_klass;

/* Sets the registers of class words, the mark prototype and the singletons. */
void hw_well_known_init(void);

#endif
