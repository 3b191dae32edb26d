#include <string.h>

#include "programs/bench/core.h"
#include "programs/measure/engine.h"
#include "runtime/object.h"
#include "runtime/regions.h"

static void note(struct timing *timing, uint32_t iteration, struct sample sample) {
    if (iteration == 0)
        *timing = (struct timing){.cycles = UINT32_MAX, .cold_cycles = sample.cycles};
    else if (sample.cycles < timing->cycles)
        timing->cycles = sample.cycles, timing->instructions = sample.instructions;
}

static void measure(const struct engine_peer *peer, const char *name, const void *type, const void *wire,
                    uint32_t bytes) {
    struct timing reading, writing;
    struct hw_arena heap, output;
    void *message = NULL;

    for (uint32_t i = 0; i <= CORE_WARM; i++) {
        hw_arena_init(&heap, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES);
        note(&reading, i, peer->read(type, wire, bytes, &heap, &message));
    }
    for (uint32_t i = 0; message && i <= CORE_WARM; i++) {
        hw_arena_init(&output, HW_FIXED_BASE, HW_FIXED_BYTES);
        note(&writing, i, peer->write(type, message, false, &output));
    }
    bool ok = message && output.top - output.base == bytes && memcmp(hw_pointer(output.base), wire, bytes) == 0;

    core_report(name, "deserialize", peer->name, reading, bytes, heap.top - HW_FLEXIBLE_BASE, ok);
    if (message && peer->writes) core_report(name, "serialize", peer->name, writing, bytes, bytes, ok);
}

void core_peers(const char *name, const char *type, const void *wire, uint32_t bytes) {
    for (unsigned i = 0; i < engine_peer_count; i++) {
        const void *known = engine_peers[i].find ? engine_peers[i].find(type) : NULL;

        if (known) measure(&engine_peers[i], name, known, wire, bytes);
    }
}
