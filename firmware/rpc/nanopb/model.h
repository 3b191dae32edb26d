/* The types of nanopb's structs, for services (rpc/rpc.h). */
#ifndef HW_RPC_NANOPB_MODEL_H
#define HW_RPC_NANOPB_MODEL_H

#include "protobuf/nanopb/nanopb.h"
#include "rpc/rpc.h"

/* place: where a handler's struct of this type lies. One handler runs at a time. */
struct hw_rpc_nanopb_type {
    const pb_msgdesc_t *fields;
    void *place;
};

#endif
