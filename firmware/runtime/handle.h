/* Handles: how code outside the runtime holds on to objects.
 *
 * A handle is an opaque pointer to a slot that a collector may update. Local
 * handles belong to the thread that made them and live until the scope they were
 * made in closes; scopes nest as calls do. Global handles are a fixed table and
 * live until they are dropped.
 */
#ifndef HW_RUNTIME_HANDLE_H
#define HW_RUNTIME_HANDLE_H

#include "runtime/thread.h"

#define HW_GLOBAL_HANDLES 64

typedef struct hw_handle_slot *hw_handle; /* NULL: no handle */
typedef uint32_t hw_scope;

static inline hw_scope hw_scope_open(void)
{
    return hw_thread->handles.count;
}

/* Ends the life of every local handle that was made since `scope` opened. */
static inline void hw_scope_close(hw_scope scope)
{
    hw_thread->handles.count = scope;
}

/* How many more local handles the thread may make. */
static inline uint32_t hw_handle_left(void)
{
    return HW_LOCAL_HANDLES - hw_thread->handles.count;
}

/* A local handle on `reference`, which must not be null; NULL when the table is full. */
static inline hw_handle hw_handle_new(hw_ref reference)
{
    struct hw_handle_table *table = &hw_thread->handles;
    uint32_t index = table->count;

    if (index >= HW_LOCAL_HANDLES)
        return NULL;
    table->count = index + 1;
    table->slots[index].reference = reference;
    return &table->slots[index];
}

/* Ends the life of the latest local handle. */
static inline void hw_handle_drop_latest(void)
{
    hw_thread->handles.count--;
}

/* The object, valid until the next safepoint. */
static inline void *hw_handle_object(hw_handle handle)
{
    return hw_pointer(handle->reference);
}

/* A global handle on what `handle` refers to; NULL when the table is full. */
hw_handle hw_global_new(hw_handle handle);

/* Frees a global handle; NULL is ignored. */
void hw_global_drop(hw_handle handle);

/* The table of global handles, for the collector: reference 0 is a free slot. */
extern struct hw_handle_slot hw_globals[HW_GLOBAL_HANDLES];

#endif
