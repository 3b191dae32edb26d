/* Field instructions: the core walks a C struct of its own, and the unit encodes and decodes the values. There is no
 * schema, no table and no heap. The message:
 *
 *   message Reading { uint32 sensor = 1; sint32 tenths = 2; fixed64 time = 3; double volts = 4; } */
#include <stdio.h>

#include "protobuf/fields/instructions.h"

struct reading {
    uint32_t sensor;
    int32_t tenths;
    uint64_t time;
    double volts;
};

enum { SENSOR = 1, TENTHS, TIME, VOLTS };

static uint32_t address(const void *pointer) { return (uint32_t)(uintptr_t)pointer; }

/* Writes to the end of the buffer and returns the length, or 0. The last field comes first, because the unit writes
 * each in front of those before it. It reads values in the HEAP range alone. */
static uint32_t write_reading(const struct reading *from, uint8_t *buffer, uint32_t size) {
    hw_field_set_up(HW_FIELD_SET_UP_OUTPUT, address(buffer), size);
    hw_field_set_up(HW_FIELD_SET_UP_HEAP, address(from), address(from + 1));
    hw_serfield(HW_TYPE_DOUBLE, address(&from->volts), VOLTS);
    hw_serfield(HW_TYPE_FIXED64, address(&from->time), TIME);
    if (from->tenths) hw_serfield(HW_TYPE_SINT32, address(&from->tenths), TENTHS); /* the core knows what is present */
    hw_serfield(HW_TYPE_UINT32, address(&from->sensor), SENSOR);
    uint32_t length = hw_chksuccess(HW_FIELD_CHECK_LENGTH, 0); /* waits for all of them */

    return hw_chksuccess(HW_FIELD_CHECK_STATUS, 0) == HW_STATUS_OK ? length : 0;
}

/* The core reads keys, the unit values, and it writes in the DESTINATION range alone. Returns the first fault. */
static uint32_t read_reading(struct reading *to, const uint8_t *input, uint32_t length) {
    uint32_t at = address(input), end = at + length;

    hw_field_set_up(HW_FIELD_SET_UP_INPUT, at, end);
    hw_field_set_up(HW_FIELD_SET_UP_DESTINATION, address(to), address(to + 1));
    while (at < end) { /* all ones after a fault */
        uint32_t key = *(const uint8_t *)(uintptr_t)at++;

        if (key >> 3 == SENSOR)
            at = hw_parfield(HW_TYPE_UINT32, at, address(&to->sensor));
        else if (key >> 3 == TENTHS)
            at = hw_parfield(HW_TYPE_SINT32, at, address(&to->tenths));
        else if (key >> 3 == TIME)
            at = hw_parfield(HW_TYPE_FIXED64, at, address(&to->time));
        else if (key >> 3 == VOLTS)
            at = hw_parfield(HW_TYPE_DOUBLE, at, address(&to->volts));
        else
            return HW_STATUS_UNSUPPORTED; /* an unknown field, which the core would have to skip */
    }
    return hw_chksuccess(HW_FIELD_CHECK_STATUS, 0);
}

int main(void) {
    const struct reading sent = {.sensor = 300, .tenths = -35, .time = 1700000000, .volts = 3.25};
    static uint8_t buffer[64];
    struct reading got = {0}, cut = {0};

    hw_capability_discover();
    if (!hw_fields_present()) return 1; /* generated code (hw_fields_write) falls back to software */
    uint32_t length = write_reading(&sent, buffer, sizeof buffer);
    const uint8_t *start = buffer + sizeof buffer - length;

    printf("%lu bytes:", (unsigned long)length);
    for (uint32_t i = 0; i < length; i++) printf(" %02x", start[i]);
    printf("\nstatus %lu: ", (unsigned long)read_reading(&got, start, length));
    printf("sensor %lu, %.1f degrees, time %llu, %.2f V\n", (unsigned long)got.sensor, got.tenths / 10.0,
           (unsigned long long)got.time, got.volts);
    printf("without its last byte: status %lu\n", (unsigned long)read_reading(&cut, start, length - 1));
    return 0;
}
