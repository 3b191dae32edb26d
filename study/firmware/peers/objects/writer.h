/* What the writers share. Functions return false on an error, which `refuse` has stored.
 *
 * A stack of frames has the objects whose contents are being written. It lies in the codec's workspace, so that depth
 * takes workspace instead of calls. A codec's frame begins with a `struct frame` and has two states of its own, 0
 * and 1.
 */
#ifndef HW_PEERS_OBJECTS_WRITER_H
#define HW_PEERS_OBJECTS_WRITER_H

#include "classes.h"
#include "peers/objects/identity.h"

enum frame_state {
    FRAME_ELEMENTS = 2, /* of an array: `count` elements, the first at `at` */
    /* of a HashMap: `count` entries are left; `at` is the previous node or 0, `index` the next bucket */
    FRAME_KEY,
    FRAME_MAPPED, /* the value of node `at` comes next */
};

struct frame {
    hw_ref object, at;
    uint32_t index, count;
    uint16_t state;
    uint16_t own; /* for the codec's own use */
};

struct frames {
    uint8_t *first, *top, *limit; /* frames in [first, top) are open */
};

struct writer {
    uint8_t *at, *end;
    void *codec;
    struct identity *identity; /* the codec's */
    struct frames frames;
    enum hw_objects_status status;
};

static inline bool refuse(struct writer *writer, enum hw_objects_status status) {
    writer->status = status;
    return false;
}

static inline bool room(struct writer *writer, uint32_t bytes) {
    return LIKELY((uint32_t)(writer->end - writer->at) >= bytes) || refuse(writer, HW_OBJECTS_OUTPUT_FULL);
}

/* Returns the result at the end of the stream that began at `output`. */
static inline struct hw_objects_result writer_result(const struct writer *writer, const void *output) {
    uint32_t bytes = writer->status == HW_OBJECTS_OK ? (uint32_t)(writer->at - (const uint8_t *)output) : 0;

    return (struct hw_objects_result){writer->status, bytes};
}

/* Makes a stack of frames of `each` bytes in `bytes` bytes of memory. The functions below get the same `each`. */
static inline struct frames frames_in(void *memory, uint32_t bytes, uint32_t each) {
    return (struct frames){.first = memory, .top = memory, .limit = (uint8_t *)memory + bytes / each * each};
}

/* Returns a new innermost frame, not initialised; NULL if there is no room. */
static inline void *frames_push(struct frames *frames, uint32_t bytes) {
    uint8_t *top = frames->top;

    if (UNLIKELY(top == frames->limit)) return NULL;
    frames->top = top + bytes;
    return top;
}

static inline bool frames_empty(const struct frames *frames) { return frames->top == frames->first; }

/* Returns the innermost frame. There must be one. */
static inline void *frames_last(const struct frames *frames, uint32_t bytes) { return frames->top - bytes; }

static inline void frames_pop(struct frames *frames, uint32_t bytes) { frames->top -= bytes; }

/* Returns the next element. At least one must be left. */
static inline hw_ref frame_element(struct frame *frame) {
    hw_ref element = *(const hw_ref *)hw_pointer(frame->at);

    frame->at += sizeof(hw_ref);
    frame->count--;
    return element;
}

#define ELEMENTS HW_OBJECT_METADATA_ARRAY_ELEMENTS
#define AT(object, type, name) (*(const type *)hw_pointer((object) + HW_CLASS_##name))

/* Finds the key of the next entry, in the order of the table. Returns false if the map has fewer entries than its size
 * says. */
static inline bool frame_key(struct frame *frame, hw_ref *key) {
    hw_ref table = AT(frame->object, hw_ref, HashMap_table),
           node = frame->at ? AT(frame->at, hw_ref, HashMap_Node_next) : 0;
    const hw_ref *buckets = hw_pointer(table + HW_OBJECT_METADATA_ARRAY_ELEMENTS);
    uint32_t length = hw_array_length(table);

    while (!node) {
        if (UNLIKELY(frame->index == length)) return false;
        node = buckets[frame->index++];
    }
    frame->at = node;
    frame->state = FRAME_MAPPED;
    *key = AT(node, hw_ref, HashMap_Node_key);
    return true;
}

/* Returns the value of that entry. */
static inline hw_ref frame_mapped(struct frame *frame) {
    frame->state = FRAME_KEY;
    frame->count--;
    return AT(frame->at, hw_ref, HashMap_Node_value);
}

/* Checks that collections hold as many elements as their sizes say. Writers go by the size, and a collection may come
 * from a reader that does not check values, such as one that copies memory. The first returns whether an ArrayList's
 * array is long enough, the second whether a HashMap has a table: the walk through it finds out how many nodes there
 * are. */
static inline bool list_fits(hw_ref list) {
    uint32_t size = AT(list, hw_ref, ArrayList_size), array = AT(list, hw_ref, ArrayList_elementData);

    return size == 0 || (array != 0 && size <= hw_array_length(array));
}

static inline bool map_fits(hw_ref map) {
    return AT(map, hw_ref, HashMap_size) == 0 || AT(map, hw_ref, HashMap_table) != 0;
}

#endif
