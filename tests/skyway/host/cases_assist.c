/* The cases about what a unit does for the streams: a model of it that stops wherever it is told to, and software that goes on. */
#include <string.h>

#include "cases.h"
#include "codecs/skyway/assist.h"
#include "codecs/skyway/receiver.h"
#include "codecs/skyway/sender.h"

#define NEVER UINT32_MAX
#define MOST 4096

static uint32_t stop; /* objects after which the model has no room */
static uint32_t learned, calls;
static bool refuses; /* ... to receive */

static hw_ref waiting[MOST];
static uint32_t count, top;
static const struct hw_skyway_sending *sending;

static uint32_t bytes_of(hw_ref object)
{
    return hw_object_bytes(hw_pointer(object));
}

/* The relative address; 0: there is no room. */
static uint32_t number(hw_ref object)
{
    uint32_t *word = skyway_metadata(object, hw_klass_of(hw_pointer(object)));

    if (word[0] == sending->owner)
        return word[1];
    if (count == stop)
        return 0;
    EXPECT(count < MOST);
    waiting[count++] = object;
    word[0] = sending->owner;
    word[1] = top;
    top += bytes_of(object);
    return word[1];
}

static bool is_reference(const struct hw_klass *klass, uint32_t at)
{
    return klass->object_size ? at >= 16 && hw_klass_is_reference(klass, at) : klass->kind == HW_KLASS_KIND_OBJECT_ARRAY && at >= 24;
}

static bool model_send(const struct hw_skyway_sending *given, struct hw_skyway_sent *sent)
{
    uint8_t *to = given->output;
    bool whole;

    calls++;
    sending = given;
    count = 0;
    top = given->relative;
    EXPECT((uintptr_t)given->work % 64 == 0 && given->work_log >= 6);
    memset(given->work, 0xa5, (size_t)1 << given->work_log);
    *sent = (struct hw_skyway_sent){.status = HW_STATUS_OUTPUT_FULL};
    whole = number(given->object) != 0;
    for (uint32_t i = 0; i < count; i++) {
        hw_ref object = waiting[i];
        const struct hw_klass *klass = hw_klass_of(hw_pointer(object));
        uint32_t bytes = bytes_of(object);

        sent->types = klass->type_id > sent->types ? klass->type_id : sent->types;
        if (!whole || (size_t)(given->output_limit - to) < bytes) {
            whole = false;
            continue;
        }
        uint32_t *slot = memcpy(to, hw_pointer(object), bytes);

        slot[0] = skyway_clone_mark(object);
        slot[1] = klass->type_id;
        memset(skyway_metadata(hw_reference(slot), klass), 0, 8);
        if (!klass->object_size)
            slot[5] = 0;
        for (uint32_t at = 0; at < bytes && whole; at += 4)
            if (is_reference(klass, at) && slot[at / 4] && !(slot[at / 4] = number(slot[at / 4])))
                whole = false;
        if (!klass->object_size) {
            uint32_t used = 24 + (slot[2] << klass->element_shift);

            memset((uint8_t *)slot + used, 0, bytes - used);
        }
        to += bytes;
    }
    if (whole)
        sent->status = HW_STATUS_OK;
    sent->objects = count;
    sent->top = top;
    return true;
}

