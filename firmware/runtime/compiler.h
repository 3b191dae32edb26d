/* Hints to the compiler. They change how fast code is, not what it does. */
#ifndef HW_RUNTIME_COMPILER_H
#define HW_RUNTIME_COMPILER_H

/* For functions that must be inlined although -O2 would not inline them. */
#ifdef __OPTIMIZE_SIZE__
#define ALWAYS_INLINE static inline
#else
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

/* For code that hardly ever runs. The compiler moves it, and the branches to it, away from other code, which then has
 * more of the instruction cache to itself. */
#define COLD __attribute__((cold))

/* COLD, and never inlined: for what a short function seldom does, so that it saves few registers. */
#define COLD_CALL __attribute__((cold, noinline))

/* For code that runs for each of many small messages or buffers. The linker puts such functions side by side, so that
 * they do not evict each other from the instruction cache. */
#define OFTEN __attribute__((hot))

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
