/* As models.c, with upb's program in the units when the first command comes. */
#define UPB
#include "models.c"