static bool model_receive(const struct hw_skyway_moving *moving, struct hw_skyway_moved *moved)
{
    uint32_t stray = 0;

    calls++;
    *moved = (struct hw_skyway_moved){.status = HW_STATUS_UNSUPPORTED};
    EXPECT((uintptr_t)moving->map % 64 == 0 && moving->map_bytes % 64 == 0 && moving->map_bytes * 64 >= moving->bytes);
    memset(moving->map, 0, moving->map_bytes);
    if (refuses)
        return true;
    moved->replaced = true;
    for (uint32_t at = 0; at < moving->bytes;) {
        uint32_t *slot = hw_pointer(moving->chunk + at);

        moving->map[at / 256] |= 1u << at / 8 % 32;
        slot[1] = hw_reference(skyway_registry_klass(slot[1]));
        at += bytes_of(moving->chunk + at);
    }
    for (uint32_t at = 0, bytes; at < moving->bytes; at += bytes) {
        uint32_t *slot = hw_pointer(moving->chunk + at);

        bytes = bytes_of(moving->chunk + at);
        for (uint32_t i = 0; i < bytes; i += 4)
            if (is_reference(hw_klass_of(slot), i) && slot[i / 4]) {
                uint32_t offset = slot[i / 4] - SKYWAY_FIRST;

                if (!(moving->map[offset / 256] >> offset / 8 % 32 & 1) && (stray == 0 || slot[i / 4] < stray))
                    stray = slot[i / 4];
                slot[i / 4] = moving->chunk + offset;
            }
    }
    moved->status = stray ? HW_STATUS_BAD_REFERENCE : HW_STATUS_OK;
    moved->at = stray;
    return true;
}

static void model_copy(void *to, const void *from, uint32_t bytes)
{
    memcpy(to, from, bytes);
}

static void model_learn(const struct hw_klass *klass)
{
    EXPECT(klass->type_id != 0);
    learned++;
}

static void model_forget(void)
{
    learned = 0;
}

static const struct hw_skyway_assist model = {.send = model_send, .receive = model_receive, .copy = model_copy, .learn = model_learn, .forget = model_forget};

static uint8_t expected[CASES_MEMORY];
static _Alignas(64) uint8_t queue[1 << 12];

