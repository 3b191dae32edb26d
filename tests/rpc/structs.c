/* The service of nanopb's structs. */
#include "structs.rpc_nanopb.h"

#include "device.h"

const struct hw_rpc_service *const structs = &device_Structs;

enum hw_rpc_status device_Structs_Echo(const device_Record *request, device_Record *response) {
    *response = *request;
    return HW_RPC_OK;
}

enum hw_rpc_status device_Structs_Fail(const device_Number *request, device_Number *response) {
    response->value = 7;
    return (enum hw_rpc_status)request->value;
}

enum hw_rpc_status device_Structs_Large(const device_Range *request, device_Record *response) {
    if (request->count > sizeof response->data.bytes) return HW_RPC_OUT_OF_RANGE;
    response->data.size = (pb_size_t)request->count;
    return HW_RPC_OK;
}

static bool write_count(struct hw_rpc_writer writer, int64_t value) {
    device_Number number = {.value = value};

    return device_Structs_Count_write((device_Structs_Count_writer){writer}, &number);
}

enum hw_rpc_status device_Structs_Count(device_Structs_Count_writer writer, const device_Range *request) {
    for (uint32_t i = 0; i < request->count; i++) write_count(writer.any, request->first + i);
    return HW_RPC_OK;
}

enum hw_rpc_status device_Structs_Watch(device_Structs_Watch_writer writer, const device_Range *request) {
    const struct stream stream = {writer.any, write_count, request->first, request->count};

    return stream_keep(&stream) ? HW_RPC_OPEN : HW_RPC_RESOURCE_EXHAUSTED;
}

enum hw_rpc_status device_Structs_Watch_end(device_Structs_Watch_writer writer) {
    device_Structs_Watch_finish(writer, HW_RPC_ABORTED);
    return HW_RPC_OPEN;
}

void device_Structs_Watch_cancelled(device_Structs_Watch_writer writer) { cancelled += hw_rpc_is_open(writer.any); }

enum hw_rpc_status device_Structs_Sum(device_Structs_Sum_writer writer, const device_Number *request) {
    *hw_rpc_state(writer.any) += (uintptr_t)request->value;
    return *hw_rpc_state(writer.any) > 1000000 ? HW_RPC_OUT_OF_RANGE : HW_RPC_OPEN;
}

enum hw_rpc_status device_Structs_Sum_end(device_Structs_Sum_writer writer, device_Number *response) {
    response->value = (int64_t)*hw_rpc_state(writer.any);
    return HW_RPC_OK;
}

void device_Structs_Sum_cancelled(device_Structs_Sum_writer writer) { cancelled += hw_rpc_is_open(writer.any); }

static enum hw_rpc_status doubled(device_Structs_Double_writer writer, int64_t value) {
    device_Number number = {.value = value};

    return device_Structs_Double_write(writer, &number) ? HW_RPC_OPEN : HW_RPC_INTERNAL;
}

enum hw_rpc_status device_Structs_Double_open(device_Structs_Double_writer writer) { return doubled(writer, -1); }

enum hw_rpc_status device_Structs_Double(device_Structs_Double_writer writer, const device_Number *request) {
    return doubled(writer, 2 * request->value);
}

enum hw_rpc_status device_Structs_Double_end(device_Structs_Double_writer writer) {
    (void)writer;
    return HW_RPC_OK;
}

enum hw_rpc_status device_Structs_Look(const google_protobuf_Empty *request, device_Statistics *response) {
    (void)request;
    *response = (device_Statistics){streams_open(), cancelled, server.packets, server.malformed};
    return HW_RPC_OK;
}
