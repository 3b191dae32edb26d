/* The same with nanopb's structs: hw_pb_decode and hw_pb_encode in place of pb_decode and pb_encode. */
#include <stdio.h>

#include "guests.pb.h"
#include "programs/program.h"
#include "protobuf/nanopb/nanopb.h"
#include "units/capability.h"

static start_GuestList list;
static uint8_t output[start_GuestList_size];

int main(void) {
    pb_istream_t input = pb_istream_from_buffer(program_input, program_input_length);
    pb_ostream_t stream = pb_ostream_from_buffer(output, sizeof(output));

    hw_capability_discover(); /* once, before the first call */
    if (!hw_pb_decode(&input, start_GuestList_fields, &list)) {
        puts(PB_GET_ERROR(&input));
        return 1;
    }
    for (pb_size_t i = 0; i < list.guests_count; i++)
        printf("Hello %s, visit number %lu.\n", list.guests[i].name, (unsigned long)++list.guests[i].visits);
    if (!hw_pb_encode(&stream, start_GuestList_fields, &list)) {
        puts(PB_GET_ERROR(&stream));
        return 2;
    }
    printf("%lu bytes; calls that the unit did: %lu read, %lu written.\n", (unsigned long)stream.bytes_written,
           (unsigned long)hw_nanopb_decodes.by_unit, (unsigned long)hw_nanopb_encodes.by_unit);
    return 0;
}
