#include "programs/bench/objects.h"

#include <stdio.h>
#include <string.h>

#include "classes.h"
#include "cereal/codec/class.h"
#include "programs/measure/memory_map.h"
#include "runtime/crc32.h"
#include "runtime/heap/card.h"
#include "runtime/heap/epoch.h"

static const char *problem(const struct objects_workload *workload) {
    if (workload->magic != OBJECTS_MAGIC) return "there is none";
    if (workload->version != OBJECTS_VERSION) return "it has a version that this firmware does not know";
    if (workload->bytes < sizeof *workload || workload->bytes > BUFFER_LIMIT - BUFFER_BASE)
        return "its size is out of range";
    if (workload->crc != 0 && hw_crc32(0, workload->cases, workload->bytes - sizeof *workload) != workload->crc)
        return "its CRC-32 does not match";
    if (workload->class_count != hw_class_count || workload->class_set != hw_cereal_set.fingerprint)
        return "its classes are others";
    return NULL;
}

const struct objects_workload *objects_open(void) {
    const struct objects_workload *workload = hw_pointer(HW_LOAD_BASE);
    const char *text = problem(workload);

    if (text) printf("# workload at %08lx: %s\n", (unsigned long)HW_LOAD_BASE, text);
    return text ? NULL : workload;
}

/* Offset of an instance's first field, with metadata. */
#define FIELDS (HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE)

static inline uint32_t header_bytes(const struct hw_klass *klass) {
    return klass->object_size ? FIELDS : HW_OBJECT_METADATA_ARRAY_ELEMENTS;
}

/* Returns the number of slots behind the header. */
static inline uint32_t slots_of(const struct hw_klass *klass, uint32_t length) {
    if (klass->object_size) return (klass->object_size - header_bytes(klass)) / 4;
    return ((length << klass->element_shift) + 7) / 8 * 2;
}

/* Returns which of the 32 slots from `slot` on hold references; the first slot is the lowest bit. No workload has
 * classes with long bitmaps. */
static inline uint32_t references_from(const struct hw_klass *klass, uint32_t length, uint32_t slot) {
    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY)
        return slot + 32 <= length ? UINT32_MAX : slot < length ? (1u << (length - slot)) - 1 : 0;
    return slot == 0 && klass->object_size
               ? klass->reference_bitmap >> (header_bytes(klass) - HW_OBJECT_HEADER_SIZE) / 4
               : 0;
}

static hw_ref make(uint32_t class, uint32_t length) {
    const struct hw_klass *klass = &hw_java_klasses[class & ~OBJECTS_CONSTANT];

    if (class & OBJECTS_CONSTANT)
        return hw_enum_constant(hw_serial_classes[class & ~OBJECTS_CONSTANT].first_constant + length);
    return klass->object_size ? hw_allocate(klass) : hw_allocate_array(klass, length);
}

/* Fills the slots of an object from the words at `from`. */
static void fill(hw_ref object, const struct hw_klass *klass, uint32_t length, uint32_t slots, const uint32_t *from,
                 const uint32_t *objects) {
    uint32_t *to = (uint32_t *)hw_pointer(object + header_bytes(klass));

    for (uint32_t i = 0; i < slots; i += 32) {
        uint32_t references = references_from(klass, length, i), end = slots - i < 32 ? slots : i + 32;

        for (uint32_t k = i; k < end; k++, references >>= 1)
            if (!(references & 1))
                to[k] = from[k];
            else if (from[k])
                hw_write(&to[k], objects[from[k] - 1]);
    }
}

hw_ref objects_build(const uint32_t *graph, uint32_t *scratch) {
    uint32_t count = *graph++;
    const uint32_t *at = graph;

    for (uint32_t i = 0; i < count; i++) {
        scratch[i] = make(at[0], at[1]);
        if (!scratch[i]) return 0;
        at += at[0] & OBJECTS_CONSTANT ? 2 : 2 + slots_of(&hw_java_klasses[at[0]], at[1]);
    }
    at = graph;
    for (uint32_t i = 0; i < count; i++) {
        if (at[0] & OBJECTS_CONSTANT) {
            at += 2;
            continue;
        }
        const struct hw_klass *klass = &hw_java_klasses[at[0]];
        uint32_t slots = slots_of(klass, at[1]);

        fill(scratch[i], klass, at[1], slots, at + 2, scratch);
        at += 2 + slots;
    }
    return scratch[*at]; /* the word behind the last object is the index of the root */
}

