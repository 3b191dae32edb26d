/* java.lang.String on the SoC, with collections in between. Each text of the load region (a word with its bytes plus
 * one; UTF-8 and a zero, padded to words; a word 0 ends the list) becomes a string. All are kept while garbage is made,
 * and then printed: code units, coder, hash, UTF-8. */
#include <inttypes.h>
#include <string.h>

#include "../../common/expect.h"
#include "classes.h"
#include "runtime/heap/heap.h"
#include "runtime/java/string.h"
#include "runtime/regions.h"
#include "runtime/registers.h"

#define MAX_TEXTS 32
#define MAX_BYTES 512
#define ROUNDS 40

static void print(hw_handle string) {
    uint8_t utf8[MAX_BYTES];
    uint32_t length = hw_string_length(string), bytes = hw_string_to_utf8(string, utf8, sizeof utf8);

    EXPECT(bytes <= sizeof utf8);
    for (uint32_t i = 0; i < length; i++) printf("%04x", hw_string_char_at(string, i));
    printf(" %u %" PRId32 " ", ((const uint8_t *)hw_handle_object(string))[HW_CLASS_String_coder],
           hw_string_hash(string));
    for (uint32_t i = 0; i < bytes; i++) printf("%02x", utf8[i]);
    printf("\n");
}

int main(void) {
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .bytes = 64u << 10,
        .buffer_bytes = 512,
        .tenure = 2,
        .poison = true,
        .verify = hw_heap_verify,
    };
    const uint32_t *words = hw_pointer(HW_LOAD_BASE);
    hw_handle strings[MAX_TEXTS];
    uint32_t count = 0;

    hw_well_known_init();
    hw_classes_init();
    EXPECT(hw_heap_init(&options));
    for (; words[0] != 0; words += 1 + (words[0] + 3) / 4) {
        uint32_t length = words[0] - 1;

        EXPECT(count < MAX_TEXTS);
        strings[count] = hw_string_from_utf8(words + 1, length);
        EXPECT(strings[count++]);
    }
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < count; i++) {
            hw_scope scope = hw_scope_open();
            uint8_t utf8[MAX_BYTES];
            uint32_t bytes = hw_string_to_utf8(strings[i], utf8, sizeof utf8);
            hw_handle again = hw_string_from_utf8(utf8, bytes);

            EXPECT(again && hw_string_hash(again) == hw_string_hash(strings[i]) && hw_string_equals(again, strings[i]));
            EXPECT(hw_string_compare(again, strings[i]) == 0 &&
                   hw_string_equals(strings[(i + 1) % count], again) == (count == 1));
            hw_scope_close(scope);
        }
    hw_collect(true);
    for (uint32_t i = 0; i < count; i++) print(strings[i]);
    EXPECT(hw_error_clear() == HW_STATUS_OK && hw_heap_statistics.young_collections != 0);
    return 0;
}
