/* The monitor's line: its bytes in, the service's answers out (server.h). */
#ifndef HW_PROGRAMS_MONITOR_LINK_H
#define HW_PROGRAMS_MONITOR_LINK_H

#include <stdint.h>

/* Takes the next byte of the line; answers through `put` when it ends a frame. */
void link_take(uint8_t byte, void (*put)(uint8_t byte));

#endif
