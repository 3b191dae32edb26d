/* Parts of the twin's decoder: values, and where they are stored. */
#ifndef TWIN_DECODE_H
#define TWIN_DECODE_H

#include "twin.h"

#define BLOCK_HEADER 8u

struct twin_unit {
    uint32_t top, limit; /* of the arena for what pointers refer to */
    uint32_t depth;
    int status;
};

/* Sets the status and returns false. Every function below that returns false or NULL has set the status. */
bool twin_fail(struct twin_unit *unit, int status);

bool twin_varint(struct twin_unit *unit, const uint8_t **at, const uint8_t *end, uint64_t *value);

/* Allocate a block of memory, or one with more room that has the contents of `block`. twin_grow returns `block` if it
 * has room enough. */
uint8_t *twin_allocate(struct twin_unit *unit, uint32_t bytes);
uint8_t *twin_grow(struct twin_unit *unit, uint8_t *block, uint32_t bytes);

void twin_put_pointer(uint8_t *slot, const void *pointer);
uint8_t *twin_get_pointer(const uint8_t *slot);

/* Begins a struct by its initial records. `whole`: the memory is not a struct yet, so it is cleared first. */
void twin_begin(const struct hw_type *type, uint8_t *base, bool whole);

uint32_t twin_wire_type(const struct hw_field *entry);
bool twin_get_scalar(struct twin_unit *unit, const struct hw_field *entry, const uint8_t **at, const uint8_t *end,
                     uint64_t *value);
bool twin_put_scalar(struct twin_unit *unit, const struct hw_field *entry, uint8_t *slot, uint64_t value);

/* Stores a string or bytes of a message of `type`: in the struct, or in a block that its pointer refers to. */
bool twin_put_long(struct twin_unit *unit, const struct hw_type *type, const struct hw_field *entry, uint8_t *slot,
                   bool pointer, const uint8_t *input, uint32_t length);

#endif
