/* Threads as the runtime sees them: they hold handles, allocate, and must be at a safepoint before objects move.
 * firmware/thread switches between them on the SoC. A program without it has one thread, `hw_main_thread`.
 */
#ifndef HW_RUNTIME_THREAD_H
#define HW_RUNTIME_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"
#include "runtime/error.h"

/* Of a thread's own table; more are taken from the heap. Not 1,024: struct hw_thread would then be longer than a
 * direct-mapped data cache of 4 KB, and its ends would share cache lines. */
#define HW_LOCAL_HANDLES 982

struct hw_handle_slot {
    hw_ref reference;
};

struct hw_handle_table {
    struct hw_handle_slot *next, *limit; /* the slot of the next handle; the end of the last part */
    hw_ref more; /* the last of the further parts (handle.c); 0: there are only the thread's slots */
};

/* The state of what a program has begun, whatever the format, until it ends it. */
enum hw_pending_state {
    HW_PENDING_NONE,     /* nothing has begun */
    HW_PENDING_DEFERRED, /* software will execute it, in the end call */
    HW_PENDING_DONE,
    HW_PENDING_FAILED,
    HW_PENDING_IN_FLIGHT, /* a unit executes the command */
};

/* A command that a unit executes on behalf of a thread. Its result is a raw reference until `settle` has made a handle
 * of it. */
struct hw_pending {
    union {
        uintptr_t state;           /* enum hw_pending_state, below HW_PENDING_IN_FLIGHT */
        struct hw_pending **place; /* in flight: where the thread keeps it */
    };
    /* Waits for the command and stores its outcome. */
    void (*settle)(struct hw_pending *);
};

/* The members that every allocation and every command uses come first, within one block of the shared cache. link.ld
 * puts `hw_thread` in front of the main thread, on the same line. */
struct hw_thread {
    struct hw_arena buffer; /* allocation buffer in eden; base 0: none */
    /* The latest of the commands that have begun, and may be in flight, since it last settled; NULL: none, but those
     * that are counted. */
    const struct hw_pending *begun;
    struct hw_handle_table handles;
    struct hw_arenas unit;                        /* the arenas of its commands (heap/adopt.h) */
    bool unit_large[2];                           /* whether `fixed` and `flexible` lie in the large space */
    struct hw_pending *commands[HW_CLUSTER_TAGS]; /* in flight, by tag */
    struct hw_handle_slot slots[HW_LOCAL_HANDLES];
    uint32_t counted;   /* of the commands in flight, those that have not set `begun` */
    hw_ref sentinel;    /* of the adopted array in which `unit` lies; 0: there is none */
    volatile bool safe; /* at a safepoint: touches no object and no handle */
    struct hw_error error;
    struct hw_arenas *arenas; /* of the messages outside the heap that it changes; NULL: none (accessors/arenas.h) */
    struct hw_thread *next;   /* the ring of all threads */
    uint32_t stack_pointer;   /* saved by firmware/thread while another thread runs */
    uint32_t *stack_guard;    /* the lowest word of its stack; NULL: not watched */
    volatile bool ended;      /* its function has returned */
};

extern struct hw_thread hw_main_thread;
extern struct hw_thread *hw_thread; /* the running thread; never NULL */

/* The most stack, in bytes, that a trap that switches threads and a codec's innermost calls need together. */
#define HW_STACK_RESERVE 640

/* Returns how many of `levels` levels of recursion, of `bytes` bytes each, fit on the running thread's stack; all of
 * them if the stack is not watched. Code whose depth of recursion depends on input asks first. */
uint32_t hw_stack_levels(uint32_t levels, uint32_t bytes);

static inline bool hw_pending_in_flight(const struct hw_pending *pending) {
    return pending->state >= HW_PENDING_IN_FLIGHT;
}

static inline enum hw_pending_state hw_pending_state(const struct hw_pending *pending) {
    return hw_pending_in_flight(pending) ? HW_PENDING_IN_FLIGHT : (enum hw_pending_state)pending->state;
}

/* Notes the command of this tag, which has begun. `thread` is the running one. */
static inline void hw_pending_note(struct hw_thread *thread, struct hw_pending *pending, int32_t tag) {
    struct hw_pending **place = &thread->commands[tag];

    __asm__("" : "+r"(place)); /* else the compiler computes it twice */
    *place = pending;
    pending->place = place;
}

/* The same, in one store more. The thread settles before it next needs to have no command in flight, even if all have
 * ended by then; drivers for which that is too much count. */
static inline void hw_pending_add(struct hw_thread *thread, struct hw_pending *pending, int32_t tag) {
    hw_pending_note(thread, pending, tag);
    thread->begun = pending;
}

/* Returns whether no command of the thread can be in flight. */
static inline bool hw_thread_settled(const struct hw_thread *thread) { return !thread->begun && !thread->counted; }

/* Notes that a command has ended that was in flight at `place`, and what has become of it. */
static inline void hw_pending_end_at(struct hw_pending **place, struct hw_pending *pending,
                                     enum hw_pending_state state) {
    *place = NULL;
    pending->state = state;
}

