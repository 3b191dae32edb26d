/* A program of nanopb's calls alone: nothing in this file knows of the units. It writes a list of guests into a buffer,
 * and reads it from there, as firmware does with what it sends and receives. */
#include <pb_decode.h>
#include <pb_encode.h>
#include <stdio.h>

#include "guests.pb.h"

#define ROUNDS 100

static start_GuestList sent = {.guests_count = 2, .guests = {{.name = "Ada"}, {.name = "Grace"}}}, received;
static uint8_t buffer[start_GuestList_size];

/* Returns the bytes of the message, or 0 with a line that says what is wrong. */
static size_t write_list(void) {
    pb_ostream_t stream = pb_ostream_from_buffer(buffer, sizeof buffer);

    if (pb_encode(&stream, start_GuestList_fields, &sent)) return stream.bytes_written;
    puts(PB_GET_ERROR(&stream));
    return 0;
}

static bool read_list(size_t bytes) {
    pb_istream_t stream = pb_istream_from_buffer(buffer, bytes);

    if (pb_decode(&stream, start_GuestList_fields, &received)) return true;
    puts(PB_GET_ERROR(&stream));
    return false;
}

int main(void) {
    size_t bytes = 0;

    for (int round = 1; round <= ROUNDS; round++) {
        for (pb_size_t i = 0; i < sent.guests_count; i++) sent.guests[i].visits++;
        if (!(bytes = write_list()) || !read_list(bytes)) return 1;
    }
    for (pb_size_t i = 0; i < received.guests_count; i++)
        printf("Hello %s, visit number %lu.\n", received.guests[i].name, (unsigned long)received.guests[i].visits);
    printf("%u bytes\n", (unsigned)bytes);
    printf("cut: "); /* what is damaged ends with nanopb's own texts */
    return read_list(bytes - 1) ? 2 : 0;
}
