/* Cases of the driver. */
#include "cases.h"

#include <string.h>

#include "heap.h"
#include "memory.h"
#include "runtime/heap/space.h"
#include "runtime/registers.h"
#include "units/capability.h"
#include "cereal/flight.h"

#define NEXT 20 /* offset in a node; the value is at 16 */

static struct hw_klass node = {
    .object_size = 24, .kind = HW_KLASS_KIND_INSTANCE, .reference_bitmap = 1u << 3, .flags = HW_KLASS_FLAG_METADATA};
static struct hw_klass other = {.object_size = 16, .kind = HW_KLASS_KIND_INSTANCE, .flags = HW_KLASS_FLAG_METADATA};
static _Alignas(64) uint8_t work[4096];
_Alignas(64) uint8_t memory[CASES_MEMORY];
struct hw_cereal context;
struct hw_cereal_output output;
struct hw_cereal_input input;

void begin(bool strip) {
    node.name = hw_reference("Node");
    other.name = hw_reference("Other");
    test_heap();
    hw_cereal_initialize(strip);
    EXPECT(hw_cereal_register_class(&node) == 0);
    hw_cereal_open(&context, work, sizeof work);
    hw_cereal_output_open(&output, memory, sizeof memory);
}

hw_handle list(uint32_t length) {
    hw_handle last = NULL;

    for (uint32_t i = 0; i < length; i++) {
        hw_handle next = hw_new(&node);

        hw_set(next, NEXT, last);
        last = next;
    }
    return last;
}

uint32_t length_of(hw_handle handle) {
    uint32_t length = 0;

    for (hw_ref at = handle->reference; at; at = *(hw_ref *)hw_pointer(at + NEXT)) length++;
    return length;
}

/* Several streams one after the other. */
CASE(in_a_row) {
    hw_handle copy;

    begin(false);
    for (uint32_t i = 1; i <= 9; i++) EXPECT(hw_cereal_write(&context, &output, list(i)));
    EXPECT(context.fallbacks == 9);
    hw_cereal_input_open(&input, memory, (uint32_t)(output.at - memory));
    for (uint32_t i = 1; i <= 9; i++) {
        EXPECT(hw_cereal_read(&context, &input, &copy) && length_of(copy) == i);
        hw_collect(i % 2);
        EXPECT(length_of(copy) == i);
    }
    EXPECT(input.at == input.limit && context.fallbacks == 18);
    EXPECT(!hw_cereal_read(&context, &input, &copy) && context.status == HW_STATUS_BAD_STREAM);
    test_walk();
}

/* The first error stays until it is cleared. The stream stays as it was. */
CASE(sticky) {
    hw_handle root, copy;

    begin(false);
    root = list(3);
    hw_set(root, NEXT, hw_new(&other));
    EXPECT(!hw_cereal_write(&context, &output, root) && context.status == HW_STATUS_UNREGISTERED_CLASS &&
           output.at == memory);
    EXPECT(context.at == *(hw_ref *)hw_pointer(root->reference + NEXT));
    EXPECT(!hw_cereal_write(&context, &output, list(1)) && context.status == HW_STATUS_UNREGISTERED_CLASS);
    hw_cereal_clear(&context);
    EXPECT(hw_cereal_register_class(&other) == 1 && hw_cereal_write(&context, &output, root));
    EXPECT(!hw_cereal_write(&context, &output, NULL) && context.status == HW_STATUS_BAD_OBJECT);
    hw_cereal_clear(&context);
    memory[32] ^= 2;
    hw_cereal_input_open(&input, memory, sizeof memory);
    EXPECT(!hw_cereal_read(&context, &input, &copy) && context.status == HW_STATUS_BAD_VALUE && context.offset == 32 &&
           input.at == memory);
    EXPECT(!hw_cereal_write(&context, &output, list(1)));
    memory[32] ^= 2;
    hw_cereal_clear(&context);
    EXPECT(hw_cereal_read(&context, &input, &copy) && hw_epochs_open() == 0);
}

CASE(registering) {
    struct hw_klass plain = node, nameless = node, message = node,
                    odd = {.kind = HW_KLASS_KIND_OBJECT_ARRAY, .element_shift = 3, .flags = 1};

    begin(false);
    plain.flags = 0;
    nameless.name = 0;
    plain.name = odd.name = hw_reference("x");
    message.kind = HW_KLASS_KIND_MESSAGE;
    EXPECT(hw_cereal_register_class(&plain) == HW_CEREAL_REFUSED &&
           hw_cereal_register_class(&nameless) == HW_CEREAL_REFUSED);
    EXPECT(hw_cereal_register_class(&message) == HW_CEREAL_REFUSED &&
           hw_cereal_register_class(&odd) == HW_CEREAL_REFUSED);
    uint32_t set = hw_registers[HW_REG_CEREAL_CLASS_SET];

    EXPECT(set != 0 && hw_cereal_register_class(&node) == 0 && hw_registers[HW_REG_CEREAL_CLASS_SET] == set);
    EXPECT(hw_cereal_register_class(&other) == 1 && hw_registers[HW_REG_CEREAL_CLASS_SET] != set);
    EXPECT(hw_registers[HW_REG_OPEN_EPOCHS] == hw_reference(hw_open_epochs) &&
           hw_registers[HW_REG_OPEN_EPOCHS] % 32 == 0);
    EXPECT(hw_registers[HW_REG_CEREAL_MODE] == 0);
    hw_cereal_initialize(true);
    EXPECT(hw_registers[HW_REG_CEREAL_MODE] == 1 && hw_registers[HW_REG_CEREAL_CLASS_SET] == 0);
    EXPECT(hw_cereal_register_class(&other) == 0 && hw_cereal_register_class(&node) == 1);
}

