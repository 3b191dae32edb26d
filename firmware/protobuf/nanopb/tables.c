#include "protobuf/nanopb/tables.h"

#include <string.h>

#include "runtime/thread.h"
#include "runtime/registers.h"
#include "protobuf/nanopb/build.h"
#include "units/capability.h"

#ifndef HW_NANOPB_TABLE_BYTES
#define HW_NANOPB_TABLE_BYTES 16384
#endif

_Static_assert((HW_NANOPB_TYPES & (HW_NANOPB_TYPES - 1)) == 0, "HW_NANOPB_TYPES is not a power of two");

static _Alignas(HW_ADT_ALIGNMENT) uint8_t default_memory[HW_NANOPB_TABLE_BYTES];
static struct hw_nanopb_memory memory = {default_memory, default_memory, default_memory + HW_NANOPB_TABLE_BYTES};
struct hw_nanopb_type hw_nanopb_types[HW_NANOPB_TYPES];
static uint32_t type_count; /* less than HW_NANOPB_TYPES: a search ends at a free slot */

/* These two stand for all types that find the cache full: for those that nanopb can handle, and for packed ones. */
static struct hw_nanopb_type unkept[] = {{.reason = HW_NANOPB_NO_ROOM}, {.reason = HW_NANOPB_PACKED}};

void hw_nanopb_tables_init(void *start, uint32_t bytes) {
    uint8_t *first = start ? start : default_memory;
    uint32_t skipped = (uint32_t)(-(uintptr_t)first & (HW_ADT_ALIGNMENT - 1));

    if (!start) bytes = sizeof(default_memory);
    if (skipped > bytes) skipped = bytes;
    memory.base = memory.top = first + skipped;
    memory.limit = memory.base + ((bytes - skipped) & ~(uint32_t)(HW_ADT_ALIGNMENT - 1));
    memset(hw_nanopb_types, 0, sizeof(hw_nanopb_types));
    type_count = 0;
}

uint32_t hw_nanopb_tables_used(void) { return (uint32_t)(memory.top - memory.base); }

const char *hw_nanopb_reason_text(enum hw_nanopb_reason reason) {
    static const char *const texts[] = {
        [HW_NANOPB_OK] = "by the unit",
        [HW_NANOPB_CALLBACK] = "a callback field",
        [HW_NANOPB_EXTENSION] = "extensions",
        [HW_NANOPB_LAYOUT] = "a struct that tables cannot describe: 64 KB or more, or doubles kept as floats",
        [HW_NANOPB_PACKED] = "packed_struct: members are not aligned, which the core cannot access either",
        [HW_NANOPB_FIELDS] = "too many fields, or more than 32 required ones",
        [HW_NANOPB_UTF8] = "strings that nanopb validates",
        [HW_NANOPB_SINGULAR] = "read by the unit, written by software: proto3_singular_msgs",
        [HW_NANOPB_NO_ROOM] =
            "no room for its table: call hw_nanopb_tables_init with more memory, or raise HW_NANOPB_TYPES",
    };

    return (unsigned)reason < sizeof(texts) / sizeof(texts[0]) ? texts[reason] : "unknown reason";
}

/* Returns the slot of the descriptor, or the free slot where it belongs. */
static struct hw_nanopb_type *slot_of(const pb_msgdesc_t *descriptor) {
    struct hw_nanopb_type *slot = hw_nanopb_slot(descriptor);

    while (slot->descriptor != descriptor && slot->descriptor)
        if (++slot == hw_nanopb_types + HW_NANOPB_TYPES) slot = hw_nanopb_types;
    return slot;
}

/* A type and all types that it reaches, while their tables are made. The list lies at the end of the memory and grows
 * down. */
struct family {
    struct hw_nanopb_type *first, *end;
    enum hw_nanopb_reason reason;
};

