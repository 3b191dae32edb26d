/* A second copy of nanopb's encoder, built to honour `packed = false` (PB_ENCODE_ARRAYS_UNPACKED). */
#ifndef HW_PROGRAMS_BENCH_CORE_UNPACKED_H
#define HW_PROGRAMS_BENCH_CORE_UNPACKED_H

#include <pb_encode.h>

bool unpacked_encode(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *message);

#endif
