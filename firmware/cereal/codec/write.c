#include "cereal/codec/codec.h"

#include <string.h>

#include "cereal/codec/writer.h"
#include "runtime/heap/epoch.h"

/* Appends the reference of a slot. Numbers the target if it has no number yet. */
static inline __attribute__((always_inline)) bool put_reference(struct cereal_writer *writer, hw_ref reference) {
    uint32_t number = 0;

    if (__builtin_expect(cereal_free(writer) < CEREAL_STEP, 0) && !cereal_make_room(writer, reference)) return false;
    if (reference != 0) {
        uint32_t relative = cereal_reach(writer, reference);

        if (__builtin_expect(relative == CEREAL_NOWHERE, 0)) return false;
        number = relative / HW_CEREAL_GRANULE + 1;
    }
    cereal_put_number(&writer->references, number);
    return true;
}

static inline bool values_room(const struct cereal_writer *writer, uint32_t words) {
    return __builtin_expect((size_t)(writer->values_limit - writer->values) >= words, 1);
}

/* Writes `count` slots from `slot` on. Bits of `references` tell which of them hold references. */
static inline __attribute__((always_inline)) bool put_slots(struct cereal_writer *writer, const uint32_t *slot,
                                                            uint32_t count, uint32_t references) {
    uint32_t *value = writer->values;

    for (; references; references >>= 1, slot++, count--) {
        if (!(references & 1)) {
            *value++ = *slot;
            continue;
        }
        if (!put_reference(writer, *slot)) return false;
    }
    for (; count; count--) *value++ = *slot++;
    writer->values = value;
    return true;
}

/* Rare, and kept away from the loops: see `finish`. */
static __attribute__((noinline)) bool put_long_instance(struct cereal_writer *writer, const uint32_t *slot,
                                                        const struct hw_cereal_class *class) {
    for (uint32_t i = 0; i < class->slots; i += 32)
        if (!put_slots(writer, slot + i, class->slots - i < 32 ? class->slots - i : 32,
                       cereal_references(class, i / 32)))
            return false;
    return true;
}

static bool put_elements(struct cereal_writer *writer, hw_ref object, const struct hw_cereal_class *class,
                         uint32_t length) {
    const uint32_t *slot = hw_pointer(object + HW_OBJECT_METADATA_ARRAY_ELEMENTS);
    uint32_t bytes = length << class->shift, slots = cereal_element_slots(bytes);

    if (class->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
        for (uint32_t i = 0; i < length; i++)
            if (!put_reference(writer, slot[i])) return false;
        if (length % 2) *writer->values++ = 0;
        return true;
    }
    memcpy(writer->values, slot, bytes);
    memset((char *)writer->values + bytes, 0, 4 * slots - bytes);
    writer->values += slots;
    return true;
}

static inline bool put_object(struct cereal_writer *writer, hw_ref object, const struct hw_cereal_class *class,
                              bool strip) {
    const uint32_t *word = hw_pointer(object);
    uint32_t length = class->size ? 0 : word[HW_OBJECT_ARRAY_LENGTH / 4], bytes = cereal_extent(writer, object, class);

    /* The extent was sound when the object was numbered. But if objects overlap, claiming another object may have
     * overwritten the length since. */
    if (bytes == 0) return cereal_refuse(writer, HW_STATUS_BAD_OBJECT, object);
    writer->put += bytes;
    if (!values_room(writer, cereal_value_slots(class, length) + 3))
        return cereal_refuse(writer, HW_STATUS_OUTPUT_FULL, object);
    if (!strip) *writer->values++ = (word[HW_OBJECT_MARK / 4] & ~HW_CEREAL_MARK_MASK) | HW_CEREAL_MARK;
    *writer->values++ = class->id;
    if (class->size && class->slots <= 32)
        return put_slots(writer, word + HW_CEREAL_INSTANCE_HEADER, class->slots, class->references);
    if (class->size) return put_long_instance(writer, word + HW_CEREAL_INSTANCE_HEADER, class);
    *writer->values++ = length;
    return put_elements(writer, object, class, length);
}

/* Writes the layouts, by the class ids and lengths among the values, which are still in the output. */
static bool put_layouts(struct cereal_packer *packer, const uint32_t *value, uint32_t objects, bool strip) {
    for (; objects; objects--) {
        value += strip ? 0 : 1;
        const struct hw_cereal_class *class = &hw_cereal_classes[*value++];
        uint32_t length = class->size ? 0 : *value++;

        if (!cereal_put_layout(packer, class, length)) return false;
        value += cereal_value_slots(class, length);
    }
    return true;
}

