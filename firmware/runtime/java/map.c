#include "runtime/java/map.h"

#include <string.h>

#include "classes.h"
#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"
#include "runtime/java/serial.h"
#include "runtime/java/string.h"

#define MAX_CAPACITY (1u << 30)
#define NAN_FLOAT 0x7fc00000u
#define NAN_DOUBLE_HIGH 0x7ff80000u

#define AT(reference, type, name) (*(type *)hw_pointer((reference) + HW_CLASS_##name))

static inline const struct hw_klass *klass_of(hw_ref object) { return hw_klass_of(hw_pointer(object)); }

static inline bool is_enum(const struct hw_klass *klass) {
    uint32_t index = klass->id - HW_FIRST_CLASS_ID;

    return index < hw_class_count && hw_serial_classes[index].kind == HW_SERIAL_ENUM;
}

/* Stores the bits of a box, by which two boxes of one class compare. All NaNs are equal, as in doubleToLongBits.
 * Returns false for other classes. */
static bool box(hw_ref key, const struct hw_klass *klass, uint32_t bits[2]) {
    bits[1] = 0;
    if (klass == HW_CLASS_Integer)
        bits[0] = AT(key, uint32_t, Integer_value);
    else if (klass == HW_CLASS_Short)
        bits[0] = (uint32_t)AT(key, int16_t, Short_value);
    else if (klass == HW_CLASS_Byte)
        bits[0] = (uint32_t)AT(key, int8_t, Byte_value);
    else if (klass == HW_CLASS_Character)
        bits[0] = AT(key, uint16_t, Character_value);
    else if (klass == HW_CLASS_Boolean)
        bits[0] = AT(key, uint8_t, Boolean_value) ? 1231 : 1237;
    else if (klass == HW_CLASS_Long)
        memcpy(bits, hw_pointer(key + HW_CLASS_Long_value), 8);
    else if (klass == HW_CLASS_Float) {
        bits[0] = AT(key, uint32_t, Float_value);
        if ((bits[0] & 0x7fffffff) > 0x7f800000) bits[0] = NAN_FLOAT;
    } else if (klass == HW_CLASS_Double) {
        memcpy(bits, hw_pointer(key + HW_CLASS_Double_value), 8);
        if ((bits[1] & 0x7fffffff) > 0x7ff00000 || ((bits[1] & 0x7fffffff) == 0x7ff00000 && bits[0] != 0))
            bits[0] = 0, bits[1] = NAN_DOUBLE_HIGH;
    } else
        return false;
    return true;
}

/* Computes HashMap.hash(): hashCode(), its upper half folded into its lower. */
static bool hash_of(hw_handle key, uint32_t *hash) {
    uint32_t bits[2], code = 0;

    if (key) {
        const struct hw_klass *klass = klass_of(key->reference);

        if (klass == HW_CLASS_String)
            code = (uint32_t)hw_string_hash(key);
        else if (box(key->reference, klass, bits))
            code = bits[0] ^ bits[1];
        else if (is_enum(klass))
            code = hw_identity_hash(key);
        else
            return false;
    }
    *hash = code ^ code >> 16;
    return true;
}

static bool equal(hw_handle key, hw_handle other) {
    uint32_t bits[2], others[2];

    if (!key || !other->reference || key->reference == other->reference)
        return (key ? key->reference : 0) == other->reference;
    const struct hw_klass *klass = klass_of(key->reference);

    if (klass != klass_of(other->reference)) return false;
    if (klass == HW_CLASS_String) return hw_string_equals(key, other);
    return box(key->reference, klass, bits) && box(other->reference, klass, others) && bits[0] == others[0] &&
           bits[1] == others[1];
}

static inline hw_ref *buckets(hw_ref table) { return hw_pointer(table + HW_OBJECT_METADATA_ARRAY_ELEMENTS); }

/* Returns the link to a key's node, or the link at the end of the chain to which the key belongs. `*before` is the
 * number of nodes before it. */
static hw_ref *find(hw_ref table, hw_handle key, uint32_t hash, uint32_t *before) {
    hw_ref *link = &buckets(table)[hash & (hw_array_length(table) - 1)];

    for (*before = 0; *link; link = &AT(*link, hw_ref, HashMap_Node_next), ++*before)
        if (AT(*link, uint32_t, HashMap_Node_hash) == hash &&
            equal(key, (hw_handle)hw_pointer(*link + HW_CLASS_HashMap_Node_key)))
            break;
    return link;
}

/* Returns whether every hash leads into the table. Maps may also be built by other code, so this needs a check. */
static bool sound(hw_ref table) {
    uint32_t length = hw_array_length(table);

    return length != 0 && (length & (length - 1)) == 0;
}

hw_ref hw_hash_map_find(hw_handle map, hw_handle key) {
    hw_ref table = AT(map->reference, hw_ref, HashMap_table);
    uint32_t hash, before;

    return table && sound(table) && hash_of(key, &hash) ? *find(table, key, hash, &before) : 0;
}

