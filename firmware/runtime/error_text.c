/* Errors in words. A program that never asks for them is linked without these tables. */
#include <stddef.h>
#include <stdio.h>

#include "records/meanings.h"
#include "runtime/schema.h"
#include "runtime/thread.h"
#include "units/capability.h"

struct meaning {
    uint16_t status;
    const char *name, *text;
};

#define MEANING(name, text) {HW_STATUS_##name, #name, text},
#define SKYWAY_MEANING(name, text) {HW_SKYWAY_##name, "SKYWAY_" #name, text},

static const struct meaning meanings[] = {HW_UNIT_STATUS_MEANINGS(MEANING) HW_DRIVER_STATUS_MEANINGS(MEANING)
                                              HW_SKYWAY_STATUS_MEANINGS(SKYWAY_MEANING)};

static const struct meaning *meaning_of(hw_status status) {
    for (uint32_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].status == status) return &meanings[i];
    return NULL;
}

const char *hw_status_name(hw_status status) { return meaning_of(status) ? meaning_of(status)->name : NULL; }

const char *hw_status_meaning(hw_status status) { return meaning_of(status) ? meaning_of(status)->text : NULL; }

const char *hw_error_text(void) {
    static char text[320];
    const struct hw_error error = hw_thread->error;
    const struct meaning *meaning = meaning_of(error.status);
    char more[160] = "";

    if (error.status == HW_STATUS_OK || !meaning) return "no error";
    if (error.status == HW_STATUS_BAD_SCHEMA)
        snprintf(more, sizeof more, " (%s)", hw_schema_error_text((enum hw_schema_error)error.offset));
    else if (error.status == HW_STATUS_OTHER_CLUSTER)
        hw_cluster_names(more, sizeof more);
    else if (error.offset != HW_ERROR_NOWHERE)
        snprintf(more, sizeof more, ", at byte %lu", (unsigned long)error.offset);
    snprintf(text, sizeof text, "%s: %s%s", meaning->name, meaning->text, more);
    return text;
}
