/* What the hand-written serializers share: their functions, one per class. */
#ifndef HW_PEERS_KRYO_MANUAL_PARTS_H
#define HW_PEERS_KRYO_MANUAL_PARTS_H

#include "classes.h"
#include "peers/kryo/reader.h"
#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"

#define MANUAL_ELEMENTS HW_OBJECT_METADATA_ARRAY_ELEMENTS
#define AT(object, type, name) (*(type *)hw_pointer((object) + HW_CLASS_##name))

struct writer;

/* Writes an object that is not null. */
typedef bool manual_write(struct writer *writer, hw_ref object);

/* Reads an object into the last held root. */
typedef bool manual_read(struct reader *reader, uint32_t held);

bool kryo_write_tree(struct writer *writer, hw_ref root);
bool kryo_write_nodes(struct writer *writer, hw_ref root);
bool kryo_write_graph(struct writer *writer, hw_ref root);
bool kryo_read_tree(struct reader *reader, uint32_t held);
bool kryo_read_nodes(struct reader *reader, uint32_t held);
bool kryo_read_graph(struct reader *reader, uint32_t held);

/* What queries shuffle. */
manual_write kryo_write_line_item, kryo_write_order, kryo_write_customer, kryo_write_part, kryo_write_supplier,
    kryo_write_part_supplier, kryo_write_offer, kryo_write_order_revenue, kryo_write_customer_revenue, kryo_write_sum;
manual_read kryo_read_line_item, kryo_read_order, kryo_read_customer, kryo_read_part, kryo_read_supplier,
    kryo_read_part_supplier, kryo_read_offer, kryo_read_order_revenue, kryo_read_customer_revenue, kryo_read_sum;

static inline hw_ref held_at(struct reader *reader, uint32_t held) { return reader->codec->held.base[held]; }

/* Make a new object, or array, in a held root. */
static inline bool new_object(struct reader *reader, const struct hw_klass *klass, uint32_t held) {
    return LIKELY((reader->codec->held.base[held] = hw_allocate(klass)) != 0) || fail(reader, HW_OBJECTS_NO_MEMORY);
}

static inline bool new_array(struct reader *reader, const struct hw_klass *klass, uint32_t length, uint32_t held) {
    return LIKELY((reader->codec->held.base[held] = hw_allocate_array(klass, length)) != 0) ||
           fail(reader, HW_OBJECTS_NO_MEMORY);
}

static inline void store(struct reader *reader, uint32_t held, uint32_t offset, uint32_t value) {
    hw_write(hw_pointer(held_at(reader, held) + offset), held_at(reader, value));
}

static inline void release(struct reader *reader, uint32_t held) { reader->codec->held.count = held; }

#endif
