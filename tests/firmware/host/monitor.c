/* The monitor on standard input and output: `monitor [DROP]`. With DROP, every
 * DROPth byte it sends is damaged, as a bad line would. */
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "monitor/link.h"
#include "monitor/service.h"
#include "platform/finish.h"

static unsigned long damage_every, sent;

bool finish_supported(void)
{
    return true;
}

static void put(uint8_t byte)
{
    if (damage_every && ++sent % damage_every == 0)
        byte ^= 0x10;
    putchar(byte);
}

int main(int count, char **arguments)
{
    int byte, code = 0;

    damage_every = count > 1 ? strtoul(arguments[1], NULL, 0) : 0;
    memory_map();
    service_init();
    while (!service_ended(&code) && (byte = getchar()) != EOF) {
        link_take((uint8_t)byte, put);
        fflush(stdout);
    }
    return code;
}
