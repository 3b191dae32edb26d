"""Named mutants of the firmware: each takes out one condition, and the tests on the host must notice."""

from tests.mutation.named import Patch

SUITES = ("heap", "cereal", "firmware", "skyway")
HEAP = "tests/heap"
CEREAL = "tests/cereal/test_codec.py tests/cereal/test_driver.py"
SCHEMA = "tests/firmware/test_schema.py tests/firmware/test_table.py"
CODEC = "tests/firmware/test_differential.py"

PATCHES = (
    Patch(
        "the collector waits for no thread's commands",
        "runtime/heap/safepoint.c",
        "if (!thread->safe || !hw_thread_settled(thread)) return false;",
        "if (!thread->safe) return false;",
        HEAP,
    ),
    Patch(
        "a thread is at a safepoint with commands in flight",
        "runtime/heap/safepoint.c",
        "void hw_safepoint_enter(void) {\n    hw_safepoint_settle();",
        "void hw_safepoint_enter(void) {",
        HEAP,
    ),
    Patch(
        "the collector does not settle its own thread's commands",
        "runtime/heap/safepoint.c",
        "command_in_flight();\n    hw_safepoint_settle();",
        "command_in_flight();",
        HEAP,
    ),
    Patch(
        "a thread leaves a safepoint during a collection",
        "runtime/heap/safepoint.c",
        "while (hw_safepoint_requested && stopper != hw_thread) hw_critical_pause();",
        "",
        HEAP,
    ),
    Patch(
        "moved registers are not published", "runtime/heap/safepoint.c", "        hw_registers_publish();\n", "", HEAP
    ),
    Patch(
        "no write barrier",
        "runtime/heap/card.h",
        "    hw_card_table.bias[hw_reference(slot) >> HW_CARD_SHIFT] = HW_CARD_DIRTY;\n",
        "",
        HEAP,
    ),
    Patch(
        "a promoted object's card stays clean",
        "runtime/heap/young.c",
        "if (visit_old(slot)) hw_card_table.bias[hw_reference(slot) >> HW_CARD_SHIFT] = HW_CARD_DIRTY;",
        "visit_old(slot);",
        HEAP,
    ),
    Patch(
        "a visited card is clean",
        "runtime/heap/card.c",
        "visit_card(card, limit, visit) ? HW_CARD_DIRTY : HW_CARD_CLEAN",
        "visit_card(card, limit, visit) ? HW_CARD_CLEAN : HW_CARD_CLEAN",
        HEAP,
    ),
    Patch(
        "four cards are clean if the last is",
        "runtime/heap/card.c",
        "*four == 0x01010101u * HW_CARD_CLEAN",
        "*four >> 24 == HW_CARD_CLEAN",
        HEAP,
    ),
    Patch(
        "an array is visited beyond its card's begin only",
        "runtime/heap/card.c",
        "uint32_t first = elements < window->start ? window->start : elements;",
        "uint32_t first = elements < window->start ? window->start + 4 : elements;",
        HEAP,
    ),
    Patch(
        "a full collection may not be asked for when the old generation is short",
        "runtime/heap/collect.c",
        "    full |= hw_young_used() + largest_movable() > hw_arena_free(&hw_space.old);\n",
        "    full |= hw_young_used() > hw_arena_free(&hw_space.old);\n",
        HEAP,
    ),
    Patch(
        "epochs restart while some are open",
        "runtime/heap/epoch.c",
        "if (hw_epoch_newest != HW_EPOCH_LAST || hw_epochs_open() != 0) return false;",
        "if (hw_epoch_newest != HW_EPOCH_LAST) return false;",
        f"{HEAP} {CEREAL}",
    ),
    Patch(
        "a closed epoch still counts",
        "runtime/heap/epoch.c",
        "            hw_open_epochs[i] = 0;\n            hw_epoch_in_use--;",
        "            hw_epoch_in_use--;",
        f"{HEAP} {CEREAL}",
    ),
    Patch(
        "an owner word of an earlier phase counts",
        "runtime/heap/epoch.c",
        "return owner >= least_owner(hw_open_epochs[i]);",
        "return true;",
        f"{HEAP} tests/skyway/test_cases.py",
    ),
    Patch(
        "software claims while units do",
        "runtime/heap/claims.c",
        "    while (hw_claims_by_units()) hw_critical_pause();\n",
        "    (void)hw_claims_by_units;\n",
        f"{CEREAL} tests/skyway/test_cases.py",
    ),
    Patch(
        "a command starts while software claims",
        "cereal/write.c",
        "if (LIKELY(!hw_claiming && !hw_cereal_held_off)) tag",
        "if (LIKELY(!hw_cereal_held_off)) tag",
        f"{CEREAL} tests/skyway/test_cases.py",
    ),
    Patch(
        "commands of other drivers stay in flight",
        "cereal/flight.c",
        "    settle_others();\n    return true;",
        "    return true;",
        CEREAL,
    ),
    Patch(
        "a shared object fails the command",
        "cereal/flight.c",
        "           status == HW_STATUS_SHARED_OBJECT || status == HW_STATUS_WORK_FULL",
        "           status == HW_STATUS_WORK_FULL",
        CEREAL,
    ),
    Patch(
        "the sum of a stream's sections has 32 bits",
        "cereal/codec/read.c",
        "uint64_t bytes = (uint64_t)sizeof *header + header->values",
        "uint32_t bytes = (uint32_t)sizeof *header + header->values",
        CEREAL,
    ),
    Patch(
        "the size of a stream's image has 32 bits",
        "cereal/codec/read.c",
        "uint64_t most = (uint64_t)header->values + 4 * (uint64_t)header->references + 24 * objects;",
        "uint32_t most = (uint32_t)(header->values + 4 * (uint64_t)header->references + 24 * objects);",
        CEREAL,
    ),
    Patch(
        "required fields above the first word are not looked at",
        "protobuf/codec/deserialize.c",
        "if (required != 0 && required <= 32 && (~*hasbits & UINT32_MAX >> (32 - required)) == 0) return;",
        "if (required != 0 && (~*hasbits & (required < 32 ? UINT32_MAX >> (32 - required) : UINT32_MAX)) == 0) return;",
        CODEC,
    ),
    Patch(
        "a message that lacks a required field is read",
        "protobuf/codec/deserialize.c",
        "if (required != 0 && !hw_message_has_required(object, type)) decoder->incomplete = true;",
        "",
        CODEC,
    ),
    Patch(
        "a message that lacks a required field is written",
        "protobuf/codec/serialize.c",
        "} else if (presence == HW_ADT_PRESENCE_REQUIRED && !has(hasbits, field)) {",
        "} else if (false) {",
        CODEC,
    ),
    Patch(
        "a blob's sections may overlap",
        "runtime/schema_check.c",
        "offset % alignment != 0 || offset < *end || ",
        "offset % alignment != 0 || ",
        SCHEMA,
    ),
    Patch(
        "a blob's section may end behind it",
        "runtime/schema_check.c",
        " || offset > blob->size || bytes > blob->size - offset) return false;",
        " || offset > blob->size) return false;",
        SCHEMA,
    ),
    Patch(
        "a blob's checksum is not compared", "runtime/schema_check.c", "blob->crc != checksum(blob)", "false", SCHEMA
    ),
    Patch(
        "a blob's tables may overlap",
        "runtime/schema_check.c",
        "        record->table < *tables_end || record->table > limit",
        "        record->table > limit",
        SCHEMA,
    ),
    Patch(
        "a klass may have flags",
        "runtime/schema_check.c",
        "           klass->flags == 0 && klass->type_id == 0;",
        "           klass->type_id == 0;",
        SCHEMA,
    ),
    Patch(
        "a long bitmap may be wrong",
        "runtime/schema_check.c",
        "           memcmp(bitmap + 1, references, words * sizeof(*references)) == 0;",
        "           references;",
        SCHEMA,
    ),
    Patch(
        "a field's table may lie anywhere",
        "runtime/schema_check.c",
        "        if (!is_table(blob, record->table + HW_GET(field, ENTRY_SUB_TABLE))) return false;\n",
        "",
        SCHEMA,
    ),
    Patch(
        "a table need not say that a message within it has required fields",
        "runtime/schema_check.c",
        "(HW_GET(sub, ADT_HAS_REQUIRED) && !HW_GET(type, ADT_HAS_REQUIRED))",
        "false",
        SCHEMA,
    ),
)
