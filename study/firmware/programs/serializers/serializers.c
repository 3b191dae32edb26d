#include "programs/serializers/serializers.h"

#include <string.h>

#include "cereal/cereal.h"
#include "classes.h"
#include "peers/java/java.h"
#include "peers/kryo/kryo.h"
#include "skyway/object_stream.h"
#include "skyway/skyway.h"
#include "skyway/units/assist.h"

#define REGISTRY 1u /* for graphs this machine is driver and worker */

static uint8_t *work, *begun;
static uint32_t work_bytes;

/* Streams of objects that are graphs, one behind the other: those of all but Skyway. */
static struct {
    const struct serializer *serializer;
    uint8_t *at, *limit;
    bool good;
} graphs_out;
static struct {
    const struct serializer *serializer;
    const uint8_t *at, *limit;
} graphs_in;

static bool write_object(struct hw_object_output *stream, hw_handle object) {
    uint32_t room = (uint32_t)(graphs_out.limit - graphs_out.at);
    uint32_t bytes = graphs_out.serializer->write(object, graphs_out.at, room).bytes;

    (void)stream;
    graphs_out.at += bytes;
    graphs_out.good = graphs_out.good && bytes != 0;
    return bytes != 0;
}

static bool close_output(struct hw_object_output *stream) {
    (void)stream;
    return graphs_out.good;
}

static struct hw_object_output *graphs_output(const struct serializer *serializer, uint8_t *data, uint32_t capacity) {
    static struct hw_object_output stream = {.write_object = write_object, .close = close_output};

    if (serializer->begin) serializer->begin();
    begun = graphs_out.at = data;
    graphs_out.limit = data + capacity;
    graphs_out.serializer = serializer;
    graphs_out.good = true;
    return &stream;
}

static uint32_t graphs_written(void) { return (uint32_t)(graphs_out.at - begun); }

static bool read_object(struct hw_object_input *stream, hw_handle *object) {
    uint32_t left = (uint32_t)(graphs_in.limit - graphs_in.at);
    uint32_t bytes = graphs_in.serializer->read(graphs_in.at, left, object).bytes;

    (void)stream;
    graphs_in.at += bytes;
    return bytes != 0;
}

static struct hw_object_input *graphs_input(const struct serializer *serializer, const uint8_t *data, uint32_t bytes) {
    static struct hw_object_input stream = {.read_object = read_object};

    if (serializer->begin) serializer->begin();
    graphs_in.at = data;
    graphs_in.limit = data + bytes;
    graphs_in.serializer = serializer;
    return &stream;
}

static struct serializer_outcome outcome_of(struct hw_objects_result result) {
    return (struct serializer_outcome){.bytes = result.status == HW_OBJECTS_OK ? result.bytes : 0,
                                       .status = result.status};
}

static struct hw_java java;
static struct hw_kryo kryo;

/* A peer, by hw_NAME_write and hw_NAME_read. */
#define PEER(name, codec)                                                                              \
    static struct serializer_outcome name##_write(hw_handle root, void *output, uint32_t capacity) {   \
        return outcome_of(hw_##name##_write(&codec, root, output, capacity));                          \
    }                                                                                                  \
    static struct serializer_outcome name##_read(const void *input, uint32_t bytes, hw_handle *root) { \
        return outcome_of(hw_##name##_read(&codec, input, bytes, root));                               \
    }

PEER(java, java)
PEER(kryo, kryo)
PEER(kryo_manual, kryo)

/* Of a stream in [`from`, `to`), unless it failed. */
static inline struct serializer_outcome outcome(bool good, const void *from, const uint8_t *to, hw_status status) {
    return (struct serializer_outcome){good ? (uint32_t)(to - (const uint8_t *)from) : 0, (uint32_t)status};
}

static struct hw_cereal software, units;

/* Forgets the last error. */
static bool cereal_begin(void) {
    hw_cereal_clear(&software);
    hw_cereal_clear(&units);
    return true;
}

