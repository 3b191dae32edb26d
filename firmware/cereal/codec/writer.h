/* What the parts of the writer share. A function that can fail returns false after it has stored the error. */
#ifndef HW_CEREAL_CODEC_WRITER_H
#define HW_CEREAL_CODEC_WRITER_H

#include "cereal/codec/pack.h"
#include "units/status.h"

/* A queue of the objects that have a number but are not written yet, in the order of their numbers.
 *
 * The packed references grow upwards in the work area, the queue downwards. When the queue is empty it starts again at
 * the top, so that it stays in one cache line for a list.
 */
struct cereal_pending {
    hw_ref object;
    hw_ref class; /* address of its struct hw_cereal_class */
};

struct cereal_queue {
    struct cereal_pending *first; /* just above the next element to be taken */
    struct cereal_pending *last;  /* the element that was put last */
    struct cereal_pending *top;
};

static inline bool cereal_queue_empty(const struct cereal_queue *queue) { return queue->first == queue->last; }

/* Appends an object. There must be room. */
static inline void cereal_queue_put(struct cereal_queue *queue, hw_ref object, const struct hw_cereal_class *class) {
    *--queue->last = (struct cereal_pending){object, hw_reference(class)};
}

static inline struct cereal_pending cereal_queue_take(struct cereal_queue *queue) {
    struct cereal_pending taken = *--queue->first;

    if (queue->first == queue->last) queue->first = queue->last = queue->top;
    return taken;
}

/* Moves the elements of the queue to below `top`. */
void cereal_queue_move(struct cereal_queue *queue, struct cereal_pending *top);

/* Objects that another open serialization has claimed. This serialization keeps the relative addresses that it gave
 * them in a table of its own (Cereal, section V-E).
 *
 * The table lies at the end of the work area. To grow, it moves to a new table below; the memory of the old one is
 * given up.
 */
struct cereal_shared_entry {
    hw_ref object; /* 0: a free entry */
    uint32_t relative;
};

struct cereal_shared {
    struct cereal_shared_entry *entries; /* their number is a power of two */
    uint32_t size;                       /* 0: no table */
    uint32_t count;
};

#define CEREAL_SHARED_FIRST 16

static inline bool cereal_shared_full(const struct cereal_shared *shared) { return 2 * shared->count >= shared->size; }

static inline uint32_t cereal_shared_next_size(const struct cereal_shared *shared) {
    return shared->size ? 2 * shared->size : CEREAL_SHARED_FIRST;
}

/* Moves the table to `entries`, which has cereal_shared_next_size entries. */
void cereal_shared_grow(struct cereal_shared *shared, struct cereal_shared_entry *entries);

/* Returns the entry of the object, or the free one where it belongs. There must be a table. */
struct cereal_shared_entry *cereal_shared_entry(const struct cereal_shared *shared, hw_ref object);

struct cereal_writer {
    struct cereal_packer references; /* grow upwards from the work area's start; the packer's limit is not used */
    struct cereal_queue queue;       /* grows downwards from the work area's end, or from the table of shared objects */
    struct cereal_shared shared;
    uint32_t *values, *values_limit; /* of the output */
    uint32_t owner, oldest;          /* owner words: that of this serialization; the least that counts */
    uint32_t bound, span;            /* objects lie in [bound, bound + span) */
    uint32_t top;                    /* relative address of the next new object */
    uint32_t put;                    /* bytes of the objects whose values are already in the output */
    uint32_t objects;
    hw_status status;
    hw_ref fault;
};

static inline bool cereal_refuse(struct cereal_writer *writer, hw_status status, hw_ref object) {
    writer->status = status;
    writer->fault = object;
    return false;
}

/* Room for one more pending object and one more item of 4 buckets, with their end maps. */
#define CEREAL_STEP (sizeof(struct cereal_pending) + 2 * HW_CEREAL_PACKET_BYTES)

static inline uint32_t cereal_free(const struct cereal_writer *writer) {
    return (uint32_t)((const uint8_t *)writer->queue.last - writer->references.packet);
}

/* Makes room of CEREAL_STEP by moving the queue up. */
bool cereal_make_room(struct cereal_writer *writer, hw_ref object);

/* In place of a relative address: the call failed. */
#define CEREAL_NOWHERE UINT32_MAX

static inline uint32_t cereal_refuse_number(struct cereal_writer *writer, hw_status status, hw_ref object) {
    cereal_refuse(writer, status, object);
    return CEREAL_NOWHERE;
}

/* Returns the bytes of the object, all within the bounds; 0 if they are not. */
static inline uint32_t cereal_extent(const struct cereal_writer *writer, hw_ref object,
                                     const struct hw_cereal_class *class) {
    uint32_t room = writer->span - (object - writer->bound);

    if (class->size) return class->size <= room ? class->size : 0;
    if (room < HW_OBJECT_METADATA_ARRAY_ELEMENTS) return 0;
    uint32_t length = hw_array_length(object);

    if (length > (room - HW_OBJECT_METADATA_ARRAY_ELEMENTS) >> class->shift) return 0;
    uint32_t bytes = hw_object_round(HW_OBJECT_METADATA_ARRAY_ELEMENTS + (length << class->shift));

    return bytes <= room ? bytes : 0;
}

/* Numbers an object that has no number yet: claims it and puts it into the queue. If another serialization has claimed
 * the object, the claim stays. Returns the object's relative address. */
uint32_t cereal_number(struct cereal_writer *writer, hw_ref object, const struct hw_cereal_class *class,
                       uint32_t *metadata);

/* Returns the relative address of a reference's target, which it numbers if necessary. An owner word of this
 * serialization with an address that it cannot have given is an error. */
static inline __attribute__((always_inline)) uint32_t cereal_reach(struct cereal_writer *writer, hw_ref reference) {
    uint32_t *object = hw_pointer(reference);
    const struct hw_cereal_class *class;

    if (__builtin_expect(reference % HW_OBJECT_ALIGNMENT != 0 || reference - writer->bound > writer->span - 16, 0))
        return cereal_refuse_number(writer, HW_STATUS_BAD_OBJECT, reference);
    class = hw_cereal_find(object[1]);
    if (__builtin_expect(!class, 0)) return cereal_refuse_number(writer, HW_STATUS_UNREGISTERED_CLASS, reference);
    uint32_t *metadata = object + (class->size ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY) / 4;

    if (*(volatile uint32_t *)metadata == writer->owner) {
        uint32_t relative = metadata[1];

        if (__builtin_expect(relative >= writer->top || relative % HW_OBJECT_ALIGNMENT != 0, 0))
            return cereal_refuse_number(writer, HW_STATUS_BAD_OBJECT, reference);
        return relative;
    }
    return cereal_number(writer, reference, class, metadata);
}

#endif
