/* The monitor on standard input and output: `monitor [DROP [RATE CABLE]]`. If DROP is not 0, every DROPth byte that it
 * sends is damaged, as by a bad line. With RATE, standard input and output are a pseudo-terminal (line.h). */
#include <stdio.h>
#include <stdlib.h>

#include "line.h"
#include "memory.h"
#include "programs/monitor/service.h"
#include "platform/finish.h"

static unsigned long damage_every, sent;

bool hw_finish_supported(void) { return true; }

static void put(uint8_t byte) {
    if (damage_every && ++sent % damage_every == 0) byte ^= 0x10;
    line_put(byte);
}

int main(int count, char **arguments) {
    int got = 0, code = 0;
    uint8_t byte;

    damage_every = count > 1 ? strtoul(arguments[1], NULL, 0) : 0;
    if (count > 3) line_open((uint32_t)strtoul(arguments[2], NULL, 0), (uint32_t)strtoul(arguments[3], NULL, 0));
    memory_map();
    service_init();
    while (!service_ended(&code) && (got = line_take(&byte)) >= 0) {
        if (got) {
            link_take(byte, put);
            fflush(stdout);
        }
        rate_idle();
    }
    return code;
}
