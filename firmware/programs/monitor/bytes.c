#include "programs/monitor/service.h"

#include "programs/measure/memory_map.h"
#include "packet/body.h"
#include "runtime/crc32.h"

enum answer write_memory(const struct packet *request) {
    if (request->length <= 4 || request->length - 4 > MONITOR_MAX_DATA) return ANSWER_BAD_BODY;
    uint32_t address = word_at(request, 0), length = request->length - 4;

    if (!range_within(address, length, BUFFER_BASE, BUFFER_LIMIT)) return ANSWER_BAD_ADDRESS;
    memcpy(hw_pointer(address), request->body + 4, length);
    return ANSWER_OK;
}

enum answer read_memory(const struct packet *request, struct packet *response) {
    struct monitor_range range;

    take_record(request, &range, sizeof range);
    if (range.length == 0 || range.length > MONITOR_MAX_DATA) return ANSWER_BAD_BODY;
    if (!range_within(range.address, range.length, HW_MEMORY_BASE, HW_MEMORY_LIMIT)) return ANSWER_BAD_ADDRESS;
    append_record(response, hw_pointer(range.address), range.length);
    return ANSWER_OK;
}

enum answer checksum(const struct packet *request, struct packet *response) {
    struct monitor_range range;

    take_record(request, &range, sizeof range);
    if (!range_within(range.address, range.length, HW_MEMORY_BASE, HW_MEMORY_LIMIT)) return ANSWER_BAD_ADDRESS;
    append(response, hw_crc32(0, hw_pointer(range.address), range.length));
    return ANSWER_OK;
}