/* What units learn of classes: a class with more slots than can be described is described as one that units do not
 * handle. */
CASE(told) {
    static struct hw_klass most = {
        .object_size = 16 + 4 * 32, .kind = HW_KLASS_KIND_INSTANCE, .flags = HW_KLASS_FLAG_METADATA};
    static struct hw_klass wide = {
        .object_size = 16 + 4 * 34, .kind = HW_KLASS_KIND_INSTANCE, .flags = HW_KLASS_FLAG_METADATA};
    static struct hw_klass longs = {
        .kind = HW_KLASS_KIND_PRIMITIVE_ARRAY, .element_shift = 3, .flags = HW_KLASS_FLAG_METADATA};

    begin(false);
    most.name = hw_reference("Most");
    wide.name = hw_reference("Wide");
    longs.name = hw_reference("long[]");
    EXPECT(hw_cereal_register_class(&most) == 1 && hw_cereal_register_class(&wide) == 2 &&
           hw_cereal_register_class(&longs) == 3);
    EXPECT(hw_cereal_unit_shape(&hw_cereal_classes[1]) == 16 + 4 * 32);
    EXPECT(hw_cereal_unit_shape(&hw_cereal_classes[2]) >> HW_CEREAL_SHAPE_KIND_BIT == HW_CEREAL_KIND_ELSEWHERE);
    EXPECT(hw_cereal_unit_shape(&hw_cereal_classes[3]) ==
           ((uint32_t)HW_CEREAL_KIND_VALUES << HW_CEREAL_SHAPE_KIND_BIT | 3));
}

/* The copy has the same hash, unless the stream has no headers. */
CASE(hashes) {
    hw_handle root, copy;

    for (int strip = 0; strip < 2; strip++) {
        begin(strip);
        root = list(2);
        uint32_t hash = hw_identity_hash(root), reference = root->reference;

        hw_collect(false); /* gives the object an age, which no stream contains */
        EXPECT(root->reference != reference && hw_cereal_write(&context, &output, root));
        hw_cereal_input_open(&input, memory, sizeof memory);
        EXPECT(hw_cereal_read(&context, &input, &copy) && copy->reference != root->reference);
        EXPECT(*(uint32_t *)hw_handle_object(copy) == (strip ? 1 : hash << 7 | 1));
        EXPECT(strip || hw_identity_hash(copy) == hash);
    }
}

/* When the epochs have run out, a full collection clears all claims and counting starts over, unless another
 * serialization is open. */
CASE(epochs) {
    hw_handle root;

    begin(false);
    root = list(5);
    hw_epoch_reset(HW_EPOCH_LAST);
    EXPECT(hw_cereal_write(&context, &output, root));
    uint32_t full = hw_heap_statistics.full_collections;

    EXPECT(hw_cereal_write(&context, &output, root) && hw_heap_statistics.full_collections == full + 1);
    EXPECT(memcmp(memory, output.at - (output.at - memory) / 2, (size_t)(output.at - memory) / 2) == 0);
    hw_epoch_reset(HW_EPOCH_LAST);
    uint32_t open = hw_epoch_open();

    EXPECT(!hw_cereal_write(&context, &output, root) && context.status == HW_STATUS_OUT_OF_EPOCHS);
    EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_EPOCHS);
    hw_cereal_clear(&context);
    hw_epoch_close(open);
    EXPECT(hw_cereal_write(&context, &output, root));
    /* Every place of the table of open epochs is taken. */
    uint32_t held[HW_OPEN_EPOCHS];

    for (int i = 0; i < HW_OPEN_EPOCHS; i++)
        EXPECT((held[i] = hw_epoch_open()) != 0 && hw_epoch_oldest_owner() == held[0] << HW_EPOCH_SHIFT);
    EXPECT(!hw_cereal_write(&context, &output, root) && context.status == HW_STATUS_OUT_OF_EPOCHS);
}

CASE(handles_run_out) {
    hw_handle copy;

    begin(false);
    EXPECT(hw_cereal_write(&context, &output, list(5)));
    hw_cereal_input_open(&input, memory, sizeof memory);
    while (hw_handle_room()) hw_handle_new(0);
    EXPECT(!hw_cereal_read(&context, &input, &copy) && context.status == HW_STATUS_NO_HANDLE);
    EXPECT(hw_error_clear() == HW_STATUS_NO_HANDLE && input.at == memory);
    hw_handles_drop(hw_thread);
    hw_cereal_clear(&context);
    EXPECT(hw_cereal_read(&context, &input, &copy) && length_of(copy) == 5);
    test_walk();
}

