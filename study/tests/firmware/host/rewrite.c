/* `rewrite TYPE ENGINE <MESSAGE`: what an engine of upb has read, written again in order. Ends with 3 if the engine has
 * refused it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "programs/measure/engine.h"
#include "runtime/regions.h"

int main(int count, char **arguments) {
    struct hw_arena heap, output;
    void *message;

    if (count != 3) return 2;
    memory_map();
    uint32_t length = (uint32_t)fread(hw_pointer(HW_LOAD_BASE), 1, HW_LOAD_BYTES, stdin);

    for (unsigned i = 0; i < engine_peer_count; i++) {
        const struct engine_peer *peer = &engine_peers[i];
        const void *type = peer->find ? peer->find(arguments[1]) : NULL;

        if (strcmp(peer->name, arguments[2]) != 0 || !type) continue;
        hw_arena_init(&heap, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES);
        hw_arena_init(&output, HW_FIXED_BASE, HW_FIXED_BYTES);
        peer->read(type, hw_pointer(HW_LOAD_BASE), length, &heap, &message);
        if (!message) return 3;
        peer->write(type, message, true, &output);
        return fwrite(hw_pointer(output.base), 1, output.top - output.base, stdout) != output.top - output.base;
    }
    return 2;
}
