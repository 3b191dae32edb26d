/* The operations that read and write main memory. WRITE checks the length of its body; for the others the caller
 * has. */
#ifndef HW_PROGRAMS_MONITOR_BYTES_H
#define HW_PROGRAMS_MONITOR_BYTES_H

#include "packet/frame.h"
#include "records/monitor.h"

enum answer write_memory(const struct packet *request);
enum answer read_memory(const struct packet *request, struct packet *response);
enum answer checksum(const struct packet *request, struct packet *response);

#endif
