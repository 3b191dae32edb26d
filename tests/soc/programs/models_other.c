/* As models.c, but a program of another build is all that is loaded. */
#define OTHER
#include "models.c"
