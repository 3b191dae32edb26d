/* Runs one case by its name: cases NAME. Exit code 0 if it passes. */
#include "cases.h"

#include <string.h>

#include "memory.h"

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {
        {"copies", copies},
        {"exchanges", exchanges},
        {"addresses", addresses},
        {"dripping_peer", dripping_peer},
        {"flooding_peer", flooding_peer},
        {"silent_machine", silent_machine},
        {"previous_exchange", previous_exchange},
        {"endless_exchange", endless_exchange},
        {"streams_without_room", streams_without_room},
    };

    memory_map();
    for (unsigned i = 0; argc == 2 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0) {
            all[i].run();
            return 0;
        }
    return 2;
}
