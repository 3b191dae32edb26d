/* The case about copies that the bench compares (programs/bench/objects.h). */
#include "../../../../tests/common/cases.h"
#include "cereal/cereal.h"
#include "generated/mem.h"
#include "programs/bench/objects.h"

#define COPIES 2
#define NODES 2 /* of each of the lists in the array */
#define NODE_WORDS 6
#define VALUE 4 /* words of a node */
#define NEXT 5

static struct hw_klass node = {
    .object_size = 24, .kind = HW_KLASS_KIND_INSTANCE, .reference_bitmap = 1u << 3, .flags = HW_KLASS_FLAG_METADATA};
static struct hw_klass things = {
    .kind = HW_KLASS_KIND_OBJECT_ARRAY, .element_shift = 2, .flags = HW_KLASS_FLAG_METADATA};

static hw_handle list(uint32_t length) {
    hw_handle last = NULL;

    for (uint32_t i = 0; i < length; i++) {
        hw_handle next = hw_new(&node);

        hw_set(next, 4 * NEXT, last);
        last = next;
    }
    return last;
}

/* Two copies, an array of two lists each: where they lie, and their bytes. */
static uint32_t make(uint32_t *copy[COPIES]) {
    static _Alignas(64) uint8_t work[4096], memory[4096];
    struct hw_heap_options options = {
        .base = MAIN_RAM_BASE + 4096u, .bytes = 4u << 20, .large_bytes = 1u << 20, .eden_bytes = 256u << 10};
    struct hw_cereal context;
    struct hw_cereal_output output;
    struct hw_cereal_input input;
    hw_handle root, made;

    EXPECT(hw_heap_init(&options));
    hw_cereal_initialize(false);
    node.name = hw_reference("Node");
    EXPECT(hw_cereal_register_class(&node) == 0);
    hw_cereal_open(&context, work, sizeof work);
    hw_cereal_output_open(&output, memory, sizeof memory);
    things.name = hw_reference("[LNode;");
    EXPECT(hw_cereal_register_class(&things) > 0 && (root = hw_new_array(&things, 2)));
    for (uint32_t i = 0; i < 2; i++) hw_set_element(root, i, list(NODES));
    EXPECT(hw_cereal_write(&context, &output, root));
    for (uint32_t i = 0; i < COPIES; i++) {
        hw_cereal_input_open(&input, memory, (uint32_t)(output.at - memory));
        EXPECT(hw_cereal_read(&context, &input, &made));
        copy[i] = hw_handle_object(made);
    }
    return hw_object_bytes(copy[0]) + 2 * NODES * NODE_WORDS * 4;
}

/* What a copy has at a word is what the other has there: both must be found out, whichever of them is the first. */
static void borrowed(uint32_t *copy[COPIES], uint32_t bytes, uint32_t word) {
    for (uint32_t i = 0; i < COPIES; i++) {
        uint32_t was = copy[i][word];

        EXPECT(was != copy[1 - i][word]);
        copy[i][word] = copy[1 - i][word];
        EXPECT(!copies_alike(copy[0], copy[1], bytes) && !copies_alike(copy[1], copy[0], bytes));
        copy[i][word] = was;
    }
}

/* References stay within their copy, or lead in both to what is in neither; values may look like references. */
CASE(copies) {
    uint32_t *copy[COPIES];

    uint32_t bytes = make(copy), node = hw_object_bytes(copy[0]) / 4, element = HW_OBJECT_METADATA_ARRAY_ELEMENTS / 4;

    while (!copy[0][node + NEXT]) /* a node that is followed by another */
        node += NODE_WORDS;
    EXPECT(copies_alike(copy[0], copy[1], bytes));
    EXPECT(!copies_same(copy[0], copy[1], bytes) && copies_same(copy[0], copy[0], bytes));
    borrowed(copy, bytes, node + NEXT);
    borrowed(copy, bytes, element);
    borrowed(copy, bytes, element + 1);
    for (uint32_t i = 0; i < COPIES; i++) {
        copy[0][node + VALUE] = copy[1][node + VALUE] = hw_reference(copy[i]);
        EXPECT(copies_alike(copy[0], copy[1], bytes) && copies_alike(copy[1], copy[0], bytes));
    }
    copy[1][node + VALUE]++;
    EXPECT(!copies_alike(copy[0], copy[1], bytes));
    copy[1][node + VALUE]--;
    copy[0][node + NEXT] = copy[1][node + NEXT] = list(1)->reference; /* of neither */
    EXPECT(copies_alike(copy[0], copy[1], bytes));
}
