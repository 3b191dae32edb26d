#include "nanopb/nanopb.h"

#include <pb_decode.h>
#include <pb_encode.h>
#include <string.h>

#include "protobuf/nanopb/nanopb.h"

const struct nanopb_type *nanopb_find(const char *full_name) {
    for (unsigned i = 0; i < nanopb_type_count; i++)
        if (strcmp(nanopb_types[i].name, full_name) == 0) return &nanopb_types[i];
    return NULL;
}

void *nanopb_decode(const struct nanopb_type *type, const void *input, uint32_t length, struct hw_arena *arena,
                    const char **error) {
    pb_istream_t stream = pb_istream_from_buffer(input, length);
    hw_ref taken = hw_arena_take(arena, type->size);

    if (!taken) {
        *error = "no room for the struct";
        return NULL;
    }
    hw_nanopb_allocate_in(arena);
    if (pb_decode(&stream, type->fields, hw_pointer(taken))) return hw_pointer(taken);
    *error = PB_GET_ERROR(&stream);
    return NULL;
}

uint32_t nanopb_encode(const struct nanopb_type *type, const void *message, void *output, uint32_t capacity, bool *ok) {
    pb_ostream_t stream = pb_ostream_from_buffer(output, capacity);

    *ok = pb_encode(&stream, type->fields, message);
    return *ok ? (uint32_t)stream.bytes_written : 0;
}
