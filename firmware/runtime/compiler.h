/* What is said to the compiler alone: it changes how fast code is, not what it does. */
#ifndef HW_RUNTIME_COMPILER_H
#define HW_RUNTIME_COMPILER_H

/* What -O2 would make a function of its own, and must not. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Hardly ever called: what leads to it is moved out of the way of the rest, which has less of the instruction cache to itself otherwise. */
#define COLD __attribute__((cold))

/* Part of what runs for each of many small messages or buffers: such code lies side by side, so that its parts do not take each other's lines of the instruction cache. */
#define OFTEN __attribute__((hot))

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
