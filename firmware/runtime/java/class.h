/* Java classes at run time: what serializers need to know of a class beyond its klass.
 *
 * The tables are generated from class files (host/java, docs/reference/classes.md). classes.h, generated beside them,
 * names every class (`HW_CLASS_Media`, for hw_new) and field offset (`HW_CLASS_Media_width`).
 */
#ifndef HW_RUNTIME_JAVA_CLASS_H
#define HW_RUNTIME_JAVA_CLASS_H

#include <stdbool.h>

#include "runtime/klass.h"
#include "runtime/thread.h"
#include "runtime/java/serial.h"

/* An instance field that the class itself declares. */
struct hw_class_field {
    const char *name;
    const char *descriptor; /* type descriptor, as in class files: "I", "[B", "Ljava/lang/String;" */
    uint32_t offset;
    uint32_t modifiers; /* HW_FIELD_* */
};

#define HW_FIELD_TRANSIENT 1

struct hw_class {
    const char *name;                    /* as Class.getName returns it: "java.util.HashMap$Node", "[I" */
    const struct hw_class *super;        /* NULL: java.lang.Object */
    const struct hw_class_field *fields; /* in the order of declaration */
    uint32_t field_count;
    uint32_t constant_count;
    const char *const *constants; /* names of an enum's constants, by ordinal */
    const uint32_t *bitmap;       /* long reference bitmap, or NULL */
    int64_t serial_version_uid;   /* as java.io.ObjectStreamClass computes it */
    uint32_t flags;               /* HW_JAVA_* */
};

#define HW_JAVA_SERIALIZABLE 1
#define HW_JAVA_EXTERNALIZABLE 2
#define HW_JAVA_ENUM 4
#define HW_JAVA_ABSTRACT 8

/* The classes in the order of their ids; generated. Klasses are immutable after hw_classes_init. Each klass lies in one
 * line of the core's data cache. */
extern struct hw_klass hw_java_klasses[] __attribute__((aligned(32)));
extern const struct hw_class hw_classes[];
extern const uint32_t hw_class_count;
extern const uint16_t hw_classes_by_name[]; /* indices into hw_classes, in the order of strcmp on the names */

/* Fills in the references of klasses. Call it once, before the first object is made. */
void hw_classes_init(void);

/* Returns the class with this name (in Class.getName's form), or NULL. Takes time logarithmic in the number of
 * classes. */
const struct hw_class *hw_class_find(const char *name);

/* Returns the Java class of a klass; NULL for other klasses (messages, byte strings, lists of repeated fields). */
const struct hw_class *hw_class_of(const struct hw_klass *klass);

const struct hw_klass *hw_class_klass(const struct hw_class *class);

/* Constants of enums. Each is one object per heap, so that every reader gets the same object.
 *
 * Their fields beyond name and ordinal are zero, because nothing runs the constructors. A constant with a body is an
 * object of the enum class itself here.
 */

/* Makes the constants of all enums of the tables. Call it after hw_heap_init and hw_classes_init. A global handle keeps
 * the constants alive. Returns false with an error if there is no room. */
bool hw_enums_init(void);

extern hw_handle hw_enums;

/* Returns a constant by its place among those of all enums (first_constant + ordinal). Valid until the next
 * safepoint. */
static inline hw_ref hw_enum_constant(uint32_t place) {
    return ((const hw_ref *)((const char *)hw_handle_object(hw_enums) + HW_OBJECT_METADATA_ARRAY_ELEMENTS))[place];
}

#endif
