/* Messages of random schemas field by field: whole, cut off and damaged ones. Prints counts. */
#include "fields.h"

int main(void) {
    struct place mine, others;

    open_places(&mine, &others);
    check_all(&mine);
    uint32_t fallbacks = hw_fields_fallbacks;

    check_failures(&mine);
    printf("cases %lu fallbacks %lu refused %lu\n", (unsigned long)cases_done, (unsigned long)fallbacks,
           (unsigned long)check_damage(&mine, &others, 300));
    return 0;
}
