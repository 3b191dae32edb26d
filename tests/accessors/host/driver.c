/* driver BLOB [stress] [array] [dump FILE] < SCRIPT
 *
 * Messages are numbered in the order of their creation. The script is a sequence of 32-bit words; the first word of a
 * step tells what follows:
 *   'N' type; commands    builds a new message
 *   'P' type; bytes       makes a message from the wire, by the software deserializer, and adopts it
 *   'I' type, owned; bytes  the same, with a view in the place of each string: of a byte array, or of memory
 *   'B' index; commands   changes a message (at least one command)
 *   'F' index; commands   the same, with every allocation failing in turn, then none
 *   'G' index             prints it by its getters
 *   'Z' type              prints the message of a null handle
 *   'E' index, index      equals, and both hashes
 *   'C' full              a collection
 *   'L' bytes             the stack has only so many bytes left from now on; 0: it is not watched
 *   'S' index             serializes it by the software serializer: the status, and the bytes
 *   'K' index; bytes      replaces its unknown fields
 *   'D' index             dumps eden to FILE, with the root's address
 *   'W' index, type       X_from of another type
 *   'R' type; bytes       reads a message from the wire as a program does
 *   'V' index, size       writes it so
 *   'O' index             a copy
 *   'M' index, index      merges the second into the first
 *   'X' index             makes all its fields absent
 *   'T' index, size       prints it as text: the length, and as much of the text as fits into `size`
 *   'Q' type, size, piece; bytes   reads delimited messages from a stream that comes in pieces, through a buffer
 *   'U' index, size       writes it delimited
 *   'A' type, empty; bytes  reads a message into arenas, which are emptied first if `empty`, and puts them in force
 *   'J' on                puts the arenas in force, or none
 *   'H' index; commands   changes a message in arenas with room for 0 bytes, 8, 16 ... until that is enough
 *   'Y' index, field, index   sets the second into a field of the first
 * Each step prints one line. types.c describes types and commands.
 */
#define _GNU_SOURCE /* open_memstream */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "protobuf/codec/codec.h"
#include "memory.h"
#include "runtime/heap/adopt.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "runtime/schema.h"

#define MESSAGES 512
#define HEAP_BYTES (16u << 20)
#define ARENA_BYTES (1u << 20)
#define ARENAS_LIMIT (HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES) /* inputs of views begin at HW_FLEXIBLE_BASE */

static struct {
    hw_handle handle;
    const struct driver_type *type;
} messages[MESSAGES];
static uint32_t message_count, fail_after = UINT32_MAX, outside = HW_FLEXIBLE_BASE;

/* The linker redirects allocations to these wrappers, so that any of them can be made to fail. The fast paths do not
 * come here while the thread has no buffer. Therefore the buffer stays closed as long as an allocation is to fail. */
static void fail_after_so_many(uint32_t allocations) {
    fail_after = allocations;
    hw_buffer_close(hw_thread);
}

static bool fails(void) {
    if (fail_after == UINT32_MAX || fail_after-- != 0) return false;
    fail_after = UINT32_MAX;
    hw_error_raise(HW_STATUS_OUT_OF_MEMORY);
    return true;
}

#define MAY_FAIL(result, function, parameters, arguments)                 \
    result __real_##function parameters;                                  \
    result __wrap_##function parameters;                                  \
    result __wrap_##function parameters {                                 \
        result made = fails() ? 0 : __real_##function arguments;          \
        if (made && fail_after != UINT32_MAX) hw_buffer_close(hw_thread); \
        return made;                                                      \
    }
MAY_FAIL(hw_handle, hw_new_slow, (const struct hw_klass *klass), (klass))
MAY_FAIL(hw_handle, hw_new_array, (const struct hw_klass *klass, uint32_t length), (klass, length))
MAY_FAIL(hw_ref, hw_allocate_slow, (uint32_t bytes), (bytes))
MAY_FAIL(hw_ref, hw_allocate_object_slow, (const struct hw_klass *klass), (klass))
MAY_FAIL(hw_ref, hw_allocate_array, (const struct hw_klass *klass, uint32_t length), (klass, length))