static inline uint32_t mix(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * 0x9e3779b1u;
    return hash << 13 | hash >> 19;
}

uint32_t objects_digest_bytes(const void *bytes, uint32_t length) {
    const uint8_t *at = bytes;
    uint32_t hash = 2, word = 0, left = length;

    /* Loading whole words takes a fifth of the cycles. */
    if ((uintptr_t)at % sizeof word == 0)
        for (; left >= sizeof word; left -= sizeof word, at += sizeof word)
            hash = mix(hash, *(const uint32_t *)(const void *)at);
    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = mix(hash, word);
    }
    if (left) {
        word = 0;
        memcpy(&word, at, left);
        hash = mix(hash, word);
    }
    return mix(hash, length);
}

/* A traversal: the objects met so far. Each has its place among them, from 1, in the second word of its metadata. */
struct traversal {
    uint32_t owner;
    uint32_t oldest; /* owner words below it do not count */
    hw_ref *found;
    uint32_t count, limit;
    hw_ref bound, end;
};

/* Returns whether the klass is a class of the table, with metadata. */
static bool is_class(const struct hw_klass *klass) {
    return klass == &hw_java_klasses[klass - hw_java_klasses] && klass->flags & HW_KLASS_FLAG_METADATA;
}

/* Returns the place of a reference's target; 0 if it is no valid object. Inlined, because most of the time is spent
 * here. */
static inline __attribute__((always_inline)) uint32_t place_of(struct traversal *traversal, hw_ref object) {
    if (object < traversal->bound || object >= traversal->end || object % HW_OBJECT_ALIGNMENT != 0) return 0;
    const struct hw_klass *klass = hw_klass_of(hw_pointer(object));

    if (klass < hw_java_klasses || klass >= hw_java_klasses + hw_class_count) return 0;
    uint32_t *metadata =
        hw_pointer(object + (klass->object_size ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY));

    if (metadata[0] == traversal->owner) return metadata[1];
    if (traversal->count == traversal->limit || !is_class(klass) ||
        !hw_epoch_take(metadata, traversal->owner, traversal->oldest, traversal->count + 1))
        return 0;
    traversal->found[traversal->count++] = object;
    return traversal->count;
}

static inline __attribute__((always_inline)) bool digest_object(struct traversal *traversal, hw_ref object,
                                                                uint32_t *digest) {
    const struct hw_klass *klass = hw_klass_of(hw_pointer(object));
    uint32_t length = klass->object_size ? 0 : hw_array_length(object),
             hash = mix(*digest, klass->id - HW_FIRST_CLASS_ID);
    const uint32_t *slots = hw_pointer(object + header_bytes(klass));

    if (!klass->object_size) {
        hash = mix(hash, length);
        if (length > traversal->end - object) /* an array has at least a byte per element */
            return false;
    }
    for (uint32_t i = 0, count = slots_of(klass, length); i < count; i += 32) {
        uint32_t references = references_from(klass, length, i), end = count - i < 32 ? count : i + 32;

        for (uint32_t k = i; k < end; k++, references >>= 1) {
            uint32_t word = slots[k];

            if (references & 1 && word && !(word = place_of(traversal, word))) return false;
            hash = mix(hash, word);
        }
    }
    *digest = hash;
    return true;
}

uint32_t objects_digest(hw_ref root, uint32_t objects, uint32_t *scratch) {
    uint32_t epoch = hw_epoch_open(), digest = 6, bound, end;

    if (epoch == 0) return 0;
    hw_heap_bounds(&bound, &end);
    struct traversal traversal = {.owner = epoch << HW_EPOCH_SHIFT,
                                  .oldest = hw_epoch_oldest_owner(),
                                  .found = scratch,
                                  .limit = objects,
                                  .bound = bound,
                                  .end = end};
    bool good = place_of(&traversal, root) != 0;

    for (uint32_t i = 0; good && i < traversal.count; i++)
        good = digest_object(&traversal, traversal.found[i], &digest);
    hw_epoch_close(epoch);
    return good ? mix(digest, traversal.count) : 0;
}
