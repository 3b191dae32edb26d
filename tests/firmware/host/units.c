/* Tests the small parts, each by itself. Prints the first check that fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/expect.h"
#include "protobuf/codec/codec.h"
#include "memory.h"
#include "packet/frame.h"
#include "platform/finish.h"
#include "runtime/crc32.h"
#include "runtime/thread.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "records/schema.h"
#include "runtime/schema.h"
#include "copy/copy.h"

bool hw_finish_supported(void) { return true; }

static void test_arena(void) {
    struct hw_arena arena;

    EXPECT(hw_arena_init(&arena, 0x1001, 0x40) && arena.base == 0x1008 && arena.limit == 0x1040);
    EXPECT(hw_arena_take(&arena, 1) == 0x1008 && arena.top == 0x1010);
    EXPECT(hw_arena_take(&arena, 0x31) == 0);
    EXPECT(hw_arena_take(&arena, 0x30) == 0x1010 && hw_arena_take(&arena, 1) == 0);
    EXPECT(hw_arena_take(&arena, UINT32_MAX) == 0 && hw_arena_used(&arena) == 0x38);
    hw_arena_reset(&arena);
    EXPECT(arena.top == arena.base);
    EXPECT(!hw_arena_init(&arena, 0, 64) && hw_arena_take(&arena, 8) == 0);
    EXPECT(!hw_arena_init(&arena, 0xfffffff0u, 0x20) && hw_arena_take(&arena, 8) == 0);
    EXPECT(!hw_arena_init(&arena, 0x1001, 4));
}

static void test_handles(void) {
    hw_scope outer = hw_scope_open();
    hw_handle first = hw_handle_new(0x1000);
    hw_scope inner = hw_scope_open();

    EXPECT(first && hw_reference(hw_handle_object(first)) == 0x1000);
    for (int i = 1; i < HW_LOCAL_HANDLES; i++) EXPECT(hw_handle_new(0x2000));
    EXPECT(hw_handle_new(0x2000) == NULL);
    hw_scope_close(inner);
    EXPECT(hw_handle_new(0x3000) != NULL && hw_reference(hw_handle_object(first)) == 0x1000);

    hw_handle globals[HW_GLOBAL_HANDLES];
    for (int i = 0; i < HW_GLOBAL_HANDLES; i++) EXPECT((globals[i] = hw_global_new(first)) != NULL);
    EXPECT(hw_global_new(first) == NULL);
    hw_global_drop(globals[7]);
    hw_global_drop(NULL);
    EXPECT(hw_global_new(first) == globals[7]);
    for (int i = 0; i < HW_GLOBAL_HANDLES; i++) hw_global_drop(globals[i]);
    hw_scope_close(outer);
}

static void test_crc(void) {
    EXPECT(hw_crc32(0, "123456789", 9) == 0xcbf43926u);
    EXPECT(hw_crc32(hw_crc32(0, "1234", 4), "56789", 5) == 0xcbf43926u);
    EXPECT(hw_crc32(0, "", 0) == 0);
}

/* Every length around the blocks of 254, with zeros at every distance. */
static void test_cobs(void) {
    static uint8_t plain[PACKET_MAX], coded[COBS_ENCODED_MAX(PACKET_MAX)];

    for (size_t size = 0; size <= 600; size++)
        for (size_t gap = 1; gap <= 300; gap += gap < 4 || gap > 250 ? 1 : 31) {
            for (size_t i = 0; i < size; i++) plain[i] = i % gap == gap - 1 ? 0 : (uint8_t)(1 + i % 255);
            size_t length = hw_cobs_encode(plain, size, coded);
            EXPECT(length <= COBS_ENCODED_MAX(size) && memchr(coded, 0, length) == NULL);
            EXPECT(hw_cobs_decode(coded, length) == size && memcmp(coded, plain, size) == 0);
        }
    uint8_t empty[1] = {0}, cut[] = {5, 1, 2}, zero[] = {3, 1, 0}, full[255];
    EXPECT(hw_cobs_decode(empty, 0) == COBS_ERROR && hw_cobs_decode(empty, 1) == COBS_ERROR);
    EXPECT(hw_cobs_decode(cut, 3) == COBS_ERROR && hw_cobs_decode(zero, 3) == COBS_ERROR);
    memset(full, 1, sizeof(full));
    full[0] = 0xff;
    EXPECT(hw_cobs_decode(full, 255) == 254);
}

static uint8_t line[2 * FRAME_MAX];
static size_t line_size;

static void put_line(uint8_t byte) {
    EXPECT(line_size < sizeof(line));
    line[line_size++] = byte;
}

static struct frame_reader reader;
static struct packet received;

static enum frame_event feed(const uint8_t *bytes, size_t size) {
    enum frame_event event = FRAME_NOTHING;

    for (size_t i = 0; i < size; i++) {
        EXPECT(event == FRAME_NOTHING || bytes[i] != 0);
        event = hw_frame_read(&reader, bytes[i], &received);
    }
    return event;
}

