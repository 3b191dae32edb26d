/* Cards: which parts of the old generation and of the large space may refer to
 * young objects, and where objects start in them.
 *
 * A store of a reference sets its card's byte, whatever is stored where (Hoelzle's
 * unconditional barrier): two instructions more than the store once the table's base is at hand.
 */
#ifndef HW_RUNTIME_HEAP_CARD_H
#define HW_RUNTIME_HEAP_CARD_H

#include "runtime/heap/space.h"

#define HW_CARD_SHIFT 7
#define HW_CARD_BYTES (1u << HW_CARD_SHIFT)
#define HW_CARD_DIRTY 0
#define HW_CARD_CLEAN 1

/* The card table's first byte, less the heap's first card: indexed by address >> HW_CARD_SHIFT. */
extern uint8_t *hw_card_bias;

/* The only way to store a reference into an object. */
static inline void hw_write(hw_ref *slot, hw_ref value)
{
    *slot = value;
    hw_card_bias[hw_reference(slot) >> HW_CARD_SHIFT] = HW_CARD_DIRTY;
}

static inline uint32_t hw_card_of(hw_ref address)
{
    return (address - hw_space.base) >> HW_CARD_SHIFT;
}

/* Sets the cards of [start, limit). */
void hw_cards_set(uint32_t start, uint32_t limit, uint8_t value);

/* In the table of starts, of a card without an object's start: go back 2^(value - HW_START_FAR) cards and look again. Else: the
 * granule of the first start. */
#define HW_START_FAR 0x80

/* An object reaches from card `first` to card `last`, which is another one. */
void hw_starts_note_cards(uint32_t first, uint32_t last);

/* An object now lies at `object`: objects must be noted in the order of their addresses, after
 * hw_starts_clear of their range. */
static inline void hw_starts_note(hw_ref object, uint32_t bytes)
{
    uint32_t first = hw_card_of(object), last = hw_card_of(object + bytes - 1);
    uint8_t *start = &hw_space.starts[first];

    if (*start >= HW_START_FAR)
        *start = (object - hw_space.base) % HW_CARD_BYTES >> HW_GRANULE_SHIFT;
    if (first != last)
        hw_starts_note_cards(first, last);
}

void hw_starts_clear(uint32_t start, uint32_t limit);

/* The same for all objects of [start, limit), which begins with a card and an object: a bit for each granule, 1 where an object starts. */
void hw_starts_note_map(uint32_t start, uint32_t limit, const uint32_t *map);

/* The object that holds the first byte of a card's range. */
hw_ref hw_starts_covering(uint32_t card);

/* Notes every object of [start, limit). */
void hw_starts_note_all(uint32_t start, uint32_t limit);

/* Visits, on every dirty card of [start, limit), the references of its objects that lie on it. `visit`
 * answers whether its slot still refers to a young object; a card without any is clean afterwards. */
typedef bool hw_visit_card_slot(hw_ref *slot);
void hw_cards_visit(uint32_t start, uint32_t limit, hw_visit_card_slot *visit);

#endif
