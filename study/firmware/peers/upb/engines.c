/* upb as engines of the benches: it copies strings, leaves them in the input, or copies them without a check of UTF-8.
 *
 * Like those of the other engines, the arenas are emptied outside of the count. Counted are the new message, and the
 * growth of the output, which upb cannot be given at once. As in upb's own generated code, required fields are not
 * checked. */
#include "peers/upb/tables.h"
#include "programs/measure/engine.h"
#include "records/upb.h"
#include "records/view.h"
#include "upb/mem/arena.h"
#include "upb/message/message.h"
#include "upb/wire/decode.h"
#include "upb/wire/encode.h"

static const void *checked(const char *type) { return upb_peer_table(type, true); }
static const void *unchecked(const char *type) { return upb_peer_table(type, false); }

static upb_Arena *open_arena(const struct hw_arena *arena) {
    return upb_Arena_Init(hw_pointer(arena->base), arena->limit - arena->base, NULL);
}

static struct sample read_message(const void *table, const void *input, uint32_t length, struct hw_arena *arena,
                                  int options, void **message) {
    upb_Arena *opened = open_arena(arena);
    struct sample sample = sample_start();
    upb_Message *made = upb_Message_New(table, opened);
    upb_DecodeStatus status = upb_Decode(input, length, made, table, NULL, options, opened);

    sample = sample_end(sample);
    *message = status == kUpb_DecodeStatus_Ok ? made : NULL;
    arena->top = hw_reference(upb_Arena_Malloc(opened, 0));
    return sample;
}

static struct sample copying(const void *table, const void *input, uint32_t length, struct hw_arena *arena,
                             void **message) {
    return read_message(table, input, length, arena, 0, message);
}

static struct sample aliasing(const void *table, const void *input, uint32_t length, struct hw_arena *arena,
                              void **message) {
    return read_message(table, input, length, arena, kUpb_DecodeOption_AliasString, message);
}

static struct sample write_message(const void *table, const void *message, bool ordered, struct hw_arena *arena) {
    upb_Arena *opened = open_arena(arena);
    int options = ordered ? kUpb_EncodeOption_Deterministic : 0;
    char *start = NULL;
    size_t size = 0;
    struct sample sample = sample_start();
    upb_EncodeStatus status = upb_Encode(message, table, options, opened, &start, &size);

    sample = sample_end(sample);
    arena->base = status == kUpb_EncodeStatus_Ok ? hw_reference(start) : 0;
    arena->top = arena->base + (uint32_t)size;
    return sample;
}

/* Shorter strings are copied as fast as they are passed over. */
#define LEFT_FROM 512

const struct engine_peer engine_peers[] = {
    [UPB_ENGINE_UPB - ENGINES] = {"upb", 0, checked, copying, write_message, true},
    [UPB_ENGINE_UPB_ALIAS - ENGINES] = {"upb-alias", 0, checked, aliasing, write_message, false},
    [UPB_ENGINE_UPB_NOCHECK - ENGINES] = {"upb-nocheck", 0, unchecked, copying, write_message, false},
    [VIEW_ENGINE_HW_VIEW - ENGINES] = {"hw-view", .left_from = LEFT_FROM},
};
const unsigned engine_peer_count = sizeof(engine_peers) / sizeof(engine_peers[0]);
