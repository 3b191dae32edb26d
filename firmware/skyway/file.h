/* Streams in files, where there is a file system: SkywayFileOutputStream, SkywayFileInputStream. Several streams may
 * follow each other in a file, as spilled shuffles do. */
#ifndef HW_SKYWAY_FILE_H
#define HW_SKYWAY_FILE_H

#include <stdio.h>

#include "skyway/medium.h"

struct hw_skyway_file_sink {
    struct hw_skyway_sink sink;
    FILE *file;
    long begun; /* where the stream under way began */
};

/* `buffer`, 8-byte aligned, is the output buffer. If a stream is given up, it is removed from a file that can be
 * positioned; in another file it stays, cut off. */
void hw_skyway_file_sink(struct hw_skyway_file_sink *sink, FILE *file, void *buffer, uint32_t bytes);

struct hw_skyway_file_source {
    struct hw_skyway_source source;
    FILE *file;
    uint8_t *buffer;
    uint32_t bytes;
};

void hw_skyway_file_source(struct hw_skyway_file_source *source, FILE *file, void *buffer, uint32_t bytes);

#endif