static struct hw_bytes elements(hw_handle array) {
    return (struct hw_bytes){hw_array_bytes(array->reference), hw_array_length(array->reference)};
}

/* owner: the array that has the input as its elements; NULL: the input does not move. */
static hw_handle deserialize(const struct driver_type *type, struct hw_bytes wire, hw_handle owner, bool views) {
    const struct hw_type *table = hw_schema_find(type->name);
    uint32_t room = 64 + wire.length;

    if (!table) die("the schema lacks a type");
    while (hw_adopt_room(room, room)) {
        struct hw_arenas arenas = hw_thread->unit;
        if (owner) wire = elements(owner);
        struct hw_protobuf_codec_object result = hw_protobuf_codec_read(table, wire.data, wire.length, 0, &arenas);

        if (result.status == HW_STATUS_OK) {
            hw_handle root = hw_handle_new(result.root);
            if (views) leave_strings(result.root, arenas.fixed.top, owner ? owner->reference : 0, wire);
            hw_adopt_commit(arenas.fixed.top, arenas.flexible.top);
            return type->from(root);
        }
        if (result.status != HW_STATUS_FIXED_ARENA_FULL && result.status != HW_STATUS_FLEXIBLE_ARENA_FULL)
            die("the message is malformed");
        room *= 2;
    }
    return NULL;
}

static hw_handle deserialize_to_views(const struct driver_type *type, bool owned, struct hw_bytes wire) {
    hw_scope scope = hw_scope_open();
    hw_handle root = hw_handle_new(0), array = NULL, made;

    if (owned) {
        array = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY]), wire.length);
        memcpy(hw_array_bytes(array->reference), wire.data, wire.length);
    } else {
        wire.data = memcpy(hw_pointer(outside), wire.data, wire.length);
        outside += wire.length;
    }
    made = deserialize(type, wire, array, true);
    root->reference = made ? made->reference : 0;
    hw_scope_close(scope);
    return made ? hw_handle_new(root->reference) : NULL;
}

#define MEMOIZED 7

static int32_t *memo_at(uint32_t index, uint32_t offset) {
    return (int32_t *)((char *)hw_handle_object(messages[index].handle) + offset);
}

/* Fails if an object of an arena refers to the heap. */
static void check_apart(hw_ref *slot, void *context) {
    if (*slot == 0) return;
    if (hw_in_heap(*slot)) die("an arena refers to the heap");
    hw_visit_object(hw_pointer(*slot), check_apart, context);
}

/* Executes commands on a message with memoized values. The values must be unset if the message has changed, and must
 * stay otherwise. */
static bool build_memoized(uint32_t index) {
    const struct hw_message_info *info = messages[index].type->info;
    const uint16_t memos[] = {info->memoized_size, info->memoized_is_initialized};
    bool built;

    for (int i = 0; i < 2; i++) *memo_at(index, memos[i]) = MEMOIZED;
    built = messages[index].type->build(messages[index].handle);
    if (!hw_in_heap(messages[index].handle->reference)) check_apart(&messages[index].handle->reference, NULL);
    for (int i = 0; i < 2; i++) {
        if (*memo_at(index, memos[i]) != (built ? HW_OBJECT_MEMO_UNSET : MEMOIZED))
            die("a memoized value outlives a change, or a change that failed removes it");
        *memo_at(index, memos[i]) = HW_OBJECT_MEMO_UNSET;
    }
    return built;
}

/* Returns the message as its getters print it, followed by its hash. */
static char *text_of(uint32_t index, size_t *length) {
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    messages[index].type->print(messages[index].handle, out);
    fprintf(out, " %d", messages[index].type->hash_code(messages[index].handle));
    fclose(out);
    return text;
}

