/* What the generated code of message types consists of (host/heapwire/plugin/fields.py). */
#ifndef HW_PROTOBUF_FIELDS_GENERATED_H
#define HW_PROTOBUF_FIELDS_GENERATED_H

#include "protobuf/fields/fields.h"
#include "protobuf/fields/instructions.h"
#include "runtime/compiler.h"
#include "runtime/registers.h"

#define HW_FIELDS_FAILED UINT32_MAX

static inline uint32_t hw_fields_word(hw_ref at) { return *(const uint32_t *)hw_pointer(at); }

static inline uint32_t hw_fields_byte(hw_ref at) { return *(const uint8_t *)hw_pointer(at); }

/* Loads `count` words, hasbits or cases of oneofs; a new object's are 0 and need no load. */
static inline void hw_fields_load(uint32_t *words, uint32_t count, hw_ref at, bool fresh) {
    for (uint32_t i = 0; i < count; i++) words[i] = fresh ? 0 : hw_fields_word(at + 4 * i);
}

static inline void hw_fields_store(const uint32_t *words, uint32_t count, hw_ref at) {
    for (uint32_t i = 0; i < count; i++) ((uint32_t *)hw_pointer(at))[i] = words[i];
}

/* Reading. Addresses are of the input; HW_FIELDS_FAILED, or one behind `end`, ends the loop over the fields. */

/* root, limit: the range of the messages of the sequence. depth: how many more may be open. */
struct hw_fields_reader {
    hw_ref root, limit;
    uint32_t depth;
};

/* What is at an address of the input: the address behind it, and the value. */
struct hw_fields_at {
    uint32_t at, value;
};

/* Reads a varint of up to 32 bits. If it is longer, or not whole, the address is HW_FIELDS_FAILED and the value 0. */
struct hw_fields_at hw_fields_varint(uint32_t at, uint32_t end);

/* Reads a key, or a length, at `at`, which must be below `end`. */
static inline struct hw_fields_at hw_fields_key(uint32_t at, uint32_t end) {
    uint32_t first = hw_fields_byte(at);

    return LIKELY(first < 0x80) ? (struct hw_fields_at){at + 1, first} : hw_fields_varint(at, end);
}

/* Returns whether a packed run is empty. Such a run alone makes no list. */
static inline bool hw_fields_empty(uint32_t at, uint32_t end) { return at < end && hw_fields_byte(at) == 0; }

/* Returns whether the enum declares all values at `at`, one value or with `run` a packed run; false if one is
 * malformed. */
bool hw_fields_all_declared(uint32_t at, uint32_t end, bool run, bool (*known)(int32_t number));

/* As above, fast for one byte. */
static inline bool hw_fields_declared(uint32_t at, uint32_t end, bool run, bool (*known)(int32_t number)) {
    uint32_t first = !run && at < end ? hw_fields_byte(at) : UINT32_MAX;

    return LIKELY(first < 0x80) ? known((int32_t)first) : hw_fields_all_declared(at, end, run, known);
}

/* Reads a submessage, whose length is at `at`, into the message of the slot, or if none is `seen` into a new one. */
uint32_t hw_fields_message(struct hw_fields_reader *reader, const struct hw_fields_type *type, hw_ref slot, bool seen,
                           uint32_t at, uint32_t end);

/* Reads a submessage into a new message at the end of the slot's list. */
uint32_t hw_fields_element(struct hw_fields_reader *reader, const struct hw_fields_type *type, hw_ref slot, bool seen,
                           uint32_t at, uint32_t end);

/* Writing. */

/* The range in which objects may lie; how many more messages may be open, and how many more the output may have room
 * for. The latter is needed because the unit accepts fields without an answer even when its output is full: the walk of
 * a graph that refers to one object many times would hardly end. */
struct hw_fields_writer {
    uint32_t bound, span, depth, messages;
};

static inline bool hw_fields_holds(const struct hw_fields_writer *writer, hw_ref reference, uint32_t size) {
    uint32_t distance = reference - writer->bound;

    return reference % HW_OBJECT_ALIGNMENT == 0 && distance <= writer->span && size <= writer->span - distance;
}

/* Returns whether the object is within the bounds, and of the type. */
static inline bool hw_fields_is(const struct hw_fields_writer *writer, hw_ref object,
                                const struct hw_message_info *info, uint32_t size) {
    return LIKELY(hw_fields_holds(writer, object, size) &&
                  ((const struct hw_object *)hw_pointer(object))->klass == hw_reference(info->binding->klass));
}

/* Writes the unknown fields, if there are any. */
static inline void hw_fields_unknown(hw_ref slot) {
    if (UNLIKELY(hw_fields_word(slot) != hw_registers[HW_REG_UNKNOWN_FIELDS]))
        hw_serfield(HW_FIELD_FUNCTION_RAW, slot, 0);
}

/* Returns whether the string has bytes. If its references are invalid, it says yes: the unit finds the fault. */
bool hw_fields_has_bytes(const struct hw_fields_writer *writer, hw_ref string);

/* Writes a submessage or group with its keys or length; none (0) as an empty one. */
bool hw_fields_put(struct hw_fields_writer *writer, const struct hw_fields_type *type, hw_ref message, uint32_t number,
                   bool group);

/* Writes the elements of a list of messages or groups. */
bool hw_fields_put_list(struct hw_fields_writer *writer, const struct hw_fields_type *type, hw_ref list,
                        uint32_t number, bool group);

#endif
