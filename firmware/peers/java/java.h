/* Java serialization: the protocol of java.io.ObjectOutputStream, version 5 of its stream, over objects of the managed heap
 * (docs/peers.md).
 *
 * A stream holds one object and what it refers to. Depth costs workspace, not stack: a graph's
 * frames and the table of its objects lie in the memory that the codec is given.
 */
#ifndef HW_PEERS_JAVA_JAVA_H
#define HW_PEERS_JAVA_JAVA_H

#include "peers/objects/identity.h"
#include "runtime/handle.h"
#include "runtime/heap/root.h"

struct java_write_frame;
struct java_read_frame;

/* Kept from one stream to the next; one at a time may be under way. */
struct hw_java {
    struct identity identity;
    uint32_t *class_numbers;       /* numbers of the stream under way, by class ... */
    uint32_t *type_numbers;        /* ... and by type */
    uint16_t *by_name;             /* classes, by the hash of their descriptors */
    uint32_t by_name_mask;
    struct hw_root_range objects;  /* by handle: an object, or a mark for a descriptor or a type's name */
    uint32_t object_limit;
    void *frames;
    uint32_t frame_bytes;
};

/* Makes a codec in `bytes` bytes of memory outside the heap, aligned to 8. Of what is left beside some KB for tables a quarter
 * is for frames, an eighth for the objects of a stream that is read (4 bytes each), the rest for those of one that is written (24 to
 * 48 bytes each, since tables double). False: too small. After hw_classes_init, and hw_enums_init if a stream has an enum. */
bool hw_java_init(struct hw_java *codec, void *workspace, uint32_t bytes);

/* Writes what `root` refers to (NULL: a null). Fields must hold what they are declared with: what a program or a reader of this kind
 * made, but not unseen what a reader brings that does not look at classes and values (of Cereal's format, of memory images).
 * Nothing moves meanwhile: not a safepoint. */
struct hw_objects_result hw_java_write(struct hw_java *codec, hw_handle root, void *output, uint32_t capacity);

/* Reads one stream; `*root` is a local handle, or NULL for a null and on an error. The input must not move. A safepoint. */
struct hw_objects_result hw_java_read(struct hw_java *codec, const void *input, uint32_t length, hw_handle *root);

#endif
