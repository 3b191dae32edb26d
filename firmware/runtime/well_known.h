/* The classes every program has: arrays, byte strings, array lists, the
 * superclass of messages, and the empty list of unknown fields. */
#ifndef HW_RUNTIME_WELL_KNOWN_H
#define HW_RUNTIME_WELL_KNOWN_H

#include "runtime/klass.h"

/* Ids from here on belong to the types of schemas. */
#define HW_FIRST_SCHEMA_ID 64

/* ... and from here on to Java classes, in the order of their table (java/class.h). */
#define HW_FIRST_CLASS_ID 8192

/* The superclass of all message classes. */
extern const struct hw_klass hw_message_klass;

/* Sets the registers of class words, the mark prototype and the singletons. */
void hw_well_known_init(void);

#endif
