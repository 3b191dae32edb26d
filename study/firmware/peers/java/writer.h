/* What the parts of the writer share (peers/objects/writer.h). */
#ifndef HW_PEERS_JAVA_WRITER_H
#define HW_PEERS_JAVA_WRITER_H

#include "peers/java/java.h"
#include "peers/java/protocol.h"
#include "peers/objects/writer.h"

enum write_state {
    WRITE_FIELDS, /* references of a level, the next one at `index` */
    WRITE_LIST,   /* elements of an ArrayList; the level ends with them */
};

/* An object whose contents are being written; `own` is the index of its next level. */
struct java_write_frame {
    struct frame frame;
    const struct hw_serial_class *class;
    const struct hw_serial_class *level; /* the Serializable class whose fields come next */
};

/* Writes the class descriptor of an object and those of its superclasses, or a reference to it. */
bool java_write_descriptor(struct writer *writer, uint32_t class);

/* Writes a string that has not been written; `entry` is the entry for its number. */
bool java_write_string(struct writer *writer, hw_ref string, struct identity_entry *entry);

/* Writes the elements of an array of a primitive type. */
bool java_write_primitives(struct writer *writer, const struct hw_serial_class *class, const struct hw_array *array);

#endif
