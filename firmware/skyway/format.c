#include "skyway/format.h"

#include <string.h>

#include "runtime/compiler.h"

COLD const struct hw_skyway_format *hw_skyway_heap(const struct hw_skyway_heap *heaps, uint32_t count,
                                                   const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(heaps[i].name, name) == 0) return &heaps[i].format;
    return NULL;
}

COLD bool skyway_words_are_own(const struct hw_skyway_words *words) {
    const struct hw_skyway_words own = HW_SKYWAY_OWN_WORDS;

    return memcmp(words, &own, sizeof own) == 0;
}

static COLD bool is_word(uint32_t bytes) { return bytes == 4 || bytes == 8; }

COLD bool hw_skyway_format_is_sound(const struct hw_skyway_format *format) {
    const struct hw_skyway_layout *layout = &format->layout;
    const struct hw_skyway_words *words = &format->words;
    uint32_t header = words->mark_bytes + words->class_bytes;

    return is_word(words->reference_bytes) && is_word(words->mark_bytes) && is_word(words->class_bytes) &&
           words->mark_bytes % words->class_bytes == 0 && words->hash_bits >= HW_OBJECT_MARK_HASH_WIDTH &&
           words->hash_bit + words->hash_bits <= 8 * words->mark_bytes &&
           (uint64_t)words->unlocked >> words->hash_bit == 0 && words->length >= header && words->length % 4 == 0 &&
           words->length + 4 <= layout->elements && layout->elements % 8 == 0 && layout->fields >= header &&
           layout->fields % 4 == 0 && layout->fields <= 248 && (layout->alignment == 8 || layout->alignment == 16) &&
           words->zero == 0;
}