/* References to addresses without an object end the command, not the program. */
CASE(bad_objects) {
    static _Alignas(8) uint32_t outside[6] = {1, 0, 0, 0, 0, 0};
    hw_handle root;
    uint32_t bound, limit;

    begin(false);
    hw_heap_bounds(&bound, &limit);
    root = list(2);
    outside[1] = hw_reference(&node);
    hw_ref *next = hw_pointer(root->reference + NEXT), was = *next;
    const hw_ref bad[] = {8, was + 4, hw_reference(outside), bound - 8, limit, limit - 8, limit - 16, 0xfffffff8};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (bad[i] == limit - 16) { /* two thirds of an object */
            hw_memory_allow(limit - 16, limit);
            ((uint32_t *)hw_pointer(bad[i]))[1] = hw_reference(&node);
        }
        *next = bad[i];
        EXPECT(!hw_cereal_write(&context, &output, root) && context.status == HW_STATUS_BAD_OBJECT &&
               context.at == bad[i]);
        hw_cereal_clear(&context);
    }
    *next = was;
    EXPECT(hw_cereal_write(&context, &output, root) && output.at == memory + 96);
}

static struct hw_klass numbers = {
    .kind = HW_KLASS_KIND_PRIMITIVE_ARRAY, .element_shift = 2, .flags = HW_KLASS_FLAG_METADATA};
static struct hw_klass references = {
    .kind = HW_KLASS_KIND_OBJECT_ARRAY, .element_shift = 2, .flags = HW_KLASS_FLAG_METADATA};

/* Two arrays overlap at the end of the heap: the owner word and the address written into one of them are the klass and
 * the length of the other. Nothing is read beyond the heap, and no stream is made. */
CASE(overlapping) {
    uint32_t bound, limit;

    begin(false);
    numbers.name = hw_reference("[I");
    references.name = hw_reference("[Ljava.lang.Object;");
    EXPECT(hw_cereal_register_class(&numbers) > 0 && hw_cereal_register_class(&references) > 0);
    hw_handle root = hw_new_array(&references, 2);
    hw_ref *elements = hw_pointer(root->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    hw_heap_bounds(&bound, &limit);
    hw_memory_allow(limit - 40, limit);
    uint32_t *word = hw_pointer(limit - 40);

    memset(word, 0, 40);
    word[1] = word[3] = hw_reference(&numbers);
    word[2] = word[4] = 1; /* the first array's length is the second one's mark word */
    elements[0] = limit - 32;
    elements[1] = limit - 40;
    EXPECT(!hw_cereal_write(&context, &output, root) && context.status == HW_STATUS_BAD_OBJECT && output.at == memory);
    elements[0] = elements[1] = 0;
}

/* Forged claims: objects carry the owner word of the next serialization, which has not claimed them. */
CASE(forged_marks) {
    static const uint32_t addresses[] = {UINT32_MAX, 1u << 20, 4, 0};

    begin(false);
    for (unsigned i = 0; i < 2 * sizeof addresses / sizeof *addresses; i++) {
        hw_handle root = list(2);
        hw_ref forged = i % 2 ? root->reference : *(hw_ref *)hw_pointer(root->reference + NEXT);
        uint32_t *metadata = hw_pointer(forged + HW_OBJECT_METADATA_INSTANCE), epoch = hw_epoch_open();

        hw_epoch_close(epoch);
        metadata[0] = (epoch + 1) << HW_EPOCH_SHIFT;
        metadata[1] = addresses[i / 2];
        bool written = hw_cereal_write(&context, &output, root);

        if (addresses[i / 2] == 0 && i % 2 == 0) /* the address of the root, which has been assigned */
            EXPECT(written && output.at != memory);
        else
            EXPECT(!written && context.status == HW_STATUS_BAD_OBJECT && context.at == forged && output.at == memory);
        hw_cereal_clear(&context);
        hw_cereal_output_open(&output, memory, sizeof memory);
    }
}

/* The information block declares units that do not exist: software does the work, and closes every epoch. */
CASE(no_answer) {
    hw_handle copy;

    hw_capability = 1u << (HW_INFO_CAPABILITY_UNITS_BIT + HW_INFO_CAPABILITY_UNITS_WIDTH * HW_UNIT_CEREAL_SERIALIZER) |
                    1u << (HW_INFO_CAPABILITY_UNITS_BIT + HW_INFO_CAPABILITY_UNITS_WIDTH * HW_UNIT_CEREAL_DESERIALIZER);
    begin(false);
    EXPECT(context.written_by_unit && context.read_by_unit);
    EXPECT(hw_cereal_write(&context, &output, list(4)) && context.fallbacks == 1 && hw_epochs_open() == 0);
    hw_cereal_input_open(&input, memory, sizeof memory);
    EXPECT(hw_cereal_read(&context, &input, &copy) && length_of(copy) == 4 && context.fallbacks == 2);
}

int main(int argc, char **argv) {
    memory_map();
    return run_case(argc, argv);
}