/* The first reason counts, but a packed struct is no reason that software could do without. */
static void blame(struct family *family, enum hw_nanopb_reason reason) {
    if (family->reason == HW_NANOPB_OK || reason == HW_NANOPB_PACKED) family->reason = reason;
}

static struct hw_nanopb_type *member(const struct family *family, const pb_msgdesc_t *descriptor) {
    for (struct hw_nanopb_type *type = family->first; type < family->end; type++)
        if (type->descriptor == descriptor) return type;
    return NULL;
}

static void join(struct family *family, const pb_msgdesc_t *descriptor) {
    const struct hw_nanopb_type *known = slot_of(descriptor);

    if (member(family, descriptor)) return;
    if ((size_t)((uint8_t *)family->first - memory.top) < sizeof(*family->first)) {
        family->reason = HW_NANOPB_NO_ROOM;
        return;
    }
    *--family->first = (struct hw_nanopb_type){.descriptor = descriptor};
    if (known->descriptor) {
        *family->first = *known;
        if (!known->table) blame(family, known->reason);
    }
}

static bool reaches(const struct hw_nanopb_field *field) {
    return field->iter.submsg_desc && PB_ATYPE(field->iter.type) != PB_ATYPE_CALLBACK;
}

/* Examines the fields of a new member and adds the types of its submessages. */
static void survey(struct family *family, struct hw_nanopb_type *type) {
    struct hw_nanopb_field field;
    const pb_msgdesc_t *descriptor = type->descriptor;

    type->closed = true;
    if (type->table) return;
    blame(family, hw_nanopb_survey(descriptor, &type->decode_only));
    for (bool more = hw_nanopb_first(&field, descriptor); more && family->reason != HW_NANOPB_NO_ROOM;
         more = hw_nanopb_next(&field))
        if (reaches(&field)) join(family, field.iter.submsg_desc);
}

static void gather(struct family *family, const pb_msgdesc_t *root) {
    struct hw_nanopb_type *type;

    join(family, root);
    while (family->reason != HW_NANOPB_NO_ROOM && family->reason != HW_NANOPB_PACKED) {
        for (type = family->first; type < family->end && type->closed; type++);
        if (type == family->end) return;
        survey(family, type);
    }
}

/* Returns whether the type reaches a packed struct. It needs no room, but looks at HW_NANOPB_TYPES types at most. It
 * keeps its last answer, because calls ask again for a type that is not in the cache. */
static bool reaches_packed(const pb_msgdesc_t *root) {
    static const pb_msgdesc_t *seen[HW_NANOPB_TYPES];
    static bool answer;
    uint32_t count = 1;

    if (seen[0] == root) return answer;
    seen[0] = root;
    answer = true;
    for (uint32_t at = 0; at < count; at++) {
        struct hw_nanopb_field field;
        bool decode_only;
        if (hw_nanopb_survey(seen[at], &decode_only) == HW_NANOPB_PACKED) return answer;
        for (bool more = hw_nanopb_first(&field, seen[at]); more; more = hw_nanopb_next(&field)) {
            uint32_t known = 0;
            if (!reaches(&field)) continue;
            while (known < count && seen[known] != field.iter.submsg_desc) known++;
            if (known == count && count < HW_NANOPB_TYPES) seen[count++] = field.iter.submsg_desc;
        }
    }
    return answer = false;
}

static void make_tables(struct family *family) {
    struct hw_nanopb_memory room = {memory.base, memory.top, (uint8_t *)family->first};

    /* The scratch data at the end needs this alignment. */
    room.limit -= (uintptr_t)room.limit & (HW_ADT_ALIGNMENT - 1);
    for (struct hw_nanopb_type *type = family->first; type < family->end; type++) {
        if (type->table) continue;
        type->table = hw_nanopb_table(type->descriptor, &room);
        type->alignment = (uint8_t)hw_nanopb_alignment(type->descriptor);
        type->closed = false;
        if (!type->table) {
            family->reason = HW_NANOPB_NO_ROOM;
            return;
        }
    }
    memory.top = room.top;
}

