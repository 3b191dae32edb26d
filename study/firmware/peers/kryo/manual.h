/* Kryo 5 by hand: serializers as a programmer writes them for known classes, with Kryo's Output and Input but without
 * reflection. Only GraphNode, whose objects may be met twice, has reference ids. study/java/peers, ManualSerializers,
 * has the same in Java.
 *
 * Roots: MediaContent, TreeNode, ListNode, GraphNode, Spark's records and the records that programs and queries
 * shuffle; one of them, or an array. Trees and lists must be trees and lists: a shared object is written twice.
 */
#ifndef HW_PEERS_KRYO_MANUAL_H
#define HW_PEERS_KRYO_MANUAL_H

#include "peers/kryo/kryo.h"

/* Like hw_kryo_write and hw_kryo_read, with the same registration ids. */
struct hw_objects_result hw_kryo_manual_write(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity);
struct hw_objects_result hw_kryo_manual_read(struct hw_kryo *codec, const void *input, uint32_t length,
                                             hw_handle *root);

#endif
