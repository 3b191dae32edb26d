#include "copy/copy.h"

#include <string.h>

#include "runtime/object.h"
#include "units/capability.h"

#define GATHER_WORD 16u

struct hw_copy_state hw_copy_state;

/* Waits for command `tag`, frees the tag and returns the status. */
static hw_status end(int32_t tag) {
    hw_status status = hw_command_finish(tag);

    hw_command_release(tag);
    return status;
}

static bool unit_present(void) {
    if (hw_unit_count(HW_UNIT_COPY) != 0) return true;
    hw_copy_state.fallbacks++;
    return false;
}

int32_t hw_copy_begin(void *destination, const void *source, uint32_t length) {
    int32_t tag;

    if (hw_unit_count(HW_UNIT_COPY) == 0) return HW_SUBMIT_NO_UNIT;
    do {
        hw_command_stage(0, hw_reference(source), hw_reference(destination));
        hw_command_stage(1, length, 0);
        tag = hw_command_submit(HW_OP_COPY, 0, 0);
    } while (tag == HW_SUBMIT_RETRY);
    return tag;
}

hw_status hw_copy(void *destination, const void *source, uint32_t length) {
    int32_t tag;

    if (!unit_present()) {
        memcpy(destination, source, length);
        return HW_STATUS_OK;
    }
    do tag = hw_copy_begin(destination, source, length);
    while (tag == HW_SUBMIT_QUEUE_FULL);
    return end(tag);
}

hw_status hw_fill(void *destination, uint8_t value, uint32_t length) {
    int32_t tag;

    if (!unit_present()) {
        memset(destination, value, length);
        return HW_STATUS_OK;
    }
    do {
        hw_command_stage(0, value, hw_reference(destination));
        hw_command_stage(1, length, 0);
        tag = hw_command_submit(HW_OP_FILL, 0, 0);
    } while (tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL);
    return end(tag);
}

static hw_status gather_in_software(uint8_t *destination, const uint32_t *list, uint32_t count, uint32_t bound,
                                    uint32_t limit) {
    if (hw_reference(list) % GATHER_WORD != 0 || hw_reference(destination) % GATHER_WORD != 0)
        return HW_STATUS_BAD_ALIGNMENT;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] % GATHER_WORD != 0) return HW_STATUS_BAD_ALIGNMENT;
        if (list[i] < bound || limit < GATHER_WORD || list[i] > limit - GATHER_WORD) return HW_STATUS_OUT_OF_BOUNDS;
        memcpy(destination + i * GATHER_WORD, hw_pointer(list[i]), GATHER_WORD);
    }
    return HW_STATUS_OK;
}

hw_status hw_gather(void *destination, const uint32_t *list, uint32_t count, uint32_t in_flight, uint32_t bound,
                    uint32_t limit) {
    int32_t tag;

    if (!unit_present()) return gather_in_software(destination, list, count, bound, limit);
    do {
        hw_command_stage(0, hw_reference(list), hw_reference(destination));
        hw_command_stage(1, count, in_flight);
        hw_command_stage(2, bound, limit);
        tag = hw_command_submit(HW_OP_GATHER, 0, 0);
    } while (tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL);
    return end(tag);
}

hw_status hw_compare_and_swap(uint32_t *address, uint32_t expected, uint32_t value, uint32_t *old) {
    int32_t tag;
    hw_status status;

    if (!unit_present()) {
        *old = expected; /* the builtin replaces it by the value that it found */
        __atomic_compare_exchange_n(address, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return HW_STATUS_OK;
    }
    do {
        hw_command_stage(0, hw_reference(address), expected);
        hw_command_stage(1, value, 0);
        tag = hw_command_submit(HW_OP_COMPARE_AND_SWAP, 0, 0);
    } while (tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL);
    status = hw_command_finish(tag);
    *old = hw_command_result(0, tag);
    hw_command_release(tag);
    return status;
}
