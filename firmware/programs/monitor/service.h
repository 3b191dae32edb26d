/* The operations of the monitor (docs/reference/monitor_protocol.md). */
#ifndef HW_PROGRAMS_MONITOR_SERVICE_H
#define HW_PROGRAMS_MONITOR_SERVICE_H

#include "packet/frame.h"
#include "records/monitor.h"

/* Empties the arenas and discovers the hardware. */
void service_init(void);

/* Executes the request. Returns the status of the answer and fills the body of `response`, which is another packet. */
enum answer service_answer(const struct packet *request, struct packet *response);

/* Returns true after EXIT: the program must end with *code once the response is sent. */
bool service_ended(int *code);

#endif
