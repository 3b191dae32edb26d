#include <stdint.h>
#define PRIu32 "u"
#define PRId32 "d"
