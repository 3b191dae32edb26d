/* What serializers of foreign formats need to know of a class: the class descriptor of Java serialization as bytes, the
 * fields in the order of either format, and the classes that each field or element may refer to.
 *
 * Generated from class files beside classes.c (host/java, docs/reference/classes.md), with the indices of hw_classes.
 * Names appear as the bytes of the wire, so that nothing compares strings while objects are written or read.
 */
#ifndef HW_RUNTIME_JAVA_SERIAL_H
#define HW_RUNTIME_JAVA_SERIAL_H

#include <stdbool.h>

#include "runtime/java/class.h"
#include "runtime/registers.h"

enum hw_serial_kind {
    HW_SERIAL_NONE, /* not Serializable, abstract, or with methods that only a JVM can run */
    HW_SERIAL_OBJECT,
    HW_SERIAL_STRING,
    HW_SERIAL_ENUM,
    HW_SERIAL_PRIMITIVES, /* array of a primitive type */
    HW_SERIAL_REFERENCES, /* array of references */
};

/* The data that a class's own writeObject adds behind its fields. */
enum hw_serial_method {
    HW_METHOD_NONE,
    HW_METHOD_LIST, /* java.util.ArrayList */
    HW_METHOD_MAP,  /* java.util.HashMap */
};

enum hw_kryo_kind {
    HW_KRYO_NONE,
    HW_KRYO_FIELDS,
    HW_KRYO_BOX, /* only the field `value` */
    HW_KRYO_STRING,
    HW_KRYO_ENUM,
    HW_KRYO_PRIMITIVES,
    HW_KRYO_REFERENCES,
    HW_KRYO_LIST,
    HW_KRYO_MAP,
};

/* A field of a primitive type, or an array's element. `type` is the first character of its descriptor. */
struct hw_serial_primitive {
    uint16_t offset;
    uint8_t type;
    uint8_t bytes;
};

struct hw_serial_reference {
    const uint8_t *name; /* as in a class descriptor: type, length, characters */
    uint16_t name_bytes;
    uint16_t offset;
    uint16_t type; /* index into hw_serial_types */
};

#define HW_KRYO_OPEN 0xffff    /* a field of this type may hold objects of several classes */
#define HW_KRYO_UNKNOWN 0xfffe /* of one class only, and this class is not in the tables */

struct hw_kryo_field {
    uint16_t offset;
    uint8_t type;     /* first character of its descriptor */
    uint16_t exact;   /* of a reference: the index of the only class that it can have, or one of the above */
    uint16_t generic; /* its type arguments: index into hw_kryo_generics */
    uint16_t accepts; /* index into hw_serial_types */
};

/* The type arguments of a field: of List<E> or Map<K, V>. Number 0 says nothing. */
struct hw_kryo_generic {
    uint16_t exact[2];
    uint16_t generic[2];
    uint8_t count;
};

/* A declared type of fields and elements. */
struct hw_serial_type {
    const uint8_t *signature; /* as on the wire: length, characters */
    uint16_t bytes;
    const uint32_t *accepts; /* bit i: objects of class i may be stored */
};

struct hw_serial_class {
    uint8_t kind, method, kryo_kind;
    uint8_t element; /* of an array: the first character of its elements' descriptor */
    uint8_t element_shift;
    uint16_t element_type;  /* of an array of references */
    uint16_t element_exact; /* for Kryo, as in hw_kryo_field */
    uint16_t descriptor_bytes;
    const uint8_t *descriptor; /* the bytes from TC_CLASSDESC to the last primitive field; NULL: not Serializable */
    uint16_t primitive_count, primitive_bytes, reference_count;
    uint16_t level_count;
    const struct hw_serial_primitive *primitives; /* in the order of the wire: by name */
    const struct hw_serial_reference *references; /* likewise */
    const uint16_t *levels;  /* indices of the Serializable classes from the topmost down to this one */
    uint16_t name_bytes;     /* bytes of the name, which begins at the fourth byte of `descriptor` */
    uint16_t enum_class;     /* the enum that declares the constants; another class for constants with bodies */
    uint16_t first_constant; /* of an enum: place of its first constant among all constants (class.h) */
    uint16_t kryo_id;
    uint16_t kryo_field_count;
    const struct hw_kryo_field *kryo_fields; /* in FieldSerializer's order */
};

extern const struct hw_serial_class hw_serial_classes[];
extern const struct hw_serial_type hw_serial_types[];
extern const uint32_t hw_serial_type_count;
extern const struct hw_kryo_generic hw_kryo_generics[];
extern const uint16_t hw_kryo_classes[]; /* by registration id; HW_KRYO_UNKNOWN: no class */
extern const uint32_t hw_kryo_class_count;
extern const uint32_t hw_serial_constant_count; /* of all enums */

/* Returns the index of an object's class. hw_class_count or more: not a Java class. */
static inline uint32_t hw_serial_index(hw_ref object) {
    return hw_klass_of(hw_pointer(object))->id - HW_FIRST_CLASS_ID;
}

static inline bool hw_serial_accepts(uint32_t type, uint32_t class) {
    return hw_serial_types[type].accepts[class / 32] >> class % 32 & 1;
}

#endif
