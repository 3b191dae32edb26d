/* Cases of safepoints, with a second thread that runs while the first one waits. */
#include "cases.h"
#include "runtime/heap/collect.h"
#include "runtime/heap/safepoint.h"
#include "runtime/heap/space.h"
#include "runtime/registers.h"

static struct hw_thread other;
static struct hw_pending command;
static unsigned settled, yields;
static void (*run_other)(void); /* what the other thread does meanwhile */

void hw_thread_yield(void) {
    EXPECT(hw_critical_depth == 0);
    if (++yields > 10) {
        printf("a thread waits for ever\n");
        exit(3);
    }
    if (run_other) run_other();
}

static void settle(struct hw_pending *pending) {
    settled++;
    hw_pending_end(pending, HW_PENDING_DONE);
}

/* Gives a thread a command in flight. */
static void begin(struct hw_thread *thread) {
    command.settle = settle;
    hw_pending_add(thread, &command, 0);
}

static void start(void (*meanwhile)(void)) {
    struct hw_thread *self = hw_thread;

    init();
    hw_thread = &other;
    hw_handle_new(0);
    hw_thread = self;
    other.next = hw_thread;
    other.safe = true;
    hw_thread->next = &other;
    run_other = meanwhile;
}

static void complete(void) {
    EXPECT(hw_heap_statistics.young_collections == 0);
    if (yields != 2) return;
    settle(&command);
    other.begun = NULL;
}

CASE(a_collection_waits_for_the_commands_of_others) {
    start(complete);
    begin(&other);
    hw_collect(false);
    EXPECT(yields == 2 && hw_heap_statistics.young_collections == 1);
}

CASE(a_collection_settles_its_own_commands) {
    start(NULL);
    begin(hw_thread);
    hw_collect(false);
    EXPECT(settled == 1 && hw_thread_settled(hw_thread) && hw_heap_statistics.young_collections == 1);
}

CASE(a_thread_settles_its_commands_at_a_safepoint) {
    start(NULL);
    begin(hw_thread);
    hw_safepoint_enter();
    EXPECT(settled == 1 && hw_thread_settled(hw_thread) && hw_thread->safe);
    hw_safepoint_leave();
    EXPECT(!hw_thread->safe);
}

/* Makes the collection end, for the other thread. */
static void end(void) {
    EXPECT(other.safe);
    hw_safepoint_requested = false;
}

static void leave(void) {
    struct hw_thread *self = hw_thread;

    hw_thread = &other;
    hw_safepoint_enter();
    run_other = end;
    hw_safepoint_leave();
    EXPECT(!other.safe && yields == 2);
    hw_safepoint_enter();
    hw_safepoint_requested = true;
    hw_thread = self;
}

CASE(a_thread_stays_at_its_safepoint_during_a_collection) {
    start(leave);
    other.safe = false;
    hw_collect(false);
    EXPECT(yields == 2 && hw_heap_statistics.young_collections == 1);
}

static unsigned published;

void __real_hw_registers_publish(void);
void __wrap_hw_registers_publish(void);

void __wrap_hw_registers_publish(void) {
    published++;
    __real_hw_registers_publish();
}

/* The front end is told of a register whose object has moved, once. */
CASE(registers_of_a_moved_object_are_published) {
    init();
    hw_registers[HW_REG_UNKNOWN_FIELDS] = hw_new(&kinds[LEAF])->reference;
    uint32_t before = hw_registers[HW_REG_UNKNOWN_FIELDS];

    published = 0;
    hw_collect(false);
    EXPECT(hw_registers[HW_REG_UNKNOWN_FIELDS] != before && published == 1);
    hw_collect(true);
    before = hw_registers[HW_REG_UNKNOWN_FIELDS];
    published = 0;
    hw_collect(true);
    EXPECT(hw_registers[HW_REG_UNKNOWN_FIELDS] == before && published == 0);
}

/* A collection is a full one if the old generation is too short for all that is young and the largest object that may
 * be moved besides. */
CASE(a_full_collection_in_time) {
    options.eden_bytes = 16384;
    init();
    hw_handle keep = hw_new_array(&kinds[OBJECTS], 4000), leaf;
    uint32_t between = 0;

    for (uint32_t i = 0; between == 0 && (leaf = hw_new(&kinds[LEAF])) != NULL; hw_scope_close(hw_thread->slots + 1)) {
        uint32_t free = hw_arena_free(&hw_space.old), used = hw_young_used();

        hw_set_element(keep, i++, leaf);
        if (used < free && used + hw_large_threshold() > free) {
            uint32_t before = hw_heap_statistics.full_collections;

            hw_collect(false);
            EXPECT(hw_heap_statistics.full_collections == before + 1);
            between++;
        }
    }
    EXPECT(between);
}
