/* The engines, called as a program calls them: Java serialization, Kryo generic and by hand, Cereal by software and by
 * units, Skyway. */
#include <string.h>

#include "programs/bench/serializers.h"
#include "peers/java/java.h"
#include "peers/kryo/kryo.h"
#include "skyway/units/assist.h"
#include "skyway/skyway.h"
#include "cereal/cereal.h"

#define REGISTRY 1u /* this machine is driver and worker */
/* Includes the map that a unit writes of a chunk: a bit for 8 bytes. */
#define INPUT_WORK_BYTES (SERIALIZERS_WORK_BYTES / 32)

static struct hw_java java;
static struct hw_kryo kryo;
static struct hw_cereal software, units;
static struct hw_skyway_memory_sink skyway_sink;
static struct hw_skyway_output skyway_output;
static struct hw_skyway_source skyway_source;
static struct hw_skyway_input skyway_input;

void serializers_init(void) {
    hw_java_open(&java, hw_pointer(SERIALIZERS_JAVA_BASE), SERIALIZERS_PEER_BYTES);
    hw_kryo_open(&kryo, hw_pointer(SERIALIZERS_KRYO_BASE), SERIALIZERS_PEER_BYTES);
    hw_cereal_open(&software, hw_pointer(SERIALIZERS_WORK_BASE), SERIALIZERS_WORK_BYTES);
    software.written_by_unit = software.read_by_unit = false;
    hw_cereal_open(&units, hw_pointer(SERIALIZERS_WORK_BASE), SERIALIZERS_WORK_BYTES);
}

/* Registers the classes with Skyway and opens its streams. */
static bool begin_skyway(void) {
    uint8_t *work = hw_pointer(SERIALIZERS_WORK_BASE);

    hw_skyway_shuffle_end();
    hw_skyway_drive(REGISTRY, &hw_skyway_java_loader);
    if (hw_skyway_load_java_classes() != HW_STATUS_OK) return false;
    hw_skyway_output_open(&skyway_output, &skyway_sink.sink, work, SERIALIZERS_WORK_BYTES - INPUT_WORK_BYTES,
                          HW_SKYWAY_LAYOUT_METADATA);
    hw_skyway_input_open(&skyway_input, &skyway_source, work + SERIALIZERS_WORK_BYTES - INPUT_WORK_BYTES,
                         INPUT_WORK_BYTES, HW_SKYWAY_LAYOUT_METADATA);
    return true;
}

bool serializers_begin(enum serializer engine) {
    const struct hw_skyway_assist *skyway_units = engine == SERIALIZER_SKYWAY_HW ? hw_skyway_units() : NULL;

    hw_skyway_assist_by(skyway_units);
    if (engine == SERIALIZER_SKYWAY_HW && !skyway_units) return false;
    return engine < SERIALIZER_SKYWAY || begin_skyway();
}

uint32_t serializers_fallbacks(void) {
    hw_cereal_clear(&software);
    hw_cereal_clear(&units);
    uint32_t fallbacks = units.fallbacks + skyway_output.fallbacks + skyway_input.fallbacks;

    units.fallbacks = skyway_output.fallbacks = skyway_input.fallbacks = 0;
    return fallbacks;
}

static struct serializer_outcome outcome_of(struct hw_objects_result result) {
    return (struct serializer_outcome){.bytes = result.status == HW_OBJECTS_OK ? result.bytes : 0,
                                       .status = result.status};
}

static struct serializer_outcome java_write(hw_handle root, void *output, uint32_t capacity) {
    return outcome_of(hw_java_write(&java, root, output, capacity));
}

static struct serializer_outcome java_read(const void *input, uint32_t length, hw_handle *root) {
    return outcome_of(hw_java_read(&java, input, length, root));
}

static struct serializer_outcome kryo_write(hw_handle root, void *output, uint32_t capacity) {
    return outcome_of(hw_kryo_write(&kryo, root, output, capacity));
}

static struct serializer_outcome kryo_read(const void *input, uint32_t length, hw_handle *root) {
    return outcome_of(hw_kryo_read(&kryo, input, length, root));
}

