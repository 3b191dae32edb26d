/* Kryo 5 with registered classes, over objects of the managed heap (study/docs/peers.md). There are two variants:
 *
 * - generic: what a Kryo with default settings and references enabled writes by writeClassAndObject for the classes of
 *   the tables, each registered under its `kryo_id`: FieldSerializer, CollectionSerializer, MapSerializer and so on;
 * - manual: serializers as a programmer writes them for known classes, with Kryo's Output and Input but without
 *   reflection. Only GraphNode, whose objects may be met twice, has reference ids. study/java/peers, ManualSerializers,
 *   has the same in Java. Roots: MediaContent, TreeNode, ListNode, GraphNode, Spark's records and the records that
 *   programs and queries shuffle; one of them, or an array. Trees and lists must be trees and lists: a shared object is
 *   written twice.
 */
#ifndef HW_PEERS_KRYO_KRYO_H
#define HW_PEERS_KRYO_KRYO_H

#include "peers/objects/identity.h"
#include "runtime/heap/heap.h"

/* Kept from one stream to the next. One stream at a time may be under way. */
struct hw_kryo {
    struct identity identity;
    struct hw_root_range objects; /* objects that have been read, by reference id */
    uint32_t object_limit;
    /* keys and values that wait for their map, and other objects that no other root leads to */
    struct hw_root_range held;
    uint32_t held_limit;
    void *frames;
    uint32_t frame_bytes;
};

/* Makes a codec in `bytes` bytes of memory outside the heap, aligned to 8: three eighths for frames, an eighth for the
 * objects of a stream that is read (4 bytes each), a half for those of a stream that is written (24 to 48 bytes each,
 * since tables double). Returns false if the memory is too small. Call it after hw_classes_init, and after
 * hw_enums_init if a stream has an enum. */
bool hw_kryo_open(struct hw_kryo *codec, void *workspace, uint32_t bytes);

/* Like hw_java_write and hw_java_read. */
struct hw_objects_result hw_kryo_write(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity);
struct hw_objects_result hw_kryo_read(struct hw_kryo *codec, const void *input, uint32_t length, hw_handle *root);

/* Like hw_kryo_write and hw_kryo_read, by the manual variant, with the same registration ids. */
struct hw_objects_result hw_kryo_manual_write(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity);
struct hw_objects_result hw_kryo_manual_read(struct hw_kryo *codec, const void *input, uint32_t length,
                                             hw_handle *root);

#endif
