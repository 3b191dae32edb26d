/* What the monitor does when asked (docs/monitor_protocol.md). */
#ifndef HW_PROGRAMS_MONITOR_SERVICE_H
#define HW_PROGRAMS_MONITOR_SERVICE_H

#include "packet/frame.h"
#include "programs/monitor/protocol.h"

/* Empties the arenas and finds out what hardware there is. */
void service_init(void);

/* Carries out the request: the answer's status, its body in `response`, another packet. */
enum answer service_answer(const struct packet *request, struct packet *response);

/* True after EXIT: the program shall end with *code once the response is sent. */
bool service_ended(int *code);

#endif
