#include "cereal/codec/codec.h"

#include <string.h>

#include "cereal/codec/pack.h"

static struct cereal_read bad_header(uint32_t offset) {
    return (struct cereal_read){.status = HW_STATUS_BAD_STREAM, .offset = offset};
}

struct cereal_read cereal_check_header(const void *input, uint32_t length) {
    const struct cereal_header *header = input;

    if (length < sizeof *header || header->magic != HW_CEREAL_MAGIC || header->version != HW_CEREAL_VERSION ||
        (header->flags & ~HW_CEREAL_FLAG_STRIP) != 0 || header->reserved != 0 ||
        header->class_set != hw_cereal_set.fingerprint || header->objects == 0)
        return bad_header(0);
    if (header->graph < HW_CEREAL_GRAPH_LEAST || header->graph >= HW_CEREAL_GRAPH_LIMIT ||
        header->graph % HW_CEREAL_GRANULE != 0)
        return bad_header(HW_CEREAL_HEADER_GRAPH);
    if ((header->values | header->references | header->layouts) % HW_CEREAL_ALIGNMENT != 0)
        return bad_header(HW_CEREAL_HEADER_GRAPH);
    uint64_t bytes = (uint64_t)sizeof *header + header->values + header->references + header->layouts;

    if (bytes > length) return bad_header(HW_CEREAL_HEADER_GRAPH);
    return (struct cereal_read){.status = HW_STATUS_OK, .consumed = (uint32_t)bytes};
}

/* An upper bound of the image: every object has an item in the layouts and at most 16 bytes that are in no section, and
 * every reference a bucket. 8 bytes more per object are for what the reader writes before it finds that something is
 * missing. */
uint32_t cereal_image_bytes(const struct cereal_header *header) {
    uint64_t objects = header->objects < header->layouts ? header->objects : header->layouts;
    uint64_t most = (uint64_t)header->values + 4 * (uint64_t)header->references + 24 * objects;

    return most < header->graph ? (uint32_t)most & ~(uint32_t)(HW_OBJECT_ALIGNMENT - 1) : header->graph;
}

/* Two bitmaps of an image, with a bit for every 8 bytes: where objects start and where references lead. Both are needed
 * because a reference may precede its target. */
struct starts {
    uint32_t *starts, *wanted;
    uint32_t words; /* of each bitmap */
};

/* Makes both bitmaps in `work`, for this many granules of 8 bytes. */
static inline struct starts begin_starts(void *work, uint32_t granules) {
    struct starts all = {.starts = work, .words = (granules + 31) / 32};

    all.wanted = all.starts + all.words;
    memset(work, 0, 2 * all.words * sizeof *all.starts);
    return all;
}

static inline void start_at(const struct starts *all, uint32_t granule) {
    all->starts[granule / 32] |= 1u << granule % 32;
}

static inline void want(const struct starts *all, uint32_t granule) { all->wanted[granule / 32] |= 1u << granule % 32; }

static inline bool starts_at(const struct starts *all, uint32_t granule) {
    return all->starts[granule / 32] >> granule % 32 & 1;
}

/* Returns whether an object starts wherever a reference leads. */
static inline bool starts_agree(const struct starts *all) {
    uint32_t missing = 0;

    for (uint32_t i = 0; i < all->words; i++) missing |= all->wanted[i] & ~all->starts[i];
    return missing == 0;
}

struct reader {
    const uint8_t *input;
    const uint32_t *value, *values_limit;
    struct cereal_unpacker references, layouts;
    struct starts starts;
    uint32_t granules; /* of the image, as the header has it */
    uint32_t covered;  /* the granules in which objects can lie (cereal_image_bytes) */
    uint32_t *slot;    /* where the next object of the image goes */
    uint32_t left;     /* bytes left of the image */
    hw_ref image;
    bool beyond; /* a reference leads behind `covered` */
    hw_status status;
    uint32_t offset;
};

static bool refuse(struct reader *reader, hw_status status, const void *at) {
    reader->status = status;
    reader->offset = (uint32_t)((const uint8_t *)at - reader->input);
    return false;
}

static __attribute__((noinline)) bool refuse_layout(struct reader *reader, const uint8_t *at) {
    return refuse(reader, HW_STATUS_BAD_LAYOUT, at);
}

