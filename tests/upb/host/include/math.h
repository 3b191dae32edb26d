#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
