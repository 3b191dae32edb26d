/* Cards: they tell which parts of the old generation and of the large space may refer to young objects, and where
 * objects start in those parts.
 *
 * A store of a reference marks its card dirty, whatever the value and the target (Hoelzle's unconditional barrier): two
 * instructions more than the store alone, once the table's base is in a register.
 */
#ifndef HW_RUNTIME_HEAP_CARD_H
#define HW_RUNTIME_HEAP_CARD_H

#include "runtime/heap/object.h"
#include "runtime/heap/space.h"

#define HW_CARD_SHIFT 7
#define HW_CARD_BYTES (1u << HW_CARD_SHIFT)
#define HW_CARD_DIRTY 0
#define HW_CARD_CLEAN 1

/* The card table, on one line of the data cache. */
extern struct hw_card_table {
    _Alignas(16) uint8_t *bias; /* its address, less the first card's number: address >> HW_CARD_SHIFT is an index */
    uint32_t first, count;      /* the numbers of the heap's first card, and of its cards */
} hw_card_table;

/* Stores a reference into an object of the heap. No functions but this one and the next may store references. */
static inline void hw_write(hw_ref *slot, hw_ref value) {
    *slot = value;
    hw_card_table.bias[hw_reference(slot) >> HW_CARD_SHIFT] = HW_CARD_DIRTY;
}

/* Stores a reference into a message's object, which may lie in an arena. That has no cards, and needs none: it refers
 * to nothing in the heap (accessors/arenas.h). */
static inline void hw_write_message(hw_ref *slot, hw_ref value) {
    uint32_t card = hw_reference(slot) >> HW_CARD_SHIFT;

    *slot = value;
    if (__builtin_expect(card - hw_card_table.first < hw_card_table.count, 1)) hw_card_table.bias[card] = HW_CARD_DIRTY;
}

static inline uint32_t hw_card_of(hw_ref address) { return (address - hw_space.base) >> HW_CARD_SHIFT; }

/* Sets the card bytes of [start, limit) to `value`. */
void hw_cards_set(uint32_t start, uint32_t limit, uint8_t value);

/* In the table of starts, the granule of the first object that starts in a card. If no object starts in the card, a
 * value of at least HW_START_FAR: go back 2^(value - HW_START_FAR) cards and look again. */
#define HW_START_FAR 0x80

/* Notes an object that reaches from card `first` to another card, `last`. */
void hw_starts_note_cards(uint32_t first, uint32_t last);

/* Notes an object at `object`. Objects must be noted in the order of their addresses, after hw_starts_clear of their
 * range. */
static inline void hw_starts_note(hw_ref object, uint32_t bytes) {
    uint32_t first = hw_card_of(object), last = hw_card_of(object + bytes - 1);
    uint8_t *start = &hw_space.starts[first];

    if (*start >= HW_START_FAR) *start = (object - hw_space.base) % HW_CARD_BYTES >> HW_GRANULE_SHIFT;
    if (first != last) hw_starts_note_cards(first, last);
}

void hw_starts_clear(uint32_t start, uint32_t limit);

/* Notes all objects of [start, limit), which begins with a card and an object. `map` has a bit for each granule: 1
 * where an object starts. */
void hw_starts_note_map(uint32_t start, uint32_t limit, const uint32_t *map);

/* Returns the object from which a walk reaches the first byte of a card: the object at this byte, else the first object
 * of the nearest card before it in which one starts. */
hw_ref hw_starts_covering(uint32_t card);

/* Notes every object of [start, limit). */
void hw_starts_note_all(uint32_t start, uint32_t limit);

/* Visits the references that lie on dirty cards of [start, limit). The cards are clean then: whoever finds or stores a
 * young reference there makes its card dirty. A card that the limit cuts stays dirty, because objects may be promoted
 * to its rest before it is visited. */
void hw_cards_visit(uint32_t start, uint32_t limit, hw_visit_slot *visit);

#endif
