/* What is known of a value before it is written or read. */
#ifndef HW_PEERS_KRYO_WANT_H
#define HW_PEERS_KRYO_WANT_H

#include "runtime/java/serial.h"

/* Values in place of a reference id, which begin at 2. */
#define KRYO_NULL 0
#define KRYO_NOT_NULL 1

#define KRYO_TRUE 1 /* Input.readBoolean: any other byte is false */

struct want {
    uint16_t exact;   /* its class; HW_KRYO_OPEN: the stream contains the class */
    uint16_t generic; /* its type arguments */
    bool nullable;    /* for an exact class: the value may be null */
};

#define OPEN_WANT ((struct want){.exact = HW_KRYO_OPEN, .nullable = true})

/* Returns what a field's type arguments say of its values. */
static inline struct want want_argument(uint32_t generic, uint32_t number) {
    const struct hw_kryo_generic *arguments = &hw_kryo_generics[generic];

    if (arguments->count == 0) return OPEN_WANT;
    return (struct want){.exact = arguments->exact[number], .generic = arguments->generic[number], .nullable = true};
}

#endif