/* Stores the target of the next item of the references in the slot. */
static inline __attribute__((always_inline)) bool take_reference(struct reader *reader, uint32_t *slot) {
    const uint8_t *at = cereal_unpack_where(&reader->references);
    uint32_t number = cereal_take_number(&reader->references), granule = number - 1;

    *slot = 0;
    if (number == 0) return true;
    if (__builtin_expect(granule >= reader->granules, 0)) return refuse(reader, HW_STATUS_BAD_REFERENCE, at);
    *slot = reader->image + granule * HW_CEREAL_GRANULE;
    if (__builtin_expect(granule < reader->covered, 1))
        want(&reader->starts, granule);
    else
        reader->beyond = true;
    return true;
}

static inline __attribute__((always_inline)) bool take_slots(struct reader *reader, uint32_t *slot, uint32_t count,
                                                             uint32_t references) {
    const uint32_t *value = reader->value;

    for (; references; references >>= 1, slot++, count--) {
        if (!(references & 1))
            *slot = *value++;
        else if (!take_reference(reader, slot))
            return false;
    }
    for (; count; count--) *slot++ = *value++;
    reader->value = value;
    return true;
}

static bool take_long_instance(struct reader *reader, uint32_t *slot, const struct hw_cereal_class *class) {
    for (uint32_t i = 0; i < class->slots; i += 32)
        if (!take_slots(reader, slot + i, class->slots - i < 32 ? class->slots - i : 32,
                        cereal_references(class, i / 32)))
            return false;
    return true;
}

static bool take_elements(struct reader *reader, uint32_t *slot, const struct hw_cereal_class *class, uint32_t length) {
    uint32_t slots = cereal_element_slots(length << class->shift), i;

    if (class->kind == HW_KLASS_KIND_OBJECT_ARRAY) {
        for (i = 0; i < length; i++)
            if (!take_reference(reader, slot + i)) return false;
        if (i < slots) slot[i] = *reader->value++;
        return true;
    }
    memcpy(slot, reader->value, 4 * slots);
    reader->value += slots;
    return true;
}

/* Returns the bytes of an object; 0 if it does not fit into the rest of the image. */
static uint32_t extent(const struct reader *reader, const struct hw_cereal_class *class, uint32_t length) {
    uint32_t left = reader->left, bytes = class->size;

    if (bytes == 0) {
        if (left < HW_OBJECT_METADATA_ARRAY_ELEMENTS ||
            length > (left - HW_OBJECT_METADATA_ARRAY_ELEMENTS) >> class->shift)
            return 0;
        bytes = hw_object_round(HW_OBJECT_METADATA_ARRAY_ELEMENTS + (length << class->shift));
    }
    return bytes <= left ? bytes : 0;
}

static inline bool values_left(const struct reader *reader, uint32_t count) {
    return (size_t)(reader->values_limit - reader->value) >= count;
}

/* Takes the mark, the class and an array's length. */
static inline bool take_prelude(struct reader *reader, bool strip, uint32_t *mark, const struct hw_cereal_class **class,
                                uint32_t *length) {
    const uint32_t *value = reader->value;

    if (!values_left(reader, strip ? 1 : 2)) return refuse(reader, HW_STATUS_BAD_VALUE, reader->values_limit);
    *mark = strip ? HW_CEREAL_MARK : *value++;
    if (__builtin_expect((*mark & HW_CEREAL_MARK_MASK) != HW_CEREAL_MARK, 0))
        return refuse(reader, HW_STATUS_BAD_VALUE, value - 1);
    if (__builtin_expect(*value >= hw_cereal_set.count, 0)) return refuse(reader, HW_STATUS_BAD_VALUE, value);
    *class = &hw_cereal_classes[*value++];
    reader->value = value;
    *length = 0;
    if ((*class)->size) return true;
    if (!values_left(reader, 1)) return refuse(reader, HW_STATUS_BAD_VALUE, reader->values_limit);
    *length = *reader->value++;
    return true;
}

