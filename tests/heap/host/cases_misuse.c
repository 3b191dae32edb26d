/* Cases of what a program must not do: each ends the program, or the walker finds it. */
#include "cases.h"

#include "runtime/heap/card.h"

/* A raw pointer is kept over an allocation. Under stress the object has moved and its old memory is poisoned, so the
 * pointer is found once it is stored in an object. */
CASE(misuse) {
    options.stress = true;
    init();
    hw_handle object = hw_new(&kinds[NODE]);
    char *raw = hw_handle_object(object);

    hw_new(&kinds[LEAF]);
    EXPECT(raw != hw_handle_object(object));
    hw_handle holder = hw_new(&kinds[NODE]);

    hw_write((hw_ref *)((char *)hw_handle_object(holder) + kind_reference_offset(NODE, 0)), hw_reference(raw));
    hw_collect(false); /* ends the program */
}

/* A raw pointer is kept over a collection, and only read: emptied memory is out of bounds under ASan. */
CASE(misuse_by_reading) {
    init();
    hw_handle object = hw_new(&kinds[NODE]);
    const struct hw_object *raw = hw_handle_object(object);

    hw_collect(false);
    EXPECT(raw != hw_handle_object(object));
    printf("mark %08x\n", raw->mark); /* ends the program */
}

/* The walker finds a store that bypasses the barrier. */
CASE(no_barrier) {
    init();
    hw_handle old = hw_new(&kinds[NODE]);

    hw_collect(true);
    EXPECT(!hw_in_young(old->reference));
    hw_handle young = hw_new(&kinds[LEAF]);

    *(hw_ref *)((char *)hw_handle_object(old) + kind_reference_offset(NODE, 1)) = young->reference;
    EXPECT(!walks());
}
