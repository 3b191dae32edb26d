/* Threads: registers survive a timer that fires at any instruction, commands that are interrupted between stage and
 * submit start again, reservations end with a switch, and a thread that stops the world gets it. Prints a line of
 * counts. */
#include <string.h>

#include "../../common/expect.h"
#include "platform/cycles.h"
#include "runtime/thread.h"
#include "runtime/regions.h"
#include "thread/thread.h"
#include "units/capability.h"
#include "copy/copy.h"

#define WORKERS 3
#define COPIES 12
#define COPY_BYTES 256u
#define TICK 701 /* coprime to the cycles of the loops, so that switches fall everywhere */
#define STOPS 8

static struct hw_thread workers[WORKERS];
static uint32_t stacks[WORKERS][512];
static volatile uint32_t counter, done;
static uint32_t exact;

/* Keeps many values in registers at once. busy_in_memory computes the same in memory, for comparison. */
static __attribute__((noinline)) uint32_t busy(uint32_t seed) {
    uint32_t a = seed, b = seed * 3, c = seed * 5, d = seed * 7, e = seed * 11, f = seed * 13, g = seed * 17,
             h = seed * 19;

    for (int i = 0; i < 60; i++) {
        a += b ^ c, b += c ^ d, c += d ^ e, d += e ^ f;
        e += f ^ g, f += g ^ h, g += h ^ a, h += a ^ b;
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

static __attribute__((noinline)) uint32_t busy_in_memory(uint32_t seed) {
    static const uint32_t factors[8] = {1, 3, 5, 7, 11, 13, 17, 19};
    volatile uint32_t values[8];
    uint32_t all = 0;

    for (int i = 0; i < 8; i++) values[i] = seed * factors[i];
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 8; j++) values[j] = values[j] + (values[(j + 1) % 8] ^ values[(j + 2) % 8]);
    for (int i = 0; i < 8; i++) all ^= values[i];
    return all;
}

static void work(void *argument) {
    uint32_t index = (uint32_t)(uintptr_t)argument;
    uint32_t *from = hw_pointer(HW_FIXED_BASE + index * 4 * COPY_BYTES), *to = from + 2 * COPY_BYTES / 4;

    for (uint32_t turn = 0; turn < COPIES; turn++) {
        uint32_t seed = index * 1000 + turn;

        EXPECT(busy(seed) == busy_in_memory(seed));
        for (uint32_t i = 0; i < COPY_BYTES / 4; i++) from[i] = seed + i;
        EXPECT(hw_copy(to, from, COPY_BYTES) == HW_STATUS_OK);
        EXPECT(!memcmp(to, from, COPY_BYTES));
        for (int i = 0; i < 20; i++) __atomic_fetch_add(&exact, 1, __ATOMIC_RELAXED);
        hw_critical_enter();
        counter = counter + 1;
        hw_critical_leave();
        EXPECT(hw_thread == &workers[index] && !hw_thread->safe);
        hw_safepoint();
    }
    done++;
}

/* Checks that no other thread runs between stop and resume. */
static void stop_the_world(void) {
    hw_safepoint_stop_world();
    uint32_t before = counter, switches = hw_thread_switches, start = cycles_now();

    for (uint32_t i = 0; i < WORKERS; i++) EXPECT(workers[i].safe && hw_thread_settled(&workers[i]));
    while (cycles_now() - start < 3 * TICK);
    EXPECT(counter == before && hw_thread_switches == switches);
    hw_safepoint_resume_world();
}

static volatile uint32_t asked;

/* Stops the world again and again, as for collections; every thread does so. */
static void ask(void *argument) {
    (void)argument;
    for (int i = 0; i < 10; i++) {
        hw_safepoint_stop_world();
        asked++;
        hw_safepoint_resume_world();
    }
}

int main(void) {
    hw_capability_discover();
    EXPECT(!hw_thread_start(&workers[0], stacks[0], HW_THREAD_MIN_STACK - 4, work, NULL));

    hw_thread_preempt(TICK);
    for (uint32_t i = 0; i < WORKERS; i++)
        EXPECT(hw_thread_start(&workers[i], stacks[i], sizeof(stacks[i]), work, (void *)(uintptr_t)i));
    for (int i = 0; i < STOPS && done == 0; i++) {
        stop_the_world();
        EXPECT(busy(i) == busy_in_memory(i));
    }
    for (uint32_t i = 0; i < WORKERS; i++) hw_thread_join(&workers[i]);
    EXPECT(done == WORKERS && counter == WORKERS * COPIES && exact == WORKERS * COPIES * 20);
    EXPECT(hw_thread == &hw_main_thread && hw_main_thread.next == &hw_main_thread && !hw_main_thread.safe);
    EXPECT(hw_thread_preemptions > 1000 && hw_copy_state.fallbacks == 0);

    for (uint32_t i = 0; i < WORKERS; i++) /* threads and stacks can be used again */
        EXPECT(hw_thread_start(&workers[i], stacks[i], sizeof(stacks[i]), ask, NULL));
    ask(NULL);
    for (uint32_t i = 0; i < WORKERS; i++) hw_thread_join(&workers[i]);
    EXPECT(asked == 10 * (WORKERS + 1) && !hw_safepoint_requested);
    hw_thread_preempt(0);

    uint32_t preemptions = hw_thread_preemptions; /* without the timer, threads still take turns */

    hw_thread_start(&workers[0], stacks[0], sizeof(stacks[0]), ask, NULL);
    hw_thread_join(&workers[0]);
    EXPECT(hw_thread_preemptions == preemptions);
    printf("%lu switches, %lu of them by the timer\n", (unsigned long)hw_thread_switches, (unsigned long)preemptions);
    return 0;
}
