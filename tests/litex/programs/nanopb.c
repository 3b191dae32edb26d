/* The example that calls nanopb alone, and who did its calls. */
#define main example
#include "nanopb/greet.c"
#undef main

int main(void) {
    int code = example();

    printf("by the engine: %u read, %u written\n", (unsigned)hw_nanopb_decodes.by_unit,
           (unsigned)hw_nanopb_encodes.by_unit);
    return code;
}
