/* The demo of remote calls (`make demo-rpc`): its two services, which no file can include together. */
#ifndef HW_PROGRAMS_RPC_DEMO_H
#define HW_PROGRAMS_RPC_DEMO_H

#include "rpc/rpc.h"

/* That of nanopb's structs, by the engine and by nanopb alone. */
extern const struct hw_rpc_service *const demo_structs;
const struct hw_rpc_service *demo_structs_alone(void);

#endif