static void build_with_faults(uint32_t index) {
    size_t start = script_tell(), before_length, after_length;
    char *before = text_of(index, &before_length);
    hw_scope handles = hw_scope_open();
    uint32_t faults = 0;

    for (;; faults++) {
        script_seek(start);
        fail_after_so_many(faults);
        if (build_memoized(index)) break;
        if (hw_error_clear() != HW_STATUS_OUT_OF_MEMORY || fail_after != UINT32_MAX)
            die("a failed allocation ends in another exception");
        char *after = text_of(index, &after_length);
        if (after_length != before_length || memcmp(before, after, before_length) != 0)
            die("a failed allocation changed the message");
        if (hw_scope_open() != handles) die("a failed allocation leaves handles behind");
        free(after);
    }
    fail_after = UINT32_MAX;
    free(before);
    printf("%u\n", faults);
}

static struct hw_arenas arenas;

static hw_handle read_into_arenas(const struct driver_type *type, bool empty, struct hw_bytes wire) {
    if (empty || arenas.fixed.base == 0) {
        hw_arena_init(&arenas.fixed, ARENAS_LIMIT - 2 * ARENA_BYTES, ARENA_BYTES);
        hw_arena_init(&arenas.flexible, ARENAS_LIMIT - ARENA_BYTES, ARENA_BYTES);
    }
    struct hw_protobuf_codec_object read =
        hw_protobuf_codec_read(hw_schema_find(type->name), wire.data, wire.length, 0, &arenas);

    if (read.status != HW_STATUS_OK) die("the message does not fit into the arenas, or is malformed");
    hw_thread->arenas = &arenas;
    return type->from(hw_handle_hold(read.root));
}

static void build_in_full_arenas(uint32_t index) {
    size_t start = script_tell(), before_length, after_length;
    char *before = text_of(index, &before_length);
    struct hw_arenas whole = arenas;
    uint32_t room = 0;

    for (;; room += HW_OBJECT_ALIGNMENT) {
        script_seek(start);
        arenas = whole;
        /* In the one arena, or in the other. */
        arenas.fixed.limit = arenas.fixed.top + (room % 16 == 0 ? room : 0);
        arenas.flexible.limit = arenas.flexible.top + (room % 16 == 0 ? 0 : room);
        if (build_memoized(index)) break;
        if (hw_error_clear() != HW_STATUS_ARENA_FULL) die("full arenas are another error");
        char *after = text_of(index, &after_length);
        if (after_length != before_length || memcmp(before, after, before_length) != 0)
            die("full arenas changed the message");
        free(after);
    }
    arenas.fixed.limit = whole.fixed.limit, arenas.flexible.limit = whole.flexible.limit;
    check_apart(&messages[index].handle->reference, NULL);
    free(before);
    printf("%u\n", room);
}

static uint32_t index_read(void) {
    uint32_t index = read_32();

    if (index >= message_count) die("there is no such message");
    return index;
}

static void push(hw_handle handle, const struct driver_type *type) {
    if (message_count == MESSAGES) die("too many messages");
    messages[message_count].handle = handle;
    messages[message_count++].type = type;
}

static void dump(hw_handle root, const char *path) {
    FILE *file = path ? fopen(path, "wb") : NULL;
    const struct hw_arena *eden = &hw_space.eden;

    if (!file) die("cannot write the dump");
    fwrite(hw_pointer(eden->base), 1, eden->top - eden->base, file);
    fclose(file);
    printf("%u %u %u", root->reference, eden->base, hw_schema.base);
    for (uint32_t i = 0; i < HW_REGISTERS; i++) printf(" %u", hw_registers[i]);
    printf("\n");
}

static void serialize(hw_handle message) {
    static uint8_t output[1u << 20];
    const struct hw_type *type = hw_schema_find(hw_pointer(hw_klass_of(hw_handle_object(message))->name));
    struct hw_protobuf_codec_bytes written =
        hw_protobuf_codec_write(type, message->reference, 0, output, sizeof(output), HW_FIXED_BASE, ARENAS_LIMIT);

    printf("%d ", written.status);
    print_bytes((struct hw_bytes){written.start, written.length}, stdout);
    printf("\n");
}

