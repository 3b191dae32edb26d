/* In place of protobuf/codec, for programs that are linked without it. */
#include "protobuf/codec/codec.h"

struct hw_protobuf_codec_object hw_protobuf_codec_read(const struct hw_type *type, const void *input, uint32_t length,
                                                       uint32_t max_depth, struct hw_arenas *arenas) {
    (void)type, (void)input, (void)length, (void)max_depth, (void)arenas;
    return (struct hw_protobuf_codec_object){.status = HW_STATUS_NO_CODEC};
}

struct hw_protobuf_codec_bytes hw_protobuf_codec_write(const struct hw_type *type, hw_ref object, uint32_t max_depth,
                                                       uint8_t *output, uint32_t size, uint32_t bound, uint32_t limit) {
    (void)type, (void)max_depth, (void)output, (void)size, (void)bound, (void)limit;
    return (struct hw_protobuf_codec_bytes){.status = HW_STATUS_NO_CODEC, .at = object};
}
