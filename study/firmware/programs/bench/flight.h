/* Suite `protobuf`: many messages at once. */
#ifndef HW_PROGRAMS_BENCH_FLIGHT_H
#define HW_PROGRAMS_BENCH_FLIGHT_H

#include "programs/batch/workload.h"
#include "runtime/descriptor.h"

/* Measures cycles per message with FLIGHT_COMMANDS of them in flight, in both directions: a row each, engine
 * `hw-x<units>`. */
void flight_run(const struct workload *workload, const struct workload_case *item, const struct hw_type *type);

#endif