/* Clamps the load factor as the JDK does when it reads a map. */
static float clamped(float load_factor) {
    return load_factor > 4.0f ? 4.0f : load_factor >= 0.25f ? load_factor : 0.25f;
}

/* Splits the chain of a bucket by the hash bit that only the larger table uses. Both parts keep the order. */
static void split(hw_ref table, uint32_t bucket, hw_ref node, uint32_t bit) {
    hw_ref *ends[2] = {&buckets(table)[bucket], &buckets(table)[bucket + bit]};

    for (; node; node = AT(node, hw_ref, HashMap_Node_next)) {
        hw_ref **end = &ends[(AT(node, uint32_t, HashMap_Node_hash) & bit) != 0];

        hw_write(*end, node);
        *end = &AT(node, hw_ref, HashMap_Node_next);
    }
    *ends[0] = *ends[1] = 0;
}

/* Gives the map a table of `capacity` buckets, a power of two: its first, or one twice as large as the previous one. */
static bool set_table(hw_handle map, uint32_t capacity) {
    float factor = clamped(AT(map->reference, float, HashMap_loadFactor));
    hw_ref table = hw_allocate_array(HW_CLASS_HashMap_Node_array, capacity);

    if (!table) return false;
    hw_ref object = map->reference, old = AT(object, hw_ref, HashMap_table);
    float threshold = (float)capacity * factor;

    for (uint32_t i = 0; old && i < capacity / 2; i++) split(table, i, buckets(old)[i], capacity / 2);
    hw_write(&AT(object, hw_ref, HashMap_table), table);
    AT(object, int32_t, HashMap_threshold) =
        capacity < MAX_CAPACITY && threshold < (float)MAX_CAPACITY ? (int32_t)threshold : INT32_MAX;
    return true;
}

static uint32_t power_of_two(uint32_t least) {
    uint32_t capacity = 1;

    while (capacity < least && capacity < MAX_CAPACITY) capacity *= 2;
    return capacity;
}

void hw_hash_map_init(hw_handle map, uint32_t capacity) {
    AT(map->reference, float, HashMap_loadFactor) = 0.75f;
    AT(map->reference, int32_t, HashMap_threshold) = (int32_t)power_of_two(capacity);
}

bool hw_hash_map_init_read(hw_handle map, float load_factor, uint32_t expected) {
    float factor = clamped(load_factor);
    float least = (float)expected / factor + 1.0f;

    AT(map->reference, float, HashMap_loadFactor) = factor;
    AT(map->reference, int32_t, HashMap_threshold) = 0;
    if (expected == 0) return true;
    return set_table(map, least < 16.0f                  ? 16
                          : least >= (float)MAX_CAPACITY ? MAX_CAPACITY
                                                         : power_of_two((uint32_t)least));
}

static bool grow(hw_handle map) {
    hw_ref object = map->reference, table = AT(object, hw_ref, HashMap_table);
    int32_t threshold = AT(object, int32_t, HashMap_threshold);

    return set_table(map, table ? 2 * hw_array_length(table) : threshold > 0 ? (uint32_t)threshold : 16);
}

enum hw_map_result hw_hash_map_enter(hw_handle map, hw_handle key, hw_handle value, uint32_t longest) {
    hw_ref table = AT(map->reference, hw_ref, HashMap_table), node;
    uint32_t hash, before;

    if (!hash_of(key, &hash) || (table && !sound(table))) return HW_MAP_WRONG;
    /* The node is made before the search, so that the chain is walked once. It is seldom made in vain. */
    if ((!table && !grow(map)) || !(node = hw_allocate(HW_CLASS_HashMap_Node))) return HW_MAP_NO_MEMORY;
    table = AT(map->reference, hw_ref, HashMap_table);
    hw_ref *link = find(table, key, hash, &before);

    if (*link) {
        hw_write(&AT(*link, hw_ref, HashMap_Node_value), value ? value->reference : 0);
        return HW_MAP_ENTERED;
    }
    if (before >= longest) return HW_MAP_COLLISIONS;
    AT(node, uint32_t, HashMap_Node_hash) = hash;
    hw_write(&AT(node, hw_ref, HashMap_Node_key), key ? key->reference : 0);
    hw_write(&AT(node, hw_ref, HashMap_Node_value), value ? value->reference : 0);
    hw_write(link, node);
    int32_t size = ++AT(map->reference, int32_t, HashMap_size);

    AT(map->reference, int32_t, HashMap_modCount)++;
    if (size > AT(map->reference, int32_t, HashMap_threshold) && hw_array_length(table) < MAX_CAPACITY && !grow(map))
        return HW_MAP_NO_MEMORY;
    return HW_MAP_ENTERED;
}

bool hw_hash_map_put(hw_handle map, hw_handle key, hw_handle value) {
    enum hw_map_result result = hw_hash_map_enter(map, key, value, UINT32_MAX);

    if (result == HW_MAP_WRONG) hw_error_raise(HW_STATUS_WRONG_TYPE);
    return result == HW_MAP_ENTERED;
}
