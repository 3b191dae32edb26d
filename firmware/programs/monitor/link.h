/* The monitor's line: takes its bytes and sends the service's answers (server.h). */
#ifndef HW_PROGRAMS_MONITOR_LINK_H
#define HW_PROGRAMS_MONITOR_LINK_H

#include <stdint.h>

/* Takes the next byte of the line. If it ends a frame, sends the answer through `put`. */
void link_take(uint8_t byte, void (*put)(uint8_t byte));

#endif
