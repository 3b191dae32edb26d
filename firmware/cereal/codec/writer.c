#include "cereal/codec/writer.h"

#include <string.h>

#include "runtime/heap/epoch.h"

void cereal_queue_move(struct cereal_queue *queue, struct cereal_pending *top) {
    size_t count = (size_t)(queue->first - queue->last);

    memmove(top - count, queue->last, count * sizeof *top);
    queue->first = queue->top = top;
    queue->last = top - count;
}

struct cereal_shared_entry *cereal_shared_entry(const struct cereal_shared *shared, hw_ref object) {
    uint32_t mask = shared->size - 1, at = (object / HW_OBJECT_ALIGNMENT ^ object >> 12) & mask;

    while (shared->entries[at].object != 0 && shared->entries[at].object != object) at = (at + 1) & mask;
    return &shared->entries[at];
}

void cereal_shared_grow(struct cereal_shared *shared, struct cereal_shared_entry *entries) {
    struct cereal_shared grown = {.entries = entries, .size = cereal_shared_next_size(shared), .count = shared->count};

    memset(entries, 0, grown.size * sizeof *entries);
    for (uint32_t i = 0; i < shared->size; i++)
        if (shared->entries[i].object) *cereal_shared_entry(&grown, shared->entries[i].object) = shared->entries[i];
    *shared = grown;
}

/* Moving the queue up costs time for each pending object, so it must gain at least this fraction (1 / LEAST_GAIN) of
 * them. */
#define LEAST_GAIN 4

bool cereal_make_room(struct cereal_writer *writer, hw_ref object) {
    struct cereal_queue *queue = &writer->queue;

    if ((queue->top - queue->first) >= (queue->first - queue->last) / LEAST_GAIN) cereal_queue_move(queue, queue->top);
    return cereal_free(writer) >= CEREAL_STEP || cereal_refuse(writer, HW_STATUS_WORK_FULL, object);
}

static bool grow_shared(struct cereal_writer *writer, hw_ref object) {
    uint32_t bytes = cereal_shared_next_size(&writer->shared) * (uint32_t)sizeof(struct cereal_shared_entry);

    if (cereal_free(writer) < bytes + CEREAL_STEP) cereal_queue_move(&writer->queue, writer->queue.top);
    if (cereal_free(writer) < bytes + CEREAL_STEP) return cereal_refuse(writer, HW_STATUS_WORK_FULL, object);
    struct cereal_pending *top = writer->queue.top - bytes / sizeof(struct cereal_pending);

    cereal_queue_move(&writer->queue, top);
    cereal_shared_grow(&writer->shared, (struct cereal_shared_entry *)(void *)top);
    return true;
}

/* Stores the relative address of an object that cannot be claimed. */
static bool note(struct cereal_writer *writer, hw_ref object, uint32_t relative) {
    if (cereal_shared_full(&writer->shared) && !grow_shared(writer, object)) return false;
    *cereal_shared_entry(&writer->shared, object) = (struct cereal_shared_entry){object, relative};
    writer->shared.count++;
    return true;
}

/* An object that another serialization had claimed when it was first met stays in the table, whoever has claimed it
 * now. */
static bool noted(const struct cereal_writer *writer, hw_ref object, uint32_t *relative) {
    if (__builtin_expect(writer->shared.count == 0, 1)) return false;
    const struct cereal_shared_entry *entry = cereal_shared_entry(&writer->shared, object);

    *relative = entry->relative;
    return entry->object != 0;
}

static inline uint32_t enqueue(struct cereal_writer *writer, hw_ref object, const struct hw_cereal_class *class,
                               uint32_t bytes) {
    uint32_t top = writer->top;

    cereal_queue_put(&writer->queue, object, class);
    writer->top = top + bytes;
    writer->objects++;
    return top;
}

/* Handles all uncommon cases. */
static __attribute__((noinline)) uint32_t number_slowly(struct cereal_writer *writer, hw_ref object,
                                                        const struct hw_cereal_class *class, uint32_t *metadata) {
    uint32_t top = writer->top, bytes, relative;

    if (noted(writer, object, &relative)) return relative;
    bytes = cereal_extent(writer, object, class);
    if (bytes == 0) return cereal_refuse_number(writer, HW_STATUS_BAD_OBJECT, object);
    if (bytes >= HW_CEREAL_GRAPH_LIMIT - top) return cereal_refuse_number(writer, HW_STATUS_OUTPUT_FULL, object);
    if (cereal_free(writer) < CEREAL_STEP && !cereal_make_room(writer, object)) return CEREAL_NOWHERE;
    if (!hw_epoch_take(metadata, writer->owner, writer->oldest, top) && !note(writer, object, top))
        return CEREAL_NOWHERE;
    return enqueue(writer, object, class, bytes);
}

/* The common path calls nothing, so it needs no stack frame. */
uint32_t cereal_number(struct cereal_writer *writer, hw_ref object, const struct hw_cereal_class *class,
                       uint32_t *metadata) {
    uint32_t bytes = cereal_extent(writer, object, class), found = *(volatile uint32_t *)metadata;

    if (__builtin_expect(bytes - 1 >= HW_CEREAL_GRAPH_LIMIT - 1 - writer->top, 0) || /* 0 (out of bounds) or too many */
        __builtin_expect(writer->shared.count != 0 || cereal_free(writer) < CEREAL_STEP, 0) ||
        __builtin_expect(found >= writer->oldest, 0) || !hw_epoch_swap(metadata, &found, writer->owner, writer->top))
        return number_slowly(writer, object, class, metadata);
    return enqueue(writer, object, class, bytes);
}
