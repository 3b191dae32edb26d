#include "programs/shuffle/serializers.h"

#include <string.h>

#include "classes.h"
#include "peers/java/java.h"
#include "peers/kryo/kryo.h"
#include "peers/objects/object_stream.h"
#include "skyway/units/assist.h"
#include "skyway/object_stream.h"
#include "skyway/phase.h"
#include "cereal/cereal.h"

/* Java and Kryo get one share of the memory each. Cereal and Skyway share the rest, because only one of them runs at a
 * time. */
#define SHARES 4

static uint8_t *work;
static uint32_t work_bytes;
static struct hw_java java;
static struct hw_kryo kryo;
static struct hw_cereal software, units;

static struct hw_peer_object_output peer_out;
static struct hw_peer_object_input peer_in;
static struct hw_cereal_object_output cereal_out;
static struct hw_cereal_object_input cereal_in;
static struct hw_cereal_output cereal_to;
static struct hw_cereal_input cereal_from;
static struct hw_skyway_object_output skyway_out;
static struct hw_skyway_object_input skyway_in;
static struct hw_skyway_memory_sink skyway_to;
static struct hw_skyway_source skyway_from;
static uint8_t *begun;

static uint32_t peer_written(void) { return (uint32_t)(peer_out.at - begun); }

static struct hw_object_output *java_output(uint8_t *data, uint32_t capacity) {
    begun = data;
    return hw_peer_object_output(&peer_out, HW_PEER_JAVA, &java, data, capacity);
}

static struct hw_object_input *java_input(const uint8_t *data, uint32_t bytes) {
    return hw_peer_object_input(&peer_in, HW_PEER_JAVA, &java, data, bytes);
}

static struct hw_object_output *kryo_output(uint8_t *data, uint32_t capacity) {
    begun = data;
    return hw_peer_object_output(&peer_out, HW_PEER_KRYO, &kryo, data, capacity);
}

static struct hw_object_input *kryo_input(const uint8_t *data, uint32_t bytes) {
    return hw_peer_object_input(&peer_in, HW_PEER_KRYO, &kryo, data, bytes);
}

static struct hw_object_output *manual_output(uint8_t *data, uint32_t capacity) {
    begun = data;
    return hw_peer_object_output(&peer_out, HW_PEER_KRYO_MANUAL, &kryo, data, capacity);
}

static struct hw_object_input *manual_input(const uint8_t *data, uint32_t bytes) {
    return hw_peer_object_input(&peer_in, HW_PEER_KRYO_MANUAL, &kryo, data, bytes);
}

static struct hw_object_output *cereal_output(struct hw_cereal *context, uint8_t *data, uint32_t capacity) {
    begun = data;
    hw_cereal_clear(context);
    hw_cereal_output_open(&cereal_to, data, capacity);
    return hw_cereal_object_output(&cereal_out, context, &cereal_to);
}

static struct hw_object_input *cereal_input(struct hw_cereal *context, const uint8_t *data, uint32_t bytes) {
    hw_cereal_clear(context);
    hw_cereal_input_open(&cereal_from, data, bytes);
    return hw_cereal_object_input(&cereal_in, context, &cereal_from);
}

static struct hw_object_output *software_output(uint8_t *data, uint32_t capacity) {
    return cereal_output(&software, data, capacity);
}

static struct hw_object_input *software_input(const uint8_t *data, uint32_t bytes) {
    return cereal_input(&software, data, bytes);
}

static struct hw_object_output *units_output(uint8_t *data, uint32_t capacity) {
    return cereal_output(&units, data, capacity);
}

static struct hw_object_input *units_input(const uint8_t *data, uint32_t bytes) {
    return cereal_input(&units, data, bytes);
}

static uint32_t cereal_written(void) { return (uint32_t)(cereal_to.at - begun); }

static uint32_t units_fallbacks(void) {
    uint32_t fallbacks = units.fallbacks;

    units.fallbacks = 0;
    return fallbacks;
}

static uint32_t skyway_done_over;

static bool skyway_by_software(void) {
    hw_skyway_assist_by(NULL);
    return true;
}

static bool skyway_by_units(void) {
    hw_skyway_assist_by(hw_skyway_units());
    return hw_skyway_assist != NULL;
}

