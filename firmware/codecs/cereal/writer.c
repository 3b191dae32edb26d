#include "codecs/cereal/writer.h"

#include "codecs/cereal/format.h"
#include "runtime/heap/epoch.h"

/* Closing up moves what is pending: only where it gains a good part of that. */
#define LEAST_GAIN 4

bool cereal_make_room(struct cereal_writer *writer, hw_ref object)
{
    struct cereal_queue *queue = &writer->queue;

    if ((queue->top - queue->first) >= (queue->first - queue->last) / LEAST_GAIN)
        cereal_queue_move(queue, queue->top);
    return cereal_free(writer) >= CEREAL_STEP || cereal_refuse(writer, HW_STATUS_WORK_FULL, object);
}

/* Bytes of the object, all within the bounds; 0: they are not. */
static uint32_t extent(const struct cereal_writer *writer, hw_ref object, const struct hw_cereal_class *class)
{
    uint32_t room = writer->span - (object - writer->bound);

    if (class->size)
        return class->size <= room ? class->size : 0;
    if (room < HW_OBJECT_METADATA_ARRAY_ELEMENTS)
        return 0;
    uint32_t length = hw_array_length(object);

    if (length > (room - HW_OBJECT_METADATA_ARRAY_ELEMENTS) >> class->shift)
        return 0;
    uint32_t bytes = hw_object_round(HW_OBJECT_METADATA_ARRAY_ELEMENTS + (length << class->shift));

    return bytes <= room ? bytes : 0;
}

static bool grow_shared(struct cereal_writer *writer, hw_ref object)
{
    uint32_t bytes = cereal_shared_next_size(&writer->shared) * (uint32_t)sizeof(struct cereal_shared_entry);

    if (cereal_free(writer) < bytes + CEREAL_STEP)
        cereal_queue_move(&writer->queue, writer->queue.top);
    if (cereal_free(writer) < bytes + CEREAL_STEP)
        return cereal_refuse(writer, HW_STATUS_WORK_FULL, object);
    struct cereal_pending *top = writer->queue.top - bytes / sizeof(struct cereal_pending);

    cereal_queue_move(&writer->queue, top);
    cereal_shared_grow(&writer->shared, (struct cereal_shared_entry *)(void *)top);
    return true;
}

/* Notes the relative address of an object that cannot be marked. */
static bool note(struct cereal_writer *writer, hw_ref object, uint32_t relative)
{
    if (cereal_shared_full(&writer->shared) && !grow_shared(writer, object))
        return false;
    *cereal_shared_entry(&writer->shared, object) = (struct cereal_shared_entry){object, relative};
    writer->shared.count++;
    return true;
}

/* An object that was another's when it was met is in the table, whoever has it now. */
static bool noted(const struct cereal_writer *writer, hw_ref object, uint32_t *relative)
{
    if (__builtin_expect(writer->shared.count == 0, 1))
        return false;
    const struct cereal_shared_entry *entry = cereal_shared_entry(&writer->shared, object);

    *relative = entry->relative;
    return entry->object != 0;
}

bool cereal_number(struct cereal_writer *writer, hw_ref object, const struct hw_cereal_class *class, uint32_t *metadata,
                   uint32_t *relative)
{
    uint32_t top = writer->top, bytes;

    if (noted(writer, object, relative))
        return true;
    bytes = extent(writer, object, class);
    if (__builtin_expect(bytes == 0, 0))
        return cereal_refuse(writer, HW_STATUS_BAD_OBJECT, object);
    if (__builtin_expect(bytes >= CEREAL_GRAPH_LIMIT - top, 0))
        return cereal_refuse(writer, HW_STATUS_OUTPUT_FULL, object);
    if (__builtin_expect(cereal_free(writer) < CEREAL_STEP, 0) && !cereal_make_room(writer, object))
        return false;
    if (__builtin_expect(hw_epoch_take(metadata, writer->owner, writer->oldest), 1))
        metadata[1] = top;
    else if (!note(writer, object, top))
        return false;
    cereal_queue_put(&writer->queue, object, class->id);
    writer->top = top + bytes;
    writer->objects++;
    *relative = top;
    return true;
}
