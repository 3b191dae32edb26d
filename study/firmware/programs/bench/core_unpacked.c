/* Includes the whole encoder under other names, because a build can set the option only once. */
#define PB_ENCODE_ARRAYS_UNPACKED 1

#define pb_encode unpacked_encode
#define pb_encode_ex unpacked_encode_ex
#define pb_get_encoded_size unpacked_get_encoded_size
#define pb_ostream_from_buffer unpacked_ostream_from_buffer
#define pb_write unpacked_write
#define pb_encode_tag unpacked_encode_tag
#define pb_encode_tag_for_field unpacked_encode_tag_for_field
#define pb_encode_varint unpacked_encode_varint
#define pb_encode_svarint unpacked_encode_svarint
#define pb_encode_string unpacked_encode_string
#define pb_encode_fixed32 unpacked_encode_fixed32
#define pb_encode_fixed64 unpacked_encode_fixed64
#define pb_encode_float_as_double unpacked_encode_float_as_double
#define pb_encode_submessage unpacked_encode_submessage

#include "pb_encode.c"
