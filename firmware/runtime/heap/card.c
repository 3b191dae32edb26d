#include "runtime/heap/card.h"

#include <string.h>

#include "runtime/compiler.h"
#include "runtime/heap/object.h"

struct hw_card_table hw_card_table;

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

/* A de Bruijn sequence: its product with 2^n has in bits 15..12 a number that tells n (H. S. Warren, Hacker's Delight,
 * section 5-4). lowest_of has n for each such number. */
#define DE_BRUIJN 0x09afu
static const uint8_t lowest_of[16] = {0, 1, 2, 5, 3, 9, 6, 11, 15, 4, 8, 10, 14, 7, 13, 12};
_Static_assert(CARD_GRANULES == 16, "the sequence is for 16 bits");

/* The last card in which an object starts: the cards behind it so far, and how far they lead back, as in
 * hw_starts_note_cards. */
struct behind {
    uint32_t cards, back;
};

ALWAYS_INLINE uint8_t start_of(uint32_t bits, struct behind *behind) {
    if (LIKELY(bits)) {
        *behind = (struct behind){0};
        return lowest_of[(bits & -bits) * DE_BRUIJN >> 12 & 15];
    }
    if (++behind->cards >= 2u << behind->back) behind->back++;
    return (uint8_t)(HW_START_FAR + behind->back);
}

/* Each word of the map is two cards. */
OFTEN void hw_starts_note_map(uint32_t start, uint32_t limit, const uint32_t *map) {
    uint32_t first = hw_card_of(start), count = hw_card_of(limit - 1) - first + 1;
    uint8_t *starts = hw_space.starts + first;
    struct behind behind = {0};

    for (; count > 1; count -= 2, starts += 2) {
        uint32_t word = *map++;

        starts[0] = start_of(word & 0xffff, &behind);
        starts[1] = start_of(word >> CARD_GRANULES, &behind);
    }
    if (count) starts[0] = start_of(*map & 0xffff, &behind);
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
    hw_visit_slot *visit;
};

static COLD_CALL void visit_in_window(hw_ref *slot, void *context) {
    const struct window *window = context;

    if (hw_reference(slot) - window->start < window->limit - window->start) window->visit(slot, NULL);
}

static void visit_elements(const struct window *window, hw_ref array) {
    uint32_t elements = array + hw_klass_elements(hw_klass_of(hw_pointer(array)));
    uint32_t end = elements + hw_array_length(array) * sizeof(hw_ref);
    uint32_t first = elements < window->start ? window->start : elements;
    uint32_t last = end > window->limit ? window->limit : end;

    for (; first < last; first += sizeof(hw_ref)) window->visit(hw_pointer(first), NULL);
}

static void visit_card(uint32_t card, uint32_t limit, hw_visit_slot *visit) {
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
}

void hw_cards_visit(uint32_t start, uint32_t limit, hw_visit_slot *visit) {
    if (start == limit) return;
    uint32_t last = hw_card_of(limit - 1);

    for (uint32_t card = hw_card_of(start); card <= last; card++) {
        const uint32_t *four = (const uint32_t *)(hw_space.cards + card);

        /* Skips four clean cards at once. */
        if (card % 4 == 0 && card + 3 <= last && *four == 0x01010101u * HW_CARD_CLEAN) {
            card += 3;
        } else if (hw_space.cards[card] == HW_CARD_DIRTY) {
            if (limit - (hw_space.base + (card << HW_CARD_SHIFT)) >= HW_CARD_BYTES)
                hw_space.cards[card] = HW_CARD_CLEAN;
            visit_card(card, limit, visit);
        }
    }
}
