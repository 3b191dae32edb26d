/* What `make program` links to a user's program (docs/start/program.md): the file DATA. The schemas PROTO are
 * `program_schema`, which hw_start puts in force. */
#ifndef HW_PROGRAMS_PROGRAM_H
#define HW_PROGRAMS_PROGRAM_H

#include "protobuf/messages/start.h"

/* The bytes of DATA. The length is 0 if there is no DATA. */
extern const uint8_t program_input[];
extern const uint32_t program_input_length;

/* The machine's number: 0 or 1 of two whose second UARTs are joined (`--machines 2`), else 0. */
extern const uint32_t program_machine;

#endif
