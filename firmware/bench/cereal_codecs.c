/* The engines: Java serialization, Kryo generic and by hand, and Cereal by software and by units, as a program calls them. */
#include <string.h>

#include "bench/cereal.h"
#include "codecs/java/java.h"
#include "codecs/kryo/kryo.h"
#include "codecs/kryo/manual.h"
#include "units/cereal.h"


static struct hw_java java;
static struct hw_kryo kryo;
static struct hw_cereal software, units;

void cereal_codecs_init(void)
{
    hw_java_init(&java, hw_pointer(CEREAL_JAVA_BASE), CEREAL_PEER_BYTES);
    hw_kryo_init(&kryo, hw_pointer(CEREAL_KRYO_BASE), CEREAL_PEER_BYTES);
    hw_cereal_open(&software, hw_pointer(CEREAL_WORK_BASE), CEREAL_WORK_BYTES);
    software.written_by_unit = software.read_by_unit = false;
    hw_cereal_open(&units, hw_pointer(CEREAL_WORK_BASE), CEREAL_WORK_BYTES);
}

uint32_t cereal_fallbacks(void)
{
    hw_cereal_clear(&software);
    hw_cereal_clear(&units);
    uint32_t fallbacks = units.fallbacks;

    units.fallbacks = 0;
    return fallbacks;
}

static struct cereal_outcome outcome_of(struct hw_objects_result result)
{
    return (struct cereal_outcome){.bytes = result.status == HW_OBJECTS_OK ? result.bytes : 0, .status = result.status};
}

static struct cereal_outcome java_write(hw_handle root, void *output, uint32_t capacity)
{
    return outcome_of(hw_java_write(&java, root, output, capacity));
}

static struct cereal_outcome java_read(const void *input, uint32_t length, hw_handle *root)
{
    return outcome_of(hw_java_read(&java, input, length, root));
}

static struct cereal_outcome kryo_write(hw_handle root, void *output, uint32_t capacity)
{
    return outcome_of(hw_kryo_write(&kryo, root, output, capacity));
}

static struct cereal_outcome kryo_read(const void *input, uint32_t length, hw_handle *root)
{
    return outcome_of(hw_kryo_read(&kryo, input, length, root));
}

static struct cereal_outcome manual_write(hw_handle root, void *output, uint32_t capacity)
{
    return outcome_of(hw_kryo_manual_write(&kryo, root, output, capacity));
}

static struct cereal_outcome manual_read(const void *input, uint32_t length, hw_handle *root)
{
    return outcome_of(hw_kryo_manual_read(&kryo, input, length, root));
}

static struct cereal_outcome cereal_write_by(struct hw_cereal *context, hw_handle root, void *output, uint32_t capacity)
{
    struct hw_cereal_output stream;

    hw_cereal_output_memory(&stream, output, capacity);
    bool good = hw_cereal_write_object(context, &stream, root);

    return (struct cereal_outcome){.bytes = good ? (uint32_t)(stream.at - (uint8_t *)output) : 0, .status = (uint32_t)context->status};
}

static struct cereal_outcome cereal_read_by(struct hw_cereal *context, const void *input, uint32_t length, hw_handle *root)
{
    struct hw_cereal_input stream;

    hw_cereal_input_memory(&stream, input, length);
    bool good = hw_cereal_read_object(context, &stream, root);

    return (struct cereal_outcome){.bytes = good ? (uint32_t)(stream.at - (const uint8_t *)input) : 0, .status = (uint32_t)context->status};
}

static struct cereal_outcome software_write(hw_handle root, void *output, uint32_t capacity)
{
    return cereal_write_by(&software, root, output, capacity);
}

static struct cereal_outcome software_read(const void *input, uint32_t length, hw_handle *root)
{
    return cereal_read_by(&software, input, length, root);
}

static struct cereal_outcome hw_write_graph(hw_handle root, void *output, uint32_t capacity)
{
    return cereal_write_by(&units, root, output, capacity);
}

static struct cereal_outcome hw_read_graph(const void *input, uint32_t length, hw_handle *root)
{
    return cereal_read_by(&units, input, length, root);
}

const struct cereal_codec cereal_codecs[CEREAL_ENGINES] = {
    [CEREAL_JAVA] = {"java", java_write, java_read},
    [CEREAL_KRYO] = {"kryo-generic", kryo_write, kryo_read},
    [CEREAL_KRYO_MANUAL] = {"kryo-manual", manual_write, manual_read},
    [CEREAL_SOFTWARE] = {"cereal-sw", software_write, software_read},
    [CEREAL_HW] = {"hw", hw_write_graph, hw_read_graph},
    [CEREAL_HW_VANILLA] = {"hw-vanilla", hw_write_graph, hw_read_graph},
};