/* Writes what follows the values, and the header. It is kept away from the loops, so that they and their callees have
 * the instruction cache to themselves. */
static __attribute__((noinline)) bool finish(struct cereal_writer *writer, const struct cereal_writing *writing,
                                             bool strip, uint32_t *length) {
    uint8_t *output = writing->output, *limit = output + writing->output_bytes;
    uint32_t *first = (uint32_t *)(void *)(output + sizeof(struct cereal_header));
    uint32_t used = (uint32_t)((uint8_t *)writer->values - output), values = cereal_round(used);
    bool room;

    if (writer->put != writer->top) return cereal_refuse(writer, HW_STATUS_BAD_OBJECT, writing->object);
    /* Includes the zeros behind them. CEREAL_STEP has kept more room than that. */
    writer->references.limit = (uint8_t *)writing->work + writing->work_bytes;
    uint32_t references = cereal_pack_end(&writer->references, writing->work, &room);

    if (!room) return cereal_refuse(writer, HW_STATUS_WORK_FULL, 0);
    if ((uint32_t)(limit - output) < values || (uint32_t)(limit - output) - values < references)
        return cereal_refuse(writer, HW_STATUS_OUTPUT_FULL, 0);
    memset(output + used, 0, values - used);
    memcpy(output + values, writing->work, references);

    uint8_t *start = output + values + references;
    struct cereal_packer packer = cereal_pack_begin(start, limit);
    uint32_t layouts = 0;

    room = put_layouts(&packer, first, writer->objects, strip);
    if (room) layouts = cereal_pack_end(&packer, start, &room);
    if (!room) return cereal_refuse(writer, HW_STATUS_OUTPUT_FULL, 0);
    *(struct cereal_header *)writing->output = (struct cereal_header){
        .magic = HW_CEREAL_MAGIC,
        .version = HW_CEREAL_VERSION,
        .flags = strip ? HW_CEREAL_FLAG_STRIP : 0,
        .class_set = hw_cereal_set.fingerprint,
        .objects = writer->objects,
        .graph = writer->top,
        .values = values - (uint32_t)sizeof(struct cereal_header),
        .references = references,
        .layouts = layouts,
    };
    *length = values + references + layouts;
    return true;
}

static bool put_graph(struct cereal_writer *writer, const struct cereal_writing *writing, bool strip,
                      uint32_t *length) {
    if (cereal_reach(writer, writing->object) == CEREAL_NOWHERE) return false;
    while (!cereal_queue_empty(&writer->queue)) {
        struct cereal_pending next = cereal_queue_take(&writer->queue);

        if (!put_object(writer, next.object, hw_pointer(next.class), strip)) return false;
    }
    return finish(writer, writing, strip, length);
}

struct cereal_written cereal_write(const struct cereal_writing *writing) {
    uint8_t *work = writing->work;
    struct cereal_pending *top =
        (struct cereal_pending *)(void *)(work + writing->work_bytes / sizeof *top * sizeof *top);
    struct cereal_writer writer = {
        .references = cereal_pack_begin(work, NULL),
        .queue = {.first = top, .last = top, .top = top},
        .owner = writing->epoch << HW_EPOCH_SHIFT,
        .oldest = hw_epoch_oldest_owner(),
        .bound = writing->bound,
        .span = writing->limit - writing->bound,
    };
    struct cereal_written written = {0};

    if ((uintptr_t)writing->output % HW_CEREAL_ALIGNMENT != 0 || (uintptr_t)work % HW_CEREAL_PACKET_BYTES != 0)
        return (struct cereal_written){.status = HW_STATUS_BAD_ALIGNMENT};
    if (writing->bound > writing->limit || writer.span < 16)
        return (struct cereal_written){.status = HW_STATUS_BAD_OBJECT, .at = writing->object};
    if (writing->output_bytes < sizeof(struct cereal_header))
        return (struct cereal_written){.status = HW_STATUS_OUTPUT_FULL};
    writer.values = (uint32_t *)writing->output + sizeof(struct cereal_header) / 4;
    writer.values_limit = (uint32_t *)writing->output + writing->output_bytes / 4;
    if (!put_graph(&writer, writing, hw_cereal_set.strip, &written.length))
        written = (struct cereal_written){.status = writer.status, .at = writer.fault};
    written.objects = writer.objects;
    written.graph = writer.top;
    return written;
}