/* The streams are opened anew for each output and input, so their counts are added up here. */
static uint32_t skyway_fallbacks(void) {
    uint32_t fallbacks = skyway_done_over;

    skyway_done_over = 0;
    return fallbacks;
}

static bool skyway_start(void) { return hw_skyway_shuffle_start() == HW_STATUS_OK; }

static struct hw_object_output *skyway_output(uint8_t *data, uint32_t capacity) {
    begun = data;
    hw_skyway_memory_sink(&skyway_to, data, capacity);
    return hw_skyway_object_output(&skyway_out, &skyway_to.sink, work, work_bytes, HW_SKYWAY_LAYOUT_METADATA);
}

static uint32_t skyway_written(void) {
    skyway_done_over += skyway_out.output.fallbacks;
    return (uint32_t)(skyway_to.sink.at - begun);
}

static struct hw_object_input *skyway_inner;

/* A stream may have several buffers. When the next one has come, the program has read all roots of the one before. */
static bool skyway_read(struct hw_object_input *stream, hw_handle *object) {
    uint32_t before = skyway_in.input.buffer;
    bool good = hw_objects_read(skyway_inner, object);

    (void)stream;
    if (before && skyway_in.input.buffer != before) hw_skyway_free(before);
    return good;
}

static struct hw_object_input *skyway_input(const uint8_t *data, uint32_t bytes) {
    static struct hw_object_input outer = {.read_object = skyway_read};

    hw_skyway_memory_source(&skyway_from, data, bytes);
    skyway_inner = hw_skyway_object_input(&skyway_in, &skyway_from, work, work_bytes, HW_SKYWAY_LAYOUT_METADATA);
    return &outer;
}

/* Objects that the program still refers to stay alive. */
static void skyway_release(void) {
    skyway_done_over += skyway_in.input.fallbacks;
    hw_skyway_free(skyway_in.input.buffer);
    skyway_in.input.buffer = 0;
}

const struct shuffle_serializer shuffle_serializers[] = {
    {.name = "java", .output = java_output, .written = peer_written, .input = java_input},
    {.name = "kryo-generic", .output = kryo_output, .written = peer_written, .input = kryo_input},
    {.name = "kryo-manual", .output = manual_output, .written = peer_written, .input = manual_input},
    {.name = "cereal-sw", .output = software_output, .written = cereal_written, .input = software_input},
    {.name = "hw",
     .output = units_output,
     .written = cereal_written,
     .input = units_input,
     .fallbacks = units_fallbacks},
    {.name = "skyway-sw",
     .begin = skyway_by_software,
     .shuffle_start = skyway_start,
     .output = skyway_output,
     .written = skyway_written,
     .input = skyway_input,
     .release = skyway_release},
    {.name = "skyway-hw",
     .begin = skyway_by_units,
     .shuffle_start = skyway_start,
     .output = skyway_output,
     .written = skyway_written,
     .input = skyway_input,
     .release = skyway_release,
     .fallbacks = skyway_fallbacks},
};
const uint32_t shuffle_serializer_count = sizeof shuffle_serializers / sizeof *shuffle_serializers;

const struct shuffle_serializer *shuffle_serializer(const char *name) {
    for (uint32_t i = 0; i < shuffle_serializer_count; i++)
        if (strcmp(shuffle_serializers[i].name, name) == 0) return &shuffle_serializers[i];
    return NULL;
}

bool shuffle_serializers_init(void *memory, uint32_t bytes) {
    uint32_t share = bytes / SHARES & ~63u;
    uint8_t *at = memory;

    work = at + 2 * share;
    work_bytes = 2 * share;
    if (!hw_java_open(&java, at, share) || !hw_kryo_open(&kryo, at + share, share)) return false;
    hw_skyway_assist_by(NULL);
    hw_cereal_initialize(false);
    for (uint32_t i = 0; i < hw_class_count; i++)
        if (hw_java_klasses[i].flags & HW_KLASS_FLAG_METADATA &&
            hw_cereal_register_class(&hw_java_klasses[i]) == HW_CEREAL_REFUSED)
            return false;
    hw_cereal_open(&software, work, work_bytes);
    software.written_by_unit = software.read_by_unit = false;
    hw_cereal_open(&units, work, work_bytes);
    return true;
}