/* Of references to a list's nodes, each twice, and to nothing. */
static hw_handle array_of(uint32_t length)
{
    hw_handle nodes = list(length), items = hw_new_array(HW_CLASS_Object_array, length);
    hw_ref node = nodes->reference, *slots = hw_pointer(items->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    for (uint32_t i = 0; i < length; i++) {
        slots[i] = i % 3 ? node : 0;
        if (i % 2)
            node = *(hw_ref *)hw_pointer(node + HW_CLASS_ListNode_next);
    }
    return items;
}

/* A stream of the roots; its bytes behind the header, which has numbers of its own. */
static uint32_t stream_of(hw_handle *roots, uint32_t number_of_roots)
{
    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    hw_skyway_memory_sink(&sink, memory, sizeof memory);
    hw_skyway_output_open(&output, &sink.sink, queue, sizeof queue, HW_SKYWAY_LAYOUT_METADATA);
    for (uint32_t i = 0; i < number_of_roots; i++)
        EXPECT(hw_skyway_write_object(&output, roots[i]));
    uint32_t commands = output.commands, fallbacks = output.fallbacks;

    EXPECT(hw_skyway_output_close(&output) && output.commands == commands && output.fallbacks == fallbacks);
    return (uint32_t)(sink.sink.at - memory);
}

void assisted_sending(void)
{
    hw_handle roots[5];

    begin(false);
    roots[0] = list(30);
    roots[1] = array_of(40);
    roots[2] = roots[0];
    roots[3] = NULL;
    roots[4] = array_of(9);
    uint32_t bytes = stream_of(roots, 5), header = sizeof(struct skyway_header);

    EXPECT(output.commands == 0 && output.fallbacks == 0);
    memcpy(expected, memory, bytes);
    hw_skyway_assist_by(&model);
    EXPECT(learned != 0);
    for (stop = 0; stop < 60; stop++) {
        EXPECT(stream_of(roots, 5) == bytes && memcmp(memory + header, expected + header, bytes - header) == 0);
        /* The third root was sent before, the fourth is null: nobody is asked. */
        EXPECT(output.commands + output.fallbacks == 3 && (output.fallbacks == 0) == (stop >= 41));
    }
    stop = NEVER;
    EXPECT(stream_of(roots, 5) == bytes && output.commands == 3 && output.refills == 0);
    /* A table of shared objects keeps a stream from the unit, until its buffer has ended. */
    calls = 0;
    uint32_t epoch = hw_epoch_open();

    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    hw_skyway_memory_sink(&sink, memory, sizeof memory);
    hw_skyway_output_open(&output, &sink.sink, queue, sizeof queue, HW_SKYWAY_LAYOUT_METADATA);
    EXPECT(hw_epoch_claim(hw_pointer(roots[0]->reference), epoch << HW_EPOCH_SHIFT));
    hw_skyway_assist_by(NULL);
    EXPECT(hw_skyway_write_object(&output, roots[0]) && output.shared.count == 1);
    hw_skyway_assist_by(&model);
    EXPECT(hw_skyway_write_object(&output, roots[1]) && calls == 0 && output.fallbacks == 1);
    hw_epoch_close(epoch);
    EXPECT(hw_skyway_output_close(&output));
    /* A collection in between, and a class that loses its id. */
    hw_collect(true);
    walk();
    EXPECT(stream_of(roots, 5) == bytes && memcmp(memory + header, expected + header, bytes - header) == 0);
    hw_skyway_drive(9, &hw_skyway_java_loader);
    EXPECT(learned == 0 && hw_skyway_load_java_classes() == HW_STATUS_OK && learned != 0);
}

void assisted_receiving(void)
{
    hw_handle roots[3], copy;
    static _Alignas(64) uint8_t work[1 << 12];

    begin(false);
    stop = NEVER;
    hw_skyway_assist_by(&model);
    roots[0] = list(60);
    roots[1] = array_of(90);
    roots[2] = hw_new_array(HW_CLASS_byte_array, 30000);
    uint32_t bytes = stream_of(roots, 3);

    for (int turn = 0; turn < 6; turn++) {
        bool room = turn < 4; /* for the map, too */

        refuses = turn % 2;
        hw_skyway_memory_source(&source, memory, bytes);
        hw_skyway_input_open(&input, &source, work, room ? sizeof work : 64, HW_SKYWAY_LAYOUT_METADATA);
        calls = 0;
        EXPECT(hw_skyway_read_object(&input, &copy) && length_of(copy) == 60);
        EXPECT(input.commands == (room && !refuses) && input.fallbacks == !input.commands && calls == room);
        EXPECT(hw_skyway_read_object(&input, &copy) && hw_array_length(copy->reference) == 90);
        EXPECT(hw_skyway_read_object(&input, &copy) && hw_array_length(copy->reference) == 30000);
        walk();
        hw_collect(turn % 2);
        walk();
        hw_skyway_free(input.buffer);
        hw_collect(true);
        walk();
    }
    refuses = false;
    /* A reference to the middle of an object, a top too, and both: what software says. */
    uint32_t first = sizeof(struct skyway_header) + sizeof(struct skyway_segment);
    uint32_t *slot = (uint32_t *)(void *)(memory + first + HW_CLASS_ListNode_next), good = *slot;
    uint32_t *tops = (uint32_t *)(void *)(memory + first + (output.free - SKYWAY_FIRST)), root = tops[1];

    for (int turn = 0; turn < 16; turn++) {
        int status[2];
        uint32_t at[2];

        *slot = turn & 1 ? 24 + 8 * 60 : good;
        tops[1] = turn & 2 ? (turn & 4 ? root + 8 : turn & 8 ? 0x7ffffff8 : root) : root;
        for (int by = 0; by < 2; by++) {
            hw_skyway_assist_by(by ? &model : NULL);
            hw_skyway_memory_source(&source, memory, bytes);
            hw_skyway_input_open(&input, &source, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
            bool read = hw_skyway_read_object(&input, &copy);

            status[by] = read ? HW_STATUS_OK : input.status;
            at[by] = input.at;
            EXPECT(!by || input.commands == 1);
            if (read)
                hw_skyway_free(input.buffer);
        }
        EXPECT(status[0] == status[1] && at[0] == at[1]);
        walk();
    }
}