static void write_out(uint32_t index, uint32_t size, bool delimited) {
    uint8_t *output = malloc(size); /* ASan sees what lies behind it */
    uint32_t length = (delimited ? hw_message_write_delimited : hw_message_write)(
        messages[index].handle, messages[index].type->info, output, size);

    printf("%u ", hw_error_clear());
    print_bytes((struct hw_bytes){output, length}, stdout);
    printf("\n");
    free(output);
}

static void print_text(uint32_t index, uint32_t size) {
    char *text = malloc(size);
    uint32_t length = hw_message_text(messages[index].handle, messages[index].type->names, text, size);

    printf("%u %u ", hw_error_clear(), length);
    print_bytes((struct hw_bytes){(uint8_t *)text, size != 0 ? (uint32_t)strlen(text) : 0}, stdout);
    printf("\n");
    free(text);
}

/* Prints the digests of the messages of a stream, and the errors with their offsets, in the order in which they come.
 */
static void stream(const struct driver_type *type, uint32_t size, uint32_t piece, struct hw_bytes bytes) {
    struct hw_delimited from;
    uint8_t *buffer = malloc(size);
    uint32_t room, taken;

    hw_delimited_open(&from, buffer, size);
    for (uint32_t at = 0; at < bytes.length; at += taken) {
        void *next = hw_delimited_room(&from, &room);

        taken = bytes.length - at < piece ? bytes.length - at : piece;
        taken = taken < room ? taken : room;
        if (taken == 0) break;
        memcpy(next, bytes.data + at, taken);
        hw_delimited_fill(&from, taken);
        for (;;) {
            HW_SCOPE;
            hw_handle message = hw_message_read_next(type->info, &from);

            if (!message && hw_error_status() == HW_STATUS_OK) break;
            if (message)
                printf("%08x ", hw_digest(hw_handle_object(message), hw_schema_find(type->name)));
            else
                printf("%u@%u ", hw_error_status(), hw_error_offset());
            hw_error_clear();
            if (from.broken) break;
        }
        if (from.broken) break;
    }
    printf("\n");
    free(buffer);
}

