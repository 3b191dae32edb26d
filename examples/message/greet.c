/* Reads a list of guests from the wire, greets them, counts their visits, and writes the list again. */
#include <stdio.h>

#include "guests.heapwire.h"
#include "programs/program.h"

static uint8_t output[1 << 16];

static void greet(start_Guest guest) {
    struct hw_bytes name = start_Guest_get_name(guest);

    start_Guest_set_visits(guest, start_Guest_get_visits(guest) + 1);
    printf("Hello %.*s, visit number %lu.\n", (int)name.length, (const char *)name.data,
           (unsigned long)start_Guest_get_visits(guest));
}

/* Returns the length of the list in `output`, or 0 with an error. */
static uint32_t greet_all(const void *input, uint32_t length) {
    HW_SCOPE; /* the handles below end with the block */
    start_GuestList list = start_GuestList_read(input, length);

    for (uint32_t i = 0; i < start_GuestList_count_guests(list); i++) {
        HW_SCOPE; /* that of the guest, in each round */
        greet(start_GuestList_mutable_guests(list, i));
    }
    return start_GuestList_write(list, output, sizeof output);
}

int main(void) {
    uint32_t length = hw_start() ? greet_all(program_input, program_input_length) : 0;

    if (length == 0) {
        puts(hw_error_text());
        return 1;
    }
    printf("%lu bytes:", (unsigned long)length);
    for (uint32_t i = 0; i < length; i++) printf(" %02x", output[i]);
    printf("\nMessages that software did: %lu.\n", (unsigned long)hw_message_fallbacks);
    return 0;
}
