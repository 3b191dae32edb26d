#define assert(condition) ((void)0)