static void step(uint32_t what, const char *dump_path) {
    uint32_t index, other;
    const struct driver_type *type;
    hw_handle handle;

    switch (what) {
        case 'N':
            type = &types[read_32()];
            handle = type->make();
            bool built = handle && type->build(handle);
            push(handle, type);
            printf("%d %u\n", built, hw_error_clear());
            break;
        case 'P':
            type = &types[read_32()];
            push(deserialize(type, read_bytes(), NULL, false), type);
            printf("%d %u\n", messages[message_count - 1].handle != NULL, hw_error_clear());
            break;
        case 'I':
            type = &types[read_32()];
            index = read_32();
            push(deserialize_to_views(type, index != 0, read_bytes()), type);
            printf("%d %u\n", messages[message_count - 1].handle != NULL, hw_error_clear());
            break;
        case 'B':
            index = index_read();
            built = build_memoized(index);
            printf("%d %u\n", built, hw_error_clear());
            break;
        case 'F':
            build_with_faults(index_read());
            break;
        case 'G':
            index = index_read();
            messages[index].type->print(messages[index].handle, stdout);
            printf("\n");
            break;
        case 'Z':
            types[read_32()].print(NULL, stdout);
            printf("\n");
            break;
        case 'E':
            index = index_read();
            other = index_read();
            type = messages[index].type;
            built = type->equals(messages[index].handle, messages[other].handle);
            int32_t hashes[] = {type->hash_code(messages[index].handle), type->hash_code(messages[other].handle)};
            if (hw_error_status() == HW_STATUS_OK &&
                (built != are_alike(messages[index].handle, messages[other].handle, type->info) ||
                 hashes[0] != plain_hash(messages[index].handle, type->info) ||
                 hashes[1] != plain_hash(messages[other].handle, type->info)))
                die("equals or a hash is not what it is field by field");
            printf("%d %d %d", built, hashes[0], hashes[1]);
            printf(" %u\n", hw_error_clear());
            break;
        case 'L':
            index = read_32();
            hw_thread->stack_guard = index ? (void *)((char *)__builtin_frame_address(0) - index) : NULL;
            printf("\n");
            break;
        case 'C':
            hw_collect(read_32());
            printf("\n");
            break;
        case 'D':
            dump(messages[index_read()].handle, dump_path);
            break;
        case 'S':
            serialize(messages[index_read()].handle);
            break;
        case 'K':
            index = index_read();
            struct hw_bytes unknown = read_bytes();
            built = hw_message_set_unknown_fields(messages[index].handle, messages[index].type->info, unknown.data,
                                                  unknown.length);
            printf("%d %u\n", built, hw_error_clear());
            break;
        case 'R':
            type = &types[read_32()];
            struct hw_bytes wire = read_bytes();
            push(hw_message_read(type->info, wire.data, wire.length), type);
            printf("%d %u ", messages[message_count - 1].handle != NULL, hw_error_offset());
            printf("%u\n", hw_error_clear());
            break;
        case 'V':
        case 'U':
            index = index_read();
            write_out(index, read_32(), what == 'U');
            break;
        case 'O':
            index = index_read();
            push(hw_message_clone(messages[index].handle, messages[index].type->info), messages[index].type);
            printf("%d %u\n", messages[message_count - 1].handle != NULL, hw_error_clear());
            break;
        case 'M':
            index = index_read();
            other = index_read();
            built = hw_message_merge(messages[index].handle, messages[other].handle, messages[index].type->info);
            printf("%d %u\n", built, hw_error_clear());
            break;
        case 'X':
            index = index_read();
            built = hw_message_clear_all(messages[index].handle, messages[index].type->info);
            printf("%d %u\n", built, hw_error_clear());
            break;
        case 'T':
            index = index_read();
            print_text(index, read_32());
            break;
        case 'Q':
            type = &types[read_32()];
            index = read_32();
            other = read_32();
            stream(type, index, other, read_bytes());
            break;
        case 'A':
            type = &types[read_32()];
            index = read_32();
            push(read_into_arenas(type, index != 0, read_bytes()), type);
            printf("%d %u\n", messages[message_count - 1].handle != NULL, hw_error_clear());
            break;
        case 'J':
            hw_arenas_begin(read_32() ? &arenas : NULL);
            printf("\n");
            break;
        case 'H':
            build_in_full_arenas(index_read());
            break;
        case 'Y':
            index = index_read();
            other = read_32();
            handle = messages[index_read()].handle;
            built = hw_message_set_message(messages[index].handle, messages[index].type->info, other, handle);
            printf("%d %u\n", built, hw_error_clear());
            break;
        case 'W':
            index = index_read();
            handle = types[read_32()].from(messages[index].handle);
            printf("%d %u\n", handle != NULL, hw_error_clear());
            break;
        default:
            die("no such step");
    }
}

int main(int count, char **arguments) {
    struct hw_heap_options options = {.base = HW_FIXED_BASE, .bytes = HEAP_BYTES};
    const char *dump_path = NULL;

    if (count < 2) return 2;
    for (int i = 2; i < count; i++) {
        if (strcmp(arguments[i], "stress") == 0)
            options.stress = options.poison = true, options.verify = hw_heap_verify;
        else if (strcmp(arguments[i], "array") == 0)
            hw_adopt_way(HW_ADOPT_ARRAY);
        else
            dump_path = arguments[i];
    }
    if (options.stress)
        options.bytes = 1u << 20;
    else
        options.eden_bytes = 8u << 20;
    memory_map();
    enum hw_schema_error error =
        hw_schema_load(hw_pointer(HW_LOAD_BASE), memory_load(arguments[1], HW_LOAD_BASE, HW_LOAD_BYTES));
    if (error != HW_SCHEMA_OK) die(hw_schema_error_text(error));
    if (!hw_heap_init(&options)) die("the heap's options do not fit");
    script_load();
    while (!script_ended()) {
        step(read_32(), dump_path);
        /* One handle per message remains: building and printing must free theirs. */
        if (hw_scope_open() - hw_thread->slots > (int)message_count) die("handles are left behind");
    }
    return 0;
}
