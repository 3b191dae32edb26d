/* Several messages in flight: the core submits a command for each packet, does other work while the units read, and
 * then takes the results. */
#include <stdio.h>

#include "programs/program.h"
#include "protobuf/protobuf.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "sensors.heapwire.h"

#define LANES 4
#define ARENA_BYTES 4096u

/* What one command needs to itself until it has finished. Two commands in the same arenas would run one after the
 * other, because the second one's objects begin where the first one's end. */
struct lane {
    struct hw_arenas arenas;
    struct hw_protobuf context;
    struct hw_protobuf_reading command;
};

static struct lane lanes[LANES];

/* Gives a lane its arenas: plain memory that no collector looks at. */
static void open_lane(struct lane *lane, uint32_t base) {
    hw_arena_init(&lane->arenas.fixed, base, ARENA_BYTES);
    hw_arena_init(&lane->arenas.flexible, base + ARENA_BYTES, ARENA_BYTES);
    hw_protobuf_open(&lane->context, &lane->arenas);
}

/* Returns the next packet: a key, a length below 128 and a message. Elements of a list lie so in their message. */
static const uint8_t *packet(const uint8_t **at, uint32_t *length) {
    const uint8_t *body = *at + 2;

    *length = (*at)[1];
    *at = body + *length;
    return body;
}

int main(void) {
    const uint8_t *at = program_input;
    uint32_t length, in_flight = 0, checksum = 0, fallbacks = 0;

    if (!hw_start()) return 1;
    const struct hw_type *type = hw_schema_find("sensors.Reading");
    HW_SCOPE; /* for the handles on all results */

    for (uint32_t i = 0; i < LANES; i++) {
        const uint8_t *body = packet(&at, &length);

        open_lane(&lanes[i], HW_FLEXIBLE_BASE + i * 2 * ARENA_BYTES);
        /* Returns as soon as the command is in a queue. The input must stay until it has ended. */
        if (!hw_protobuf_read_begin(&lanes[i].context, type, body, length, &lanes[i].command)) return 2;
        in_flight += hw_pending_in_flight(&lanes[i].command.pending);
    }
    /* The core is free meanwhile. */
    for (uint32_t i = 0; i < program_input_length; i++) checksum = checksum * 31 + program_input[i];

    for (uint32_t i = 0; i < LANES; i++) { /* any order will do */
        hw_handle handle;

        if (!hw_protobuf_read_end(&lanes[i].command, &handle)) return 3;
        sensors_Reading reading = sensors_Reading_from(handle);
        struct hw_bytes place = sensors_Reading_get_place(reading);

        printf("%.*s: %.1f degrees, %lu values\n", (int)place.length, (const char *)place.data,
               sensors_Reading_get_tenths(reading) / 10.0, (unsigned long)sensors_Reading_count_history(reading));
        fallbacks += lanes[i].context.fallbacks;
    }
    /* The objects are gone when the arena begins anew; nobody frees them one by one. */
    for (uint32_t i = 0; i < LANES; i++) hw_arena_reset(&lanes[i].arenas.fixed);
    printf("%lu in flight at once, checksum %08lx, commands that software did: %lu\n", (unsigned long)in_flight,
           (unsigned long)checksum, (unsigned long)fallbacks);
    return 0;
}