static void test_frame(void) {
    static struct packet packet = {.sequence = 7, .operation = 3, .status = 1, .text = 2};

    for (uint32_t length = 0; length <= PACKET_BODY_MAX; length += 1 + length / 7) {
        for (uint32_t i = 0; i < length; i++) packet.body[i] = (uint8_t)(i * i >> 3);
        packet.length = length;
        line_size = 0;
        hw_frame_write(&packet, put_line);
        EXPECT(feed(line, line_size) == FRAME_PACKET);
        EXPECT(received.sequence == 7 && received.operation == 3 && received.status == 1 && received.text == 2);
        EXPECT(received.length == length && received.crc == packet.crc && !memcmp(received.body, packet.body, length));
        for (size_t i = 1; i + 1 < line_size; i += 1 + i / 3) { /* every damage is detected */
            uint8_t good = line[i];
            line[i] = good ^ 0x11 ? good ^ 0x11 : 0x22;
            EXPECT(feed(line, line_size) == FRAME_BAD);
            line[i] = good;
        }
        EXPECT(feed(line, line_size) == FRAME_PACKET);
    }
    for (int i = 0; i < 5000; i++) /* endless noise is dropped as a whole */
        EXPECT(hw_frame_read(&reader, 0x55, &received) == FRAME_NOTHING);
    EXPECT(hw_frame_read(&reader, 0, &received) == FRAME_BAD && hw_frame_read(&reader, 0, &received) == FRAME_NOTHING);
    EXPECT(feed(line, line_size) == FRAME_PACKET);
}

static void test_copy(void) {
    uint8_t *base = hw_pointer(HW_FIXED_BASE);
    uint32_t *list = hw_pointer(HW_FLEXIBLE_BASE), limit = HW_FIXED_BASE + 4096, old, word = 5;

    for (int i = 0; i < 4096; i++) base[i] = (uint8_t)(i / 16);
    hw_copy_state.fallbacks = 0;
    EXPECT(hw_copy(base + 8192, base, 4096) == HW_STATUS_OK && !memcmp(base, base + 8192, 4096));
    EXPECT(hw_fill(base + 8192, 9, 100) == HW_STATUS_OK && base[8192 + 99] == 9 && base[8192 + 100] == 6);
    list[0] = HW_FIXED_BASE + 48, list[1] = limit - 16, list[2] = limit, list[3] = HW_FIXED_BASE + 8;
    EXPECT(hw_gather(base + 8192, list, 2, 0, HW_FIXED_BASE, limit) == HW_STATUS_OK && base[8192] == 3 &&
           base[8208] == 255);
    EXPECT(hw_gather(base + 8192, list, 3, 8, HW_FIXED_BASE, limit) == HW_STATUS_OUT_OF_BOUNDS);
    EXPECT(hw_gather(base + 8192, list + 4, 1, 8, 16, 8) == HW_STATUS_OUT_OF_BOUNDS);
    EXPECT(hw_gather(base + 8192, list + 1, 1, 8, HW_FIXED_BASE, limit) == HW_STATUS_BAD_ALIGNMENT);
    list[0] = HW_FIXED_BASE + 8;
    EXPECT(hw_gather(base + 8192, list, 1, 8, HW_FIXED_BASE, limit) == HW_STATUS_BAD_ALIGNMENT);
    EXPECT(hw_compare_and_swap(&word, 5, 6, &old) == HW_STATUS_OK && old == 5 && word == 6);
    EXPECT(hw_compare_and_swap(&word, 5, 7, &old) == HW_STATUS_OK && old == 6 && word == 6);
    EXPECT(hw_copy_begin(base, base, 0) == HW_SUBMIT_NO_UNIT);
    EXPECT(hw_copy_state.fallbacks == 9);
}

static void test_well_known(void) {
    hw_well_known_init();
    for (uint32_t i = HW_REG_KLASS_BYTE_STRING; i <= HW_REG_KLASS_OBJECT_ARRAY; i++) {
        const struct hw_klass *klass = hw_pointer(hw_registers[i]);
        EXPECT(klass && klass->id < SCHEMA_FIRST_ID && klass->name);
    }
    const struct hw_klass *longs = hw_pointer(hw_registers[HW_REG_KLASS_LONG_ARRAY]);
    EXPECT(longs->kind == HW_KLASS_KIND_PRIMITIVE_ARRAY && longs->element_shift == 3 && longs->object_size == 0);
    const struct hw_array_list *none = hw_pointer(hw_registers[HW_REG_UNKNOWN_FIELDS]);
    EXPECT(none->header.klass == hw_registers[HW_REG_KLASS_BYTE_ARRAY_LIST] && none->count == 0 && none->array == 0);
    EXPECT(hw_registers[HW_REG_KLASS_LIST_BYTE_ARRAY] == hw_registers[HW_REG_KLASS_BYTE_ARRAY]);
}

static void test_no_type(void) {
    struct hw_arenas heap;

    EXPECT(hw_arena_init(&heap.fixed, HW_FIXED_BASE, HW_FIXED_BYTES) &&
           hw_arena_init(&heap.flexible, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES));
    uint32_t top = heap.fixed.top;
    struct hw_protobuf_codec_object decoded = hw_protobuf_codec_read(hw_schema_find("no.such.Type"), "", 0, 0, &heap);

    EXPECT(decoded.status == HW_STATUS_BAD_DESCRIPTOR && heap.fixed.top == top);
}

int main(void) {
    memory_map();
    test_arena();
    test_handles();
    test_crc();
    test_cobs();
    test_frame();
    test_copy();
    test_well_known();
    test_no_type();
    printf("ok\n");
    return 0;
}
