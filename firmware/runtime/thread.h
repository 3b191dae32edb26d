/* Threads as the runtime sees them: they hold handles, allocate, and must be at a safepoint before objects move.
 * firmware/thread switches between them on the SoC. A program without it has one thread, `hw_main_thread`.
 */
#ifndef HW_RUNTIME_THREAD_H
#define HW_RUNTIME_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"

/* Not 1,024: struct hw_thread would then be longer than a direct-mapped data cache of 4 KB, and its ends would share
 * cache lines. */
#define HW_LOCAL_HANDLES 1000

struct hw_handle_slot {
    hw_ref reference;
};

struct hw_handle_table {
    struct hw_handle_slot *next, *limit; /* the slot of the next handle; the end of `slots` */
    struct hw_handle_slot slots[HW_LOCAL_HANDLES];
};

/* The exception of a thread. The call that failed sets it and returns NULL or false. It stays until
 * hw_exception_take. */
enum hw_exception {
    HW_NO_EXCEPTION,
    HW_OUT_OF_MEMORY, /* a collection did not make room */
    HW_OUT_OF_HANDLES,
    HW_OUT_OF_EPOCHS, /* every epoch is in use by an open serialization */
    HW_NULL_MESSAGE,  /* an accessor was to change the empty message that stands for a NULL handle */
    HW_WRONG_TYPE,    /* the object is not of the class that was asked for */
    HW_NO_TYPE,       /* the schema in force lacks the type, or its layout differs from that of the accessors */
    HW_OUT_OF_BOUNDS, /* an index beyond a list's count */
    HW_TOO_DEEP,      /* messages nest deeper than HW_MESSAGE_MAX_DEPTH or than the stack has room for */
    HW_NO_COLLECTOR,  /* the heap is full, and the program is linked without the collector */
};

/* A command that a unit executes on behalf of a thread. Its result is a raw reference until `settle` has made a handle
 * of it. */
struct hw_pending {
    struct hw_pending *next, **link; /* link: the pointer that points to this one */
    /* Waits for the command and stores its outcome. */
    void (*settle)(struct hw_pending *);
};

/* The state of what a program has begun, whatever the format, until it ends it. */
enum hw_pending_state {
    HW_PENDING_NONE,      /* nothing has begun */
    HW_PENDING_IN_FLIGHT, /* a unit executes the command */
    HW_PENDING_DEFERRED,  /* software will execute it, in the end call */
    HW_PENDING_DONE,
    HW_PENDING_FAILED,
};

/* The members that every allocation and every command uses come first, within one block of the shared cache. link.ld
 * puts `hw_thread` in front of the main thread, on the same line. */
struct hw_thread {
    struct hw_arena buffer;     /* allocation buffer in eden; base 0: none */
    struct hw_pending *pending; /* commands in flight: the thread is not at a safepoint */
    struct hw_handle_table handles;
    struct hw_arenas unit;        /* the arenas of its commands (heap/adopt.h) */
    bool unit_large[2];           /* whether `fixed` and `flexible` lie in the large space */
    hw_ref sentinel, sentinel_at; /* of an adopted array: where the sentinel is, and where it was made */
    volatile bool safe;           /* at a safepoint: touches no object and no handle */
    enum hw_exception exception;
    struct hw_thread *next; /* the ring of all threads */
    uint32_t stack_pointer; /* saved by firmware/thread while another thread runs */
    uint32_t *stack_guard;  /* the lowest word of its stack; NULL: not watched */
    volatile bool ended;    /* its function has returned */
};

extern struct hw_thread hw_main_thread;
extern struct hw_thread *hw_thread; /* the running thread; never NULL */

/* The most stack, in bytes, that a trap that switches threads and a codec's innermost calls need together. */
#define HW_STACK_RESERVE 640

/* Returns how many of `levels` levels of recursion, of `bytes` bytes each, fit on the running thread's stack; all of
 * them if the stack is not watched. Code whose depth of recursion depends on input asks first. */
uint32_t hw_stack_levels(uint32_t levels, uint32_t bytes);

/* `thread` is the running one. */
static inline void hw_pending_add(struct hw_thread *thread, struct hw_pending *pending) {
    struct hw_pending *next = thread->pending;

    pending->next = next;
    pending->link = &thread->pending;
    thread->pending = pending;
    if (next) next->link = &pending->next;
}

static inline void hw_pending_remove(struct hw_pending *pending) {
    struct hw_pending *next = pending->next;

    *pending->link = next;
    if (next) next->link = pending->link;
}

/* Returns the first exception since the last call, and forgets it. */
static inline enum hw_exception hw_exception_take(void) {
    enum hw_exception exception = hw_thread->exception;

    hw_thread->exception = HW_NO_EXCEPTION;
    return exception;
}

static inline void hw_exception_raise(enum hw_exception exception) {
    if (hw_thread->exception == HW_NO_EXCEPTION) hw_thread->exception = exception;
}

/* Handles: how code outside the runtime refers to objects.
 *
 * A handle is an opaque pointer to a slot that the collector may update. A local handle belongs to the thread that made
 * it and lives until the scope in which it was made closes; scopes nest as calls do. Global handles come from a fixed
 * table and live until they are dropped.
 */

#define HW_GLOBAL_HANDLES 64

typedef struct hw_handle_slot *hw_handle; /* NULL: no handle */
typedef hw_handle hw_scope;               /* the next handle when it opened */

static inline hw_scope hw_scope_open(void) { return hw_thread->handles.next; }

/* Drops every local handle that was made since `scope` opened. */
static inline void hw_scope_close(hw_scope scope) { hw_thread->handles.next = scope; }

/* Drops every local handle of a thread. Threads begin with it. */
static inline void hw_handles_drop(struct hw_thread *thread) {
    thread->handles.next = thread->handles.slots;
    thread->handles.limit = thread->handles.slots + HW_LOCAL_HANDLES;
}

/* Returns how many more local handles the thread may make. */
static inline uint32_t hw_handle_left(void) { return (uint32_t)(hw_thread->handles.limit - hw_thread->handles.next); }

/* Returns a new local handle on `reference`, which must not be null; NULL if the table is full. */
static inline hw_handle hw_handle_new(hw_ref reference) {
    struct hw_handle_table *table = &hw_thread->handles;
    hw_handle handle = table->next;

    if (handle == table->limit) return NULL;
    table->next = handle + 1;
    handle->reference = reference;
    return handle;
}

/* Raises HW_OUT_OF_HANDLES. Returns NULL. */
hw_handle hw_handle_refuse(void);

/* Returns a new local handle on `reference`; NULL if that is 0, and with HW_OUT_OF_HANDLES. */
static inline hw_handle hw_handle_hold(hw_ref reference) {
    hw_handle handle = reference ? hw_handle_new(reference) : NULL;

    return __builtin_expect(reference && !handle, 0) ? hw_handle_refuse() : handle;
}

/* Drops the latest local handle. */
static inline void hw_handle_drop_latest(void) { hw_thread->handles.next--; }

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