static inline bool take_object(struct reader *reader, bool strip) {
    const struct hw_cereal_class *class;
    uint32_t mark, length, bytes, *object = reader->slot;
    const uint8_t *layout = cereal_unpack_where(&reader->layouts);

    if (!take_prelude(reader, strip, &mark, &class, &length)) return false;
    bytes = extent(reader, class, length);
    if (__builtin_expect(bytes == 0, 0) || __builtin_expect(!cereal_match_layout(&reader->layouts, class, length), 0))
        return refuse_layout(reader, layout);
    if (!values_left(reader, cereal_value_slots(class, length)))
        return refuse(reader, HW_STATUS_BAD_VALUE, reader->values_limit);
    start_at(&reader->starts, (hw_reference(object) - reader->image) / HW_CEREAL_GRANULE);
    reader->slot = object + bytes / 4;
    reader->left -= bytes;
    object[0] = mark;
    object[1] = class->klass;
    if (class->size) {
        object[2] = object[3] = 0;
        if (class->slots <= 32)
            return take_slots(reader, object + HW_CEREAL_INSTANCE_HEADER, class->slots, class->references);
        return take_long_instance(reader, object + HW_CEREAL_INSTANCE_HEADER, class);
    }
    object[2] = length;
    object[3] = object[4] = object[5] = 0;
    return take_elements(reader, object + HW_CEREAL_ARRAY_HEADER, class, length);
}

/* Finds the first reference that leads to no object. There must be one. */
static bool refuse_dangling(struct reader *reader, const struct cereal_header *header) {
    struct cereal_unpacker again =
        cereal_unpack_begin(reader->input + sizeof *header + header->values, header->references);

    for (;;) {
        const uint8_t *at = cereal_unpack_where(&again);
        uint32_t number = cereal_take_number(&again);

        if (number != 0 && (number - 1 >= reader->covered || !starts_at(&reader->starts, number - 1)))
            return refuse(reader, HW_STATUS_BAD_REFERENCE, at);
    }
}

static bool values_ended(const struct reader *reader) {
    uint32_t found = 0;

    for (const uint32_t *value = reader->value; value < reader->values_limit; value++) {
        if (reader->values_limit - value >= HW_CEREAL_ALIGNMENT / 4) return false;
        found |= *value;
    }
    return found == 0;
}

static bool take_graph(struct reader *reader, const struct cereal_header *header) {
    bool strip = header->flags & HW_CEREAL_FLAG_STRIP;

    for (uint32_t left = header->objects; left; left--)
        if (!take_object(reader, strip)) return false;
    if (reader->left != 0) return refuse_layout(reader, cereal_unpack_where(&reader->layouts));
    if (!values_ended(reader)) return refuse(reader, HW_STATUS_BAD_VALUE, reader->value);
    if (!cereal_unpack_ended(&reader->layouts)) return refuse_layout(reader, cereal_unpack_where(&reader->layouts));
    if (!cereal_unpack_ended(&reader->references))
        return refuse(reader, HW_STATUS_BAD_REFERENCE, cereal_unpack_where(&reader->references));
    if (reader->beyond || !starts_agree(&reader->starts)) return refuse_dangling(reader, header);
    return true;
}

struct cereal_read cereal_read(const void *input, uint32_t length, hw_ref image, hw_ref image_limit, void *work,
                               uint32_t work_bytes) {
    const struct cereal_header *header = input;
    struct cereal_read outcome;

    if ((uintptr_t)input % HW_CEREAL_ALIGNMENT != 0 || image % HW_OBJECT_ALIGNMENT != 0 || (uintptr_t)work % 4 != 0)
        return (struct cereal_read){.status = HW_STATUS_BAD_ALIGNMENT, .top = image};
    outcome = cereal_check_header(input, length);
    outcome.root = outcome.top = image;
    if (outcome.status != HW_STATUS_OK) return outcome;
    uint32_t bytes = cereal_image_bytes(header);

    if (image > image_limit || image_limit - image < bytes)
        return (struct cereal_read){.status = HW_STATUS_FIXED_ARENA_FULL, .top = image};
    if (work_bytes < cereal_read_work(bytes)) return (struct cereal_read){.status = HW_STATUS_WORK_FULL, .top = image};
    const uint8_t *values = (const uint8_t *)input + sizeof *header, *references = values + header->values;
    struct reader reader = {
        .input = input,
        .value = (const uint32_t *)(const void *)values,
        .values_limit = (const uint32_t *)(const void *)references,
        .references = cereal_unpack_begin(references, header->references),
        .layouts = cereal_unpack_begin(references + header->references, header->layouts),
        .starts = begin_starts(work, bytes / HW_CEREAL_GRANULE),
        .granules = header->graph / HW_CEREAL_GRANULE,
        .covered = bytes / HW_CEREAL_GRANULE,
        .slot = hw_pointer(image),
        .left = header->graph,
        .image = image,
    };

    if (!take_graph(&reader, header))
        return (struct cereal_read){.status = reader.status, .offset = reader.offset, .top = image};
    outcome.top = image + header->graph;
    return outcome;
}
