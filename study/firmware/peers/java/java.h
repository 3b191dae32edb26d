/* Java serialization: the protocol of java.io.ObjectOutputStream, stream version 5, over objects of the managed heap
 * (study/docs/peers.md).
 *
 * A stream holds one object and its graph. Deep graphs take workspace, not stack: frames and the table of objects lie
 * in the memory that the codec is given.
 */
#ifndef HW_PEERS_JAVA_JAVA_H
#define HW_PEERS_JAVA_JAVA_H

#include "peers/objects/identity.h"
#include "runtime/heap/heap.h"

struct java_write_frame;
struct java_read_frame;

/* Kept from one stream to the next. One stream at a time may be under way. */
struct hw_java {
    struct identity identity;
    uint32_t *class_numbers; /* numbers of classes in the stream under way */
    uint32_t *type_numbers;  /* numbers of types in the stream under way */
    uint16_t *by_name;       /* a hash table of classes, over their descriptors */
    uint32_t by_name_mask;
    struct hw_root_range objects; /* by handle: an object, or a mark for a class descriptor or the name of a type */
    uint32_t object_limit;
    void *frames;
    uint32_t frame_bytes;
};

/* Makes a codec in `bytes` bytes of memory outside the heap, aligned to 8. After some KB of tables, a quarter of the
 * memory is for frames, an eighth for the objects of a stream that is read (4 bytes each), and the rest for those of a
 * stream that is written (24 to 48 bytes each, since tables double). Returns false if the memory is too small. Call it
 * after hw_classes_init, and after hw_enums_init if a stream has an enum. */
bool hw_java_open(struct hw_java *codec, void *workspace, uint32_t bytes);

/* Writes the graph of `root` (NULL: a null) as one stream. Fields must hold objects of their declared types, as a
 * program or the reader stores them. Readers that do not check classes and values (of Cereal's format, of memory
 * images) do not guarantee this. No object moves meanwhile: not a safepoint. */
struct hw_objects_result hw_java_write(struct hw_java *codec, hw_handle root, void *output, uint32_t capacity);

/* Reads one stream. `*root` is a local handle; NULL for a null and on an error. The input must not move. A
 * safepoint. */
struct hw_objects_result hw_java_read(struct hw_java *codec, const void *input, uint32_t length, hw_handle *root);

#endif
