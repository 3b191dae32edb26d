/* The pause test: a collection is requested while another thread has a command in flight. The collection waits, the
 * command's result is not lost, the registers are reloaded. Case 0 is a message that keeps the unit busy for thousands
 * of cycles. */
#include "heap.h"
#include "platform/cycles.h"
#include "runtime/regions.h"
#include "runtime/registers.h"
#include "thread/thread.h"
#include "units/command.h"

#define ROUNDS 4
#define TICK 3001
#define STACK_WORDS 1024

enum event { SUBMITTED, ASKED, SETTLED, COLLECTED, FINISHED, EVENTS };

static struct hw_thread worker;
static uint32_t stack[STACK_WORDS];
static struct hw_protobuf context;
static struct hw_protobuf_reading command;
static volatile enum event events[ROUNDS * EVENTS];
static volatile uint32_t logged, rounds_done, messages;
static volatile bool stop;
static void (*settle)(struct hw_pending *);

static void note(enum event event) { events[logged++] = event; }

static void settle_noted(struct hw_pending *pending) {
    settle(pending);
    note(SETTLED);
}

static void submit_and_wait(void *argument) {
    uint32_t length;
    const void *input = heap_case_input(0, &length);

    (void)argument;
    while (rounds_done < ROUNDS) {
        hw_scope scope = hw_scope_open();
        hw_handle message;

        EXPECT(hw_protobuf_read_begin(&context, heap_case_type(0), input, length, &command));
        settle = command.pending.settle;
        command.pending.settle = settle_noted;
        note(SUBMITTED);
        hw_thread_yield(); /* no safepoint: the command is in flight when the other thread requests a collection */
        EXPECT(hw_safepoint_requested && hw_pending_in_flight(&command.pending));
        hw_safepoint();
        EXPECT(command.pending.state == HW_PENDING_DONE && logged % EVENTS == COLLECTED + 1);
        EXPECT(hw_protobuf_read_end(&command, &message) && heap_is_case(message, 0));
        note(FINISHED);
        rounds_done++;
        hw_scope_close(scope);
        hw_thread_yield();
    }
}

static void round_of_events(uint32_t number) {
    uint64_t waited = hw_heap_statistics.wait_cycles;
    hw_ref singleton = hw_registers[HW_REG_UNKNOWN_FIELDS];

    while (logged % EVENTS != SUBMITTED + 1) hw_thread_yield();
    EXPECT(hw_command_poll(command.tag) == HW_WAIT_PENDING);
    note(ASKED);
    hw_collect(number % 2);
    note(COLLECTED);
    EXPECT(hw_heap_statistics.commands_met == number + 1);
    EXPECT(hw_heap_statistics.wait_cycles > waited && command.handle->reference);
    EXPECT(number != 0 || hw_registers[HW_REG_UNKNOWN_FIELDS] != singleton); /* the singleton has left eden */
    while (rounds_done == number) hw_thread_yield();
}

/* Deserializes messages until told to stop. The timer preempts it anywhere. */
static void deserialize(void *argument) {
    uint32_t dice = 7, length;

    (void)argument;
    while (!stop) {
        hw_scope scope = hw_scope_open();
        uint32_t index = heap_draw(&dice, heap_case_count);
        const void *input = heap_case_input(index, &length);
        hw_handle first, second;

        EXPECT(hw_protobuf_read(&context, heap_case_type(index), input, length, &first));
        EXPECT(hw_protobuf_read(&context, heap_case_type(index), input, length, &second));
        hw_safepoint();
        EXPECT(heap_is_case(first, index) && heap_is_case(second, index));
        messages += 2;
        hw_scope_close(scope);
    }
}

int main(void) {
    const struct hw_heap_options options = {
        .base = HW_FIXED_BASE,
        .bytes = 768u << 10,
        .eden_bytes = 320u << 10,
        .survivor_bytes = 80u << 10,
        .unit_bytes = 2048,
        .poison = true,
    };

    heap_open();
    heap_start(&options, HW_ADOPT_BUFFER);
    hw_protobuf_open_heap(&context);
    EXPECT(hw_thread_start(&worker, stack, sizeof(stack), submit_and_wait, NULL));
    for (uint32_t i = 0; i < ROUNDS; i++) round_of_events(i);
    hw_thread_join(&worker);
    for (uint32_t i = 0; i < logged; i++) EXPECT(events[i] == i % EVENTS);
    uint32_t longest = hw_heap_statistics.longest_wait;

    heap_start(&options, HW_ADOPT_BUFFER);
    EXPECT(hw_thread_start(&worker, stack, sizeof(stack), deserialize, NULL));
    hw_thread_preempt(TICK);
    for (uint32_t i = 0; i < 2 * ROUNDS; i++) {
        for (uint32_t start = cycles_now(), long_ago = 20000 + 777 * i; cycles_now() - start < long_ago;);
        hw_collect(i % 4 == 0);
    }
    stop = true;
    hw_thread_join(&worker);
    hw_thread_preempt(0);
    heap_check_walk();
    EXPECT(context.status == HW_STATUS_OK && messages > ROUNDS && hw_heap_statistics.wait_cycles > 0);
    printf("events %lu longest_wait %lu messages %lu preemptions %lu waited %lu\n", (unsigned long)logged,
           (unsigned long)longest, (unsigned long)messages, (unsigned long)hw_thread_preemptions,
           (unsigned long)hw_heap_statistics.wait_cycles);
    return 0;
}
