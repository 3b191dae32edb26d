#include <string.h>

#include "programs/shuffle/queries/query.h"

const struct shuffle_program *const shuffle_programs[] = {
    &shuffle_word_count, &shuffle_page_rank, &shuffle_components, &shuffle_triangles, &query_a.program,
    &query_b.program,    &query_c.program,   &query_d.program,    &query_e.program,
};
const uint32_t shuffle_program_count = sizeof shuffle_programs / sizeof *shuffle_programs;

const struct shuffle_program *shuffle_program(const char *name) {
    for (uint32_t i = 0; i < shuffle_program_count; i++)
        if (strcmp(shuffle_programs[i]->name, name) == 0) return shuffle_programs[i];
    return NULL;
}
