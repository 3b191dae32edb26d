/* How nanopb initializes a struct. It writes zeros and defaults to all members except those that a count or a `which`
 * declares absent: arrays and oneofs keep their previous contents. The tables clear padding together with the members
 * around it. */
#include <pb_decode.h>
#include <string.h>

#include "protobuf/nanopb/build.h"

struct records {
    struct hw_nanopb_record *first, *end, *limit;
    bool full;
};

/* Bytes [from, to) of the struct that keep their contents. Intervals are sorted and disjoint. Their array lies behind
 * the records and grows down. */
struct interval {
    uint32_t from, to;
};

struct intervals {
    struct interval *first, *end; /* `first` moves down */
    struct records *records;
};

static void insert(struct intervals *kept, struct interval added) {
    struct interval *place = kept->first - 1;

    if ((uint8_t *)place < (uint8_t *)kept->records->end) {
        kept->records->full = true;
        return;
    }
    kept->first = place;
    for (; place + 1 < kept->end && place[1].from < added.from; place++) place[0] = place[1];
    place[0] = added;
}

/* Returns whether nanopb initializes an inner struct field by field. Otherwise it clears the struct as a whole. */
static bool begins_by_fields(const pb_msgdesc_t *inner) {
    return inner->default_value || inner->field_callback || inner->submsg_info[0];
}

static void collect_kept(struct intervals *kept, const pb_msgdesc_t *descriptor, uint32_t base) {
    struct hw_nanopb_field field;

    if (!hw_nanopb_first(&field, descriptor)) return;
    do {
        uint32_t from = base + field.offset;
        if (hw_nanopb_is_inner(&field) && begins_by_fields(field.iter.submsg_desc))
            collect_kept(kept, field.iter.submsg_desc, from);
        else if (hw_nanopb_is(&field, PB_ATYPE_STATIC, PB_HTYPE_REPEATED) ||
                 hw_nanopb_is(&field, PB_ATYPE_STATIC, PB_HTYPE_ONEOF))
            insert(kept, (struct interval){from, from + hw_nanopb_extent(&field)});
    } while (hw_nanopb_next(&field));
}

static struct hw_nanopb_record *add(struct records *records, uint32_t from, uint32_t to) {
    if (to <= from || records->full) return NULL;
    if (records->end + 1 > records->limit) {
        records->full = true;
        return NULL;
    }
    *records->end = (struct hw_nanopb_record){.offset = (uint16_t)from, .length = (uint16_t)(to - from)};
    return records->end++;
}

/* A pointer in a oneof is initialized to NULL, even where it shares its place with another member. */
static void clear_shared_pointers(struct records *records, const pb_msgdesc_t *descriptor, uint32_t base) {
    struct hw_nanopb_field field;
    uint32_t last = UINT32_MAX;

    if (!hw_nanopb_first(&field, descriptor)) return;
    do {
        uint32_t from = base + field.offset;
        if (hw_nanopb_is_inner(&field) && begins_by_fields(field.iter.submsg_desc))
            clear_shared_pointers(records, field.iter.submsg_desc, from);
        else if (hw_nanopb_is(&field, PB_ATYPE_POINTER, PB_HTYPE_ONEOF) && from != last) {
            add(records, from, from + sizeof(void *));
            last = from;
        }
    } while (hw_nanopb_next(&field));
}

/* Returns the data bytes of a record that begins at `image[at]`, which is copied to `base + at`: up to the last byte
 * that is not zero within the limit, but none of the bytes that keep their contents. */
static uint32_t data_length(const uint8_t *image, uint32_t at, uint32_t size, uint32_t base,
                            const struct intervals *kept) {
    uint32_t limit = at + HW_ADT_INITIAL_MAX_DATA < size ? at + HW_ADT_INITIAL_MAX_DATA : size;
    uint32_t end = at;

    for (const struct interval *next = kept->first; next < kept->end; next++)
        if (next->from > base + at && next->from < base + limit) limit = next->from - base;
    for (uint32_t ahead = at; ahead < limit; ahead++)
        if (image[ahead]) end = ahead + 1;
    return end - at;
}

/* Adds records for the values that nanopb itself writes to an empty struct. The struct is built behind the records. */
static uint32_t add_image(struct records *records, const struct intervals *kept, const pb_msgdesc_t *descriptor,
                          uint32_t base) {
    uint32_t size = hw_nanopb_struct_end(descriptor), count = 0;
    uint32_t units = (size + sizeof(struct hw_nanopb_record) - 1) / sizeof(struct hw_nanopb_record);
    pb_istream_t nothing = pb_istream_from_buffer(NULL, 0);
    struct hw_nanopb_record *limit = records->limit;

    if ((size_t)(limit - records->end) < units) {
        records->full = true;
        return 0;
    }
    records->limit -= units;
    uint8_t *image = (uint8_t *)records->limit;
    memset(image, 0, size);
    /* Returns false if required fields are missing, but has initialized the struct by then. */
    (void)!pb_decode(&nothing, descriptor, image);
    for (uint32_t at = 0; at < size && !records->full; at++) {
        if (!image[at]) continue;
        uint32_t length = data_length(image, at, size, base, kept);
        struct hw_nanopb_record *record = add(records, base + at, base + at + length);
        if (!record) break;
        memcpy(record->data, &image[at], length);
        at += length - 1;
        count++;
    }
    records->limit = limit;
    return count;
}

/* Adds records for the defaults of a type and of its inner structs. */
static uint32_t add_defaults(struct records *records, const struct intervals *kept, const pb_msgdesc_t *descriptor,
                             uint32_t base) {
    struct hw_nanopb_field field;
    uint32_t count = 0;

    if (descriptor->default_value) return add_image(records, kept, descriptor, base);
    for (bool more = hw_nanopb_first(&field, descriptor); more; more = hw_nanopb_next(&field))
        if (hw_nanopb_is_inner(&field))
            count += add_defaults(records, kept, field.iter.submsg_desc, base + field.offset);
    return count;
}

int32_t hw_nanopb_initial(const pb_msgdesc_t *descriptor, const struct hw_nanopb_memory *memory, uint32_t *data) {
    struct records records = {.first = (struct hw_nanopb_record *)(void *)memory->top};
    uint32_t size = hw_nanopb_struct_end(descriptor), at = 0;
    struct interval *behind = (struct interval *)(void *)memory->limit;
    struct intervals kept = {behind, behind, &records};

    records.end = records.first;
    collect_kept(&kept, descriptor, 0);
    records.limit = records.first + (size_t)((uint8_t *)kept.first - memory->top) / sizeof(struct hw_nanopb_record);
    for (const struct interval *next = kept.first; next < kept.end; next++) {
        add(&records, at, next->from);
        if (next->to > at) at = next->to;
    }
    add(&records, at, size);
    clear_shared_pointers(&records, descriptor, 0);
    *data = add_defaults(&records, &kept, descriptor, 0);
    return records.full ? -1 : (int32_t)(records.end - records.first);
}
