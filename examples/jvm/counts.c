/* Counts words for a JVM: an array of strings comes over the UART, a java.util.HashMap goes back. Both are the JVM's
 * own classes, in the layout that it gives them; units move them where the machine has Cereal's. */
#include <stdio.h>

#include "classes.h"
#include "platform/cycles.h"
#include "platform/uart.h"
#include "programs/monitor/object_line.h"
#include "programs/program.h"
#include "runtime/java/class.h"
#include "runtime/java/map.h"
#include "runtime/java/string.h"

static struct object_line line;
static _Alignas(64) uint8_t work[32u << 10], incoming[16u << 10], outgoing[16u << 10];

/* The same classes in the same order as in Count.java. */
static void register_classes(void) {
    const struct hw_klass *const classes[] = {HW_CLASS_String_array, HW_CLASS_String,       HW_CLASS_byte_array,
                                              HW_CLASS_HashMap,      HW_CLASS_HashMap_Node, HW_CLASS_HashMap_Node_array,
                                              HW_CLASS_Integer};

    hw_classes_init();
    hw_cereal_initialize(false);
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++) hw_cereal_register_class(classes[i]);
}

static int32_t *value_of(hw_ref integer) { return (int32_t *)hw_pointer(integer + HW_CLASS_Integer_value); }

/* Adds one to a word's count. Returns false with an error. */
static bool add(hw_handle counts, hw_handle word) {
    hw_ref node = hw_hash_map_find(counts, word);

    if (node) {
        ++*value_of(*(hw_ref *)hw_pointer(node + HW_CLASS_HashMap_Node_value));
        return true;
    }
    hw_handle one = hw_new(HW_CLASS_Integer);

    if (!one) return false;
    *value_of(one->reference) = 1;
    return hw_hash_map_put(counts, word, one);
}

/* Returns a new map; NULL if something else than words has come, or without room. */
static hw_handle counted(hw_handle words) {
    hw_handle counts = hw_new(HW_CLASS_HashMap);

    if (!counts || hw_klass_of(hw_handle_object(words)) != HW_CLASS_String_array) return NULL;
    hw_hash_map_init(counts, 16);
    for (uint32_t i = 0; i < hw_array_length(words->reference); i++) {
        HW_SCOPE;
        hw_handle word = hw_get_element(words, i);

        if (!word || hw_klass_of(hw_handle_object(word)) != HW_CLASS_String || !hw_string_is_sound(word->reference) ||
            !add(counts, word))
            return NULL;
    }
    return counts;
}

int main(void) {
    struct object_line_output output;
    struct object_line_input input;
    struct hw_cereal context;

    if (!hw_start()) return 1;
    register_classes();
    hw_cereal_open(&context, work, sizeof work);
    object_line_open(&line, hw_uart_put, hw_uart_take, cycles_now, 100000000);
    object_line_input(&input, &line, incoming, sizeof incoming);
    object_line_output(&output, &line, outgoing, sizeof outgoing);
    for (;;) {
        HW_SCOPE;
        hw_handle words, counts = NULL;

        if (hw_cereal_read(&context, &input.stream, &words)) counts = counted(words);
        if (counts) hw_cereal_write(&context, &output.stream, counts);
        if (context.status != HW_STATUS_OK) object_line_drop(&input);
        hw_cereal_clear(&context);
    }
}
