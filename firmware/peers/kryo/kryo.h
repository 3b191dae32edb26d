/* Kryo 5, registered classes, over objects of the managed heap (docs/peers.md). Two ways to use it:
 *
 * - generic: as a Kryo with its default settings and references on serializes the classes of the tables, each registered under its
 *   `kryo_id`: FieldSerializer, CollectionSerializer, MapSerializer and so on, by writeClassAndObject.
 * - manual (manual.h): serializers written by hand for the classes of the benchmarks.
 */
#ifndef HW_PEERS_KRYO_KRYO_H
#define HW_PEERS_KRYO_KRYO_H

#include "peers/objects/identity.h"
#include "runtime/handle.h"
#include "runtime/heap/root.h"

/* Kept from one stream to the next; one at a time may be under way. */
struct hw_kryo {
    struct identity identity;
    struct hw_root_range objects; /* that have been read, by reference id */
    uint32_t object_limit;
    struct hw_root_range held;    /* keys and values that wait for their map, and what else no other root leads to */
    uint32_t held_limit;
    void *frames;
    uint32_t frame_bytes;
};

/* Makes a codec in `bytes` bytes of memory outside the heap, aligned to 8: three eighths for frames, an eighth for the
 * objects of a stream that is read (4 bytes each), a half for those of one that is written (24 to 48 bytes each, since tables
 * double). False: too small. After hw_classes_init, and hw_enums_init if a stream has an enum. */
bool hw_kryo_init(struct hw_kryo *codec, void *workspace, uint32_t bytes);

/* Writes what `root` refers to (NULL: a null). Fields must hold what they are declared with: what a program or a reader of this kind
 * made, but not unseen what a reader brings that does not look at classes and values (of Cereal's format, of memory images).
 * Nothing moves meanwhile: not a safepoint. */
struct hw_objects_result hw_kryo_write(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity);

/* Reads a class and object; `*root` is a local handle, or NULL for a null and on an error. The input must not move. A safepoint. */
struct hw_objects_result hw_kryo_read(struct hw_kryo *codec, const void *input, uint32_t length, hw_handle *root);

#endif
