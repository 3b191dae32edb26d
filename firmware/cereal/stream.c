#include "cereal/cereal.h"

#include "heapwire.h"
#include "runtime/compiler.h"

static OFTEN bool complete(struct hw_cereal_output *output, uint32_t bytes) {
    output->at += bytes;
    return true;
}

static void consume(struct hw_cereal_input *input, uint32_t bytes) { input->at += bytes; }

OFTEN void hw_cereal_output_open(struct hw_cereal_output *output, void *memory, uint32_t bytes) {
    uint32_t skipped = (uint32_t)(-(uintptr_t)memory % HW_CEREAL_ALIGNMENT);
    uint8_t *at = (uint8_t *)memory + skipped;

    *output = (struct hw_cereal_output){
        .at = at, .limit = skipped < bytes ? at + (bytes - skipped) : at, .complete = complete};
}

void hw_cereal_input_open(struct hw_cereal_input *input, const void *memory, uint32_t bytes) {
    *input = (struct hw_cereal_input){.at = memory, .limit = (const uint8_t *)memory + bytes, .consume = consume};
}
