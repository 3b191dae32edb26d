/* Reads a list of guests from the wire, greets them, counts their visits, and writes the list again. */
#include <stdbool.h>
#include <stdio.h>

#include "guests.heapwire.h"
#include "programs/program.h"
#include "protobuf/protobuf.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

static uint8_t output[1 << 16];

/* Finds the units, loads the schema's tables and starts an empty heap of 1 MB. */
static bool start(void) {
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 1u << 20};

    hw_capability_discover();
    return hw_schema_load(program_schema, program_schema_length) == HW_SCHEMA_OK && hw_heap_init(&heap);
}

static void greet(start_Guest guest) {
    struct hw_bytes name = start_Guest_get_name(guest);

    start_Guest_set_visits(guest, start_Guest_get_visits(guest) + 1);
    printf("Hello %.*s, visit number %lu.\n", (int)name.length, (const char *)name.data,
           (unsigned long)start_Guest_get_visits(guest));
}

int main(void) {
    struct hw_protobuf context;
    struct hw_bytes bytes;
    hw_handle handle;

    if (!start()) return 1;
    hw_protobuf_open_heap(&context);
    const struct hw_type *type = hw_schema_find("start.GuestList");

    if (!hw_protobuf_read(&context, type, program_input, program_input_length, &handle)) {
        printf("status %d at byte %lu\n", context.status, (unsigned long)context.offset);
        return 2;
    }
    start_GuestList list = start_GuestList_from(handle);

    for (uint32_t i = 0; i < start_GuestList_count_guests(list); i++) {
        hw_scope scope = hw_scope_open(); /* frees the guest's handle */

        greet(start_GuestList_mutable_guests(list, i));
        hw_scope_close(scope);
    }
    if (!hw_protobuf_write(&context, type, handle, output, sizeof(output), &bytes)) {
        printf("status %d\n", context.status);
        return 3;
    }
    printf("%lu bytes:", (unsigned long)bytes.length);
    for (uint32_t i = 0; i < bytes.length; i++) printf(" %02x", bytes.data[i]);
    printf("\nCommands that software did: %lu.\n", (unsigned long)context.fallbacks);
    return 0;
}