static struct serializer_outcome manual_write(hw_handle root, void *output, uint32_t capacity) {
    return outcome_of(hw_kryo_manual_write(&kryo, root, output, capacity));
}

static struct serializer_outcome manual_read(const void *input, uint32_t length, hw_handle *root) {
    return outcome_of(hw_kryo_manual_read(&kryo, input, length, root));
}

static struct serializer_outcome cereal_write_by(struct hw_cereal *context, hw_handle root, void *output,
                                                 uint32_t capacity) {
    struct hw_cereal_output stream;

    hw_cereal_output_open(&stream, output, capacity);
    bool good = hw_cereal_write(context, &stream, root);

    return (struct serializer_outcome){.bytes = good ? (uint32_t)(stream.at - (uint8_t *)output) : 0,
                                       .status = (uint32_t)context->status};
}

static struct serializer_outcome cereal_read_by(struct hw_cereal *context, const void *input, uint32_t length,
                                                hw_handle *root) {
    struct hw_cereal_input stream;

    hw_cereal_input_open(&stream, input, length);
    bool good = hw_cereal_read(context, &stream, root);

    return (struct serializer_outcome){.bytes = good ? (uint32_t)(stream.at - (const uint8_t *)input) : 0,
                                       .status = (uint32_t)context->status};
}

static struct serializer_outcome software_write(hw_handle root, void *output, uint32_t capacity) {
    return cereal_write_by(&software, root, output, capacity);
}

static struct serializer_outcome software_read(const void *input, uint32_t length, hw_handle *root) {
    return cereal_read_by(&software, input, length, root);
}

static struct serializer_outcome hw_write_graph(hw_handle root, void *output, uint32_t capacity) {
    return cereal_write_by(&units, root, output, capacity);
}

static struct serializer_outcome hw_read_graph(const void *input, uint32_t length, hw_handle *root) {
    return cereal_read_by(&units, input, length, root);
}

/* The stream stays open, as the codecs and contexts of the other engines do: one buffer per graph, all in one phase.
 * The phase begins with the first graph, which is not a warm run. It does not begin earlier, because an open epoch
 * slows Cereal down. */
static struct serializer_outcome skyway_write(hw_handle root, void *output, uint32_t capacity) {
    if (skyway_phase_epoch() == 0 && hw_skyway_shuffle_start() != HW_STATUS_OK)
        return (struct serializer_outcome){.status = HW_STATUS_OUT_OF_EPOCHS};
    hw_skyway_output_clear(&skyway_output);
    hw_skyway_memory_sink(&skyway_sink, output, capacity);
    bool good = hw_skyway_write(&skyway_output, root) && hw_skyway_output_end(&skyway_output);

    return (struct serializer_outcome){.bytes = good ? (uint32_t)(skyway_sink.sink.at - (uint8_t *)output) : 0,
                                       .status = (uint32_t)skyway_output.status};
}

/* The buffer is not freed: the objects stay, as with the other engines. */
static struct serializer_outcome skyway_read(const void *input, uint32_t length, hw_handle *root) {
    hw_skyway_memory_source(&skyway_source, input, length);
    bool good = hw_skyway_read(&skyway_input, root);

    return (struct serializer_outcome){.bytes = good ? (uint32_t)(skyway_source.at - (const uint8_t *)input) : 0,
                                       .status = (uint32_t)skyway_input.status};
}

const struct serializer_engine serializer_engines[SERIALIZERS] = {
    [SERIALIZER_JAVA] = {"java", java_write, java_read},
    [SERIALIZER_KRYO] = {"kryo-generic", kryo_write, kryo_read},
    [SERIALIZER_KRYO_MANUAL] = {"kryo-manual", manual_write, manual_read},
    [SERIALIZER_CEREAL] = {"cereal-sw", software_write, software_read},
    [SERIALIZER_CEREAL_HW] = {"hw", hw_write_graph, hw_read_graph},
    [SERIALIZER_CEREAL_VANILLA] = {"hw-vanilla", hw_write_graph, hw_read_graph},
    [SERIALIZER_SKYWAY] = {"skyway-sw", skyway_write, skyway_read},
    [SERIALIZER_SKYWAY_HW] = {"skyway-hw", skyway_write, skyway_read},
};
