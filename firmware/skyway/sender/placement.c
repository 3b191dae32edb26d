#include "skyway/sender/sender.h"

#include "skyway/registry/registry.h"

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

/* Computes the places anew. */
static uint32_t compute(const struct hw_skyway_format *format, const struct hw_klass *klass, skyway_place_visit *visit,
                        void *context) {
    struct placing placing = {.end = format->layout.fields,
                              .reference_bytes = format->words.reference_bytes,
                              .visit = visit,
                              .context = context};
    const struct hw_skyway_loader *loader = skyway_registry.loader;
    uint32_t metadata = klass->flags & HW_KLASS_FLAG_METADATA ? HW_OBJECT_METADATA_SIZE : 0;

    if (loader && loader->each_field && loader->each_field(klass, visit_field, &placing)) return placing.end;
    for (uint32_t offset = HW_OBJECT_HEADER_SIZE + metadata; offset < klass->object_size; offset += 4)
        visit_field(&placing, offset, 4, hw_klass_is_reference(klass, offset));
    return placing.end;
}

/* A class with a few fields, in the order in which they are placed. A class with more is computed every time. */
#define MOVES 13

struct placed {
    hw_ref klass; /* 0: none */
    uint32_t end, count;
    uint32_t moves[MOVES]; /* offset: 14 bits, place: 14 bits, log2 of the bytes: 2 bits, whether it is a reference */
};

#define OFFSETS (1u << 14)

struct skyway_places {
    uint32_t mask, padding;
    struct placed classes[];
};

_Static_assert(sizeof(struct skyway_places) + 32 * sizeof(struct placed) == SKYWAY_PLACES_MOST, "table of places");

struct skyway_places *skyway_places_open(void *work, uint32_t bytes) {
    struct skyway_places *places = work;
    uint32_t room = bytes < sizeof *places ? 0 : (bytes - (uint32_t)sizeof *places) / (uint32_t)sizeof(struct placed);

    if (room == 0) return NULL;
    places->mask = (1u << (31 - __builtin_clz(room))) - 1;
    for (uint32_t i = 0; i <= places->mask; i++) places->classes[i].klass = 0;
    return places;
}

/* Counts fields up to one more than have room. */
static void record(void *context, uint32_t offset, uint32_t bytes, bool reference, uint32_t place) {
    struct placed *placed = context;

    if (placed->count == MOVES || offset >= OFFSETS || place >= OFFSETS) placed->count = MOVES + 1;
    if (placed->count > MOVES) return;
    placed->moves[placed->count++] =
        offset | place << 14 | (uint32_t)__builtin_ctz(bytes) << 28 | (uint32_t)reference << 30;
}

COLD uint32_t skyway_place_fields(const struct hw_skyway_output *stream, const struct hw_klass *klass,
                                  skyway_place_visit *visit, void *context) {
    struct skyway_places *places = stream->places;
    struct placed *placed = places ? &places->classes[hw_reference(klass) / sizeof *klass & places->mask] : NULL;

    if (!placed) return compute(stream->format, klass, visit, context);
    if (placed->klass != hw_reference(klass)) {
        placed->count = 0;
        placed->end = compute(stream->format, klass, record, placed);
        placed->klass = placed->count <= MOVES ? hw_reference(klass) : 0;
        if (placed->klass == 0) return compute(stream->format, klass, visit, context);
    }
    if (!visit) return placed->end;
    /* `visit` may reach an object of another class, which takes the place of this one in the table. */
    struct placed found = *placed;

    for (uint32_t i = 0; i < found.count; i++) {
        uint32_t move = found.moves[i];

        visit(context, move % OFFSETS, 1u << (move >> 28 & 3), move >> 30 & 1, move >> 14 & (OFFSETS - 1));
    }
    return found.end;
}
