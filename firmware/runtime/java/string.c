#include "runtime/java/string.h"

#include <string.h>

#include "classes.h"
#include "runtime/heap/heap.h"
#include "runtime/message.h"

/* Values of String.coder, which are also log2 of a character's bytes. */
#define LATIN1 0
#define UTF16 1

#define FIELD(string, type, name) (*(type *)((char *)hw_handle_object(string) + HW_CLASS_String_##name))

bool hw_string_is_sound(hw_ref string) {
    const char *fields = hw_pointer(string);
    hw_ref value = *(const hw_ref *)(fields + HW_CLASS_String_value);

    return value && hw_klass_of(hw_pointer(value)) == HW_CLASS_byte_array &&
           *(const uint8_t *)(fields + HW_CLASS_String_coder) <= UTF16;
}

/* The characters of a string. Valid until the next safepoint. */
struct characters {
    const void *data;
    uint32_t length, coder;
};

static struct characters characters(hw_handle string) {
    const struct hw_array *value = hw_pointer(FIELD(string, hw_ref, value));
    uint32_t coder = FIELD(string, uint8_t, coder);

    return (struct characters){
        .data = (const char *)value + hw_klass_elements(hw_klass_of(value)),
        .length = value->length >> coder,
        .coder = coder,
    };
}

static inline uint16_t character(const struct characters *all, uint32_t index) {
    return all->coder == LATIN1 ? ((const uint8_t *)all->data)[index] : ((const uint16_t *)all->data)[index];
}

/* Returns the number of code units of UTF-8 text, and the coder that they need. */
static uint32_t measure(const uint8_t *text, uint32_t length, uint32_t *coder) {
    uint32_t units = 0;

    *coder = LATIN1;
    for (uint32_t used; length; text += used, length -= used, units++) {
        uint32_t point = hw_utf8_decode(text, length, &used);

        if (point > 0xff) *coder = UTF16;
        if (point > 0xffff) units++;
    }
    return units;
}

static void decode(const uint8_t *text, uint32_t length, uint32_t coder, void *data) {
    uint8_t *latin1 = data;
    uint16_t *utf16 = data;

    for (uint32_t used; length; text += used, length -= used) {
        uint32_t point = hw_utf8_decode(text, length, &used);

        if (coder == LATIN1) {
            *latin1++ = (uint8_t)point;
        } else if (point < 0x10000) {
            *utf16++ = (uint16_t)point;
        } else {
            *utf16++ = (uint16_t)(0xd7c0 + (point >> 10));
            *utf16++ = 0xdc00 | (point & 0x3ff);
        }
    }
}

/* Text that may lie in the heap. source_text must be called again after every safepoint. */
struct source {
    const uint8_t *fixed;
    hw_handle array;
    uint32_t offset;
};

static const uint8_t *source_text(const struct source *source) {
    if (!source->array) return source->fixed;
    const char *array = hw_handle_object(source->array);

    return (const uint8_t *)array + hw_klass_elements(hw_klass_of(array)) + source->offset;
}

static hw_handle make(const struct source *source, uint32_t length) {
    uint32_t coder, units = measure(source_text(source), length, &coder);

    /* This is Java's limit, too: a byte array has at most 2^31 - 1 elements. */
    if (units > (uint32_t)INT32_MAX >> coder) {
        hw_error_raise(HW_STATUS_OUT_OF_MEMORY);
        return NULL;
    }
    hw_scope scope = hw_scope_open();
    hw_handle value = hw_new_array(HW_CLASS_byte_array, units << coder);

    if (!value) return NULL;
    char *array = hw_handle_object(value);

    decode(source_text(source), length, coder, array + hw_klass_elements(hw_klass_of(array)));

    hw_handle string = hw_new(HW_CLASS_String);

    if (!string) {
        hw_scope_close(scope);
        return NULL;
    }
    FIELD(string, uint8_t, coder) = (uint8_t)coder;
    hw_set(string, HW_CLASS_String_value, value);

    /* The string's handle takes the array's slot. */
    hw_ref reference = string->reference;

    hw_scope_close(scope);
    return hw_handle_new(reference);
}

