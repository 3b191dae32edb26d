#define _POSIX_C_SOURCE 200809L
#include "skyway/file.h"

#include <unistd.h>

static bool send_file(struct hw_skyway_sink *base, uint32_t bytes) {
    struct hw_skyway_file_sink *sink = (struct hw_skyway_file_sink *)base;

    return fwrite(base->at, 1, bytes, sink->file) == bytes;
}

static bool begin_file(struct hw_skyway_sink *base) {
    struct hw_skyway_file_sink *sink = (struct hw_skyway_file_sink *)base;

    sink->begun = ftell(sink->file);
    return true;
}

static bool end_file(struct hw_skyway_sink *base) { return fflush(((struct hw_skyway_file_sink *)base)->file) == 0; }

/* Restores the state before the stream began. */
static void abort_file(struct hw_skyway_sink *base) {
    struct hw_skyway_file_sink *sink = (struct hw_skyway_file_sink *)base;

    if (sink->begun < 0 || fseek(sink->file, sink->begun, SEEK_SET) != 0) return;
    if (ftruncate(fileno(sink->file), sink->begun) != 0) perror("a stream that was given up is left in its file");
}

void hw_skyway_file_sink(struct hw_skyway_file_sink *sink, FILE *file, void *buffer, uint32_t bytes) {
    *sink = (struct hw_skyway_file_sink){
        .sink = {.at = buffer,
                 .limit = (uint8_t *)buffer + bytes / 8 * 8,
                 .send = send_file,
                 .begin = begin_file,
                 .end = end_file,
                 .abort = abort_file,
                 .drains = true},
        .file = file,
    };
}

static bool fetch_file(struct hw_skyway_source *base) {
    struct hw_skyway_file_source *source = (struct hw_skyway_file_source *)base;
    size_t got = fread(source->buffer, 1, source->bytes, source->file);

    base->at = source->buffer;
    base->limit = source->buffer + got;
    return got != 0;
}

void hw_skyway_file_source(struct hw_skyway_file_source *source, FILE *file, void *buffer, uint32_t bytes) {
    *source =
        (struct hw_skyway_file_source){.source = {.fetch = fetch_file}, .file = file, .buffer = buffer, .bytes = bytes};
}
