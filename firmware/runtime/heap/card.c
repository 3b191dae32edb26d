#include "runtime/heap/card.h"

#include <string.h>

#include "runtime/compiler.h"
#include "runtime/heap/object.h"

uint8_t *hw_card_bias;

OFTEN void hw_cards_set(uint32_t start, uint32_t limit, uint8_t value) {
    if (start < limit) memset(hw_space.cards + hw_card_of(start), value, hw_card_of(limit - 1) - hw_card_of(start) + 1);
}

OFTEN void hw_starts_clear(uint32_t start, uint32_t limit) {
    if (start < limit)
        memset(hw_space.starts + hw_card_of(start), HW_START_FAR, hw_card_of(limit - 1) - hw_card_of(start) + 1);
}

void hw_starts_note_cards(uint32_t first, uint32_t last) {
    for (uint32_t card = first + 1, back = 0; card <= last; card++) {
        /* The largest power of two that does not lead back beyond `first`. */
        if (card - first >= 2u << back) back++;
        hw_space.starts[card] = HW_START_FAR + back;
    }
}

#define CARD_GRANULES (HW_CARD_BYTES >> HW_GRANULE_SHIFT)
_Static_assert(32 % CARD_GRANULES == 0, "cards of a word");

/* The number of the lowest bit set of four, which are not all 0: a table of two bits per value. */
#define LOWEST_OF_4 0x12131210u

/* Returns the number of the lowest bit set among a card's granules, which are not all 0. */
static uint32_t lowest(uint32_t bits) {
    uint32_t at = 0;

    for (uint32_t half = CARD_GRANULES / 2; half >= 4; half /= 2)
        if ((bits & ((1u << half) - 1)) == 0) {
            at += half;
            bits >>= half;
        }
    return at + (LOWEST_OF_4 >> 2 * (bits & 15) & 3);
}

/* Keeps values in locals: to the compiler, the store of a byte might change anything in memory. */
void hw_starts_note_map(uint32_t start, uint32_t limit, const uint32_t *map) {
    uint32_t first = hw_card_of(start), count = hw_card_of(limit - 1) - first + 1, word = 0;
    uint8_t *starts = hw_space.starts + first;

    for (uint32_t i = 0, since = 0, back = 0; i < count; i++, word >>= CARD_GRANULES) {
        if (i % (32 / CARD_GRANULES) == 0) word = *map++;
        uint32_t bits = word & ((1u << CARD_GRANULES) - 1);

        if (bits) {
            *starts++ = (uint8_t)lowest(bits);
            since = back = 0;
            continue;
        }
        /* As in hw_starts_note_cards, counted from the last card in which an object starts. */
        if (++since >= 2u << back) back++;
        *starts++ = (uint8_t)(HW_START_FAR + back);
    }
}

hw_ref hw_starts_covering(uint32_t card) {
    uint8_t start = hw_space.starts[card];

    if (start == 0) return hw_space.base + (card << HW_CARD_SHIFT);
    do card -= start >= HW_START_FAR ? 1u << (start - HW_START_FAR) : 1;
    while ((start = hw_space.starts[card]) >= HW_START_FAR);

    /* The first object of that card. The walk goes on from it; only the card's last object reaches beyond the card. */
    hw_ref object = hw_space.base + (card << HW_CARD_SHIFT) + (start << HW_GRANULE_SHIFT);
    return object;
}

void hw_starts_note_all(uint32_t start, uint32_t limit) {
    hw_starts_clear(start, limit);
    for (uint32_t bytes; start < limit; start += bytes) {
        bytes = hw_object_bytes(hw_pointer(start));
        hw_starts_note(start, bytes);
    }
}

struct window {
    hw_ref start, limit;
    hw_visit_card_slot *visit;
    bool young;
};

static void visit_in_window(hw_ref *slot, void *context) {
    struct window *window = context;

    if (hw_reference(slot) - window->start < window->limit - window->start) window->young |= window->visit(slot);
}

static void visit_elements(struct window *window, hw_ref array) {
    uint32_t elements = array + hw_klass_elements(hw_klass_of(hw_pointer(array)));
    uint32_t end = elements + hw_array_length(array) * sizeof(hw_ref);
    uint32_t first = elements < window->start ? window->start : elements;
    uint32_t last = end > window->limit ? window->limit : end;

    for (; first < last; first += sizeof(hw_ref)) window->young |= window->visit(hw_pointer(first));
}

static bool visit_card(uint32_t card, uint32_t limit, hw_visit_card_slot *visit) {
    struct window window = {.start = hw_space.base + (card << HW_CARD_SHIFT), .visit = visit};

    window.limit = limit - window.start < HW_CARD_BYTES ? limit : window.start + HW_CARD_BYTES;
    for (hw_ref object = hw_starts_covering(card), next; object < window.limit; object = next) {
        next = object + hw_object_bytes(hw_pointer(object));
        if (next <= window.start) continue;
        if (hw_klass_of(hw_pointer(object))->kind == HW_KLASS_KIND_OBJECT_ARRAY)
            visit_elements(&window, object); /* a long array: only the part on the card */
        else
            hw_visit_object(hw_pointer(object), visit_in_window, &window);
    }
    return window.young;
}

void hw_cards_visit(uint32_t start, uint32_t limit, hw_visit_card_slot *visit) {
    if (start == limit) return;
    uint32_t last = hw_card_of(limit - 1);

    for (uint32_t card = hw_card_of(start); card <= last; card++) {
        const uint32_t *four = (const uint32_t *)(hw_space.cards + card);

        /* Skips four clean cards at once. */
        if (card % 4 == 0 && card + 3 <= last && *four == 0x01010101u * HW_CARD_CLEAN)
            card += 3;
        else if (hw_space.cards[card] == HW_CARD_DIRTY)
            hw_space.cards[card] = visit_card(card, limit, visit) ? HW_CARD_DIRTY : HW_CARD_CLEAN;
    }
}