hw_handle hw_string_from_utf8(const void *text, uint32_t length) {
    return make(&(struct source){.fixed = text}, length);
}

hw_handle hw_string_from_utf8_array(hw_handle array, uint32_t offset, uint32_t length) {
    return make(&(struct source){.array = array, .offset = offset}, length);
}

hw_handle hw_string_from_bytes(hw_handle bytes) {
    struct hw_bytes found = hw_byte_string_bytes(bytes->reference);
    const struct hw_byte_view *view = hw_is_byte_view(bytes->reference) ? hw_handle_object(bytes) : NULL;
    hw_ref array = view ? view->owner : ((const struct hw_byte_string *)hw_handle_object(bytes))->bytes;
    uint32_t offset = view ? view->offset : 0;

    if (!array) return hw_string_from_utf8(found.data, found.length);
    hw_handle held = hw_handle_hold(array),
              string = held ? hw_string_from_utf8_array(held, offset, found.length) : NULL;

    /* The string's handle takes the array's slot. */
    if (string) held->reference = string->reference;
    if (held) hw_scope_close(string ? held + 1 : held);
    return string ? held : NULL;
}

/* Returns the code point at `*index` and moves `*index` behind it. */
static uint32_t code_point(const struct characters *all, uint32_t *index) {
    uint32_t unit = character(all, (*index)++);

    if (unit >> 11 != 0xd800 >> 11) return unit;
    if (unit < 0xdc00 && *index < all->length) {
        uint32_t low = character(all, *index);

        if (low >> 10 == 0xdc00 >> 10) {
            ++*index;
            return 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
        }
    }
    return '?';
}

uint32_t hw_string_to_utf8(hw_handle string, void *text, uint32_t capacity) {
    struct characters all = characters(string);
    uint8_t *out = text;
    uint32_t total = 0;

    for (uint32_t index = 0; index < all.length;) {
        uint8_t bytes[4];
        uint32_t count = hw_utf8_encode(code_point(&all, &index), bytes);

        for (uint32_t i = 0; i < count; i++, total++)
            if (total < capacity) out[total] = bytes[i];
    }
    return total;
}

uint32_t hw_string_length(hw_handle string) { return characters(string).length; }

uint16_t hw_string_char_at(hw_handle string, uint32_t index) {
    struct characters all = characters(string);

    return character(&all, index);
}

bool hw_string_equals(hw_handle string, hw_handle other) {
    if (!other) return false;
    struct characters one = characters(string), two = characters(other);

    /* A string has the narrower coder if possible, so equal strings have the same coder. */
    return one.coder == two.coder && one.length == two.length &&
           memcmp(one.data, two.data, one.length << one.coder) == 0;
}

int32_t hw_string_hash(hw_handle string) {
    int32_t hash = FIELD(string, int32_t, hash);

    if (hash != 0 || FIELD(string, uint8_t, hashIsZero)) return hash;
    struct characters all = characters(string);
    uint32_t sum = 0;

    for (uint32_t i = 0; i < all.length; i++) sum = 31 * sum + character(&all, i);
    if (sum == 0) FIELD(string, uint8_t, hashIsZero) = 1;
    FIELD(string, int32_t, hash) = (int32_t)sum;
    return (int32_t)sum;
}

int32_t hw_string_compare(hw_handle string, hw_handle other) {
    struct characters one = characters(string), two = characters(other);
    uint32_t common = one.length < two.length ? one.length : two.length;

    for (uint32_t i = 0; i < common; i++) {
        int32_t difference = character(&one, i) - character(&two, i);

        if (difference != 0) return difference;
    }
    return (int32_t)(one.length - two.length);
}
