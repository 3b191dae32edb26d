/* The C library's locks. malloc, free and exit change what all threads share, so no other thread runs meanwhile. Files
 * have no locks: there are none but the console. */
#include <sys/lock.h>

#include "runtime/thread.h"

struct __lock {
    char unused;
};

struct __lock __lock___libc_recursive_mutex;

void __retarget_lock_acquire_recursive(_LOCK_T lock) {
    (void)lock;
    hw_critical_enter();
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock) {
    __retarget_lock_acquire_recursive(lock);
    return 1;
}

void __retarget_lock_release_recursive(_LOCK_T lock) {
    (void)lock;
    hw_critical_leave();
}

void __retarget_lock_init_recursive(_LOCK_T *lock) { *lock = &__lock___libc_recursive_mutex; }

void __retarget_lock_close_recursive(_LOCK_T lock) { (void)lock; }

void __retarget_lock_init(_LOCK_T *lock) { *lock = &__lock___libc_recursive_mutex; }

void __retarget_lock_close(_LOCK_T lock) { (void)lock; }

void __retarget_lock_acquire(_LOCK_T lock) { (void)lock; }

int __retarget_lock_try_acquire(_LOCK_T lock) {
    (void)lock;
    return 1;
}

void __retarget_lock_release(_LOCK_T lock) { (void)lock; }
