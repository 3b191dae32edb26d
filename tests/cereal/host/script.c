/* Executes the commands in the words of standard input, and answers on standard output. script.py is the other side.
 *
 *   script [stress] [array] [large]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cereal/codec/read.h"
#include "generated/mem.h"
#include "graph.h"
#include "memory.h"
#include "runtime/heap/adopt.h"
#include "runtime/heap/epoch.h"
#include "runtime/heap/heap.h"
#include "cereal/cereal.h"

enum operation { END, CLASS, BUILD, WRITE, READ, DESCRIBE, HOLD, RELEASE, COLLECT, LIMITS, TRY, STRIP };

/* Outside the heap: images are built here without being adopted. */
#define IMAGE_BASE (MAIN_RAM_BASE + (61u << 20))
#define IMAGE_BYTES (2u << 20)

static struct hw_cereal context;
static void *work;
static uint32_t work_bytes, output_bytes, held;
static hw_handle current;

static void put(const void *data, size_t bytes) {
    if (fwrite(data, 1, bytes, stdout) != bytes) exit(2);
}

static void put_word(uint32_t word) { put(&word, sizeof word); }

static void limits(uint32_t work_wanted, uint32_t output_wanted) {
    free(work);
    work = aligned_alloc(64, (work_wanted + 63) / 64 * 64);
    work_bytes = work_wanted;
    output_bytes = output_wanted;
    hw_cereal_open(&context, work, work_bytes);
}

static void hold(hw_handle handle) {
    hw_global_drop(current);
    current = handle ? hw_global_new(handle) : NULL;
}

static const uint32_t *build(const uint32_t *words) {
    hw_scope scope = hw_scope_open();
    hw_handle root = test_build(&words);

    if (!root) {
        printf("no room for a graph\n");
        exit(3);
    }
    hold(root);
    hw_scope_close(scope);
    return words;
}

static void write_graph(void) {
    uint8_t *memory = malloc(output_bytes);
    struct hw_cereal_output output;

    hw_cereal_output_memory(&output, memory, output_bytes);
    bool written = hw_cereal_write_object(&context, &output, current);

    put_word((uint32_t)context.status);
    put_word(written ? (uint32_t)(output.at - memory) : 0);
    if (written) put(memory, (size_t)(output.at - memory));
    hw_cereal_clear(&context);
    free(memory);
}

static const uint32_t *read_graph(const uint32_t *words) {
    uint32_t bytes = *words++;
    /* malloc aligns to 16, and ASan checks the end. */
    uint8_t *memory = malloc(bytes ? bytes : 16);
    struct hw_cereal_input input;
    hw_scope scope = hw_scope_open();
    hw_handle root;

    memcpy(memory, words, bytes);
    hw_cereal_input_memory(&input, memory, bytes);
    bool done = hw_cereal_read_object(&context, &input, &root);

    put_word((uint32_t)context.status);
    put_word(done ? (uint32_t)(input.at - memory) : context.offset);
    if (done)
        hold(root);
    else
        hw_exception_take();
    hw_cereal_clear(&context);
    hw_scope_close(scope);
    free(memory);
    return words + (bytes + 3) / 4;
}

/* Reads the stream into an image of exactly the needed size, and then into the heap, which is walked. */
static const uint32_t *try_graph(const uint32_t *words) {
    uint32_t bytes = *words;
    uint8_t *memory = malloc(bytes ? bytes : 16);
    struct cereal_read read;

    memcpy(memory, words + 1, bytes);
    read = cereal_check_header(memory, bytes);
    if (read.status == HW_STATUS_OK) {
        uint32_t image_bytes = cereal_image_bytes((struct cereal_header *)memory), need = cereal_read_work(image_bytes);
        void *area = malloc(need);

        if (image_bytes > IMAGE_BYTES) exit(2);
        guard_set(IMAGE_BASE, image_bytes);
        read = cereal_read(memory, bytes, IMAGE_BASE, IMAGE_BASE + image_bytes, area, need);
        guard_check(IMAGE_BASE, image_bytes);
        free(area);
    }
    put_word((uint32_t)read.status);
    put_word(read.status == HW_STATUS_OK ? read.consumed : read.offset);
    free(memory);
    words = read_graph(words);
    test_walk();
    return words;
}

/* Another serialization claims every object of the graph whose index is a multiple of `step`. */
static void take_every(uint32_t step) {
    hw_ref *objects;
    uint32_t count, *words = test_describe(current->reference, &count, &objects), taken = 0;

    held = hw_epoch_open();
    for (uint32_t i = 0; i < words[0]; i += step)
        taken += hw_epoch_claim(hw_pointer(objects[i]), held << HW_EPOCH_SHIFT | 5);
    put_word(taken);
    free(objects);
    free(words);
}

static void describe(void) {
    hw_ref *objects;
    uint32_t count, *words = test_describe(current->reference, &count, &objects);

    put_word(count);
    put(words, count * sizeof *words);
    free(objects);
    free(words);
}

static const uint32_t *step(enum operation operation, const uint32_t *words) {
    int32_t id;

    switch (operation) {
        case CLASS:
            words = test_class(words, &id);
            put_word((uint32_t)id);
            break;
        case BUILD:
            return build(words);
        case WRITE:
            write_graph();
            break;
        case READ:
            return read_graph(words);
        case TRY:
            return try_graph(words);
        case DESCRIBE:
            describe();
            break;
        case HOLD:
            take_every(*words++);
            break;
        case RELEASE:
            hw_epoch_close(held);
            break;
        case COLLECT:
            hw_collect(*words++);
            break;
        case LIMITS:
            limits(words[0], words[1]);
            words += 2;
            break;
        case STRIP:
            hw_cereal_initialize(*words++);
            test_register();
            break;
        default:
            printf("operation %u\n", operation);
            exit(3);
    }
    return words;
}

int main(int argc, char **argv) {
    bool stress = false, array = false, large = false;
    size_t size = 0, capacity = 1 << 20;
    uint8_t *input = malloc(capacity);

    for (int i = 1; i < argc; i++) {
        stress |= !strcmp(argv[i], "stress");
        array |= !strcmp(argv[i], "array");
        large |= !strcmp(argv[i], "large");
    }
    for (size_t got; (got = fread(input + size, 1, capacity - size, stdin)) != 0; size += got)
        if (size + got == capacity) input = realloc(input, capacity *= 2);
    memory_map();
    test_heap(stress, array, large);
    hw_cereal_initialize(false);
    limits(1 << 20, 1 << 20);
    const uint32_t *words = (const uint32_t *)(void *)input;

    while (*words != END) words = step((enum operation) * words, words + 1);
    test_walk();
    hw_collect(true);
    test_walk();
    free(input);
    free(work);
    return 0;
}
