/* What serializers of other makers' formats need to know of a class: the descriptor that Java serialization writes, in
 * bytes, the fields in the order of either format, and what may be stored where.
 *
 * Generated from class files beside classes.c (host/java, docs/classes.md), indexed as hw_classes is. Names appear here as the
 * bytes of the wire: nothing compares strings while objects are written or read.
 */
#ifndef HW_RUNTIME_JAVA_SERIAL_H
#define HW_RUNTIME_JAVA_SERIAL_H

#include <stdbool.h>

#include "runtime/java/class.h"
#include "runtime/well_known.h"

enum hw_serial_kind {
    HW_SERIAL_NONE, /* not Serializable, abstract, or with methods that only a JVM can run */
    HW_SERIAL_OBJECT,
    HW_SERIAL_STRING,
    HW_SERIAL_ENUM,
    HW_SERIAL_PRIMITIVES, /* array of a primitive type */
    HW_SERIAL_REFERENCES, /* array of references */
};

/* What a class's own writeObject adds behind its fields. */
enum hw_serial_method {
    HW_METHOD_NONE,
    HW_METHOD_LIST, /* java.util.ArrayList */
    HW_METHOD_MAP,  /* java.util.HashMap */
};

enum hw_kryo_kind {
    HW_KRYO_NONE,
    HW_KRYO_FIELDS,
    HW_KRYO_BOX, /* the field `value` */
    HW_KRYO_STRING,
    HW_KRYO_ENUM,
    HW_KRYO_PRIMITIVES,
    HW_KRYO_REFERENCES,
    HW_KRYO_LIST,
    HW_KRYO_MAP,
};

/* A field of a primitive type, and an array's element: the first character of its descriptor. */
struct hw_serial_primitive {
    uint16_t offset;
    uint8_t type;
    uint8_t bytes;
};

struct hw_serial_reference {
    const uint8_t *name; /* in a descriptor: type, length, characters */
    uint16_t name_bytes;
    uint16_t offset;
    uint16_t type;       /* index into hw_serial_types */
};

#define HW_KRYO_OPEN 0xffff    /* a field of this type may hold objects of several classes */
#define HW_KRYO_UNKNOWN 0xfffe /* of one class only, which is not in the tables */

struct hw_kryo_field {
    uint16_t offset;
    uint8_t type;     /* first character of its descriptor */
    uint16_t exact;   /* of a reference: the index of the only class it can have, or one of the above */
    uint16_t generic; /* what its type arguments say, index into hw_kryo_generics */
    uint16_t accepts; /* index into hw_serial_types */
};

/* Type arguments of a field: of List<E> or Map<K, V>. Number 0 says nothing. */
struct hw_kryo_generic {
    uint16_t exact[2];
    uint16_t generic[2];
    uint8_t count;
};

/* A type that fields and elements are declared with. */
struct hw_serial_type {
    const uint8_t *signature; /* in the wire: length, characters */
    uint16_t bytes;
    const uint32_t *accepts;  /* bit i: objects of class i may be stored */
};

struct hw_serial_class {
    uint8_t kind, method, kryo_kind;
    uint8_t element;           /* of an array: first character of its elements' descriptor */
    uint8_t element_shift;
    uint16_t element_type;     /* of an array of references */
    uint16_t element_exact;    /* for Kryo, as in hw_kryo_field */
    uint16_t descriptor_bytes;
    const uint8_t *descriptor; /* TC_CLASSDESC up to the last primitive field; NULL: not Serializable */
    uint16_t primitive_count, primitive_bytes, reference_count;
    uint16_t level_count;
    const struct hw_serial_primitive *primitives; /* in the order of the wire: by name */
    const struct hw_serial_reference *references; /* likewise */
    const uint16_t *levels;    /* Serializable classes from the topmost down to this one */
    uint16_t name_bytes;       /* in `descriptor`, from its fourth byte on */
    uint16_t enum_class;       /* declares the constants: differs for constants with bodies */
    uint16_t first_constant;   /* of an enum: place among all constants (enum.h) */
    uint16_t kryo_id;
    uint16_t kryo_field_count;
    const struct hw_kryo_field *kryo_fields; /* in FieldSerializer's order */
};

extern const struct hw_serial_class hw_serial_classes[];
extern const struct hw_serial_type hw_serial_types[];
extern const uint32_t hw_serial_type_count;
extern const struct hw_kryo_generic hw_kryo_generics[];
extern const uint16_t hw_kryo_classes[]; /* by registration id; HW_KRYO_UNKNOWN: none */
extern const uint32_t hw_kryo_class_count;
extern const uint32_t hw_serial_constant_count; /* of all enums */

/* Index of an object's class; not below hw_class_count: no Java class. */
static inline uint32_t hw_serial_index(hw_ref object)
{
    return hw_klass_of(hw_pointer(object))->id - HW_FIRST_CLASS_ID;
}

static inline bool hw_serial_accepts(uint32_t type, uint32_t class)
{
    return hw_serial_types[type].accepts[class / 32] >> class % 32 & 1;
}

#endif
