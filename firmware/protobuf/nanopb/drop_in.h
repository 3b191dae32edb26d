/* The units behind nanopb's names. A compiler that includes this header before a file (`-include`) lets the calls of
 * pb_decode, pb_encode and their variants in that file go to hw_pb_decode and hw_pb_encode. The file itself stays as it
 * is, and without the header it is a plain user of nanopb. nanopb's own files must not include it. */
#ifndef HW_PROTOBUF_NANOPB_DROP_IN_H
#define HW_PROTOBUF_NANOPB_DROP_IN_H

#include "protobuf/nanopb/nanopb.h"

/* Not function-like, so that a pointer to a function leads to the units, too. nanopb's other names are macros of
 * these. */
#define pb_decode hw_pb_decode
#define pb_decode_ex hw_pb_decode_ex
#define pb_encode hw_pb_encode
#define pb_encode_ex hw_pb_encode_ex

#endif