static struct serializer_outcome cereal_write_by(struct hw_cereal *context, hw_handle root, void *output,
                                                 uint32_t capacity) {
    struct hw_cereal_output stream;

    hw_cereal_output_open(&stream, output, capacity);
    bool good = hw_cereal_write(context, &stream, root);

    return outcome(good, output, stream.at, context->status);
}

static struct serializer_outcome cereal_read_by(struct hw_cereal *context, const void *input, uint32_t length,
                                                hw_handle *root) {
    struct hw_cereal_input stream;

    hw_cereal_input_open(&stream, input, length);
    bool good = hw_cereal_read(context, &stream, root);

    return outcome(good, input, stream.at, context->status);
}

#define CEREAL_BY(context)                                                                                \
    static struct serializer_outcome context##_write(hw_handle root, void *output, uint32_t capacity) {   \
        return cereal_write_by(&context, root, output, capacity);                                         \
    }                                                                                                     \
    static struct serializer_outcome context##_read(const void *input, uint32_t bytes, hw_handle *root) { \
        return cereal_read_by(&context, input, bytes, root);                                              \
    }

CEREAL_BY(software)
CEREAL_BY(units)

static uint32_t units_fallbacks(void) {
    uint32_t fallbacks = units.fallbacks;

    units.fallbacks = 0;
    return fallbacks;
}

static struct hw_skyway_object_output skyway_out;
static struct hw_skyway_object_input skyway_in;
static struct hw_skyway_memory_sink skyway_to;
static struct hw_skyway_source skyway_from;
static uint32_t skyway_done_over; /* the fallbacks of streams that are over */

static bool skyway_by_software(void) {
    hw_skyway_assist_by(NULL);
    return true;
}

static bool skyway_by_units(void) {
    hw_skyway_assist_by(hw_skyway_units());
    return hw_skyway_assist != NULL;
}

/* Registers the classes and opens the streams. */
static bool skyway_begin_graphs(void) {
    uint32_t input_bytes = work_bytes / 32; /* with the map that a unit writes of a chunk: a bit for 8 bytes */
    uint8_t *input = work + work_bytes - input_bytes;

    hw_skyway_shuffle_end();
    hw_skyway_drive(REGISTRY, &hw_skyway_java_loader);
    if (hw_skyway_load_java_classes() != HW_STATUS_OK) return false;
    hw_skyway_output_open(&skyway_out.output, &skyway_to.sink, work, work_bytes - input_bytes,
                          HW_SKYWAY_LAYOUT_METADATA);
    hw_skyway_input_open(&skyway_in.input, &skyway_from, input, input_bytes, HW_SKYWAY_LAYOUT_METADATA);
    return true;
}

static bool skyway_start(void) { return hw_skyway_shuffle_start() == HW_STATUS_OK; }

/* The stream stays open, as the codecs and contexts of the others do: one buffer per graph, all in one phase. The phase
 * begins with the first graph, which is not a warm run. It does not begin earlier, because an open epoch slows Cereal
 * down. */
static struct serializer_outcome skyway_write(hw_handle root, void *output, uint32_t capacity) {
    if (skyway_phase_epoch() == 0 && !skyway_start())
        return (struct serializer_outcome){.status = HW_STATUS_OUT_OF_EPOCHS};
    hw_skyway_output_clear(&skyway_out.output);
    hw_skyway_memory_sink(&skyway_to, output, capacity);
    bool good = hw_skyway_write(&skyway_out.output, root) && hw_skyway_output_end(&skyway_out.output);

    return outcome(good, output, skyway_to.sink.at, skyway_out.output.status);
}

/* The buffer is not freed: the objects stay, as with the others. */
static struct serializer_outcome skyway_read(const void *input, uint32_t length, hw_handle *root) {
    hw_skyway_memory_source(&skyway_from, input, length);
    bool good = hw_skyway_read(&skyway_in.input, root);

    return outcome(good, input, skyway_from.at, skyway_in.input.status);
}

/* Streams of objects are opened anew for each output and input, so their counts are added up. */
static uint32_t skyway_fallbacks(void) {
    uint32_t fallbacks = skyway_done_over + skyway_out.output.fallbacks + skyway_in.input.fallbacks;

    skyway_done_over = skyway_out.output.fallbacks = skyway_in.input.fallbacks = 0;
    return fallbacks;
}

