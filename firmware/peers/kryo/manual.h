/* Kryo 5 by hand: serializers as one writes them for known classes, with Kryo's Output and Input but without reflection, and
 * with reference ids only where an object may be met twice, in GraphNode. The same in Java: host/java/peers, ManualSerializers.
 *
 * Roots: MediaContent, TreeNode, ListNode, GraphNode, Spark's records and those that programs shuffle, one or an array of them. Trees and lists must be
 * trees and lists: what is shared is written twice.
 */
#ifndef HW_PEERS_KRYO_MANUAL_H
#define HW_PEERS_KRYO_MANUAL_H

#include "peers/kryo/kryo.h"

/* As hw_kryo_write and hw_kryo_read, with the same registration ids. */
struct hw_objects_result hw_kryo_manual_write(struct hw_kryo *codec, hw_handle root, void *output, uint32_t capacity);
struct hw_objects_result hw_kryo_manual_read(struct hw_kryo *codec, const void *input, uint32_t length, hw_handle *root);

#endif
