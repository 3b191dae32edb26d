/* What the programs of the field instructions share: for every case of the workload the instructions must do what the
 * software codec does. */
#ifndef TEST_FIELDS_H
#define TEST_FIELDS_H

#include "programs/batch/workload.h"
#include "../../common/expect.h"
#include "protobuf/fields/instructions.h"
#include "protobuf/fields/registry.h"
#include "units/capability.h"

#define DEPTH 100

/* Memory for one user of the unit: arenas in the fixed region, output in the flexible one. */
struct place {
    struct hw_arenas heap;
    uint8_t *output, *expected;
    uint32_t bytes;
};

extern const struct workload *workload;
extern uint32_t cases_done;

/* Opens the workload, and makes the places of two users. */
void open_places(struct place *mine, struct place *others);

const struct hw_type *case_type(uint32_t index);

/* Checks one case in both directions, and measures the cycles of each. */
void check_case(struct place *place, uint32_t index, uint32_t *parse, uint32_t *serialize);

void check_all(struct place *place);

/* Output that is too small and input that is cut off: the software codec answers, and is counted. */
void check_failures(struct place *place);

/* Input that is damaged somewhere, in arenas that may be too small: status, offset and message are the codec's, and
 * nothing is stored outside. Returns how many of the rounds were refused. */
uint32_t check_damage(struct place *place, struct place *other, uint32_t rounds);

#endif