static inline void hw_pending_end(struct hw_pending *pending, enum hw_pending_state state) {
    hw_pending_end_at(pending->place, pending, state);
}

/* Raises an error that lies in no input, unless there is one already. Inline, since a call would cost the setters
 * around it registers. */
static inline void hw_error_raise(hw_status status) {
    if (hw_thread->error.status == HW_STATUS_OK) hw_thread->error = (struct hw_error){status, HW_ERROR_NOWHERE};
}

/* Handles: how code outside the runtime refers to objects.
 *
 * A handle is an opaque pointer to a slot that the collector may update. A local handle belongs to the thread that made
 * it and lives until the scope in which it was made closes; scopes nest as calls do. A thread has HW_LOCAL_HANDLES
 * slots of its own, and takes more from the heap. Global handles come from a fixed table and live until they are
 * dropped.
 */

#define HW_GLOBAL_HANDLES 64

typedef struct hw_handle_slot *hw_handle; /* NULL: no handle */
typedef hw_handle hw_scope;               /* the next handle when it opened */

static inline hw_scope hw_scope_open(void) { return hw_thread->handles.next; }

/* Makes the table end behind `last`, a handle or the end of a part. */
void hw_handles_shrink(struct hw_thread *thread, hw_handle last);

/* Drops every local handle that was made since `scope` opened. */
static inline void hw_scope_close(hw_scope scope) {
    struct hw_thread *thread = hw_thread;

    thread->handles.next = scope;
    if (__builtin_expect(thread->handles.more != 0, 0)) hw_handles_shrink(thread, scope);
}

/* Opens a scope that closes where the enclosing block ends, by whatever way the program leaves it. */
#define HW_SCOPE HW_SCOPE_OF(__LINE__)
#define HW_SCOPE_OF(line) HW_SCOPE_NAMED(line)
#define HW_SCOPE_NAMED(line) \
    hw_scope hw_scope_of_##line __attribute__((cleanup(hw_scope_end), unused)) = hw_scope_open()

static inline void hw_scope_end(const hw_scope *scope) { hw_scope_close(*scope); }

/* Drops every local handle of a thread. Threads begin with it. */
static inline void hw_handles_drop(struct hw_thread *thread) {
    thread->handles.next = thread->slots;
    thread->handles.limit = thread->slots + HW_LOCAL_HANDLES;
    if (thread->handles.more) hw_handles_shrink(thread, thread->handles.next);
}

/* Makes sure that the next local handle has a slot, from the heap's large space if need be. No safepoint. Returns false
 * with HW_STATUS_NO_HANDLE. */
bool hw_handle_room(void);

/* hw_handle_new where the table is full. */
hw_handle hw_handle_more(hw_ref reference);

/* Returns a new local handle on `reference`, which must not be null; NULL with HW_STATUS_NO_HANDLE. */
static inline hw_handle hw_handle_new(hw_ref reference) {
    struct hw_handle_table *table = &hw_thread->handles;
    hw_handle handle = table->next;

    if (__builtin_expect(handle == table->limit, 0)) return hw_handle_more(reference);
    table->next = handle + 1;
    handle->reference = reference;
    return handle;
}

/* Returns a new local handle on `reference`; NULL if that is 0, and with HW_STATUS_NO_HANDLE. */
static inline hw_handle hw_handle_hold(hw_ref reference) { return reference ? hw_handle_new(reference) : NULL; }

/* Drops the latest local handle. */
static inline void hw_handle_drop_latest(void) { hw_scope_close(hw_thread->handles.next - 1); }

/* Returns the object. The pointer is valid until the next safepoint. */
static inline void *hw_handle_object(hw_handle handle) { return hw_pointer(handle->reference); }

/* Returns a new global handle on the object of `handle`; NULL if the table is full. */
hw_handle hw_global_new(hw_handle handle);

/* Drops a global handle; NULL is ignored. */
void hw_global_drop(hw_handle handle);

/* The table of global handles, for the collector. A slot whose reference is 0 is free. */
extern struct hw_handle_slot hw_globals[HW_GLOBAL_HANDLES];

/* Critical sections: short parts of the runtime that work on shared state and that the timer must not interrupt in
 * favour of another thread. Examples: filling a buffer from eden, taking a large region, opening an epoch.
 *
 * While a section is open, firmware/thread does not switch threads. Sections nest. Inside a section there is no
 * safepoint and no hw_thread_yield.
 */

/* Number of open sections. All of them belong to the running thread, because no other thread gets to run. */
extern volatile uint32_t hw_critical_depth;

static inline void hw_critical_enter(void) {
    hw_critical_depth++;
    __asm__ volatile("" ::: "memory");
}

static inline void hw_critical_leave(void) {
    __asm__ volatile("" ::: "memory");
    hw_critical_depth--;
}

/* Like hw_critical_enter, where the caller knows that no section is open, as at a safepoint. */
static inline void hw_critical_enter_first(void) {
    hw_critical_depth = 1;
    __asm__ volatile("" ::: "memory");
}

static inline void hw_critical_leave_last(void) {
    __asm__ volatile("" ::: "memory");
    hw_critical_depth = 0;
}

#endif