/* Links the sub-tables. Passes `decode_only` on from a type to the types that contain it. */
static void connect(struct family *family) {
    bool changed;

    do {
        changed = false;
        for (struct hw_nanopb_type *type = family->first; type < family->end; type++) {
            struct hw_nanopb_field field;
            if (type->closed) /* it had a table before */
                continue;
            for (bool more = hw_nanopb_first(&field, type->descriptor); more; more = hw_nanopb_next(&field)) {
                const struct hw_nanopb_type *sub =
                    field.iter.submsg_desc ? member(family, field.iter.submsg_desc) : NULL;
                if (!sub) continue;
                if (!hw_nanopb_link((struct hw_type *)type->table, field.iter.tag, sub->table))
                    family->reason = HW_NANOPB_NO_ROOM;
                changed |= sub->decode_only && !type->decode_only;
                type->decode_only |= sub->decode_only;
            }
        }
    } while (changed);
    for (struct hw_nanopb_type *type = family->first; type < family->end; type++)
        if (type->decode_only) type->reason = HW_NANOPB_SINGULAR;
}

static bool room_in_cache(const struct family *family) {
    return type_count + (uint32_t)(family->end - family->first) < HW_NANOPB_TYPES;
}

static void keep(const struct hw_nanopb_type *type) {
    struct hw_nanopb_type *slot = slot_of(type->descriptor);

    if (slot->descriptor) return;
    *slot = *type;
    slot->closed = false;
    if (HW_ADT_NATIVE_DESERIALIZE && hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE)) slot->read_by = type->table;
    if (HW_ADT_NATIVE_SERIALIZE && hw_unit_for(HW_CAPABLE_PROTOBUF_SERIALIZE) && !type->decode_only)
        slot->written_by = type->table;
    type_count++;
}

static struct hw_nanopb_type *make(const pb_msgdesc_t *descriptor) {
    struct hw_nanopb_type *end = (struct hw_nanopb_type *)(void *)memory.limit;
    struct family family = {end, end, HW_NANOPB_OK};
    uint8_t *top = memory.top;

    if (!hw_front_end_present()) hw_capability_discover(); /* a program of nanopb's calls alone does not */
    if (type_count + 1 >= HW_NANOPB_TYPES) return &unkept[reaches_packed(descriptor)];
    gather(&family, descriptor);
    if (family.reason == HW_NANOPB_OK && !room_in_cache(&family)) family.reason = HW_NANOPB_NO_ROOM;
    if (family.reason == HW_NANOPB_OK) make_tables(&family);
    if (family.reason == HW_NANOPB_OK) connect(&family);
    if (family.reason == HW_NANOPB_NO_ROOM && reaches_packed(descriptor)) family.reason = HW_NANOPB_PACKED;
    if (family.reason != HW_NANOPB_OK) {
        memory.top = top;
        keep(&(struct hw_nanopb_type){.descriptor = descriptor, .reason = (uint8_t)family.reason});
        return slot_of(descriptor);
    }
    for (const struct hw_nanopb_type *type = family.first; type < family.end; type++) keep(type);
    /* Also makes the units drop cached contents of this memory. */
    hw_registers_tables(HW_TABLES_NANOPB, hw_reference(memory.base), hw_reference(memory.limit));
    return slot_of(descriptor);
}

/* Out of line, so that finding a known type saves no registers. */
static __attribute__((noinline)) struct hw_nanopb_type *made(const pb_msgdesc_t *descriptor) {
    hw_critical_enter();
    struct hw_nanopb_type *slot = slot_of(descriptor); /* another thread may have made it meanwhile */
    if (!slot->descriptor) slot = make(descriptor);
    hw_critical_leave();
    return slot;
}

struct hw_nanopb_type *hw_nanopb_find(const pb_msgdesc_t *descriptor) {
    struct hw_nanopb_type *slot = slot_of(descriptor);

    return slot->descriptor ? slot : made(descriptor);
}
