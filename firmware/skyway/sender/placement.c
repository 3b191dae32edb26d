#include "skyway/sender/placement.h"

#include "skyway/registry/registry.h"
#include "runtime/compiler.h"

/* Gaps have fewer than 8 bytes. A gap begins where a field needed a higher alignment than the end had, and the end has
 * a low alignment only if no gap held the field before it. So there are never more than a few at a time. */
#define GAPS 8

struct gap {
    uint32_t offset, bytes;
};

struct placing {
    struct gap gaps[GAPS];
    uint32_t count, end, reference_bytes;
    skyway_place_visit *visit;
    void *context;
};

static uint32_t align(uint32_t offset, uint32_t alignment) { return (offset + alignment - 1) & ~(alignment - 1); }

static void add_gap(struct placing *placing, uint32_t offset, uint32_t limit) {
    if (offset < limit && placing->count < GAPS) placing->gaps[placing->count++] = (struct gap){offset, limit - offset};
}

/* Returns the smallest gap that holds the field, of equal ones the highest; NULL if none does. */
static struct gap *fitting(struct placing *placing, uint32_t bytes) {
    struct gap *best = NULL;

    for (struct gap *gap = placing->gaps; gap != placing->gaps + placing->count; gap++)
        if (align(gap->offset, bytes) + bytes <= gap->offset + gap->bytes &&
            (!best || gap->bytes < best->bytes || (gap->bytes == best->bytes && gap->offset > best->offset)))
            best = gap;
    return best;
}

static uint32_t place(struct placing *placing, uint32_t bytes) {
    struct gap *gap = fitting(placing, bytes), found;
    uint32_t start;

    if (!gap) {
        start = align(placing->end, bytes);
        add_gap(placing, placing->end, start);
        placing->end = start + bytes;
        return start;
    }
    found = *gap;
    *gap = placing->gaps[--placing->count];
    start = align(found.offset, bytes);
    add_gap(placing, found.offset, start);
    add_gap(placing, start + bytes, found.offset + found.bytes);
    return start;
}

static void visit_field(void *context, uint32_t offset, uint32_t bytes, bool reference) {
    struct placing *placing = context;
    uint32_t to = place(placing, reference ? placing->reference_bytes : bytes);

    if (placing->visit) placing->visit(placing->context, offset, bytes, reference, to);
}

COLD uint32_t skyway_place_fields(const struct hw_klass *klass, uint32_t fields, uint32_t reference_bytes,
                                  skyway_place_visit *visit, void *context) {
    struct placing placing = {.end = fields, .reference_bytes = reference_bytes, .visit = visit, .context = context};
    const struct hw_skyway_loader *loader = skyway_registry.loader;
    uint32_t metadata = klass->flags & HW_KLASS_FLAG_METADATA ? HW_OBJECT_METADATA_SIZE : 0;

    if (loader && loader->each_field && loader->each_field(klass, visit_field, &placing)) return placing.end;
    for (uint32_t offset = HW_OBJECT_HEADER_SIZE + metadata; offset < klass->object_size; offset += 4)
        visit_field(&placing, offset, 4, hw_klass_is_reference(klass, offset));
    return placing.end;
}
