#include "mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/heap/object.h"

struct hw_klass kinds[KINDS];
static struct mirror *all;
static uint32_t pass;

/* Layout of instances: 8 bytes of primitive values, then references. WIDE has more than the inline bitmap covers. */
#define WIDE_REFERENCES 34
static const uint32_t wide_bitmap[] = {2, 0xfffffffc, 0xf};
static const uint32_t references_of[KINDS] = {[NODE] = 2, [TAGGED] = 2, [WIDE] = WIDE_REFERENCES, [LEAF] = 0};

bool kind_is_array(enum kind kind) { return kind >= OBJECTS; }

bool kind_has_references(enum kind kind) {
    return kind == OBJECTS || kind == TAGGED_OBJECTS || (!kind_is_array(kind) && references_of[kind]);
}

bool kind_has_metadata(enum kind kind) { return kind == TAGGED || kind == TAGGED_OBJECTS; }

static uint32_t fields_of(enum kind kind) {
    if (kind_is_array(kind)) return hw_klass_elements(&kinds[kind]);
    return HW_OBJECT_HEADER_SIZE + (kind_has_metadata(kind) ? HW_OBJECT_METADATA_SIZE : 0);
}

uint32_t kind_reference_offset(enum kind kind, uint32_t index) {
    return fields_of(kind) + (kind_is_array(kind) ? 0 : 8) + index * sizeof(hw_ref);
}

void kinds_init(void) {
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct hw_klass *klass = &kinds[kind];

        klass->id = 100 + kind;
        klass->flags = kind_has_metadata(kind) ? HW_KLASS_FLAG_METADATA : 0;
        klass->kind = !kind_is_array(kind)        ? HW_KLASS_KIND_INSTANCE
                      : kind_has_references(kind) ? HW_KLASS_KIND_OBJECT_ARRAY
                                                  : HW_KLASS_KIND_PRIMITIVE_ARRAY;
        klass->element_shift = kind == BYTES ? 0 : kind == LONGS ? 3 : 2;
        if (!kind_is_array(kind)) {
            klass->object_size = hw_object_round(kind_reference_offset(kind, references_of[kind]));
            for (uint32_t i = 0; i < references_of[kind] && kind != WIDE; i++)
                klass->reference_bitmap |= 1u << (kind_reference_offset(kind, i) - HW_OBJECT_HEADER_SIZE) / 4;
        }
    }
    kinds[WIDE].reference_bitmap = HW_KLASS_LONG_BITMAP | hw_reference(wide_bitmap) >> 1;
}

struct mirror *mirror_new(enum kind kind, uint32_t length, uint32_t value) {
    uint32_t references = !kind_is_array(kind) ? references_of[kind] : kind_has_references(kind) ? length : 0;
    struct mirror *mirror = calloc(1, sizeof *mirror + references * sizeof(struct mirror *));

    mirror->kind = kind;
    mirror->length = kind_is_array(kind) ? length : references;
    mirror->value = value;
    mirror->next = all;
    all = mirror;
    return mirror;
}

static uint8_t *primitives(const struct mirror *mirror, void *object, uint32_t *bytes) {
    *bytes = !kind_is_array(mirror->kind)        ? 8
             : kind_has_references(mirror->kind) ? 0
                                                 : mirror->length << kinds[mirror->kind].element_shift;
    return (uint8_t *)object + fields_of(mirror->kind);
}

void mirror_fill(const struct mirror *mirror, void *object) {
    uint32_t bytes;
    uint8_t *at = primitives(mirror, object, &bytes);

    for (uint32_t i = 0; i < bytes; i++) at[i] = (uint8_t)(mirror->value * 31 + i * 7);
}

static void differ(const struct mirror *mirror, hw_ref reference, const char *what) {
    printf("object %08x of kind %d, value %u: %s\n", reference, mirror->kind, mirror->value, what);
    exit(3);
}

static void compare_object(const struct mirror *mirror, hw_ref reference) {
    void *object = hw_pointer(reference);
    uint32_t bytes, hash = ((struct hw_object *)object)->mark >> HW_OBJECT_MARK_HASH_BIT;
    const uint8_t *at = primitives(mirror, object, &bytes);

    if (hw_klass_of(object) != &kinds[mirror->kind]) differ(mirror, reference, "klass");
    if (kind_is_array(mirror->kind) && hw_array_length(reference) != mirror->length)
        differ(mirror, reference, "length");
    if (hash != mirror->hash) differ(mirror, reference, "identity hash");
    if (kind_has_metadata(mirror->kind) &&
        *(uint32_t *)((char *)object + (kind_is_array(mirror->kind) ? HW_OBJECT_METADATA_ARRAY
                                                                    : HW_OBJECT_METADATA_INSTANCE)) != mirror->owner)
        differ(mirror, reference, "metadata");
    for (uint32_t i = 0; i < bytes; i++)
        if (at[i] != (uint8_t)(mirror->value * 31 + i * 7)) differ(mirror, reference, "contents");
}

void mirror_forget_owners(void) {
    for (struct mirror *mirror = all; mirror; mirror = mirror->next) mirror->owner = 0;
}

static void free_unseen(void) {
    for (struct mirror **link = &all; *link;) {
        struct mirror *mirror = *link;

        if (mirror->pass == pass) {
            link = &mirror->next;
        } else {
            *link = mirror->next;
            free(mirror);
        }
    }
}

struct stack {
    struct mirror **items;
    uint32_t count, room;
};

/* Notes that `reference` is the object of `mirror`, which must be so every time. */
static void meet(struct stack *stack, struct mirror *mirror, hw_ref reference, const struct mirror *from) {
    if (!mirror != !reference)
        differ(mirror ? mirror : from, reference, "a null reference where there is none, or the reverse");
    if (!mirror) return;
    if (mirror->pass == pass) {
        if (mirror->seen != reference) differ(mirror, reference, "one object in two places");
        return;
    }
    mirror->pass = pass;
    mirror->seen = reference;
    compare_object(mirror, reference);
    if (stack->count == stack->room) {
        stack->room = stack->room ? 2 * stack->room : 1024;
        stack->items = realloc(stack->items, stack->room * sizeof *stack->items);
    }
    stack->items[stack->count++] = mirror;
}

uint32_t mirror_compare(const struct pair *pairs, uint32_t count) {
    static struct stack stack;
    uint32_t objects = 0;

    pass++;
    for (uint32_t i = 0; i < count; i++) meet(&stack, pairs[i].mirror, pairs[i].reference, pairs[i].mirror);
    while (stack.count) {
        struct mirror *mirror = stack.items[--stack.count];

        objects++;
        if (kind_has_references(mirror->kind))
            for (uint32_t i = 0; i < mirror->length; i++)
                meet(&stack, mirror->references[i],
                     *(hw_ref *)hw_pointer(mirror->seen + kind_reference_offset(mirror->kind, i)), mirror);
    }
    free_unseen();
    return objects;
}
