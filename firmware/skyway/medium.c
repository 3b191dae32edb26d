#include "skyway/medium.h"
#include "runtime/compiler.h"

static OFTEN bool send_memory(struct hw_skyway_sink *sink, uint32_t bytes) {
    sink->at += bytes;
    return true;
}

static OFTEN bool begin_memory(struct hw_skyway_sink *sink) {
    struct hw_skyway_memory_sink *memory = (struct hw_skyway_memory_sink *)sink;

    memory->begun = sink->at;
    return true;
}

/* Restores the state before the stream began. */
static void abort_memory(struct hw_skyway_sink *sink) {
    struct hw_skyway_memory_sink *memory = (struct hw_skyway_memory_sink *)sink;

    sink->at = memory->begun;
}

OFTEN void hw_skyway_memory_sink(struct hw_skyway_memory_sink *sink, void *memory, uint32_t bytes) {
    uint8_t *at = memory;

    *sink = (struct hw_skyway_memory_sink){
        .sink =
            {.at = at, .limit = at + bytes / 8 * 8, .send = send_memory, .begin = begin_memory, .abort = abort_memory},
        .begun = at,
    };
}

OFTEN void hw_skyway_memory_source(struct hw_skyway_source *source, const void *memory, uint32_t bytes) {
    *source = (struct hw_skyway_source){.at = memory, .limit = (const uint8_t *)memory + bytes};
}