static struct hw_object_output *skyway_output(const struct serializer *serializer, uint8_t *data, uint32_t capacity) {
    (void)serializer;
    begun = data;
    hw_skyway_memory_sink(&skyway_to, data, capacity);
    return hw_skyway_object_output(&skyway_out, &skyway_to.sink, work, work_bytes, HW_SKYWAY_LAYOUT_METADATA);
}

static uint32_t skyway_written(void) {
    skyway_done_over += skyway_out.output.fallbacks;
    skyway_out.output.fallbacks = 0;
    return (uint32_t)(skyway_to.sink.at - begun);
}

static struct hw_object_input *skyway_inner;

/* A stream may have several buffers. When the next one has come, the program has read all roots of the one before. */
static bool skyway_read_object(struct hw_object_input *stream, hw_handle *object) {
    uint32_t before = skyway_in.input.buffer;
    bool good = hw_objects_read(skyway_inner, object);

    (void)stream;
    if (before && skyway_in.input.buffer != before) hw_skyway_free(before);
    return good;
}

static struct hw_object_input *skyway_input(const struct serializer *serializer, const uint8_t *data, uint32_t bytes) {
    static struct hw_object_input outer = {.read_object = skyway_read_object};

    (void)serializer;
    hw_skyway_memory_source(&skyway_from, data, bytes);
    skyway_inner = hw_skyway_object_input(&skyway_in, &skyway_from, work, work_bytes, HW_SKYWAY_LAYOUT_METADATA);
    return &outer;
}

/* Objects that the program still refers to stay alive. */
static void skyway_release(void) {
    skyway_done_over += skyway_in.input.fallbacks;
    skyway_in.input.fallbacks = 0;
    hw_skyway_free(skyway_in.input.buffer);
    skyway_in.input.buffer = 0;
}

#define CALLS(of, streams)                                                                            \
    .write = of##_write, .read = of##_read, .output = streams##_output, .written = streams##_written, \
    .input = streams##_input
#define CEREAL(of) .cereal = true, .begin = cereal_begin, CALLS(of, graphs)
#define SKYWAY(begin_by)                                                                           \
    .skyway = true, .begin = begin_by, .begin_graphs = skyway_begin_graphs, CALLS(skyway, skyway), \
    .shuffle_start = skyway_start, .release = skyway_release

const struct serializer serializers[SERIALIZERS] = {
    [SERIALIZER_JAVA] = {CALLS(java, graphs)},
    [SERIALIZER_KRYO_GENERIC] = {CALLS(kryo, graphs)},
    [SERIALIZER_KRYO_MANUAL] = {CALLS(kryo_manual, graphs)},
    [SERIALIZER_CEREAL_SW] = {CEREAL(software)},
    [SERIALIZER_HW] = {CEREAL(units), .fallbacks = units_fallbacks},
    [SERIALIZER_HW_VANILLA] = {CEREAL(units), .fallbacks = units_fallbacks},
    [SERIALIZER_SKYWAY_SW] = {SKYWAY(skyway_by_software)},
    [SERIALIZER_SKYWAY_HW] = {SKYWAY(skyway_by_units), .fallbacks = skyway_fallbacks},
};

static const char *const names[SERIALIZERS] = {SERIALIZER_NUMBER_NAMES};

const char *serializer_name(const struct serializer *serializer) { return names[serializer - serializers]; }

const struct serializer *serializer_of(const char *name) {
    for (uint32_t i = 0; i < SERIALIZERS; i++)
        if (strcmp(names[i], name) == 0) return &serializers[i];
    return NULL;
}

void *serializers_work(uint32_t *bytes) {
    *bytes = work_bytes;
    return work;
}

/* Java and Kryo get one share of the memory each, Cereal and Skyway the rest. */
bool serializers_open(void *memory, uint32_t bytes) {
    uint32_t share = bytes / 4 & ~63u;
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
