/* Handles: how code outside the runtime refers to objects.
 *
 * A handle is an opaque pointer to a slot that the collector may update. A local handle belongs to the thread that made
 * it and lives until the scope in which it was made closes; scopes nest as calls do. Global handles come from a fixed
 * table and live until they are dropped.
 */
#ifndef HW_RUNTIME_HANDLE_H
#define HW_RUNTIME_HANDLE_H

#include "runtime/thread.h"

#define HW_GLOBAL_HANDLES 64

typedef struct hw_handle_slot *hw_handle; /* NULL: no handle */
typedef uint32_t hw_scope;

static inline hw_scope hw_scope_open(void) { return hw_thread->handles.count; }

/* Drops every local handle that was made since `scope` opened. */
static inline void hw_scope_close(hw_scope scope) { hw_thread->handles.count = scope; }

/* Returns how many more local handles the thread may make. */
static inline uint32_t hw_handle_left(void) { return HW_LOCAL_HANDLES - hw_thread->handles.count; }

/* Returns a new local handle on `reference`, which must not be null; NULL if the table is full. */
static inline hw_handle hw_handle_new(hw_ref reference) {
    struct hw_handle_table *table = &hw_thread->handles;
    uint32_t index = table->count;

    if (index >= HW_LOCAL_HANDLES) return NULL;
    table->count = index + 1;
    table->slots[index].reference = reference;
    return &table->slots[index];
}

/* Drops the latest local handle. */
static inline void hw_handle_drop_latest(void) { hw_thread->handles.count--; }

/* Returns the object. The pointer is valid until the next safepoint. */
static inline void *hw_handle_object(hw_handle handle) { return hw_pointer(handle->reference); }

/* Returns a new global handle on the object of `handle`; NULL if the table is full. */
hw_handle hw_global_new(hw_handle handle);

/* Drops a global handle; NULL is ignored. */
void hw_global_drop(hw_handle handle);

/* The table of global handles, for the collector. A slot whose reference is 0 is free. */
extern struct hw_handle_slot hw_globals[HW_GLOBAL_HANDLES];

#endif
